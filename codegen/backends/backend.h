// The seam between the toolkit and an API: what each of codegen/backends/* implements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "codegen/device.h"
#include "codegen/embedded.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// The dialect headers ("opencl.dialect.h", "cuda.dialect.h"), embedded by CMake.
std::span<const EmbeddedFile> dialect_files();

namespace backends {

/// A point in a queue's work.
class EventBackend {
 public:
  virtual ~EventBackend() = default;
  virtual void wait() const = 0;
  virtual double seconds_since(const EventBackend& earlier) const = 0;
};

/// Device memory.
class BufferBackend {
 public:
  virtual ~BufferBackend() = default;
  virtual std::size_t bytes() const = 0;
  virtual const std::string& label() const = 0;
  virtual const DeviceBackend& device() const = 0;
};

/// An in-order queue. Ranges are checked by the caller (`Queue`).
class QueueBackend {
 public:
  virtual ~QueueBackend() = default;
  virtual const DeviceBackend& device() const = 0;
  virtual void write(BufferBackend& target, std::size_t offset, std::span<const std::byte> source) = 0;
  virtual void read(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) = 0;
  virtual void copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) = 0;
  virtual void fill_zero(BufferBackend& target) = 0;
  virtual std::shared_ptr<EventBackend> record() = 0;
  virtual void finish() = 0;
};

/// A checked launch argument: a buffer, or the bytes of a scalar of exactly the declared type.
struct LaunchArgument {
  const BufferBackend* buffer = nullptr;
  std::array<std::byte, 16> value{};
  std::size_t bytes = 0;
};

/// A built kernel of one device. Launching from several threads is allowed.
class KernelBackend {
 public:
  virtual ~KernelBackend() = default;
  virtual const DeviceBackend& device() const = 0;
  virtual void launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments) = 0;
  virtual Kernel::Resources resources() const = 0;
};

/// A built kernel and the bytes from which other processes get it without compiling.
struct BuiltKernel {
  std::shared_ptr<KernelBackend> kernel;
  std::string image;
};

/// A device. Contexts are made at first use, so that looking for devices costs little.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual std::shared_ptr<QueueBackend> make_queue() = 0;
  virtual std::shared_ptr<BufferBackend> allocate(std::size_t bytes, std::string_view label) = 0;
  /// The key of a kernel's cache entry: all that determines its binary on this device.
  virtual std::string cache_key(const RenderedKernel& rendered) const = 0;
  /// Looks the kernel up in the cache or compiles it. Called from several threads at once. Throws CompileError.
  virtual BuiltKernel build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) = 0;
  /// The kernel of an image that `build` gave on a device with the same key. Throws DeviceError if the driver refuses it.
  virtual std::shared_ptr<KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) = 0;
  /// False if an image is of use only on the node where it was made.
  virtual bool images_travel() const { return true; }
};

/// Throws DeviceError if a group of the kernel, its shared memory or its precision is beyond the device.
void check_fits(const DeviceFacts& facts, const KernelSpec& spec);

/// "kernel 'stage' with 3x1x1 groups of 64x1x1 work-items": for messages.
std::string launch_text(const KernelSpec& spec, std::array<std::uint32_t, 3> groups);

}  // namespace backends
}  // namespace dgsolve::codegen
