// Our declarations of the CUDA driver and NVRTC against the toolkit's own headers, where they exist.
#include <gtest/gtest.h>

#include "codegen/backends/cuda/cuda_api.h"

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

namespace dgsolve::codegen::backends::cuda {
namespace {

/// A type as the calling convention sees it: enumerations are unsigned integers, pointers to enumerations point to such.
template <class T>
struct Plain {
  using type = T;
};
template <class T>
requires std::is_enum_v<T>
struct Plain<T> {
  using type = unsigned int;
};
template <class T>
struct Plain<T*> {
  using type = typename Plain<T>::type*;
};
template <>
struct Plain<CUipcMemHandle> {
  using type = IpcMemHandle;
};
template <>
struct Plain<CUipcEventHandle> {
  using type = IpcEventHandle;
};
template <class R, class... A>
struct Plain<R(A...)> {
  using type = typename Plain<R>::type(typename Plain<A>::type...);
};

template <class Ours, class Theirs>
constexpr bool same = std::is_same_v<Ours, typename Plain<Theirs>::type>;

static_assert(sizeof(CUresult) == sizeof(Result) && sizeof(nvrtcResult) == sizeof(Result));
static_assert(same<decltype(DriverApi::init), decltype(&::cuInit)>);
static_assert(same<decltype(DriverApi::driver_get_version), decltype(&::cuDriverGetVersion)>);
static_assert(same<decltype(DriverApi::get_error_name), decltype(&::cuGetErrorName)>);
static_assert(same<decltype(DriverApi::get_error_string), decltype(&::cuGetErrorString)>);
static_assert(same<decltype(DriverApi::device_get_count), decltype(&::cuDeviceGetCount)>);
static_assert(same<decltype(DriverApi::device_get), decltype(&::cuDeviceGet)>);
static_assert(same<decltype(DriverApi::device_get_name), decltype(&::cuDeviceGetName)>);
static_assert(same<decltype(DriverApi::device_get_attribute), decltype(&::cuDeviceGetAttribute)>);
static_assert(same<decltype(DriverApi::device_total_mem), decltype(&::cuDeviceTotalMem)>);
static_assert(same<decltype(DriverApi::device_primary_ctx_retain), decltype(&::cuDevicePrimaryCtxRetain)>);
static_assert(same<decltype(DriverApi::device_primary_ctx_release), decltype(&::cuDevicePrimaryCtxRelease)>);
static_assert(same<decltype(DriverApi::ctx_set_current), decltype(&::cuCtxSetCurrent)>);
static_assert(same<decltype(DriverApi::ctx_synchronize), decltype(&::cuCtxSynchronize)>);
static_assert(same<decltype(DriverApi::mem_get_info), decltype(&::cuMemGetInfo)>);
static_assert(same<decltype(DriverApi::mem_alloc), decltype(&::cuMemAlloc)>);
static_assert(same<decltype(DriverApi::mem_free), decltype(&::cuMemFree)>);
static_assert(same<decltype(DriverApi::mem_host_alloc), decltype(&::cuMemHostAlloc)>);
static_assert(same<decltype(DriverApi::mem_free_host), decltype(&::cuMemFreeHost)>);
static_assert(same<decltype(DriverApi::memcpy_htod_async), decltype(&::cuMemcpyHtoDAsync)>);
static_assert(same<decltype(DriverApi::memcpy_dtoh_async), decltype(&::cuMemcpyDtoHAsync)>);
static_assert(same<decltype(DriverApi::memcpy_dtod_async), decltype(&::cuMemcpyDtoDAsync)>);
static_assert(same<decltype(DriverApi::memset_d8_async), decltype(&::cuMemsetD8Async)>);
static_assert(same<decltype(DriverApi::stream_create), decltype(&::cuStreamCreate)>);
static_assert(same<decltype(DriverApi::stream_destroy), decltype(&::cuStreamDestroy)>);
static_assert(same<decltype(DriverApi::stream_synchronize), decltype(&::cuStreamSynchronize)>);
static_assert(same<decltype(DriverApi::stream_wait_event), decltype(&::cuStreamWaitEvent)>);
static_assert(same<decltype(DriverApi::stream_begin_capture), decltype(&::cuStreamBeginCapture)>);
static_assert(same<decltype(DriverApi::stream_end_capture), decltype(&::cuStreamEndCapture)>);
static_assert(same<decltype(DriverApi::graph_instantiate), decltype(&::cuGraphInstantiateWithFlags)>);
static_assert(same<decltype(DriverApi::graph_launch), decltype(&::cuGraphLaunch)>);
static_assert(same<decltype(DriverApi::graph_exec_destroy), decltype(&::cuGraphExecDestroy)>);
static_assert(same<decltype(DriverApi::graph_destroy), decltype(&::cuGraphDestroy)>);
static_assert(same<decltype(DriverApi::event_create), decltype(&::cuEventCreate)>);
static_assert(same<decltype(DriverApi::event_destroy), decltype(&::cuEventDestroy)>);
static_assert(same<decltype(DriverApi::event_record), decltype(&::cuEventRecord)>);
static_assert(same<decltype(DriverApi::event_query), decltype(&::cuEventQuery)>);
static_assert(same<decltype(DriverApi::event_synchronize), decltype(&::cuEventSynchronize)>);
static_assert(same<decltype(DriverApi::event_elapsed_time), decltype(&::cuEventElapsedTime)>);
static_assert(same<decltype(DriverApi::module_load_data_ex), decltype(&::cuModuleLoadDataEx)>);
static_assert(same<decltype(DriverApi::module_unload), decltype(&::cuModuleUnload)>);
static_assert(same<decltype(DriverApi::module_get_function), decltype(&::cuModuleGetFunction)>);
static_assert(same<decltype(DriverApi::func_get_attribute), decltype(&::cuFuncGetAttribute)>);
static_assert(same<decltype(DriverApi::func_set_attribute), decltype(&::cuFuncSetAttribute)>);
static_assert(same<decltype(DriverApi::occupancy_max_active_blocks), decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor)>);
static_assert(same<decltype(DriverApi::launch_kernel), decltype(&::cuLaunchKernel)>);
static_assert(same<decltype(DriverApi::ipc_get_mem_handle), decltype(&::cuIpcGetMemHandle)>);
static_assert(same<decltype(DriverApi::ipc_open_mem_handle), decltype(&::cuIpcOpenMemHandle)>);
static_assert(same<decltype(DriverApi::ipc_close_mem_handle), decltype(&::cuIpcCloseMemHandle)>);
static_assert(same<decltype(DriverApi::ipc_get_event_handle), decltype(&::cuIpcGetEventHandle)>);
static_assert(same<decltype(DriverApi::ipc_open_event_handle), decltype(&::cuIpcOpenEventHandle)>);
static_assert(sizeof(IpcMemHandle) == sizeof(::CUipcMemHandle) && sizeof(IpcEventHandle) == sizeof(::CUipcEventHandle));
static_assert(sizeof(LaunchAttribute) == sizeof(::CUlaunchAttribute) && sizeof(LaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(LaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(::CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(::CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(::CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(::CUlaunchConfig, numAttrs));
static_assert(launch_attribute_programmatic_stream_serialization == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(same<decltype(NvrtcApi::get_error_string), decltype(&::nvrtcGetErrorString)>);
static_assert(same<decltype(NvrtcApi::version), decltype(&::nvrtcVersion)>);
static_assert(same<decltype(NvrtcApi::get_num_supported_archs), decltype(&::nvrtcGetNumSupportedArchs)>);
static_assert(same<decltype(NvrtcApi::get_supported_archs), decltype(&::nvrtcGetSupportedArchs)>);
static_assert(same<decltype(NvrtcApi::create_program), decltype(&::nvrtcCreateProgram)>);
static_assert(same<decltype(NvrtcApi::destroy_program), decltype(&::nvrtcDestroyProgram)>);
static_assert(same<decltype(NvrtcApi::compile_program), decltype(&::nvrtcCompileProgram)>);
static_assert(same<decltype(NvrtcApi::get_ptx_size), decltype(&::nvrtcGetPTXSize)>);
static_assert(same<decltype(NvrtcApi::get_ptx), decltype(&::nvrtcGetPTX)>);
static_assert(same<decltype(NvrtcApi::get_cubin_size), decltype(&::nvrtcGetCUBINSize)>);
static_assert(same<decltype(NvrtcApi::get_cubin), decltype(&::nvrtcGetCUBIN)>);
static_assert(same<decltype(NvrtcApi::get_program_log_size), decltype(&::nvrtcGetProgramLogSize)>);
static_assert(same<decltype(NvrtcApi::get_program_log), decltype(&::nvrtcGetProgramLog)>);

static_assert(success == CUDA_SUCCESS && static_cast<Result>(NVRTC_SUCCESS) == success);
static_assert(error_out_of_memory == CUDA_ERROR_OUT_OF_MEMORY && error_not_ready == CUDA_ERROR_NOT_READY);
static_assert(error_device_unavailable == CUDA_ERROR_DEVICE_UNAVAILABLE && error_ecc_uncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(error_illegal_address == CUDA_ERROR_ILLEGAL_ADDRESS && error_launch_timeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(error_launch_failed == CUDA_ERROR_LAUNCH_FAILED && capture_thread_local == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(stream_non_blocking == CU_STREAM_NON_BLOCKING && event_default == CU_EVENT_DEFAULT);
static_assert(event_disable_timing == CU_EVENT_DISABLE_TIMING && event_interprocess == CU_EVENT_INTERPROCESS);
static_assert(ipc_mem_lazy_enable_peer_access == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
static_assert(attribute_max_threads_per_block == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(attribute_max_shared_memory_per_block == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(attribute_multiprocessor_count == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(attribute_compute_capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(attribute_compute_capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(attribute_max_shared_memory_per_block_optin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(function_shared_size_bytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(function_local_size_bytes == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(function_num_regs == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(function_max_dynamic_shared_size_bytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(jit_error_log_buffer == CU_JIT_ERROR_LOG_BUFFER && jit_error_log_buffer_size_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

TEST(CudaDeclarations, equal_those_of_the_toolkit) { SUCCEED() << "checked when this file was compiled"; }

}  // namespace
}  // namespace dgsolve::codegen::backends::cuda
#else
TEST(CudaDeclarations, equal_those_of_the_toolkit) { GTEST_SKIP() << "this program was built without a CUDA toolkit"; }
#endif
