// OpenCL queues and events. Queues profile, so that markers carry device times.
#include <fmt/format.h>

#include "codegen/backends/opencl/opencl_device.h"

namespace dgsolve::codegen::backends {
namespace {

cl_mem memory_of(const BufferBackend& buffer) { return reinterpret_cast<cl_mem>(buffer.native()); }

}  // namespace

OpenClQueue::OpenClQueue(std::shared_ptr<OpenClDevice> device) : QueueBackend(*device), device_(std::move(device)) {
  cl_int status = CL_SUCCESS;
  const OpenClApi& api = device_->api();
  const cl_command_queue queue = api.create_command_queue(device_->context(), device_->id(), CL_QUEUE_PROFILING_ENABLE, &status);
  check_opencl(status, "clCreateCommandQueue", device_->facts().selector);
  queue_ = OpenClHandle<cl_command_queue>(queue, api.release_command_queue);
}

OpenClQueue::~OpenClQueue() { device_->api().finish(queue_.get()); }

void OpenClQueue::transfer_to(BufferBackend& target, std::size_t offset, std::span<const std::byte> source, cl_bool blocking) {
  const cl_int status =
      device_->api().enqueue_write_buffer(handle(), memory_of(target), blocking, offset, source.size(), source.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS)
    check_opencl(status, "clEnqueueWriteBuffer", fmt::format("buffer '{}': {}", target.label(), last_launch().text()));
}

void OpenClQueue::transfer_from(const BufferBackend& source, std::size_t offset, std::span<std::byte> target, cl_bool blocking) {
  const cl_int status =
      device_->api().enqueue_read_buffer(handle(), memory_of(source), blocking, offset, target.size(), target.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS)
    check_opencl(status, "clEnqueueReadBuffer", fmt::format("buffer '{}': {}", source.label(), last_launch().text()));
}

void OpenClQueue::write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  transfer_to(target, offset, source, CL_TRUE);
}

void OpenClQueue::read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  transfer_from(source, offset, target, CL_TRUE);
}

void OpenClQueue::write_async(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) {
  transfer_to(target, offset, source, CL_FALSE);
}

void OpenClQueue::read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) {
  transfer_from(source, offset, target, CL_FALSE);
}

void OpenClQueue::copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) {
  check_opencl(device_->api().enqueue_copy_buffer(handle(), memory_of(source), memory_of(target), 0, 0, bytes, 0, nullptr, nullptr),
               "clEnqueueCopyBuffer", target.label());
}

void OpenClQueue::fill_zero(BufferBackend& target) {
  const cl_ulong16 zero{};
  const std::size_t bytes = (target.bytes() + sizeof zero - 1) / sizeof zero * sizeof zero;  // buffers are whole lines
  check_opencl(device_->api().enqueue_fill_buffer(handle(), memory_of(target), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
               "clEnqueueFillBuffer", target.label());
}

void OpenClQueue::reserve(BufferBackend& buffer) {
  const cl_ulong16 zero{};
  check_opencl(device_->api().enqueue_fill_buffer(handle(), memory_of(buffer), &zero, sizeof zero, 0, sizeof zero, 0, nullptr, nullptr),
               "clEnqueueFillBuffer", fmt::format("buffer '{}' of {} bytes", buffer.label(), buffer.bytes()));
}

std::shared_ptr<EventBackend> OpenClQueue::record() {
  cl_event event = nullptr;
  check_opencl(device_->api().enqueue_marker_with_wait_list(handle(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
  auto recorded = std::make_shared<OpenClEvent>(device_, event, last_launch());
  check_opencl(device_->api().flush(handle()), "clFlush");
  return recorded;
}

void OpenClQueue::wait(const EventBackend& event) { static_cast<const OpenClEventBase&>(event).enqueue_wait(*this); }

void OpenClQueue::finish() {
  const cl_int status = device_->api().finish(handle());
  if (status != CL_SUCCESS) check_opencl(status, "clFinish", last_launch().text());
}

OpenClEvent::OpenClEvent(std::shared_ptr<OpenClDevice> device, cl_event event, NotedLaunch before, cl_profiling_info which)
    : device_(std::move(device)), event_(event, device_->api().release_event), before_(std::move(before)), which_(which) {}

bool OpenClEvent::reached() const {
  cl_int status = CL_COMPLETE;
  check_opencl(device_->api().get_event_info(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
               "clGetEventInfo");
  if (status < 0) check_opencl(status, "the command of an event", before_.text());
  return status == CL_COMPLETE;
}

void OpenClEvent::wait() const {
  const cl_event event = event_.get();
  const cl_int status = device_->api().wait_for_events(1, &event);
  if (status != CL_SUCCESS) check_opencl(status, "clWaitForEvents", before_.text());
}

void OpenClEvent::enqueue_wait(OpenClQueue& queue) const {
  const cl_event event = event_.get();
  check_opencl(device_->api().enqueue_marker_with_wait_list(queue.handle(), 1, &event, nullptr), "clEnqueueMarkerWithWaitList");
}

cl_ulong OpenClEvent::nanoseconds() const {
  cl_ulong value = 0;
  check_opencl(device_->api().get_event_profiling_info(event_.get(), which_, sizeof value, &value, nullptr), "clGetEventProfilingInfo");
  return value;
}

double OpenClEvent::seconds_since(const EventBackend& earlier) const {
  const auto& other = static_cast<const OpenClEvent&>(earlier);
  other.wait();
  wait();
  return 1e-9 * (static_cast<double>(nanoseconds()) - static_cast<double>(other.nanoseconds()));
}

}  // namespace dgsolve::codegen::backends
