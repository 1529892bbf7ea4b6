// CUDA streams and events.
#include "codegen/backends/cuda/cuda_device.h"

namespace dgsolve::codegen::backends {
namespace {

cuda::DevicePointer address_of(const BufferBackend& buffer) { return static_cast<const CudaBuffer&>(buffer).address(); }

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate", device_->facts().selector);
}

CudaQueue::~CudaQueue() {
  if (const cuda::DriverApi* api = device_->use_quietly()) {
    api->stream_synchronize(stream_);
    api->stream_destroy(stream_);
  }
}

void CudaQueue::write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memcpy_htod_async(address_of(target) + offset, source.data(), source.size(), stream_), "cuMemcpyHtoDAsync",
        target.label());
  check(api, api.stream_synchronize(stream_), "cuStreamSynchronize", target.label());
}

void CudaQueue::read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memcpy_dtoh_async(target.data(), address_of(source) + offset, target.size(), stream_), "cuMemcpyDtoHAsync",
        source.label());
  check(api, api.stream_synchronize(stream_), "cuStreamSynchronize", source.label());
}

void CudaQueue::copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memcpy_dtod_async(address_of(target), address_of(source), bytes, stream_), "cuMemcpyDtoDAsync", target.label());
}

void CudaQueue::fill_zero(BufferBackend& target) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memset_d8_async(address_of(target), 0, target.bytes(), stream_), "cuMemsetD8Async", target.label());
}

std::shared_ptr<EventBackend> CudaQueue::record() { return std::make_shared<CudaEvent>(device_, stream_); }

void CudaQueue::finish() {
  const cuda::DriverApi& api = device_->use();
  check(api, api.stream_synchronize(stream_), "cuStreamSynchronize", "an earlier kernel or copy of this queue failed");
}

CudaEvent::CudaEvent(std::shared_ptr<CudaDevice> device, cuda::Stream stream) : device_(std::move(device)) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.event_create(&event_, cuda::event_default), "cuEventCreate");
  const cuda::Result status = api.event_record(event_, stream);
  if (status != cuda::success) api.event_destroy(event_);
  check(api, status, "cuEventRecord");
}

CudaEvent::~CudaEvent() {
  if (const cuda::DriverApi* api = device_->use_quietly()) api->event_destroy(event_);
}

void CudaEvent::wait() const {
  const cuda::DriverApi& api = device_->use();
  check(api, api.event_synchronize(event_), "cuEventSynchronize", "an earlier kernel or copy of this queue failed");
}

double CudaEvent::seconds_since(const EventBackend& earlier) const {
  const auto& other = static_cast<const CudaEvent&>(earlier);
  other.wait();
  wait();
  const cuda::DriverApi& api = device_->use();
  float milliseconds = 0;
  check(api, api.event_elapsed_time(&milliseconds, other.event_, event_), "cuEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace dgsolve::codegen::backends
