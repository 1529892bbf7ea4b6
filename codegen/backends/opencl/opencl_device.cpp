// OpenCL devices: discovery, facts, contexts and buffers.
#include "codegen/backends/opencl/opencl_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include "codegen/backends/opencl/large_pages.h"
#include "codegen/cache.h"
#include "codegen/cache_folder.h"
#include "codegen/cpu_features.h"
#include "codegen/environment.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

constexpr std::size_t line_bytes = 128;

std::string device_text(const OpenClApi& api, cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  check_opencl(api.get_device_info(device, what, 0, nullptr, &bytes), "clGetDeviceInfo");
  std::string text(bytes, '\0');
  check_opencl(api.get_device_info(device, what, bytes, text.data(), nullptr), "clGetDeviceInfo");
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string platform_text(const OpenClApi& api, cl_platform_id platform, cl_platform_info what) {
  std::size_t bytes = 0;
  check_opencl(api.get_platform_info(platform, what, 0, nullptr, &bytes), "clGetPlatformInfo");
  std::string text(bytes, '\0');
  check_opencl(api.get_platform_info(platform, what, bytes, text.data(), nullptr), "clGetPlatformInfo");
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

template <class T>
T device_value(const OpenClApi& api, cl_device_id device, cl_device_info what) {
  T value{};
  check_opencl(api.get_device_info(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

/// Tells PoCL, before its library loads, where to keep its files: beside our entries. Returns the folder, empty if there is none to use.
std::filesystem::path prepare_pocl(const std::filesystem::path& cache_folder) {
  const CacheFolder cache = CacheFolder::own(cache_folder.empty() ? Cache::default_folder() : cache_folder);
  if (!cache.path().empty()) {
    const std::filesystem::path folder = cache.path() / "pocl";
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (::access(folder.c_str(), W_OK) == 0) set_environment_default("POCL_CACHE_DIR", folder.string());
  }
  const std::string folder = environment_value("POCL_CACHE_DIR");
  if (folder.empty()) set_environment_default("POCL_KERNEL_CACHE", "0");
  return environment_value("POCL_KERNEL_CACHE") == "0" ? std::filesystem::path() : std::filesystem::path(folder);
}

void add_platform(const std::shared_ptr<const OpenClApi>& api, cl_platform_id platform, const std::filesystem::path& pocl_folder,
                  int& index, Discovery& discovery) {
  const std::string name = platform_text(*api, platform, CL_PLATFORM_NAME);
  cl_uint count = 0;
  const cl_int status = api->get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status != CL_SUCCESS || count == 0) {
    discovery.missing.push_back({"opencl", fmt::format("platform '{}' has no device: {}", name, opencl_error_name(status))});
    return;
  }
  std::vector<cl_device_id> ids(count);
  check_opencl(api->get_device_ids(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs");
  for (const cl_device_id id : ids) {
    try {
      auto device = std::make_shared<OpenClDevice>(api, platform, id, index, pocl_folder);
      discovery.devices.emplace_back(std::move(device));
      ++index;
    } catch (const DeviceError& error) {
      discovery.missing.push_back({"opencl", fmt::format("a device of platform '{}' is not usable: {}", name, error.what())});
    }
  }
}

}  // namespace

void discover_opencl(Discovery& discovery, const std::filesystem::path& cache_folder) {
  const std::filesystem::path pocl_folder = prepare_pocl(cache_folder);
  auto [api, reason] = open_opencl();
  if (!api) {
    discovery.missing.push_back({"opencl", reason});
    return;
  }
  cl_uint count = 0;
  const cl_int status = api->get_platform_ids(0, nullptr, &count);
  if (status != CL_SUCCESS || count == 0) {
    discovery.missing.push_back({"opencl", fmt::format("the OpenCL loader knows no platform: {}", opencl_error_name(status))});
    return;
  }
  std::vector<cl_platform_id> platforms(count);
  check_opencl(api->get_platform_ids(count, platforms.data(), nullptr), "clGetPlatformIDs");
  int index = 0;
  for (const cl_platform_id platform : platforms) {
    try {
      add_platform(api, platform, pocl_folder, index, discovery);
    } catch (const DeviceError& error) {
      discovery.missing.push_back({"opencl", error.what()});
    }
  }
}

OpenClDevice::OpenClDevice(std::shared_ptr<const OpenClApi> api, cl_platform_id platform, cl_device_id device, int index,
                           std::filesystem::path pocl_folder)
    : api_(std::move(api)), platform_(platform), device_(device), pocl_folder_(std::move(pocl_folder)) {
  facts_.name = device_text(*api_, device, CL_DEVICE_NAME);
  facts_.selector = fmt::format("opencl:{}", index);
  facts_.backend = "opencl";
  facts_.platform = platform_text(*api_, platform, CL_PLATFORM_NAME);
  facts_.driver_version = device_text(*api_, device, CL_DRIVER_VERSION);
  facts_.is_cpu = (device_value<cl_device_type>(*api_, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  if (facts_.is_cpu) facts_.architecture = cpu_features();
  host_memory_ = facts_.is_cpu && device_value<cl_bool>(*api_, device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  native_kernels_ =
      (device_value<cl_device_exec_capabilities>(*api_, device, CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_NATIVE_KERNEL) != 0;
  uses_large_pages_ = host_memory_ && large_pages_offered();
  const std::string extensions = " " + device_text(*api_, device, CL_DEVICE_EXTENSIONS) + " ";
  facts_.has_double = extensions.find(" cl_khr_fp64 ") != std::string::npos;
  facts_.compute_units = static_cast<int>(device_value<cl_uint>(*api_, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  if (facts_.is_cpu) facts_.processors = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  facts_.max_group_size = static_cast<int>(device_value<std::size_t>(*api_, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  facts_.global_bytes = device_value<cl_ulong>(*api_, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts_.shared_bytes = device_value<cl_ulong>(*api_, device, CL_DEVICE_LOCAL_MEM_SIZE);
  is_pocl_ = facts_.platform == "Portable Computing Language";
  correctly_rounded_division_ =
      (device_value<cl_device_fp_config>(*api_, device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  version_text_ = fmt::format("{}\n{}\n{}\n{}", facts_.platform, platform_text(*api_, platform, CL_PLATFORM_VERSION),
                              device_text(*api_, device, CL_DEVICE_VERSION), facts_.driver_version);
  if (device_value<cl_bool>(*api_, device, CL_DEVICE_AVAILABLE) == CL_FALSE) throw DeviceError(facts_.name + ": not available");
  if (device_value<cl_bool>(*api_, device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) throw DeviceError(facts_.name + ": no compiler");
}

cl_context OpenClDevice::context() {
  std::call_once(context_made_, [this] {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
    cl_int status = CL_SUCCESS;
    const cl_context context = api_->create_context(properties, 1, &device_, nullptr, nullptr, &status);
    check_opencl(status, "clCreateContext", facts_.selector);
    context_ = OpenClHandle<cl_context>(context, api_->release_context);
  });
  return context_.get();
}

std::shared_ptr<QueueBackend> OpenClDevice::make_queue() { return std::make_shared<OpenClQueue>(self()); }

std::shared_ptr<BufferBackend> OpenClDevice::allocate(std::size_t bytes, std::string_view label) {
  return std::make_shared<OpenClBuffer>(self(), bytes, label);
}

std::shared_ptr<BufferBackend> OpenClDevice::allocate_pinned(std::size_t bytes, std::string_view label) {
  return std::make_shared<OpenClPinnedBuffer>(self(), bytes, label);
}

namespace {

/// Commands in the queue keep a released buffer alive; the driver calls this when none uses the memory any more.
void CL_CALLBACK free_pages(cl_mem /*memory*/, void* pages) { delete static_cast<LargePages*>(pages); }

}  // namespace

OpenClBuffer::OpenClBuffer(std::shared_ptr<OpenClDevice> device, std::size_t bytes, std::string_view label)
    : BufferBackend(*device, bytes, label), owner_(std::move(device)) {
  capacity_ = std::max<std::size_t>((bytes + line_bytes - 1) / line_bytes, 1) * line_bytes;
  std::unique_ptr<LargePages> pages;
  if (owner_->uses_large_pages() && capacity_ >= least_bytes_on_large_pages) pages = LargePages::take(capacity_);
  cl_int status = CL_SUCCESS;
  const cl_mem_flags place = pages ? CL_MEM_USE_HOST_PTR : 0;
  const cl_mem memory =
      owner_->api().create_buffer(owner_->context(), CL_MEM_READ_WRITE | place, capacity_, pages ? pages->begin() : nullptr, &status);
  if (status != CL_SUCCESS) {
    check_opencl(status, "clCreateBuffer",
                 fmt::format("buffer '{}' of {} bytes on {}, which has {} bytes in all", label_, bytes, owner_->facts().selector,
                             owner_->facts().global_bytes));
  }
  memory_ = OpenClHandle<cl_mem>(memory, owner_->api().release_mem_object);
  native_ = reinterpret_cast<std::uintptr_t>(memory);
  if (!pages) return;
  check_opencl(owner_->api().set_mem_object_destructor_callback(memory, free_pages, pages.get()), "clSetMemObjectDestructorCallback",
               label_);
  (void)pages.release();  // the callback's
}

OpenClPinnedBuffer::OpenClPinnedBuffer(std::shared_ptr<OpenClDevice> device, std::size_t bytes, std::string_view label)
    : BufferBackend(*device, bytes, label), owner_(std::move(device)) {
  const OpenClApi& api = owner_->api();
  const std::string what = fmt::format("pinned buffer '{}' of {} bytes", label_, bytes);
  capacity_ = std::max<std::size_t>(bytes, 1);
  cl_int status = CL_SUCCESS;
  memory_ = OpenClHandle<cl_mem>(
      api.create_buffer(owner_->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, capacity_, nullptr, &status), api.release_mem_object);
  check_opencl(status, "clCreateBuffer", what);
  queue_ = OpenClHandle<cl_command_queue>(api.create_command_queue(owner_->context(), owner_->id(), 0, &status), api.release_command_queue);
  check_opencl(status, "clCreateCommandQueue", what);
  void* host =
      api.enqueue_map_buffer(queue_.get(), memory_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, capacity_, 0, nullptr, nullptr, &status);
  check_opencl(status, "clEnqueueMapBuffer", what);
  native_ = reinterpret_cast<std::uintptr_t>(host);
}

OpenClPinnedBuffer::~OpenClPinnedBuffer() {
  wait_until_idle();
  if (native_ == 0) return;
  const OpenClApi& api = owner_->api();
  api.enqueue_unmap_mem_object(queue_.get(), memory_.get(), reinterpret_cast<void*>(native_), 0, nullptr, nullptr);
  api.finish(queue_.get());
}

}  // namespace dgsolve::codegen::backends
