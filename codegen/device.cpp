// Devices, queues, events and buffers: range and ownership checks in front of the backends.
#include "codegen/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/backends/backend.h"
#include "codegen/backends/hooks.h"
#include "codegen/environment.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

void refuse_in_capture(const backends::QueueBackend& queue, const char* what) {
  if (queue.hooks.recording) throw DeviceError(fmt::format("{}: not possible while a graph is captured on this queue", what));
}

const backends::BufferBackend& checked_range(const backends::BufferBackend* backend, const backends::QueueBackend& queue,
                                             std::size_t offset, std::size_t bytes, const char* what) {
  if (backend == nullptr) throw DeviceError(fmt::format("{}: the buffer is empty (moved from or never allocated)", what));
  if (&backend->device() != &queue.device()) {
    throw DeviceError(fmt::format("{}: buffer '{}' belongs to another device ({}) than the queue ({})", what, backend->label(),
                                  backend->device().facts().selector, queue.device().facts().selector));
  }
  if (offset > backend->bytes() || bytes > backend->bytes() - offset) {
    throw DeviceError(fmt::format("{}: bytes {} to {} of buffer '{}', which has {} bytes", what, offset, offset + bytes, backend->label(),
                                  backend->bytes()));
  }
  return *backend;
}

}  // namespace

Device::Device(std::shared_ptr<backends::DeviceBackend> backend) : backend_(std::move(backend)) {}
const DeviceFacts& Device::facts() const { return backend_->facts(); }
std::uintptr_t Device::native_handle() const { return backend_->native(); }
Queue Device::make_queue() const {
  Queue queue(backend_->make_queue());
  if (const std::string kernel = environment_value("DGSOLVE_CAPTURE"); !kernel.empty()) capture_launch(queue, {kernel, kernel + ".launch"});
  return queue;
}
Buffer Device::allocate(std::size_t bytes, std::string_view label) const {
  backend_->refuse_allocation_in_capture(label);
  // Some OpenCL drivers reserve nothing before the first use and accept any size.
  if (bytes > facts().global_bytes) {
    throw OutOfMemoryError(
        fmt::format("buffer '{}' of {} bytes on {}, which has {} bytes in all", label, bytes, facts().selector, facts().global_bytes));
  }
  return Buffer(backend_->allocate(bytes, label));
}

PinnedBuffer Device::allocate_pinned(std::size_t bytes, std::string_view label) const {
  backend_->refuse_allocation_in_capture(label);
  return PinnedBuffer(backend_->allocate_pinned(bytes, label));
}

Buffer::Buffer(std::shared_ptr<backends::BufferBackend> backend) : backend_(std::move(backend)) {}
std::size_t Buffer::bytes() const { return backend_ ? backend_->bytes() : 0; }
std::uintptr_t Buffer::native_handle() const { return backend_ ? backend_->native() : 0; }

PinnedBuffer::PinnedBuffer(std::shared_ptr<backends::BufferBackend> backend) : backend_(std::move(backend)) {}
std::span<std::byte> PinnedBuffer::bytes() const {
  if (!backend_) return {};
  return {reinterpret_cast<std::byte*>(backend_->native()), backend_->bytes()};
}

Event::Event(std::shared_ptr<backends::EventBackend> backend) : backend_(std::move(backend)) {}
void Event::wait() const { backend_->wait(); }
bool Event::reached() const { return backend_->reached(); }
double Event::seconds_since(const Event& earlier) const { return backend_->seconds_since(*earlier.backend_); }

Queue::Queue(std::shared_ptr<backends::QueueBackend> backend) : backend_(std::move(backend)) {}

void Queue::write(Buffer& target, std::size_t offset_bytes, std::span<const std::byte> source) {
  refuse_in_capture(*backend_, "write");
  checked_range(target.backend(), *backend_, offset_bytes, source.size(), "write");
  if (!source.empty()) backend_->write(*target.backend(), offset_bytes, source);
}

void Queue::read(const Buffer& source, std::size_t offset_bytes, std::span<std::byte> target) {
  refuse_in_capture(*backend_, "read");
  checked_range(source.backend(), *backend_, offset_bytes, target.size(), "read");
  if (!target.empty()) backend_->read(*source.backend(), offset_bytes, target);
}

Event Queue::write_async(Buffer& target, std::size_t offset_bytes, const PinnedBuffer& source, std::size_t bytes) {
  refuse_in_capture(*backend_, "write");
  checked_range(target.backend(), *backend_, offset_bytes, bytes, "write");
  checked_range(source.backend().get(), *backend_, 0, bytes, "write from pinned");
  if (bytes != 0) backend_->write_async(*target.backend(), offset_bytes, source.bytes().first(bytes));
  return Event(source.backend()->busy_until(backend_->record(), *backend_));
}

Event Queue::read_async(const Buffer& source, std::size_t offset_bytes, PinnedBuffer& target, std::size_t bytes) {
  refuse_in_capture(*backend_, "read");
  checked_range(source.backend(), *backend_, offset_bytes, bytes, "read");
  checked_range(target.backend().get(), *backend_, 0, bytes, "read to pinned");
  if (bytes != 0) backend_->read_async(*source.backend(), offset_bytes, target.bytes().first(bytes));
  return Event(target.backend()->busy_until(backend_->record(), *backend_));
}

void Queue::copy(const Buffer& source, Buffer& target, std::size_t bytes) {
  checked_range(source.backend(), *backend_, 0, bytes, "copy from");
  checked_range(target.backend(), *backend_, 0, bytes, "copy to");
  if (source.backend() == target.backend()) throw DeviceError(fmt::format("copy of buffer '{}' onto itself", source.backend()->label()));
  if (bytes == 0) return;
  if (backend_->hooks.recording) {
    backend_->hooks.recording->add_copy(*source.backend(), *target.backend(), bytes);
  } else {
    backend_->copy(*source.backend(), *target.backend(), bytes);
  }
}

void Queue::fill_zero(Buffer& target) {
  checked_range(target.backend(), *backend_, 0, 0, "fill");
  if (target.bytes() == 0) return;
  if (backend_->hooks.recording) {
    backend_->hooks.recording->add_fill_zero(*target.backend());
  } else {
    backend_->fill_zero(*target.backend());
  }
}

Event Queue::record() {
  refuse_in_capture(*backend_, "event");
  return Event(backend_->record());
}

void Queue::wait(const Event& event) {
  refuse_in_capture(*backend_, "wait for an event");
  if (&event.backend().device() != &backend_->device()) {
    throw DeviceError(fmt::format("wait: the event belongs to another device ({}) than the queue ({})",
                                  event.backend().device().facts().selector, backend_->device().facts().selector));
  }
  backend_->wait(event.backend());
}

void Queue::finish() {
  refuse_in_capture(*backend_, "finish");
  backend_->finish();
}

std::uintptr_t Queue::native_handle() const { return backend_->native(); }

std::shared_ptr<backends::EventBackend> backends::BufferBackend::busy_until(std::shared_ptr<EventBackend> event,
                                                                            const QueueBackend& queue) {
  const std::scoped_lock lock(mutex_);
  uses_[&queue] = event;  // a queue is in order, and a queue that is gone has finished
  return event;
}

bool backends::BufferBackend::idle() const noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    return std::all_of(uses_.begin(), uses_.end(), [](const auto& use) { return use.second->reached(); });
  } catch (const DeviceError&) {
    return true;  // the copy failed; that is reported elsewhere
  }
}

void backends::BufferBackend::wait_until_idle() noexcept {
  const std::scoped_lock lock(mutex_);
  for (const auto& [queue, event] : uses_) {
    try {
      event->wait();
    } catch (const DeviceError&) {
    }
  }
  uses_.clear();
}

void backends::DeviceBackend::refuse_allocation_in_capture(std::string_view label) const {
  if (capturing_thread.load() == std::this_thread::get_id())
    throw DeviceError(fmt::format("buffer '{}': no memory can be allocated while a graph is captured", label));
}

void backends::QueueBackend::note_launch(const std::shared_ptr<const RenderedKernel>& rendered, std::array<std::uint32_t, 3> groups) {
  const std::scoped_lock lock(mutex_);
  if (last_.rendered != rendered) last_.rendered = rendered;
  last_.groups = groups;
}

backends::NotedLaunch backends::QueueBackend::last_launch() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

std::string backends::NotedLaunch::text() const {
  if (!rendered) return "an earlier copy of this queue failed";
  return "an earlier kernel or copy of this queue failed; its last launch was " + launch_text(rendered->spec, groups);
}

}  // namespace dgsolve::codegen
