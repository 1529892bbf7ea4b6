// CUDA streams, events and graphs.
#include <fmt/format.h>

#include "codegen/backends/cuda/cuda_device.h"

namespace dgsolve::codegen::backends {
namespace {

cuda::DevicePointer address_of(const BufferBackend& buffer) { return buffer.native(); }

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<CudaDevice> device) : QueueBackend(*device), device_(std::move(device)) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate", device_->facts().selector);
}

CudaQueue::~CudaQueue() {
  if (const cuda::DriverApi* api = device_->use_quietly()) {
    api->stream_synchronize(stream_);
    api->stream_destroy(stream_);
  }
}

void CudaQueue::write_async(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.memcpy_htod_async(address_of(target) + offset, source.data(), source.size(), stream_);
  if (status != cuda::success)
    check(api, status, "cuMemcpyHtoDAsync", fmt::format("buffer '{}': {}", target.label(), last_launch().text()));
}

void CudaQueue::read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.memcpy_dtoh_async(target.data(), address_of(source) + offset, target.size(), stream_);
  if (status != cuda::success)
    check(api, status, "cuMemcpyDtoHAsync", fmt::format("buffer '{}': {}", source.label(), last_launch().text()));
}

void CudaQueue::write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  write_async(target, offset, source);
  finish();
}

void CudaQueue::read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  read_async(source, offset, target);
  finish();
}

void CudaQueue::copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memcpy_dtod_async(address_of(target), address_of(source), bytes, stream_), "cuMemcpyDtoDAsync", target.label());
}

void CudaQueue::fill_zero(BufferBackend& target) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.memset_d8_async(address_of(target), 0, target.bytes(), stream_), "cuMemsetD8Async", target.label());
}

std::shared_ptr<EventBackend> CudaQueue::record() { return std::make_shared<CudaEvent>(device_, last_launch(), stream_); }

void CudaQueue::wait(const EventBackend& event) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.stream_wait_event(stream_, static_cast<const CudaEvent&>(event).handle(), 0), "cuStreamWaitEvent");
}

void CudaQueue::finish() {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.stream_synchronize(stream_);
  if (status != cuda::success) check(api, status, "cuStreamSynchronize", last_launch().text());
}

CudaEvent::CudaEvent(std::shared_ptr<CudaDevice> device, NotedLaunch before, cuda::Stream stream)
    : device_(std::move(device)), before_(std::move(before)) {
  const cuda::DriverApi& api = device_->use();
  check(api, api.event_create(&event_, cuda::event_default), "cuEventCreate");
  const cuda::Result status = api.event_record(event_, stream);
  if (status == cuda::success) return;
  api.event_destroy(event_);
  check(api, status, "cuEventRecord", before_.text());
}

CudaEvent::~CudaEvent() {
  if (const cuda::DriverApi* api = device_->use_quietly()) api->event_destroy(event_);
}

bool CudaEvent::reached() const {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.event_query(event_);
  if (status == cuda::error_not_ready) return false;
  if (status != cuda::success) check(api, status, "cuEventQuery", before_.text());
  return true;
}

void CudaEvent::wait() const {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.event_synchronize(event_);
  if (status != cuda::success) check(api, status, "cuEventSynchronize", before_.text());
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

CudaGraph::CudaGraph(std::shared_ptr<CudaDevice> device, const std::function<void(QueueBackend&)>& enqueue_all)
    : device_(std::move(device)) {
  const cuda::DriverApi& api = device_->use();
  CudaQueue scratch(device_);
  check(api, api.stream_begin_capture(scratch.stream(), cuda::capture_thread_local), "cuStreamBeginCapture");
  scratch.set_captured(true);
  cuda::GraphHandle graph = nullptr;
  try {
    enqueue_all(scratch);
  } catch (...) {
    api.stream_end_capture(scratch.stream(), &graph);
    if (graph != nullptr) api.graph_destroy(graph);
    throw;
  }
  check(api, api.stream_end_capture(scratch.stream(), &graph), "cuStreamEndCapture", scratch.last_launch().text());
  const cuda::Result status = api.graph_instantiate(&program_, graph, 0);
  api.graph_destroy(graph);
  check(api, status, "cuGraphInstantiate", scratch.last_launch().text());
}

CudaGraph::~CudaGraph() {
  if (const cuda::DriverApi* api = device_->use_quietly()) api->graph_exec_destroy(program_);
}

void CudaGraph::launch(QueueBackend& queue) {
  const cuda::DriverApi& api = device_->use();
  const cuda::Result status = api.graph_launch(program_, static_cast<CudaQueue&>(queue).stream());
  if (status != cuda::success) check(api, status, "cuGraphLaunch", queue.last_launch().text());
}

}  // namespace dgsolve::codegen::backends
