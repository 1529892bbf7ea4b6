// Memory and events that processes share: checks in front of the backends, and the answer of those that have none.
#include <fmt/format.h>

#include "codegen/backends/backend.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

[[noreturn]] void refuse(const backends::DeviceBackend& device, std::string_view what) {
  throw DeviceError(fmt::format("{}: {}", what, device.why_not_shared()));
}

}  // namespace

std::string Device::why_not_shared() const { return backend_->why_not_shared(); }

Buffer Device::allocate_shared(std::size_t bytes, std::string_view label) const {
  backend_->refuse_allocation_in_capture(label);
  return Buffer(backend_->allocate_shared(bytes, label));
}

Buffer Device::open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) const {
  backend_->refuse_allocation_in_capture(label);
  return Buffer(backend_->open_shared(handle, bytes, label));
}

Event Device::make_shared_event() const { return Event(backend_->make_shared_event()); }
Event Device::open_shared_event(const ProcessHandle& handle) const { return Event(backend_->open_shared_event(handle)); }

ProcessHandle Buffer::handle() const {
  if (!backend_) throw DeviceError("handle: the buffer is empty (moved from or never allocated)");
  return backend_->process_handle();
}

ProcessHandle Event::handle() const { return backend_->process_handle(); }

void Queue::record(const Event& shared) {
  if (backend_->hooks.recording) throw DeviceError("event: not possible while a graph is captured on this queue");
  if (&shared.backend().device() != &backend_->device()) {
    throw DeviceError(fmt::format("record: the event belongs to another device ({}) than the queue ({})",
                                  shared.backend().device().facts().selector, backend_->device().facts().selector));
  }
  shared.backend().record(*backend_);
}

namespace backends {

void EventBackend::record(QueueBackend&) const { throw DeviceError("record: the event was not made by Device::make_shared_event"); }
ProcessHandle EventBackend::process_handle() const { throw DeviceError("handle: the event was not made by Device::make_shared_event"); }

ProcessHandle BufferBackend::process_handle() const {
  throw DeviceError(fmt::format("handle: buffer '{}' was not allocated by Device::allocate_shared", label_));
}

std::string DeviceBackend::why_not_shared() const {
  return fmt::format("device {} shares nothing with other processes (CUDA devices and the host's processors do)", facts().selector);
}
std::shared_ptr<BufferBackend> DeviceBackend::allocate_shared(std::size_t, std::string_view label) {
  refuse(*this, fmt::format("shared buffer '{}'", label));
}
std::shared_ptr<BufferBackend> DeviceBackend::open_shared(const ProcessHandle&, std::size_t, std::string_view label) {
  refuse(*this, fmt::format("shared buffer '{}'", label));
}
std::shared_ptr<EventBackend> DeviceBackend::make_shared_event() { refuse(*this, "shared event"); }
std::shared_ptr<EventBackend> DeviceBackend::open_shared_event(const ProcessHandle&) { refuse(*this, "shared event"); }

}  // namespace backends
}  // namespace dgsolve::codegen
