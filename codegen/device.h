// Devices, queues, events and buffers, the same on CUDA and OpenCL.
// Every object keeps what it depends on alive: any order of destruction is right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dgsolve::codegen {

namespace backends {  // the seam that codegen/backends/* implement (codegen/backends/backend.h)
class DeviceBackend;
class QueueBackend;
class EventBackend;
class BufferBackend;
}  // namespace backends

/// What is known of a device before anything runs on it.
struct DeviceFacts {
  std::string name;      ///< as the driver says, e.g. "NVIDIA H200"
  std::string selector;  ///< what a user types to get exactly this one, e.g. "cuda:0"
  std::string backend;   ///< "cuda" or "opencl"
  std::string platform;  ///< OpenCL platform name, or "CUDA"
  std::string driver_version;
  std::string architecture;  ///< "sm_90", or the CPU's instruction-set features, or ""
  bool is_cpu = false;
  bool has_double = true;
  bool has_matrix_double = false;  ///< units for MATRIX_STEP, products of small matrices in double precision (docs/kernels.md)
  int compute_units = 0;
  int processors = 0;      ///< CPUs: those of the machine, of which this process may have a share
  int max_group_size = 0;  ///< work-items (threads) in a group (block)
  std::size_t global_bytes = 0;
  std::size_t shared_bytes = 0;  ///< per group, the most that a kernel may ask for
};

/// A backend, or a device of it, that is not there, and why.
struct MissingDevice {
  std::string backend;
  std::string reason;
};

/// Names shared memory or a shared event to other processes of the node, which get its bytes by any way (a message, a pipe).
struct ProcessHandle {
  std::array<std::byte, 64> bytes{};
};

class Queue;
class Buffer;
class Event;
class PinnedBuffer;

/// A device: a shared handle, cheap to copy.
class Device {
 public:
  explicit Device(std::shared_ptr<backends::DeviceBackend> backend);
  [[nodiscard]] const DeviceFacts& facts() const;
  /// With DGSOLVE_CAPTURE=KERNEL in the environment, the queue writes that kernel's first launch to KERNEL.launch (codegen/capture.h).
  [[nodiscard]] Queue make_queue() const;
  /// Uninitialised device memory. Zero bytes are allowed. Throws DeviceError naming label, size and what is free.
  /// OutOfMemoryError if that is the reason.
  [[nodiscard]] Buffer allocate(std::size_t bytes, std::string_view label) const;
  /// Host memory that the device reads and writes by itself, for copies that do not wait. Throws DeviceError.
  [[nodiscard]] PinnedBuffer allocate_pinned(std::size_t bytes, std::string_view label) const;

  /// Why memory and events of this device cannot be shared with other processes; empty: they can be (CUDA, PoCL).
  [[nodiscard]] std::string why_not_shared() const;
  /// Device memory that other processes can open. Nothing else of this process lies in what they see: it takes whole pages. It must stay
  /// until they have let go of it. This and the next three throw DeviceError where sharing is not possible.
  [[nodiscard]] Buffer allocate_shared(std::size_t bytes, std::string_view label) const;
  /// The memory of another process on this node, by Buffer::handle() there; `bytes` as there. Also of another GPU that this one reaches.
  /// One process opens a handle once at a time, and never its own.
  [[nodiscard]] Buffer open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) const;
  /// An event for Queue::record(event), not yet reached by anything: a wait for it is over at once. It measures no time.
  [[nodiscard]] Event make_shared_event() const;
  /// The event of another process on this node, by Event::handle() there. A wait is for what that process recorded last before the wait was
  /// enqueued, so word of the record must have come first.
  [[nodiscard]] Event open_shared_event(const ProcessHandle& handle) const;

  [[nodiscard]] std::uintptr_t native_handle() const;  ///< CUcontext or cl_context
  [[nodiscard]] backends::DeviceBackend& backend() const { return *backend_; }
  [[nodiscard]] const std::shared_ptr<backends::DeviceBackend>& shared_backend() const { return backend_; }

 private:
  std::shared_ptr<backends::DeviceBackend> backend_;
};

/// Device memory: owner, move-only.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::shared_ptr<backends::BufferBackend> backend);
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::size_t bytes() const;
  /// For other processes of this node (Device::open_shared). Throws DeviceError if the memory is not of Device::allocate_shared.
  [[nodiscard]] ProcessHandle handle() const;
  [[nodiscard]] std::uintptr_t native_handle() const;  ///< CUdeviceptr or cl_mem, 0 if empty
  [[nodiscard]] backends::BufferBackend* backend() const { return backend_.get(); }

 private:
  std::shared_ptr<backends::BufferBackend> backend_;
};

/// Pinned host memory: owner, move-only. Wait for the event of a copy before touching what it reads or writes.
/// The memory itself outlives every copy that uses it.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::shared_ptr<backends::BufferBackend> backend);
  PinnedBuffer(PinnedBuffer&&) noexcept = default;
  PinnedBuffer& operator=(PinnedBuffer&&) noexcept = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const;
  /// The memory as items of T; what does not fill a whole item is left out.
  template <class T>
  [[nodiscard]] std::span<T> items() const {
    return {reinterpret_cast<T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  [[nodiscard]] const std::shared_ptr<backends::BufferBackend>& backend() const { return backend_; }

 private:
  std::shared_ptr<backends::BufferBackend> backend_;
};

/// A point in a queue's work; two of them measure time on the device.
class Event {
 public:
  explicit Event(std::shared_ptr<backends::EventBackend> backend);
  void wait() const;
  [[nodiscard]] bool reached() const;  ///< without waiting
  /// Seconds of device time from `earlier` to this one; waits for both.
  [[nodiscard]] double seconds_since(const Event& earlier) const;
  /// For other processes of this node (Device::open_shared_event). Throws DeviceError if the event is not of Device::make_shared_event.
  [[nodiscard]] ProcessHandle handle() const;
  [[nodiscard]] const backends::EventBackend& backend() const { return *backend_; }

 private:
  std::shared_ptr<backends::EventBackend> backend_;
};

/// An in-order queue (CUDA stream, OpenCL command queue): a shared handle. `write` and `read` return when they are done; `write_async` and
/// `read_async` return at once. Several threads may use one queue.
class Queue {
 public:
  explicit Queue(std::shared_ptr<backends::QueueBackend> backend);
  void write(Buffer& target, std::size_t offset_bytes, std::span<const std::byte> source);
  void read(const Buffer& source, std::size_t offset_bytes, std::span<std::byte> target);
  /// Copies `bytes` from the start of `source` to `target`. The event is reached when the copy is done.
  Event write_async(Buffer& target, std::size_t offset_bytes, const PinnedBuffer& source, std::size_t bytes);
  /// Copies `bytes` of `source` to the start of `target`.
  Event read_async(const Buffer& source, std::size_t offset_bytes, PinnedBuffer& target, std::size_t bytes);
  void copy(const Buffer& source, Buffer& target, std::size_t bytes);
  void fill_zero(Buffer& target);
  [[nodiscard]] Event record();
  /// The same with an event of Device::make_shared_event, as often as one likes: waits enqueued before keep to the record before.
  void record(const Event& shared);
  /// What is enqueued from now on begins after `event`, which may be of another queue of the same device. The host does not wait.
  void wait(const Event& event);
  void finish();
  [[nodiscard]] std::uintptr_t native_handle() const;  ///< CUstream or cl_command_queue
  [[nodiscard]] backends::QueueBackend& backend() const { return *backend_; }

  template <class T>
  void upload(Buffer& target, std::span<const T> source, std::size_t first_item = 0) {
    write(target, first_item * sizeof(T), std::as_bytes(source));
  }
  template <class T>
  void download(const Buffer& source, std::span<T> target, std::size_t first_item = 0) {
    read(source, first_item * sizeof(T), std::as_writable_bytes(target));
  }

 private:
  std::shared_ptr<backends::QueueBackend> backend_;
};

/// Everything that was found and everything that was not.
struct Discovery {
  std::vector<Device> devices;  ///< CUDA first, then OpenCL in platform order
  std::vector<MissingDevice> missing;
};

/// Looks for devices of all backends; never throws for a missing library, driver or device. PoCL keeps its files in the folder `pocl` of
/// `cache_folder` (empty: of Cache::default_folder()), the same for the whole process.
[[nodiscard]] Discovery discover_devices(const std::filesystem::path& cache_folder = {});

/// `auto` (a GPU if there is one, else the CPU), `cuda`, `cuda:1`, `opencl`, `opencl:0`, or part of a device's name (any case).
/// Throws DeviceError listing what exists and what is missing, and why.
[[nodiscard]] Device select_device(std::string_view choice, const std::filesystem::path& cache_folder = {});

}  // namespace dgsolve::codegen
