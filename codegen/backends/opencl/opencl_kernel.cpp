// OpenCL kernels: launch and resources.
#include <fmt/format.h>

#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/backends/opencl/opencl_program.h"

namespace dgsolve::codegen::backends {

std::string OpenClDevice::cache_key(const RenderedKernel& rendered) const { return program_key(*this, rendered); }

BuiltKernel OpenClDevice::build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) {
  BuiltProgram built = build_program(*this, *rendered, cache);
  return {std::make_shared<OpenClKernel>(self(), rendered, std::move(built.program)), std::move(built.image)};
}

std::shared_ptr<KernelBackend> OpenClDevice::load(const std::shared_ptr<const RenderedKernel>& rendered, const std::string& image) {
  return std::make_shared<OpenClKernel>(self(), rendered, load_program(*this, *rendered, image));
}

OpenClKernel::OpenClKernel(std::shared_ptr<OpenClDevice> device, std::shared_ptr<const RenderedKernel> rendered,
                           OpenClHandle<cl_program> program)
    : KernelBackend(std::move(rendered)), device_(std::move(device)), program_(std::move(program)) {
  cl_int status = CL_SUCCESS;
  const OpenClApi& api = device_->api();
  kernel_ = OpenClHandle<cl_kernel>(api.create_kernel(program_.get(), rendered_->spec.name.c_str(), &status), api.release_kernel);
  check_opencl(status, "clCreateKernel", rendered_->spec.name);
}

void OpenClKernel::launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments,
                          LaunchTiming* timing) {
  const OpenClApi& api = device_->api();
  const KernelSpec& spec = rendered_->spec;
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const cl_int status = api.set_kernel_arg(kernel_.get(), static_cast<cl_uint>(i), arguments[i].bytes, arguments[i].value.data());
    if (status != CL_SUCCESS)
      check_opencl(status, "clSetKernelArg", fmt::format("argument '{}' of kernel '{}'", spec.arguments[i].name, spec.name));
  }
  std::array<std::size_t, 3> local{}, global{};
  for (std::size_t d = 0; d < 3; ++d) {
    local[d] = static_cast<std::size_t>(spec.group_size[d]);
    global[d] = local[d] * groups[d];
  }
  const cl_command_queue handle = static_cast<OpenClQueue&>(queue).handle();
  cl_event event = nullptr;
  const cl_int status = api.enqueue_nd_range_kernel(handle, kernel_.get(), 3, nullptr, global.data(), local.data(), 0, nullptr,
                                                    timing == nullptr ? nullptr : &event);
  if (status != CL_SUCCESS) check_opencl(status, "clEnqueueNDRangeKernel", launch_text(spec, groups));
  queue.note_launch(rendered_, groups);
  if (timing == nullptr) return;
  api.retain_event(event);
  timing->begin = std::make_shared<OpenClEvent>(device_, event, queue.last_launch(), CL_PROFILING_COMMAND_START);
  timing->end = std::make_shared<OpenClEvent>(device_, event, queue.last_launch());
}

Kernel::Resources OpenClKernel::resources() const {
  Kernel::Resources resources;
  cl_ulong bytes = 0;
  const auto ask = device_->api().get_kernel_work_group_info;
  if (ask(kernel_.get(), device_->id(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr) == CL_SUCCESS) {
    resources.shared_bytes = static_cast<int>(bytes);
  }
  return resources;
}

}  // namespace dgsolve::codegen::backends
