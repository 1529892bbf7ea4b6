// CUDA modules and kernels: build through the cache, load, launch.
#include <fmt/format.h>

#include "codegen/backends/cuda/cuda_compiler.h"
#include "codegen/backends/cuda/cuda_device.h"
#include "codegen/cache.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
std::string CudaDevice::target() const { return cuda::compile_target(*nvrtc_, compute_capability_); }

std::string CudaDevice::cache_key(const RenderedKernel& rendered) const { return cuda::cache_key(*nvrtc_, rendered, target()); }

BuiltKernel CudaDevice::build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) {
  const std::string key = cache == nullptr ? std::string() : cache_key(*rendered);
  if (cache != nullptr) {
    if (auto image = cache->find(key)) {
      try {
        return {load(rendered, *image), std::move(*image)};
      } catch (const DeviceError&) {
        cache->reject(key);  // whole, yet refused by the driver: built again below
      }
    }
  }
  std::string image = cuda::compile(*nvrtc_, *rendered, target(), cache);
  auto kernel = load(rendered, image);
  if (cache != nullptr) cache->store(key, image, cuda::entry_facts(*rendered, target()));
  return {std::move(kernel), std::move(image)};
}

std::shared_ptr<KernelBackend> CudaDevice::load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) {
  return std::make_shared<CudaKernel>(self(), rendered, image);
}

CudaKernel::CudaKernel(std::shared_ptr<CudaDevice> device, std::shared_ptr<const RenderedKernel> rendered, const std::string& image)
    : KernelBackend(std::move(rendered)),
      device_(std::move(device)),
      waits_by_itself_(rendered_->spec.source.find("PREVIOUS_KERNEL_DONE()") != std::string::npos) {
  const cuda::DriverApi& api = device_->use();
  std::array<char, 4096> log{};
  std::array<unsigned int, 2> options{cuda::jit_error_log_buffer, cuda::jit_error_log_buffer_size_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const cuda::Result status = api.module_load_data_ex(&module_, image.c_str(), 2, options.data(), values.data());
  if (status != cuda::success) check(api, status, "cuModuleLoadDataEx", fmt::format("kernel '{}' {}", rendered_->spec.name, log.data()));
  try {
    find_function();
  } catch (...) {
    api.module_unload(module_);
    throw;
  }
}

void CudaKernel::find_function() {
  const cuda::DriverApi& api = device_->use();
  const KernelSpec& spec = rendered_->spec;
  check(api, api.module_get_function(&function_, module_, spec.name.c_str()), "cuModuleGetFunction", spec.name);
  if (spec.shared_bytes > 0) {
    check(api, api.func_set_attribute(function_, cuda::function_max_dynamic_shared_size_bytes, static_cast<int>(spec.shared_bytes)),
          "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)", fmt::format("{} bytes for kernel '{}'", spec.shared_bytes, spec.name));
  }
}

CudaKernel::~CudaKernel() {
  if (const cuda::DriverApi* api = device_->use_quietly()) {
    api->ctx_synchronize();  // a launch of it may still run
    api->module_unload(module_);
  }
}

void CudaKernel::launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments,
                        LaunchTiming* timing) {
  std::array<void*, most_arguments> pointers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    pointers[i] = const_cast<std::byte*>(arguments[i].value.data());  // the driver only reads it
  }
  const cuda::DriverApi& api = device_->use();
  const KernelSpec& spec = rendered_->spec;
  const auto block = [&spec](std::size_t d) { return static_cast<unsigned int>(spec.group_size[d]); };
  if (timing != nullptr) timing->begin = queue.record();
  const auto& cuda_queue = static_cast<CudaQueue&>(queue);
  const bool overlapping = waits_by_itself_ && cuda_queue.is_captured() && api.launch_kernel_ex != nullptr;
  const cuda::Result status =
      overlapping ? launch_overlapping(groups, cuda_queue.stream(), pointers.data())
                  : api.launch_kernel(function_, groups[0], groups[1], groups[2], block(0), block(1), block(2),
                                      static_cast<unsigned int>(spec.shared_bytes), cuda_queue.stream(), pointers.data(), nullptr);
  if (status != cuda::success) check(api, status, "cuLaunchKernel", launch_text(spec, groups));
  queue.note_launch(rendered_, groups);
  if (timing != nullptr) timing->end = queue.record();
}

/// In a graph: the kernel may start before the one ahead of it has ended, since it waits itself. Compute capability 9.0 and later; others
/// take it for an ordinary launch.
cuda::Result CudaKernel::launch_overlapping(std::array<std::uint32_t, 3> groups, cuda::Stream stream, void** arguments) const {
  const KernelSpec& spec = rendered_->spec;
  const auto block = [&spec](std::size_t d) { return static_cast<unsigned int>(spec.group_size[d]); };
  cuda::LaunchAttribute attribute{};
  attribute.id = cuda::launch_attribute_programmatic_stream_serialization;
  attribute.value = 1;
  const cuda::LaunchConfig config{
      groups[0], groups[1], groups[2], block(0), block(1), block(2), static_cast<unsigned int>(spec.shared_bytes), stream, &attribute, 1};
  return device_->use().launch_kernel_ex(&config, function_, arguments, nullptr);
}

Kernel::Resources CudaKernel::resources() const {
  const cuda::DriverApi& api = device_->use();
  Kernel::Resources resources;
  const auto ask = [&](unsigned int attribute) {
    int value = -1;
    return api.func_get_attribute(&value, attribute, function_) == cuda::success ? value : -1;
  };
  resources.registers = ask(cuda::function_num_regs);
  resources.spilled_bytes = ask(cuda::function_local_size_bytes);
  const int fixed = ask(cuda::function_shared_size_bytes);
  const KernelSpec& spec = rendered_->spec;
  if (fixed >= 0) resources.shared_bytes = fixed + static_cast<int>(spec.shared_bytes);
  const int items = spec.group_size[0] * spec.group_size[1] * spec.group_size[2];
  int groups = -1;
  if (api.occupancy_max_active_blocks(&groups, function_, items, spec.shared_bytes) == cuda::success) resources.groups_per_unit = groups;
  return resources;
}

}  // namespace dgsolve::codegen::backends
