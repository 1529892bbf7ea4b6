// OpenCL queues and events. Queues profile, so that markers carry device times.
#include <fmt/format.h>

#include "codegen/backends/opencl/opencl_device.h"

namespace dgsolve::codegen::backends {
namespace {

cl_mem memory_of(const BufferBackend& buffer) { return static_cast<const OpenClBuffer&>(buffer).memory(); }

}  // namespace

OpenClQueue::OpenClQueue(std::shared_ptr<OpenClDevice> device) : device_(std::move(device)) {
  cl_int status = CL_SUCCESS;
  const OpenClApi& api = device_->api();
  const cl_command_queue queue = api.create_command_queue(device_->context(), device_->id(), CL_QUEUE_PROFILING_ENABLE, &status);
  check_opencl(status, "clCreateCommandQueue", device_->facts().selector);
  queue_ = OpenClHandle<cl_command_queue>(queue, api.release_command_queue);
}

OpenClQueue::~OpenClQueue() { device_->api().finish(queue_.get()); }

void OpenClQueue::write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  check_opencl(
      device_->api().enqueue_write_buffer(handle(), memory_of(target), CL_TRUE, offset, source.size(), source.data(), 0, nullptr, nullptr),
      "clEnqueueWriteBuffer", target.label());
}

void OpenClQueue::read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  check_opencl(
      device_->api().enqueue_read_buffer(handle(), memory_of(source), CL_TRUE, offset, target.size(), target.data(), 0, nullptr, nullptr),
      "clEnqueueReadBuffer", source.label());
}

void OpenClQueue::copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) {
  check_opencl(device_->api().enqueue_copy_buffer(handle(), memory_of(source), memory_of(target), 0, 0, bytes, 0, nullptr, nullptr),
               "clEnqueueCopyBuffer", target.label());
}

void OpenClQueue::fill_zero(BufferBackend& target) {
  const cl_ulong16 zero{};
  const std::size_t bytes = static_cast<const OpenClBuffer&>(target).padded_bytes();
  check_opencl(device_->api().enqueue_fill_buffer(handle(), memory_of(target), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
               "clEnqueueFillBuffer", target.label());
}

std::shared_ptr<EventBackend> OpenClQueue::record() {
  cl_event event = nullptr;
  check_opencl(device_->api().enqueue_marker_with_wait_list(handle(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
  auto recorded = std::make_shared<OpenClEvent>(device_, event);
  check_opencl(device_->api().flush(handle()), "clFlush");
  return recorded;
}

void OpenClQueue::finish() { check_opencl(device_->api().finish(handle()), "clFinish"); }

OpenClEvent::OpenClEvent(std::shared_ptr<OpenClDevice> device, cl_event event)
    : device_(std::move(device)), event_(event, device_->api().release_event) {}

void OpenClEvent::wait() const {
  const cl_event event = event_.get();
  check_opencl(device_->api().wait_for_events(1, &event), "clWaitForEvents");
}

cl_ulong OpenClEvent::nanoseconds() const {
  cl_ulong value = 0;
  check_opencl(device_->api().get_event_profiling_info(event_.get(), CL_PROFILING_COMMAND_END, sizeof value, &value, nullptr),
               "clGetEventProfilingInfo");
  return value;
}

double OpenClEvent::seconds_since(const EventBackend& earlier) const {
  const auto& other = static_cast<const OpenClEvent&>(earlier);
  other.wait();
  wait();
  return 1e-9 * (static_cast<double>(nanoseconds()) - static_cast<double>(other.nanoseconds()));
}

}  // namespace dgsolve::codegen::backends
