// The seam between the toolkit and an API: what each of codegen/backends/* implements.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "codegen/device.h"
#include "codegen/embedded.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// The dialect headers ("opencl.dialect.h", "cuda.dialect.h"), embedded by CMake.
std::span<const EmbeddedFile> dialect_files();

namespace backends {

/// A point in a queue's work.
class EventBackend {
 public:
  virtual ~EventBackend() = default;
  virtual const DeviceBackend& device() const = 0;
  virtual bool reached() const = 0;
  virtual void wait() const = 0;
  virtual double seconds_since(const EventBackend& earlier) const = 0;
  /// Both throw DeviceError if the event is not made for sharing.
  virtual void record(QueueBackend& queue) const;
  virtual ProcessHandle process_handle() const;
};

/// Device memory, or host memory that the device reads and writes by itself (pinned).
class BufferBackend : public std::enable_shared_from_this<BufferBackend> {
 public:
  BufferBackend(const DeviceBackend& device, std::size_t bytes, std::string_view label)
      : device_(device), bytes_(bytes), capacity_(bytes), label_(label) {}
  virtual ~BufferBackend() = default;
  BufferBackend(const BufferBackend&) = delete;
  BufferBackend& operator=(const BufferBackend&) = delete;
  [[nodiscard]] const DeviceBackend& device() const { return device_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }  ///< bytes that are really there
  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] std::uintptr_t native() const { return native_; }  ///< CUDA address, cl_mem; pinned: the host's address
  /// Throws DeviceError if the memory is not made for sharing.
  virtual ProcessHandle process_handle() const;
  /// Pinned: notes the last copy of a queue that uses the memory.
  std::shared_ptr<EventBackend> busy_until(std::shared_ptr<EventBackend> event, const QueueBackend& queue);
  /// Pinned: whether no copy uses the memory.
  [[nodiscard]] bool idle() const noexcept;
  /// Pinned: waits for the copies that use the memory; their faults are reported elsewhere.
  void wait_until_idle() noexcept;
  /// Pinned: the copies that use `other` use this from now on.
  void take_uses(BufferBackend& other) noexcept { uses_.swap(other.uses_); }

 protected:
  const DeviceBackend& device_;
  std::size_t bytes_, capacity_;
  std::string label_;
  std::uintptr_t native_ = 0;

 private:
  mutable std::mutex mutex_;
  std::map<const QueueBackend*, std::shared_ptr<EventBackend>> uses_;
};

class Recording;  // codegen/backends/hooks.h
class LaunchCapture;
class LaunchProfile;

/// What stands between Kernel::launch and a queue. Set while no other thread uses the queue.
struct LaunchHooks {
  std::shared_ptr<Recording> recording;
  std::shared_ptr<LaunchCapture> capture;
  std::shared_ptr<LaunchProfile> profile;
  [[nodiscard]] bool any() const { return recording || capture || profile; }
};

/// The last launch on a queue, for the message of a fault that shows later.
struct NotedLaunch {
  std::shared_ptr<const RenderedKernel> rendered;
  std::array<std::uint32_t, 3> groups{};
  /// "an earlier kernel or copy of this queue failed; its last launch was kernel ...".
  [[nodiscard]] std::string text() const;
};

/// An in-order queue. Ranges are checked by the caller (`Queue`).
class QueueBackend {
 public:
  explicit QueueBackend(DeviceBackend& device) : device_(device) {}
  virtual ~QueueBackend() = default;
  QueueBackend(const QueueBackend&) = delete;
  QueueBackend& operator=(const QueueBackend&) = delete;
  [[nodiscard]] DeviceBackend& device() const { return device_; }
  virtual void write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) = 0;
  virtual void read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) = 0;
  /// From and to pinned memory, without waiting.
  virtual void write_async(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) = 0;
  virtual void read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) = 0;
  virtual void copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) = 0;
  virtual void fill_zero(BufferBackend& target) = 0;
  /// Makes a driver that reserves memory at its first use do so now.
  virtual void reserve(BufferBackend&) {}
  virtual std::shared_ptr<EventBackend> record() = 0;
  virtual void wait(const EventBackend& event) = 0;
  virtual void finish() = 0;
  [[nodiscard]] virtual std::uintptr_t native() const = 0;  ///< CUstream, cl_command_queue

  LaunchHooks hooks;

  void note_launch(const std::shared_ptr<const RenderedKernel>& rendered, std::array<std::uint32_t, 3> groups);
  [[nodiscard]] NotedLaunch last_launch() const;

 private:
  DeviceBackend& device_;
  mutable std::mutex mutex_;
  NotedLaunch last_;
};

/// No kernel has more arguments.
inline constexpr std::size_t most_arguments = 64;

/// A checked launch argument: the bytes of a scalar of exactly the declared type, or of a buffer's native handle. Not initialised: a launch
/// is short.
struct LaunchArgument {
  const BufferBackend* buffer;  ///< null: a scalar
  std::array<std::byte, 16> value;
  std::size_t bytes;

  void set(const BufferBackend& given) {
    const std::uintptr_t native = given.native();
    set(&native, sizeof native);
    buffer = &given;
  }
  void set(const void* given, std::size_t size) {
    buffer = nullptr;
    bytes = size;
    std::memcpy(value.data(), given, size);
  }
};

/// Around one launch, on the device's clock.
struct LaunchTiming {
  std::shared_ptr<EventBackend> begin, end;
};

/// A built kernel of one device. Launching from several threads is allowed.
class KernelBackend {
 public:
  explicit KernelBackend(std::shared_ptr<const RenderedKernel> rendered) : rendered_(std::move(rendered)) {}
  virtual ~KernelBackend() = default;
  KernelBackend(const KernelBackend&) = delete;
  KernelBackend& operator=(const KernelBackend&) = delete;
  virtual const DeviceBackend& device() const = 0;
  /// Fills `timing` unless it is null.
  virtual void launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments,
                      LaunchTiming* timing) = 0;
  virtual Kernel::Resources resources() const = 0;
  [[nodiscard]] const KernelSpec& spec() const { return rendered_->spec; }
  [[nodiscard]] const RenderedKernel& rendered() const { return *rendered_; }

 protected:
  std::shared_ptr<const RenderedKernel> rendered_;
};

/// One checked launch on its way to a queue.
struct Launch {
  const std::shared_ptr<KernelBackend>& kernel;
  std::array<std::uint32_t, 3> groups{};
  std::span<const LaunchArgument> arguments;
  KernelCost cost;
};

/// Enqueues a launch, or hands it to what watches the queue.
void enqueue(QueueBackend& queue, const Launch& launch);

/// Commands that the driver enqueues at once.
class GraphBackend {
 public:
  virtual ~GraphBackend() = default;
  virtual void launch(QueueBackend& queue) = 0;
};

/// A built kernel and the bytes from which other processes get it without compiling.
struct BuiltKernel {
  std::shared_ptr<KernelBackend> kernel;
  std::string image;
};

/// A device. Contexts are made at first use, so that looking for devices costs little.
class DeviceBackend : public std::enable_shared_from_this<DeviceBackend> {
 public:
  virtual ~DeviceBackend() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual std::uintptr_t native() = 0;  ///< CUcontext, cl_context
  virtual std::shared_ptr<QueueBackend> make_queue() = 0;
  /// Both throw OutOfMemoryError if that is the reason.
  virtual std::shared_ptr<BufferBackend> allocate(std::size_t bytes, std::string_view label) = 0;
  virtual std::shared_ptr<BufferBackend> allocate_pinned(std::size_t bytes, std::string_view label) = 0;
  /// Why there is no sharing with other processes; empty: there is. The rest throws DeviceError then.
  virtual std::string why_not_shared() const;
  virtual std::shared_ptr<BufferBackend> allocate_shared(std::size_t bytes, std::string_view label);
  virtual std::shared_ptr<BufferBackend> open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label);
  virtual std::shared_ptr<EventBackend> make_shared_event();
  virtual std::shared_ptr<EventBackend> open_shared_event(const ProcessHandle& handle);
  /// The key of a kernel's cache entry: all that determines its binary on this device.
  virtual std::string cache_key(const RenderedKernel& rendered) const = 0;
  /// Looks the kernel up in the cache or compiles it. Called from several threads at once. Throws CompileError.
  virtual BuiltKernel build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) = 0;
  /// The kernel of an image that `build` gave on a device with the same key. Throws DeviceError if the driver refuses it.
  virtual std::shared_ptr<KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) = 0;
  /// False if an image is of use only on the node where it was made.
  virtual bool images_travel() const { return true; }
  /// The commands that `enqueue_all` puts on a queue, as a graph; null: the driver has none.
  virtual std::shared_ptr<GraphBackend> make_graph(const std::function<void(QueueBackend&)>&) { return nullptr; }

  /// Throws DeviceError in a thread that captures a graph on this device.
  void refuse_allocation_in_capture(std::string_view label) const;

  std::atomic<std::thread::id> capturing_thread{};  ///< the thread that captures a graph on this device
};

/// Throws DeviceError if a group of the kernel, its shared memory or its precision is beyond the device.
void check_fits(const DeviceFacts& facts, const KernelSpec& spec);

/// "kernel 'stage' with 3x1x1 groups of 64x1x1 work-items": for messages.
std::string launch_text(const KernelSpec& spec, std::array<std::uint32_t, 3> groups);

}  // namespace backends
}  // namespace dgsolve::codegen
