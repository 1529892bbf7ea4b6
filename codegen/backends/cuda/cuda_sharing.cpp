// Memory and events of CUDA devices that processes of a node share (interprocess communication, CUDA driver API 6.13).
#include <fmt/format.h>

#include <algorithm>

#include "codegen/backends/cuda/cuda_device.h"

namespace dgsolve::codegen::backends {
namespace {

/// The driver cuts small allocations out of blocks of this size, and gives a whole block to other processes.
constexpr std::size_t block_bytes = std::size_t{2} << 20;

constexpr std::size_t whole_blocks(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + block_bytes - 1) / block_bytes) * block_bytes;
}

/// Memory for other processes.
class CudaSharedBuffer : public CudaBuffer {
 public:
  CudaSharedBuffer(const std::shared_ptr<CudaDevice>& device, std::size_t bytes, std::string_view label)
      : CudaBuffer(device, bytes, label, whole_blocks(bytes)), device_(device) {}
  ProcessHandle process_handle() const override {
    const cuda::DriverApi& api = device_->use();
    cuda::IpcMemHandle handle{};
    check(api, api.ipc_get_mem_handle(&handle, native_), "cuIpcGetMemHandle", fmt::format("buffer '{}'", label_));
    return {handle.bytes};
  }

 private:
  std::shared_ptr<CudaDevice> device_;
};

/// Memory of another process.
class CudaOpenedBuffer : public BufferBackend {
 public:
  CudaOpenedBuffer(std::shared_ptr<CudaDevice> device, const ProcessHandle& handle, std::size_t bytes, std::string_view label)
      : BufferBackend(*device, bytes, label), owner_(std::move(device)) {
    const cuda::DriverApi& api = owner_->use();
    cuda::DevicePointer address = 0;
    check(api, api.ipc_open_mem_handle(&address, {handle.bytes}, cuda::ipc_mem_lazy_enable_peer_access), "cuIpcOpenMemHandle",
          fmt::format("buffer '{}' of another process", label_));
    native_ = address;
  }
  ~CudaOpenedBuffer() override {
    if (const cuda::DriverApi* api = owner_->use_quietly()) api->ipc_close_mem_handle(native_);
  }

 private:
  std::shared_ptr<CudaDevice> owner_;
};

/// An event that may be recorded again, for other processes.
class CudaSharedEvent : public CudaEvent {
 public:
  using CudaEvent::CudaEvent;
  void record(QueueBackend& queue) const override {
    const cuda::DriverApi& api = device_->use();
    const cuda::Result status = api.event_record(CudaEvent::handle(), static_cast<CudaQueue&>(queue).stream());
    if (status != cuda::success) check(api, status, "cuEventRecord", queue.last_launch().text());
  }
  ProcessHandle process_handle() const override {
    const cuda::DriverApi& api = device_->use();
    cuda::IpcEventHandle handle{};
    check(api, api.ipc_get_event_handle(&handle, CudaEvent::handle()), "cuIpcGetEventHandle");
    return {handle.bytes};
  }
};

}  // namespace

std::string CudaDevice::why_not_shared() const {
  const bool there = api_->ipc_get_mem_handle != nullptr && api_->ipc_open_mem_handle != nullptr && api_->ipc_close_mem_handle != nullptr &&
                     api_->ipc_get_event_handle != nullptr && api_->ipc_open_event_handle != nullptr;
  return there ? std::string() : fmt::format("the driver of device {} has no cuIpc calls", facts_.selector);
}

std::shared_ptr<BufferBackend> CudaDevice::allocate_shared(std::size_t bytes, std::string_view label) {
  if (!why_not_shared().empty()) return DeviceBackend::allocate_shared(bytes, label);
  return std::make_shared<CudaSharedBuffer>(self(), bytes, label);
}

std::shared_ptr<BufferBackend> CudaDevice::open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) {
  if (!why_not_shared().empty()) return DeviceBackend::open_shared(handle, bytes, label);
  return std::make_shared<CudaOpenedBuffer>(self(), handle, bytes, label);
}

std::shared_ptr<EventBackend> CudaDevice::make_shared_event() {
  if (!why_not_shared().empty()) return DeviceBackend::make_shared_event();
  const cuda::DriverApi& api = use();
  cuda::EventHandle event = nullptr;
  check(api, api.event_create(&event, cuda::event_interprocess | cuda::event_disable_timing), "cuEventCreate", "an interprocess event");
  return std::make_shared<CudaSharedEvent>(self(), event);
}

std::shared_ptr<EventBackend> CudaDevice::open_shared_event(const ProcessHandle& handle) {
  if (!why_not_shared().empty()) return DeviceBackend::open_shared_event(handle);
  const cuda::DriverApi& api = use();
  cuda::EventHandle event = nullptr;
  check(api, api.ipc_open_event_handle(&event, {handle.bytes}), "cuIpcOpenEventHandle");
  return std::make_shared<CudaEvent>(self(), event);
}

}  // namespace dgsolve::codegen::backends
