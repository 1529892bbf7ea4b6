// Devices, queues, events and buffers: range and ownership checks in front of the backends.
#include "codegen/device.h"

#include <fmt/format.h>

#include <utility>

#include "codegen/backends/backend.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

const backends::BufferBackend& checked_range(const Buffer& buffer, const backends::QueueBackend& queue, std::size_t offset,
                                             std::size_t bytes, const char* what) {
  const backends::BufferBackend* backend = buffer.backend();
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
Queue Device::make_queue() const { return Queue(backend_->make_queue()); }
Buffer Device::allocate(std::size_t bytes, std::string_view label) const {
  // Some OpenCL drivers reserve nothing before the first use and accept any size.
  if (bytes > facts().global_bytes) {
    throw DeviceError(
        fmt::format("buffer '{}' of {} bytes on {}, which has {} bytes in all", label, bytes, facts().selector, facts().global_bytes));
  }
  return Buffer(backend_->allocate(bytes, label));
}

Buffer::Buffer(std::shared_ptr<backends::BufferBackend> backend) : backend_(std::move(backend)) {}
std::size_t Buffer::bytes() const { return backend_ ? backend_->bytes() : 0; }

Event::Event(std::shared_ptr<backends::EventBackend> backend) : backend_(std::move(backend)) {}
void Event::wait() const { backend_->wait(); }
double Event::seconds_since(const Event& earlier) const { return backend_->seconds_since(*earlier.backend_); }

Queue::Queue(std::shared_ptr<backends::QueueBackend> backend) : backend_(std::move(backend)) {}

void Queue::write(Buffer& target, std::size_t offset_bytes, std::span<const std::byte> source) {
  checked_range(target, *backend_, offset_bytes, source.size(), "write");
  if (!source.empty()) backend_->write(*target.backend(), offset_bytes, source);
}

void Queue::read(const Buffer& source, std::size_t offset_bytes, std::span<std::byte> target) {
  checked_range(source, *backend_, offset_bytes, target.size(), "read");
  if (!target.empty()) backend_->read(*source.backend(), offset_bytes, target);
}

void Queue::copy(const Buffer& source, Buffer& target, std::size_t bytes) {
  checked_range(source, *backend_, 0, bytes, "copy from");
  checked_range(target, *backend_, 0, bytes, "copy to");
  if (source.backend() == target.backend()) throw DeviceError(fmt::format("copy of buffer '{}' onto itself", source.backend()->label()));
  if (bytes != 0) backend_->copy(*source.backend(), *target.backend(), bytes);
}

void Queue::fill_zero(Buffer& target) {
  checked_range(target, *backend_, 0, 0, "fill");
  if (target.bytes() != 0) backend_->fill_zero(*target.backend());
}

Event Queue::record() { return Event(backend_->record()); }
void Queue::finish() { backend_->finish(); }

}  // namespace dgsolve::codegen
