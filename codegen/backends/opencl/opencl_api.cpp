// Loading of the OpenCL ICD loader and the names of OpenCL's errors.
#include "codegen/backends/opencl/opencl_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

/// Looks entry points up and remembers the first that is missing.
class SymbolLoader {
 public:
  explicit SymbolLoader(void* library) : library_(library) {}
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void load_all(SymbolLoader& loader, OpenClApi& api) {
  loader.load(api.get_platform_ids, "clGetPlatformIDs");
  loader.load(api.get_platform_info, "clGetPlatformInfo");
  loader.load(api.get_device_ids, "clGetDeviceIDs");
  loader.load(api.get_device_info, "clGetDeviceInfo");
  loader.load(api.create_context, "clCreateContext");
  loader.load(api.release_context, "clReleaseContext");
  loader.load(api.create_command_queue, "clCreateCommandQueue");
  loader.load(api.release_command_queue, "clReleaseCommandQueue");
  loader.load(api.create_buffer, "clCreateBuffer");
  loader.load(api.release_mem_object, "clReleaseMemObject");
  loader.load(api.set_mem_object_destructor_callback, "clSetMemObjectDestructorCallback");
  loader.load(api.create_program_with_source, "clCreateProgramWithSource");
  loader.load(api.create_program_with_binary, "clCreateProgramWithBinary");
  loader.load(api.build_program, "clBuildProgram");
  loader.load(api.get_program_info, "clGetProgramInfo");
  loader.load(api.get_program_build_info, "clGetProgramBuildInfo");
  loader.load(api.release_program, "clReleaseProgram");
  loader.load(api.create_kernel, "clCreateKernel");
  loader.load(api.release_kernel, "clReleaseKernel");
  loader.load(api.set_kernel_arg, "clSetKernelArg");
  loader.load(api.get_kernel_work_group_info, "clGetKernelWorkGroupInfo");
  loader.load(api.enqueue_nd_range_kernel, "clEnqueueNDRangeKernel");
  loader.load(api.enqueue_native_kernel, "clEnqueueNativeKernel");
  loader.load(api.enqueue_read_buffer, "clEnqueueReadBuffer");
  loader.load(api.enqueue_write_buffer, "clEnqueueWriteBuffer");
  loader.load(api.enqueue_copy_buffer, "clEnqueueCopyBuffer");
  loader.load(api.enqueue_fill_buffer, "clEnqueueFillBuffer");
  loader.load(api.enqueue_marker_with_wait_list, "clEnqueueMarkerWithWaitList");
  loader.load(api.enqueue_map_buffer, "clEnqueueMapBuffer");
  loader.load(api.enqueue_unmap_mem_object, "clEnqueueUnmapMemObject");
  loader.load(api.retain_event, "clRetainEvent");
  loader.load(api.wait_for_events, "clWaitForEvents");
  loader.load(api.get_event_info, "clGetEventInfo");
  loader.load(api.get_event_profiling_info, "clGetEventProfilingInfo");
  loader.load(api.release_event, "clReleaseEvent");
  loader.load(api.flush, "clFlush");
  loader.load(api.finish, "clFinish");
}

struct ErrorName {
  cl_int status;
  std::string_view name;
};

constexpr std::array error_names{
    ErrorName{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    ErrorName{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    ErrorName{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    ErrorName{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    ErrorName{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    ErrorName{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    ErrorName{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    ErrorName{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    ErrorName{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    ErrorName{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    ErrorName{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    ErrorName{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    ErrorName{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    ErrorName{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    ErrorName{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    ErrorName{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    ErrorName{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    ErrorName{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    ErrorName{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    ErrorName{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    ErrorName{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    ErrorName{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    ErrorName{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    ErrorName{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    ErrorName{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    ErrorName{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    ErrorName{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    ErrorName{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    ErrorName{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    ErrorName{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    ErrorName{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    ErrorName{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    ErrorName{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    ErrorName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

std::pair<std::shared_ptr<const OpenClApi>, std::string> open_opencl() {
  void* library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = ::dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return {nullptr, fmt::format("no OpenCL loader: {}", reason == nullptr ? "libOpenCL.so.1 does not open" : reason)};
  }
  auto api = std::make_shared<OpenClApi>();
  SymbolLoader loader(library);
  load_all(loader, *api);
  if (!loader.missing().empty()) return {nullptr, fmt::format("the OpenCL loader has no {} (OpenCL 1.2 is needed)", loader.missing())};
  return {std::move(api), {}};
}

std::string opencl_error_name(cl_int status) {
  for (const ErrorName& row : error_names) {
    if (row.status == status) return fmt::format("{} ({})", row.name, status);
  }
  return fmt::format("OpenCL error {}", status);
}

void check_opencl(cl_int status, std::string_view call, std::string_view context, const std::source_location& where) {
  if (status == CL_SUCCESS) return;
  const std::string_view file(where.file_name());
  const std::string message = fmt::format("{} failed: {}{}{} [{}:{}]", call, opencl_error_name(status), context.empty() ? "" : ": ",
                                          context, file.substr(file.rfind('/') + 1), where.line());
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE)
    throw OutOfMemoryError(message);
  throw DeviceError(message);
}

}  // namespace dgsolve::codegen::backends
