// The CUDA driver and NVRTC entry points in use, declared here so that no CUDA toolkit is needed to build; opened at run time.
// Where a toolkit exists, tests/codegen/cuda_declarations_test.cpp checks every line against cuda.h and nvrtc.h.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUevent_st;
struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct _nvrtcProgram;

namespace dgsolve::codegen::backends::cuda {

using Result = unsigned int;
using DeviceId = int;
using DevicePointer = unsigned long long;
using Context = ::CUctx_st*;
using Module = ::CUmod_st*;
using Function = ::CUfunc_st*;
using EventHandle = ::CUevent_st*;
using Stream = ::CUstream_st*;
using GraphHandle = ::CUgraph_st*;
using GraphProgram = ::CUgraphExec_st*;
using Program = ::_nvrtcProgram*;

/// CUipcMemHandle and CUipcEventHandle.
struct IpcMemHandle {
  std::array<std::byte, 64> bytes;
};
struct IpcEventHandle {
  std::array<std::byte, 64> bytes;
};

inline constexpr Result success = 0;
inline constexpr Result error_out_of_memory = 2;
inline constexpr Result error_not_ready = 600;
inline constexpr unsigned int stream_non_blocking = 1;
inline constexpr unsigned int event_default = 0;
inline constexpr unsigned int event_disable_timing = 2, event_interprocess = 4;
inline constexpr unsigned int ipc_mem_lazy_enable_peer_access = 1;
inline constexpr unsigned int capture_thread_local = 1;  // CUstreamCaptureMode

/// Errors after which the context is of no more use.
inline constexpr Result error_device_unavailable = 46;
inline constexpr Result error_ecc_uncorrectable = 214;
inline constexpr Result error_illegal_address = 700;
inline constexpr Result error_launch_timeout = 702;
inline constexpr Result error_launch_failed = 719;

/// CUdevice_attribute.
inline constexpr unsigned int attribute_max_threads_per_block = 1;
inline constexpr unsigned int attribute_max_shared_memory_per_block = 8;
inline constexpr unsigned int attribute_multiprocessor_count = 16;
inline constexpr unsigned int attribute_compute_capability_major = 75;
inline constexpr unsigned int attribute_compute_capability_minor = 76;
inline constexpr unsigned int attribute_max_shared_memory_per_block_optin = 97;

/// CUfunction_attribute.
inline constexpr unsigned int function_shared_size_bytes = 1;
inline constexpr unsigned int function_local_size_bytes = 3;
inline constexpr unsigned int function_num_regs = 4;
inline constexpr unsigned int function_max_dynamic_shared_size_bytes = 8;

/// CUjit_option.
inline constexpr unsigned int jit_error_log_buffer = 5;
inline constexpr unsigned int jit_error_log_buffer_size_bytes = 6;

/// CUlaunchAttribute and CUlaunchConfig.
inline constexpr unsigned int launch_attribute_programmatic_stream_serialization = 6;
struct LaunchAttribute {
  unsigned int id;
  char padding[4];
  union {
    char bytes[64];
    int value;
  };
};
struct LaunchConfig {
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned int attribute_count;
};

/// The driver, libcuda.so.1. It stays open until the process ends.
struct DriverApi {
  Result (*init)(unsigned int flags) = nullptr;
  Result (*driver_get_version)(int* version) = nullptr;
  Result (*get_error_name)(Result error, const char** text) = nullptr;
  Result (*get_error_string)(Result error, const char** text) = nullptr;
  Result (*device_get_count)(int* count) = nullptr;
  Result (*device_get)(DeviceId* device, int ordinal) = nullptr;
  Result (*device_get_name)(char* name, int length, DeviceId device) = nullptr;
  Result (*device_get_attribute)(int* value, unsigned int attribute, DeviceId device) = nullptr;
  Result (*device_total_mem)(std::size_t* bytes, DeviceId device) = nullptr;
  Result (*device_primary_ctx_retain)(Context* context, DeviceId device) = nullptr;
  Result (*device_primary_ctx_release)(DeviceId device) = nullptr;
  Result (*ctx_set_current)(Context context) = nullptr;
  Result (*ctx_synchronize)() = nullptr;
  Result (*mem_get_info)(std::size_t* free, std::size_t* total) = nullptr;
  Result (*mem_alloc)(DevicePointer* pointer, std::size_t bytes) = nullptr;
  Result (*mem_free)(DevicePointer pointer) = nullptr;
  Result (*mem_host_alloc)(void** pointer, std::size_t bytes, unsigned int flags) = nullptr;
  Result (*mem_free_host)(void* pointer) = nullptr;
  Result (*memcpy_htod_async)(DevicePointer target, const void* source, std::size_t bytes, Stream stream) = nullptr;
  Result (*memcpy_dtoh_async)(void* target, DevicePointer source, std::size_t bytes, Stream stream) = nullptr;
  Result (*memcpy_dtod_async)(DevicePointer target, DevicePointer source, std::size_t bytes, Stream stream) = nullptr;
  Result (*memset_d8_async)(DevicePointer target, unsigned char value, std::size_t bytes, Stream stream) = nullptr;
  Result (*stream_create)(Stream* stream, unsigned int flags) = nullptr;
  Result (*stream_destroy)(Stream stream) = nullptr;
  Result (*stream_synchronize)(Stream stream) = nullptr;
  Result (*stream_wait_event)(Stream stream, EventHandle event, unsigned int flags) = nullptr;
  Result (*stream_begin_capture)(Stream stream, unsigned int mode) = nullptr;
  Result (*stream_end_capture)(Stream stream, GraphHandle* graph) = nullptr;
  Result (*graph_instantiate)(GraphProgram* program, GraphHandle graph, unsigned long long flags) = nullptr;
  Result (*graph_launch)(GraphProgram program, Stream stream) = nullptr;
  Result (*graph_exec_destroy)(GraphProgram program) = nullptr;
  Result (*graph_destroy)(GraphHandle graph) = nullptr;
  Result (*event_create)(EventHandle* event, unsigned int flags) = nullptr;
  Result (*event_destroy)(EventHandle event) = nullptr;
  Result (*event_record)(EventHandle event, Stream stream) = nullptr;
  Result (*event_query)(EventHandle event) = nullptr;
  Result (*event_synchronize)(EventHandle event) = nullptr;
  Result (*event_elapsed_time)(float* milliseconds, EventHandle begin, EventHandle end) = nullptr;
  Result (*module_load_data_ex)(Module* module, const void* image, unsigned int count, unsigned int* options, void** values) = nullptr;
  Result (*module_unload)(Module module) = nullptr;
  Result (*module_get_function)(Function* function, Module module, const char* name) = nullptr;
  Result (*func_get_attribute)(int* value, unsigned int attribute, Function function) = nullptr;
  Result (*func_set_attribute)(Function function, unsigned int attribute, int value) = nullptr;
  Result (*occupancy_max_active_blocks)(int* blocks, Function function, int block_size, std::size_t shared_bytes) = nullptr;
  Result (*launch_kernel)(Function function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
                          unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, Stream stream, void** arguments,
                          void** extra) = nullptr;
  Result (*launch_kernel_ex)(const LaunchConfig* config, Function function, void** arguments,
                             void** extra) = nullptr;  ///< null before 11.8
  // Sharing with other processes; null where the driver has none.
  Result (*ipc_get_mem_handle)(IpcMemHandle* handle, DevicePointer pointer) = nullptr;
  Result (*ipc_open_mem_handle)(DevicePointer* pointer, IpcMemHandle handle, unsigned int flags) = nullptr;
  Result (*ipc_close_mem_handle)(DevicePointer pointer) = nullptr;
  Result (*ipc_get_event_handle)(IpcEventHandle* handle, EventHandle event) = nullptr;
  Result (*ipc_open_event_handle)(EventHandle* event, IpcEventHandle handle) = nullptr;
};

/// The run-time compiler, libnvrtc.so.
struct NvrtcApi {
  const char* (*get_error_string)(Result error) = nullptr;
  Result (*version)(int* major, int* minor) = nullptr;
  Result (*get_num_supported_archs)(int* count) = nullptr;
  Result (*get_supported_archs)(int* architectures) = nullptr;
  Result (*create_program)(Program* program, const char* source, const char* name, int header_count, const char* const* headers,
                           const char* const* include_names) = nullptr;
  Result (*destroy_program)(Program* program) = nullptr;
  Result (*compile_program)(Program program, int option_count, const char* const* options) = nullptr;
  Result (*get_ptx_size)(Program program, std::size_t* bytes) = nullptr;
  Result (*get_ptx)(Program program, char* ptx) = nullptr;
  Result (*get_cubin_size)(Program program, std::size_t* bytes) = nullptr;
  Result (*get_cubin)(Program program, char* cubin) = nullptr;
  Result (*get_program_log_size)(Program program, std::size_t* bytes) = nullptr;
  Result (*get_program_log)(Program program, char* log) = nullptr;
  std::string identity;            ///< version and size of the library: part of every cache key
  std::vector<int> architectures;  ///< what it compiles for, e.g. 75, 80, 90
};

/// Opens the driver and initialises it; null and a reason if there is none.
std::pair<std::shared_ptr<const DriverApi>, std::string> open_driver();

/// Opens NVRTC: DGSOLVE_NVRTC (a library or its folder), the loader's search path, then the usual folders of the toolkit; null and a reason
/// if it is nowhere.
std::pair<std::shared_ptr<const NvrtcApi>, std::string> open_nvrtc();

/// The one check of a driver call: throws DeviceError naming call, error, context (kernel and launch shape, buffer) and place.
void check(const DriverApi& api, Result status, std::string_view call, std::string_view context = {},
           const std::source_location& where = std::source_location::current());

/// The same for NVRTC.
void check(const NvrtcApi& api, Result status, std::string_view call, std::string_view context = {},
           const std::source_location& where = std::source_location::current());

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string error_text(const DriverApi& api, Result status);

}  // namespace dgsolve::codegen::backends::cuda
