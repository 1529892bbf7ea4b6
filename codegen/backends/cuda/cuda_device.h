// CUDA devices, queues (streams), events, buffers and kernels.
#pragma once

#include <mutex>

#include "codegen/backends/backend.h"
#include "codegen/backends/cuda/cuda_api.h"

namespace dgsolve::codegen::backends {

/// Finds every CUDA device; reasons go to `missing`.
void discover_cuda(Discovery& discovery);

/// One device. Its primary context is retained at first use, released with the last object that needs it, and made current
/// in the calling thread before every call.
class CudaDevice : public DeviceBackend {
 public:
  CudaDevice(std::shared_ptr<const cuda::DriverApi> api, std::shared_ptr<const cuda::NvrtcApi> nvrtc, int ordinal);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  const DeviceFacts& facts() const override { return facts_; }
  std::uintptr_t native() override;
  std::shared_ptr<QueueBackend> make_queue() override;
  std::shared_ptr<BufferBackend> allocate(std::size_t bytes, std::string_view label) override;
  std::shared_ptr<BufferBackend> allocate_pinned(std::size_t bytes, std::string_view label) override;
  std::string why_not_shared() const override;
  std::shared_ptr<BufferBackend> allocate_shared(std::size_t bytes, std::string_view label) override;
  std::shared_ptr<BufferBackend> open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) override;
  std::shared_ptr<EventBackend> make_shared_event() override;
  std::shared_ptr<EventBackend> open_shared_event(const ProcessHandle& handle) override;
  std::shared_ptr<GraphBackend> make_graph(const std::function<void(QueueBackend&)>& enqueue_all) override;
  std::string cache_key(const RenderedKernel& rendered) const override;
  BuiltKernel build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) override;
  std::shared_ptr<KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) override;

  /// The entry points, with this device's context current in the calling thread.
  [[nodiscard]] const cuda::DriverApi& use();
  /// The same where nothing may be thrown: null if the context cannot be made current.
  [[nodiscard]] const cuda::DriverApi* use_quietly() noexcept;

 private:
  [[nodiscard]] std::shared_ptr<CudaDevice> self() { return std::static_pointer_cast<CudaDevice>(shared_from_this()); }
  [[nodiscard]] std::string target() const;
  std::shared_ptr<const cuda::DriverApi> api_;
  std::shared_ptr<const cuda::NvrtcApi> nvrtc_;
  cuda::DeviceId device_ = 0;
  int compute_capability_ = 0;
  DeviceFacts facts_;
  std::once_flag retained_;
  cuda::Context context_ = nullptr;
};

class CudaBuffer : public BufferBackend {
 public:
  /// `capacity` bytes are allocated, if that is more.
  CudaBuffer(std::shared_ptr<CudaDevice> device, std::size_t bytes, std::string_view label, std::size_t capacity = 1);
  ~CudaBuffer() override;

 private:
  std::shared_ptr<CudaDevice> owner_;
};

class CudaPinnedBuffer : public BufferBackend {
 public:
  CudaPinnedBuffer(std::shared_ptr<CudaDevice> device, std::size_t bytes, std::string_view label);
  ~CudaPinnedBuffer() override;

 private:
  std::shared_ptr<CudaDevice> owner_;
};

class CudaEvent : public EventBackend {
 public:
  CudaEvent(std::shared_ptr<CudaDevice> device, NotedLaunch before, cuda::Stream stream);
  /// An event that is there already, from now on owned by this.
  CudaEvent(std::shared_ptr<CudaDevice> device, cuda::EventHandle event) : device_(std::move(device)), event_(event) {}
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  const DeviceBackend& device() const override { return *device_; }
  bool reached() const override;
  void wait() const override;
  double seconds_since(const EventBackend& earlier) const override;
  [[nodiscard]] cuda::EventHandle handle() const { return event_; }

 protected:
  std::shared_ptr<CudaDevice> device_;

 private:
  NotedLaunch before_;
  cuda::EventHandle event_ = nullptr;
};

class CudaQueue : public QueueBackend {
 public:
  explicit CudaQueue(std::shared_ptr<CudaDevice> device);
  ~CudaQueue() override;
  void write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override;
  void read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) override;
  void write_async(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override;
  void read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) override;
  void copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) override;
  void fill_zero(BufferBackend& target) override;
  std::shared_ptr<EventBackend> record() override;
  void wait(const EventBackend& event) override;
  void finish() override;
  std::uintptr_t native() const override { return reinterpret_cast<std::uintptr_t>(stream_); }
  [[nodiscard]] cuda::Stream stream() const { return stream_; }
  /// Whether its launches become nodes of a graph.
  [[nodiscard]] bool is_captured() const { return is_captured_; }
  void set_captured(bool captured) { is_captured_ = captured; }

 private:
  std::shared_ptr<CudaDevice> device_;
  cuda::Stream stream_ = nullptr;
  bool is_captured_ = false;
};

class CudaGraph : public GraphBackend {
 public:
  CudaGraph(std::shared_ptr<CudaDevice> device, const std::function<void(QueueBackend&)>& enqueue_all);
  ~CudaGraph() override;
  void launch(QueueBackend& queue) override;

 private:
  std::shared_ptr<CudaDevice> device_;
  cuda::GraphProgram program_ = nullptr;
};

class CudaKernel : public KernelBackend {
 public:
  /// Loads a cubin or PTX. Throws DeviceError if the driver refuses the image.
  CudaKernel(std::shared_ptr<CudaDevice> device, std::shared_ptr<const RenderedKernel> rendered, const std::string& image);
  ~CudaKernel() override;
  const DeviceBackend& device() const override { return *device_; }
  void launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments,
              LaunchTiming* timing) override;
  Kernel::Resources resources() const override;

 private:
  void find_function();
  cuda::Result launch_overlapping(std::array<std::uint32_t, 3> groups, cuda::Stream stream, void** arguments) const;
  std::shared_ptr<CudaDevice> device_;
  bool waits_by_itself_;  ///< for the kernel launched before, at PREVIOUS_KERNEL_DONE()
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
};

}  // namespace dgsolve::codegen::backends
