// OpenCL devices, queues, events, buffers and kernels.
#pragma once

#include <filesystem>
#include <mutex>

#include "codegen/backends/backend.h"
#include "codegen/backends/opencl/opencl_api.h"

namespace dgsolve::codegen::backends {

/// Finds every OpenCL device; reasons go to `missing`.
void discover_opencl(Discovery& discovery, const std::filesystem::path& cache_folder);

class OpenClQueue;

/// One device and its context, which is made at first use.
class OpenClDevice : public DeviceBackend {
 public:
  OpenClDevice(std::shared_ptr<const OpenClApi> api, cl_platform_id platform, cl_device_id device, int index,
               std::filesystem::path pocl_folder);
  const DeviceFacts& facts() const override { return facts_; }
  std::uintptr_t native() override { return reinterpret_cast<std::uintptr_t>(context()); }
  std::shared_ptr<QueueBackend> make_queue() override;
  std::shared_ptr<BufferBackend> allocate(std::size_t bytes, std::string_view label) override;
  std::shared_ptr<BufferBackend> allocate_pinned(std::size_t bytes, std::string_view label) override;
  std::string why_not_shared() const override;
  std::shared_ptr<BufferBackend> allocate_shared(std::size_t bytes, std::string_view label) override;
  std::shared_ptr<BufferBackend> open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) override;
  std::shared_ptr<EventBackend> make_shared_event() override;
  std::shared_ptr<EventBackend> open_shared_event(const ProcessHandle& handle) override;
  std::string cache_key(const RenderedKernel& rendered) const override;
  BuiltKernel build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) override;
  std::shared_ptr<KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) override;
  bool images_travel() const override { return !is_pocl_; }

  [[nodiscard]] const OpenClApi& api() const { return *api_; }
  [[nodiscard]] cl_device_id id() const { return device_; }
  [[nodiscard]] cl_context context();
  [[nodiscard]] bool is_pocl() const { return is_pocl_; }
  /// Where PoCL keeps its files; empty: nowhere that lasts.
  [[nodiscard]] const std::filesystem::path& pocl_folder() const { return pocl_folder_; }
  [[nodiscard]] std::mutex& pocl_mutex() { return pocl_mutex_; }
  [[nodiscard]] std::once_flag& pocl_collected() { return pocl_collected_; }
  [[nodiscard]] const std::string& version_text() const { return version_text_; }
  [[nodiscard]] bool correctly_rounded_division() const { return correctly_rounded_division_; }
  /// Whether buffers from least_bytes_on_large_pages on get memory of ours: the device is the host's processors, and the system has such
  /// pages.
  [[nodiscard]] bool uses_large_pages() const { return uses_large_pages_; }

 private:
  std::shared_ptr<OpenClDevice> self() { return std::static_pointer_cast<OpenClDevice>(shared_from_this()); }
  std::shared_ptr<const OpenClApi> api_;
  cl_platform_id platform_;
  cl_device_id device_;
  DeviceFacts facts_;
  std::string version_text_;  // platform, device and driver versions: part of every cache key
  bool is_pocl_ = false;
  std::filesystem::path pocl_folder_;
  std::mutex pocl_mutex_;
  std::once_flag pocl_collected_;
  bool correctly_rounded_division_ = false;
  bool host_memory_ = false;     // the device's memory is the host's
  bool native_kernels_ = false;  // queues run functions of the host
  bool uses_large_pages_ = false;
  std::once_flag context_made_;
  OpenClHandle<cl_context> context_;
};

/// A buffer; its memory is padded to whole 128-byte lines so that it can be filled with wide patterns. It is the driver's, or large pages
/// of ours that the driver uses in place.
class OpenClBuffer : public BufferBackend {
 public:
  OpenClBuffer(std::shared_ptr<OpenClDevice> device, std::size_t bytes, std::string_view label);

 private:
  std::shared_ptr<OpenClDevice> owner_;
  OpenClHandle<cl_mem> memory_;
};

/// Memory of the driver that the host sees all the time.
class OpenClPinnedBuffer : public BufferBackend {
 public:
  OpenClPinnedBuffer(std::shared_ptr<OpenClDevice> device, std::size_t bytes, std::string_view label);
  ~OpenClPinnedBuffer() override;

 private:
  std::shared_ptr<OpenClDevice> owner_;
  OpenClHandle<cl_mem> memory_;
  OpenClHandle<cl_command_queue> queue_;  // maps and unmaps it
};

/// What queues can wait for.
class OpenClEventBase : public EventBackend {
 public:
  virtual void enqueue_wait(OpenClQueue& queue) const = 0;
};

/// The begin or the end of a command.
class OpenClEvent : public OpenClEventBase {
 public:
  OpenClEvent(std::shared_ptr<OpenClDevice> device, cl_event event, NotedLaunch before, cl_profiling_info which = CL_PROFILING_COMMAND_END);
  const DeviceBackend& device() const override { return *device_; }
  bool reached() const override;
  void wait() const override;
  double seconds_since(const EventBackend& earlier) const override;
  void enqueue_wait(OpenClQueue& queue) const override;

 private:
  [[nodiscard]] cl_ulong nanoseconds() const;
  std::shared_ptr<OpenClDevice> device_;
  OpenClHandle<cl_event> event_;
  NotedLaunch before_;
  cl_profiling_info which_;
};

class OpenClQueue : public QueueBackend {
 public:
  explicit OpenClQueue(std::shared_ptr<OpenClDevice> device);
  ~OpenClQueue() override;
  void write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override;
  void read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) override;
  void write_async(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override;
  void read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) override;
  void copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) override;
  void fill_zero(BufferBackend& target) override;
  void reserve(BufferBackend& buffer) override;
  std::shared_ptr<EventBackend> record() override;
  void wait(const EventBackend& event) override;
  void finish() override;
  std::uintptr_t native() const override { return reinterpret_cast<std::uintptr_t>(queue_.get()); }
  [[nodiscard]] cl_command_queue handle() const { return queue_.get(); }

 private:
  void transfer_to(BufferBackend& target, std::size_t offset, std::span<const std::byte> source, cl_bool blocking);
  void transfer_from(const BufferBackend& source, std::size_t offset, std::span<std::byte> target, cl_bool blocking);
  std::shared_ptr<OpenClDevice> device_;
  OpenClHandle<cl_command_queue> queue_;
};

class OpenClKernel : public KernelBackend {
 public:
  OpenClKernel(std::shared_ptr<OpenClDevice> device, std::shared_ptr<const RenderedKernel> rendered, OpenClHandle<cl_program> program);
  const DeviceBackend& device() const override { return *device_; }
  void launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments,
              LaunchTiming* timing) override;
  Kernel::Resources resources() const override;

 private:
  std::shared_ptr<OpenClDevice> device_;
  OpenClHandle<cl_program> program_;
  OpenClHandle<cl_kernel> kernel_;
  std::mutex mutex_;  // clSetKernelArg changes the kernel object
};

}  // namespace dgsolve::codegen::backends
