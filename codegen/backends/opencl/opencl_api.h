// The OpenCL entry points in use, found in the ICD loader at run time, and the one check of their results.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace dgsolve::codegen::backends {

/// The table of entry points. The loader library stays open until the process ends: drivers keep threads of their own.
struct OpenClApi {
  decltype(&::clGetPlatformIDs) get_platform_ids = nullptr;
  decltype(&::clGetPlatformInfo) get_platform_info = nullptr;
  decltype(&::clGetDeviceIDs) get_device_ids = nullptr;
  decltype(&::clGetDeviceInfo) get_device_info = nullptr;
  decltype(&::clCreateContext) create_context = nullptr;
  decltype(&::clReleaseContext) release_context = nullptr;
  decltype(&::clCreateCommandQueue) create_command_queue = nullptr;
  decltype(&::clReleaseCommandQueue) release_command_queue = nullptr;
  decltype(&::clCreateBuffer) create_buffer = nullptr;
  decltype(&::clReleaseMemObject) release_mem_object = nullptr;
  decltype(&::clSetMemObjectDestructorCallback) set_mem_object_destructor_callback = nullptr;
  decltype(&::clCreateProgramWithSource) create_program_with_source = nullptr;
  decltype(&::clCreateProgramWithBinary) create_program_with_binary = nullptr;
  decltype(&::clBuildProgram) build_program = nullptr;
  decltype(&::clGetProgramInfo) get_program_info = nullptr;
  decltype(&::clGetProgramBuildInfo) get_program_build_info = nullptr;
  decltype(&::clReleaseProgram) release_program = nullptr;
  decltype(&::clCreateKernel) create_kernel = nullptr;
  decltype(&::clReleaseKernel) release_kernel = nullptr;
  decltype(&::clSetKernelArg) set_kernel_arg = nullptr;
  decltype(&::clGetKernelWorkGroupInfo) get_kernel_work_group_info = nullptr;
  decltype(&::clEnqueueNDRangeKernel) enqueue_nd_range_kernel = nullptr;
  decltype(&::clEnqueueNativeKernel) enqueue_native_kernel = nullptr;
  decltype(&::clEnqueueReadBuffer) enqueue_read_buffer = nullptr;
  decltype(&::clEnqueueWriteBuffer) enqueue_write_buffer = nullptr;
  decltype(&::clEnqueueCopyBuffer) enqueue_copy_buffer = nullptr;
  decltype(&::clEnqueueFillBuffer) enqueue_fill_buffer = nullptr;
  decltype(&::clEnqueueMarkerWithWaitList) enqueue_marker_with_wait_list = nullptr;
  decltype(&::clEnqueueMapBuffer) enqueue_map_buffer = nullptr;
  decltype(&::clEnqueueUnmapMemObject) enqueue_unmap_mem_object = nullptr;
  decltype(&::clRetainEvent) retain_event = nullptr;
  decltype(&::clWaitForEvents) wait_for_events = nullptr;
  decltype(&::clGetEventInfo) get_event_info = nullptr;
  decltype(&::clGetEventProfilingInfo) get_event_profiling_info = nullptr;
  decltype(&::clReleaseEvent) release_event = nullptr;
  decltype(&::clFlush) flush = nullptr;
  decltype(&::clFinish) finish = nullptr;
};

/// Opens the ICD loader; null and a reason if it is not there or lacks an entry point.
std::pair<std::shared_ptr<const OpenClApi>, std::string> open_opencl();

/// "CL_OUT_OF_RESOURCES (-5)".
std::string opencl_error_name(cl_int status);

/// The one check of an OpenCL call: throws DeviceError naming call, error, context (kernel and launch shape, buffer) and place.
void check_opencl(cl_int status, std::string_view call, std::string_view context = {},
                  const std::source_location& where = std::source_location::current());

/// Owner of one OpenCL object.
template <class Object>
class OpenClHandle {
 public:
  using Release = cl_int (*)(Object);
  OpenClHandle() = default;
  OpenClHandle(Object object, Release release) : object_(object), release_(release) {}
  OpenClHandle(OpenClHandle&& other) noexcept : object_(std::exchange(other.object_, nullptr)), release_(other.release_) {}
  OpenClHandle& operator=(OpenClHandle&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(release_, other.release_);
    return *this;
  }
  OpenClHandle(const OpenClHandle&) = delete;
  OpenClHandle& operator=(const OpenClHandle&) = delete;
  ~OpenClHandle() {
    if (object_ != nullptr) release_(object_);
  }
  [[nodiscard]] Object get() const { return object_; }

 private:
  Object object_ = nullptr;
  Release release_ = nullptr;
};

}  // namespace dgsolve::codegen::backends
