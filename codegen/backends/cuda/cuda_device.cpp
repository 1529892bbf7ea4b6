// CUDA devices: discovery, facts, the primary context, buffers.
#include "codegen/backends/cuda/cuda_device.h"

#include <fmt/format.h>

#include <array>

#include "codegen/backends/cuda/cuda_compiler.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

int attribute(const cuda::DriverApi& api, cuda::DeviceId device, unsigned int which) {
  int value = 0;
  check(api, api.device_get_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

DeviceFacts ask_facts(const cuda::DriverApi& api, cuda::DeviceId device, int ordinal) {
  DeviceFacts facts;
  std::array<char, 256> name{};
  check(api, api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device), "cuDeviceGetName");
  int version = 0;
  check(api, api.driver_get_version(&version), "cuDriverGetVersion");
  facts.name = name.data();
  facts.selector = fmt::format("cuda:{}", ordinal);
  facts.backend = "cuda";
  facts.platform = "CUDA";
  facts.driver_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  facts.has_double = true;
  facts.compute_units = attribute(api, device, cuda::attribute_multiprocessor_count);
  facts.max_group_size = attribute(api, device, cuda::attribute_max_threads_per_block);
  check(api, api.device_total_mem(&facts.global_bytes, device), "cuDeviceTotalMem");
  const int usual = attribute(api, device, cuda::attribute_max_shared_memory_per_block);
  const int opted = attribute(api, device, cuda::attribute_max_shared_memory_per_block_optin);
  facts.shared_bytes = static_cast<std::size_t>(std::max(usual, opted));
  return facts;
}

}  // namespace

void discover_cuda(Discovery& discovery) {
  const auto [api, reason] = cuda::open_driver();
  if (!api) {
    discovery.missing.push_back({"cuda", reason});
    return;
  }
  int count = 0;
  if (const cuda::Result status = api->device_get_count(&count); status != cuda::success || count == 0) {
    discovery.missing.push_back(
        {"cuda", status == cuda::success ? "the CUDA driver knows no device" : "cuDeviceGetCount: " + error_text(*api, status)});
    return;
  }
  const auto [nvrtc, nvrtc_reason] = cuda::open_nvrtc();
  if (!nvrtc) {
    discovery.missing.push_back(
        {"cuda", fmt::format("the driver has {} device(s), but kernels cannot be compiled: {}", count, nvrtc_reason)});
    return;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    try {
      discovery.devices.emplace_back(std::make_shared<CudaDevice>(api, nvrtc, ordinal));
    } catch (const DeviceError& error) {
      discovery.missing.push_back({"cuda", fmt::format("device {} is not usable: {}", ordinal, error.what())});
    }
  }
}

CudaDevice::CudaDevice(std::shared_ptr<const cuda::DriverApi> api, std::shared_ptr<const cuda::NvrtcApi> nvrtc, int ordinal)
    : api_(std::move(api)), nvrtc_(std::move(nvrtc)) {
  check(*api_, api_->device_get(&device_, ordinal), "cuDeviceGet", fmt::format("device {}", ordinal));
  facts_ = ask_facts(*api_, device_, ordinal);
  compute_capability_ = 10 * attribute(*api_, device_, cuda::attribute_compute_capability_major) +
                        attribute(*api_, device_, cuda::attribute_compute_capability_minor);
  facts_.architecture = fmt::format("sm_{}", compute_capability_);
  facts_.has_matrix_double = cuda::has_matrix_double(compute_capability_);
}

CudaDevice::~CudaDevice() {
  if (context_ != nullptr) api_->device_primary_ctx_release(device_);
}

const cuda::DriverApi& CudaDevice::use() {
  std::call_once(retained_, [this] {
    check(*api_, api_->device_primary_ctx_retain(&context_, device_), "cuDevicePrimaryCtxRetain", facts_.selector);
  });
  check(*api_, api_->ctx_set_current(context_), "cuCtxSetCurrent", facts_.selector);
  return *api_;
}

std::uintptr_t CudaDevice::native() {
  (void)use();
  return reinterpret_cast<std::uintptr_t>(context_);
}

const cuda::DriverApi* CudaDevice::use_quietly() noexcept {
  return context_ != nullptr && api_->ctx_set_current(context_) == cuda::success ? api_.get() : nullptr;
}

std::shared_ptr<QueueBackend> CudaDevice::make_queue() { return std::make_shared<CudaQueue>(self()); }

std::shared_ptr<BufferBackend> CudaDevice::allocate(std::size_t bytes, std::string_view label) {
  return std::make_shared<CudaBuffer>(self(), bytes, label);
}

std::shared_ptr<BufferBackend> CudaDevice::allocate_pinned(std::size_t bytes, std::string_view label) {
  return std::make_shared<CudaPinnedBuffer>(self(), bytes, label);
}

std::shared_ptr<GraphBackend> CudaDevice::make_graph(const std::function<void(QueueBackend&)>& enqueue_all) {
  return std::make_shared<CudaGraph>(self(), enqueue_all);
}

CudaBuffer::CudaBuffer(std::shared_ptr<CudaDevice> device, std::size_t bytes, std::string_view label, std::size_t capacity)
    : BufferBackend(*device, bytes, label), owner_(std::move(device)) {
  const cuda::DriverApi& api = owner_->use();
  cuda::DevicePointer address = 0;
  const cuda::Result status = api.mem_alloc(&address, std::max(bytes, capacity));
  native_ = address;
  if (status == cuda::success) return;
  std::size_t free = 0, total = 0;
  const bool known = api.mem_get_info(&free, &total) == cuda::success;
  check(api, status, "cuMemAlloc",
        fmt::format("buffer '{}' of {} bytes on {}{}", label_, bytes, owner_->facts().selector,
                    known ? fmt::format(", where {} of {} bytes are free", free, total) : std::string()));
}

CudaBuffer::~CudaBuffer() {
  if (const cuda::DriverApi* api = owner_->use_quietly()) api->mem_free(native_);
}

CudaPinnedBuffer::CudaPinnedBuffer(std::shared_ptr<CudaDevice> device, std::size_t bytes, std::string_view label)
    : BufferBackend(*device, bytes, label), owner_(std::move(device)) {
  const cuda::DriverApi& api = owner_->use();
  void* memory = nullptr;
  const cuda::Result status = api.mem_host_alloc(&memory, std::max<std::size_t>(bytes, 1), 0);
  if (status != cuda::success) check(api, status, "cuMemHostAlloc", fmt::format("pinned buffer '{}' of {} bytes", label_, bytes));
  native_ = reinterpret_cast<std::uintptr_t>(memory);
}

CudaPinnedBuffer::~CudaPinnedBuffer() {
  wait_until_idle();
  if (const cuda::DriverApi* api = owner_->use_quietly()) api->mem_free_host(reinterpret_cast<void*>(native_));
}

}  // namespace dgsolve::codegen::backends
