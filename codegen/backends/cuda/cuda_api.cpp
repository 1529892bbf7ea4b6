// Opening of libcuda and libnvrtc, and the checks of their results.
#include "codegen/backends/cuda/cuda_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "codegen/environment.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends::cuda {
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
  template <class Function>
  void load_if_there(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

std::string last_loader_error() {
  const char* reason = ::dlerror();
  return reason == nullptr ? "it does not open" : reason;
}

void load_driver(SymbolLoader& loader, DriverApi& api) {
  loader.load(api.init, "cuInit");
  loader.load(api.driver_get_version, "cuDriverGetVersion");
  loader.load(api.get_error_name, "cuGetErrorName");
  loader.load(api.get_error_string, "cuGetErrorString");
  loader.load(api.device_get_count, "cuDeviceGetCount");
  loader.load(api.device_get, "cuDeviceGet");
  loader.load(api.device_get_name, "cuDeviceGetName");
  loader.load(api.device_get_attribute, "cuDeviceGetAttribute");
  loader.load(api.device_total_mem, "cuDeviceTotalMem_v2");
  loader.load(api.device_primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  loader.load(api.device_primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  loader.load(api.ctx_set_current, "cuCtxSetCurrent");
  loader.load(api.ctx_synchronize, "cuCtxSynchronize");
  loader.load(api.mem_get_info, "cuMemGetInfo_v2");
  loader.load(api.mem_alloc, "cuMemAlloc_v2");
  loader.load(api.mem_free, "cuMemFree_v2");
  loader.load(api.mem_host_alloc, "cuMemHostAlloc");
  loader.load(api.mem_free_host, "cuMemFreeHost");
  loader.load(api.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
  loader.load(api.memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2");
  loader.load(api.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
  loader.load(api.memset_d8_async, "cuMemsetD8Async");
  loader.load(api.stream_create, "cuStreamCreate");
  loader.load(api.stream_destroy, "cuStreamDestroy_v2");
  loader.load(api.stream_synchronize, "cuStreamSynchronize");
  loader.load(api.stream_wait_event, "cuStreamWaitEvent");
  loader.load(api.stream_begin_capture, "cuStreamBeginCapture_v2");
  loader.load(api.stream_end_capture, "cuStreamEndCapture");
  loader.load(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  loader.load(api.graph_launch, "cuGraphLaunch");
  loader.load(api.graph_exec_destroy, "cuGraphExecDestroy");
  loader.load(api.graph_destroy, "cuGraphDestroy");
  loader.load(api.event_create, "cuEventCreate");
  loader.load(api.event_destroy, "cuEventDestroy_v2");
  loader.load(api.event_record, "cuEventRecord");
  loader.load(api.event_query, "cuEventQuery");
  loader.load(api.event_synchronize, "cuEventSynchronize");
  loader.load(api.event_elapsed_time, "cuEventElapsedTime");
  loader.load(api.module_load_data_ex, "cuModuleLoadDataEx");
  loader.load(api.module_unload, "cuModuleUnload");
  loader.load(api.module_get_function, "cuModuleGetFunction");
  loader.load(api.func_get_attribute, "cuFuncGetAttribute");
  loader.load(api.func_set_attribute, "cuFuncSetAttribute");
  loader.load(api.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  loader.load(api.launch_kernel, "cuLaunchKernel");
  loader.load_if_there(api.launch_kernel_ex, "cuLaunchKernelEx");
  loader.load_if_there(api.ipc_get_mem_handle, "cuIpcGetMemHandle");
  loader.load_if_there(api.ipc_open_mem_handle, "cuIpcOpenMemHandle_v2");
  loader.load_if_there(api.ipc_close_mem_handle, "cuIpcCloseMemHandle");
  loader.load_if_there(api.ipc_get_event_handle, "cuIpcGetEventHandle");
  loader.load_if_there(api.ipc_open_event_handle, "cuIpcOpenEventHandle");
}

void load_nvrtc(SymbolLoader& loader, NvrtcApi& api) {
  loader.load(api.get_error_string, "nvrtcGetErrorString");
  loader.load(api.version, "nvrtcVersion");
  loader.load(api.get_num_supported_archs, "nvrtcGetNumSupportedArchs");
  loader.load(api.get_supported_archs, "nvrtcGetSupportedArchs");
  loader.load(api.create_program, "nvrtcCreateProgram");
  loader.load(api.destroy_program, "nvrtcDestroyProgram");
  loader.load(api.compile_program, "nvrtcCompileProgram");
  loader.load(api.get_ptx_size, "nvrtcGetPTXSize");
  loader.load(api.get_ptx, "nvrtcGetPTX");
  loader.load(api.get_cubin_size, "nvrtcGetCUBINSize");
  loader.load(api.get_cubin, "nvrtcGetCUBIN");
  loader.load(api.get_program_log_size, "nvrtcGetProgramLogSize");
  loader.load(api.get_program_log, "nvrtcGetProgramLog");
}

constexpr std::array<const char*, 4> nvrtc_names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
constexpr std::array<const char*, 3> nvrtc_folders{"/usr/local/cuda/lib64", "/opt/cuda/lib64", "/usr/lib/cuda/lib64"};

void* open_in_folder(const std::filesystem::path& folder) {
  for (const char* name : nvrtc_names) {
    if (void* library = ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* open_nvrtc_library(std::string& reason) {
  if (const std::string given = environment_value("DGSOLVE_NVRTC"); !given.empty()) {
    void* library = std::filesystem::is_directory(given) ? open_in_folder(given) : ::dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) reason = fmt::format("DGSOLVE_NVRTC={}: {}", given, last_loader_error());
    return library;
  }
  for (const char* name : nvrtc_names) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const char* folder : nvrtc_folders) {
    if (void* library = open_in_folder(folder)) return library;
  }
  reason = "libnvrtc.so is in none of the library folders nor in those of the CUDA toolkit; DGSOLVE_NVRTC can name it";
  return nullptr;
}

/// The size of the file that holds a function: tells two builds of the same version apart.
std::uintmax_t library_bytes(const void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return 0;
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(info.dli_fname, failure);
  return failure ? 0 : bytes;
}

bool loses_device(Result status) {
  constexpr std::array fatal{error_device_unavailable, error_ecc_uncorrectable, error_illegal_address, error_launch_timeout,
                             error_launch_failed};
  return std::find(fatal.begin(), fatal.end(), status) != fatal.end();
}

std::string place_text(const std::source_location& where) {
  const std::string_view file(where.file_name());
  return fmt::format("[{}:{}]", file.substr(file.rfind('/') + 1), where.line());
}

}  // namespace

std::pair<std::shared_ptr<const DriverApi>, std::string> open_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, fmt::format("no CUDA driver: {}", last_loader_error())};
  auto api = std::make_shared<DriverApi>();
  SymbolLoader loader(library);
  load_driver(loader, *api);
  if (!loader.missing().empty()) return {nullptr, fmt::format("the CUDA driver has no {}: it is too old", loader.missing())};
  if (const Result status = api->init(0); status != success) return {nullptr, fmt::format("cuInit: {}", error_text(*api, status))};
  return {std::move(api), {}};
}

std::pair<std::shared_ptr<const NvrtcApi>, std::string> open_nvrtc() {
  std::string reason;
  void* library = open_nvrtc_library(reason);
  if (library == nullptr) return {nullptr, fmt::format("no NVRTC: {}", reason)};
  auto api = std::make_shared<NvrtcApi>();
  SymbolLoader loader(library);
  load_nvrtc(loader, *api);
  if (!loader.missing().empty()) return {nullptr, fmt::format("NVRTC has no {}: it is too old", loader.missing())};
  int major = 0, minor = 0, count = 0;
  if (api->version(&major, &minor) != success || api->get_num_supported_archs(&count) != success)
    return {nullptr, "NVRTC does not tell its version"};
  api->architectures.resize(static_cast<std::size_t>(count));
  if (api->get_supported_archs(api->architectures.data()) != success) return {nullptr, "NVRTC does not tell its architectures"};
  api->identity = fmt::format("{}.{} {}", major, minor, library_bytes(reinterpret_cast<const void*>(api->compile_program)));
  return {std::move(api), {}};
}

std::string error_text(const DriverApi& api, Result status) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.get_error_name(status, &name) != success || name == nullptr) return fmt::format("CUDA error {}", status);
  if (api.get_error_string(status, &text) != success || text == nullptr) text = "";
  return fmt::format("{} ({}): {}", name, status, text);
}

void check(const DriverApi& api, Result status, std::string_view call, std::string_view context, const std::source_location& where) {
  if (status == success) return;
  const std::string message =
      fmt::format("{} failed: {}{}{}{} {}", call, error_text(api, status), context.empty() ? "" : ": ", context,
                  loses_device(status) ? "; the device is lost to this process, which must start anew" : "", place_text(where));
  if (status == error_out_of_memory) throw OutOfMemoryError(message);
  throw DeviceError(message);
}

void check(const NvrtcApi& api, Result status, std::string_view call, std::string_view context, const std::source_location& where) {
  if (status == success) return;
  throw DeviceError(
      fmt::format("{} failed: {}{}{} {}", call, api.get_error_string(status), context.empty() ? "" : ": ", context, place_text(where)));
}

}  // namespace dgsolve::codegen::backends::cuda
