// The CUDA device that is not there: facts of an architecture, NVRTC, the cache, and empty launches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/backends/backend.h"
#include "codegen/backends/cuda/cuda_compiler.h"
#include "codegen/cache.h"
#include "codegen/errors.h"
#include "codegen/nearest.h"
#include "codegen/offline_device.h"

namespace dgsolve::codegen {
namespace backends {
namespace {

/// "Maximum amount of shared memory per thread block" of the CUDA C++ Programming Guide, table of technical specifications per compute
/// capability.
struct ArchitectureRow {
  int compute_capability;
  std::size_t shared_kibibytes;
};
constexpr std::array<ArchitectureRow, 12> architectures{
    {{70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227}, {103, 227}, {120, 99}, {121, 99}}};
constexpr int threads_per_block = 1024;

class OfflineEvent : public EventBackend {
 public:
  explicit OfflineEvent(const DeviceBackend& device) : device_(device) {}
  const DeviceBackend& device() const override { return device_; }
  bool reached() const override { return true; }
  void wait() const override {}
  double seconds_since(const EventBackend&) const override { return 0; }

 private:
  const DeviceBackend& device_;
};

/// Only pinned memory is there: the host writes and reads it.
class OfflineBuffer : public BufferBackend {
 public:
  OfflineBuffer(std::shared_ptr<const DeviceBackend> device, std::size_t bytes, std::string_view label, std::size_t host_bytes)
      : BufferBackend(*device, bytes, label), owner_(std::move(device)), host_(host_bytes) {
    native_ = reinterpret_cast<std::uintptr_t>(host_.data());
  }

 private:
  std::shared_ptr<const DeviceBackend> owner_;
  std::vector<std::byte> host_;
};

class OfflineQueue : public QueueBackend {
 public:
  explicit OfflineQueue(std::shared_ptr<DeviceBackend> device) : QueueBackend(*device), owner_(std::move(device)) {}
  void write(BufferBackend&, std::size_t, std::span<const std::byte>) override {}
  void read(const BufferBackend&, std::size_t, std::span<std::byte> target) override { std::ranges::fill(target, std::byte{0}); }
  void write_async(BufferBackend&, std::size_t, std::span<const std::byte>) override {}
  void read_async(const BufferBackend& source, std::size_t offset, std::span<std::byte> target) override { read(source, offset, target); }
  void copy(const BufferBackend&, BufferBackend&, std::size_t) override {}
  void fill_zero(BufferBackend&) override {}
  std::shared_ptr<EventBackend> record() override { return std::make_shared<OfflineEvent>(*owner_); }
  void wait(const EventBackend&) override {}
  void finish() override {}
  std::uintptr_t native() const override { return 0; }

 private:
  std::shared_ptr<DeviceBackend> owner_;
};

class OfflineKernel : public KernelBackend {
 public:
  OfflineKernel(std::shared_ptr<const DeviceBackend> device, std::shared_ptr<const RenderedKernel> rendered)
      : KernelBackend(std::move(rendered)), device_(std::move(device)) {}
  const DeviceBackend& device() const override { return *device_; }
  void launch(QueueBackend& queue, std::array<std::uint32_t, 3>, std::span<const LaunchArgument>, LaunchTiming* timing) override {
    if (timing != nullptr) *timing = {queue.record(), queue.record()};
  }
  Kernel::Resources resources() const override { return {}; }

 private:
  std::shared_ptr<const DeviceBackend> device_;
};

class OfflineCudaDevice : public DeviceBackend {
 public:
  OfflineCudaDevice(std::shared_ptr<const cuda::NvrtcApi> nvrtc, const ArchitectureRow& row, std::string_view name)
      : nvrtc_(std::move(nvrtc)), target_(cuda::compile_target(*nvrtc_, row.compute_capability)) {
    facts_.architecture = fmt::format("sm_{}", row.compute_capability);
    facts_.has_matrix_double = cuda::has_matrix_double(row.compute_capability);
    facts_.selector = fmt::format("{} (not there)", facts_.architecture);
    facts_.name = name.empty() ? facts_.selector : std::string(name);
    facts_.backend = "cuda";
    facts_.platform = "CUDA";
    facts_.driver_version = "none";
    facts_.compute_units = 1;
    facts_.max_group_size = threads_per_block;
    facts_.global_bytes = std::size_t{1} << 50;
    facts_.shared_bytes = row.shared_kibibytes * 1024;
  }
  const DeviceFacts& facts() const override { return facts_; }
  std::uintptr_t native() override { return 0; }
  std::shared_ptr<QueueBackend> make_queue() override { return std::make_shared<OfflineQueue>(shared_from_this()); }
  std::shared_ptr<BufferBackend> allocate(std::size_t bytes, std::string_view label) override {
    return std::make_shared<OfflineBuffer>(shared_from_this(), bytes, label, 0);
  }
  std::shared_ptr<BufferBackend> allocate_pinned(std::size_t bytes, std::string_view label) override {
    return std::make_shared<OfflineBuffer>(shared_from_this(), bytes, label, bytes);
  }
  std::string cache_key(const RenderedKernel& rendered) const override { return cuda::cache_key(*nvrtc_, rendered, target_); }
  BuiltKernel build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) override {
    const std::string key = cache == nullptr ? std::string() : cache_key(*rendered);
    auto image = cache == nullptr ? std::nullopt : cache->find(key);
    if (!image) {
      image = cuda::compile(*nvrtc_, *rendered, target_, cache);
      if (cache != nullptr) cache->store(key, *image, cuda::entry_facts(*rendered, target_));
    }
    return {load(rendered, *image), std::move(*image)};
  }
  std::shared_ptr<KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string&) override {
    return std::make_shared<OfflineKernel>(shared_from_this(), rendered);
  }

 private:
  std::shared_ptr<const cuda::NvrtcApi> nvrtc_;
  std::string target_;
  DeviceFacts facts_;
};

}  // namespace
}  // namespace backends

std::vector<std::string> offline_cuda_architectures() {
  std::vector<std::string> names;
  for (const auto& row : backends::architectures) names.push_back(fmt::format("sm_{}", row.compute_capability));
  return names;
}

std::string nvrtc_identity() {
  const auto [nvrtc, reason] = backends::cuda::open_nvrtc();
  return nvrtc ? nvrtc->identity : reason;
}

Device make_offline_cuda_device(std::string_view architecture, std::string_view name) {
  const std::vector<std::string> names = offline_cuda_architectures();
  const auto found = std::find(names.begin(), names.end(), architecture);
  if (found == names.end()) {
    throw DeviceError(
        fmt::format("found architecture '{}', known are {}{}", architecture, fmt::join(names, ", "), did_you_mean(architecture, names)));
  }
  auto [nvrtc, reason] = backends::cuda::open_nvrtc();
  if (!nvrtc) throw DeviceError(reason);
  const auto& row = backends::architectures.at(static_cast<std::size_t>(found - names.begin()));
  return Device(std::make_shared<backends::OfflineCudaDevice>(std::move(nvrtc), row, name));
}

}  // namespace dgsolve::codegen
