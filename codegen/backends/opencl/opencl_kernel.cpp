// OpenCL programs and kernels: build, cache and launch.
#include <fmt/format.h>

#include <chrono>

#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/build_log.h"
#include "codegen/cache.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

std::string build_options(const OpenClDevice& device, const RenderedKernel& rendered) {
  std::string options = "-cl-std=CL1.2";
  if (rendered.spec.precision == Precision::single_precision) {
    options += " -cl-single-precision-constant";
    if (device.correctly_rounded_division()) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  }
  return options;
}

std::string build_log(OpenClDevice& device, cl_program program) {
  const OpenClApi& api = device.api();
  std::size_t bytes = 0;
  if (api.get_program_build_info(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string log(bytes, '\0');
  if (api.get_program_build_info(program, device.id(), CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS) return {};
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

OpenClHandle<cl_program> compile(OpenClDevice& device, const RenderedKernel& rendered, const std::string& options, Cache* cache) {
  const OpenClApi& api = device.api();
  const char* text = rendered.text.data();
  const std::size_t length = rendered.text.size();
  cl_int status = CL_SUCCESS;
  OpenClHandle<cl_program> program(api.create_program_with_source(device.context(), 1, &text, &length, &status), api.release_program);
  check_opencl(status, "clCreateProgramWithSource", rendered.spec.name);
  const auto start = std::chrono::steady_clock::now();
  const cl_device_id id = device.id();
  status = api.build_program(program.get(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    throw compile_error(rendered, fmt::format("{} ({})", device.facts().name, device.facts().selector),
                        fmt::format("clBuildProgram: {}", opencl_error_name(status)), build_log(device, program.get()), cache);
  }
  if (cache != nullptr) cache->count_compile(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return program;
}

}  // namespace

std::shared_ptr<KernelBackend> OpenClDevice::build(const std::shared_ptr<const RenderedKernel>& rendered, Cache* cache) {
  OpenClHandle<cl_program> program = compile(*this, *rendered, build_options(*this, *rendered), cache);
  return std::make_shared<OpenClKernel>(shared_from_this(), rendered, std::move(program));
}

OpenClKernel::OpenClKernel(std::shared_ptr<OpenClDevice> device, std::shared_ptr<const RenderedKernel> rendered,
                           OpenClHandle<cl_program> program)
    : device_(std::move(device)), rendered_(std::move(rendered)), program_(std::move(program)) {
  cl_int status = CL_SUCCESS;
  const OpenClApi& api = device_->api();
  kernel_ = OpenClHandle<cl_kernel>(api.create_kernel(program_.get(), rendered_->spec.name.c_str(), &status), api.release_kernel);
  check_opencl(status, "clCreateKernel", rendered_->spec.name);
}

void OpenClKernel::launch(QueueBackend& queue, std::array<std::uint32_t, 3> groups, std::span<const LaunchArgument> arguments) {
  const OpenClApi& api = device_->api();
  const KernelSpec& spec = rendered_->spec;
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const LaunchArgument& argument = arguments[i];
    cl_int status = CL_SUCCESS;
    if (argument.buffer != nullptr) {
      const cl_mem memory = static_cast<const OpenClBuffer*>(argument.buffer)->memory();
      status = api.set_kernel_arg(kernel_.get(), static_cast<cl_uint>(i), sizeof memory, &memory);
    } else {
      status = api.set_kernel_arg(kernel_.get(), static_cast<cl_uint>(i), argument.bytes, argument.value.data());
    }
    if (status != CL_SUCCESS)
      check_opencl(status, "clSetKernelArg", fmt::format("argument '{}' of kernel '{}'", spec.arguments[i].name, spec.name));
  }
  std::array<std::size_t, 3> local{}, global{};
  for (std::size_t d = 0; d < 3; ++d) {
    local[d] = static_cast<std::size_t>(spec.group_size[d]);
    global[d] = local[d] * groups[d];
  }
  const cl_command_queue handle = static_cast<OpenClQueue&>(queue).handle();
  const cl_int status = api.enqueue_nd_range_kernel(handle, kernel_.get(), 3, nullptr, global.data(), local.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) check_opencl(status, "clEnqueueNDRangeKernel", launch_text(spec, groups));
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
