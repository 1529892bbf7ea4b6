// A CUDA driver that runs nothing: it keeps accounts of what it is asked and fails when it is told to. For tests without a GPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "codegen/backends/cuda/cuda_device.h"
#include "codegen/device.h"

namespace dgsolve::codegen {

struct StubDriver {
  std::size_t total_bytes = std::size_t{1} << 20;
  std::map<backends::cuda::DevicePointer, std::size_t> allocations;
  backends::cuda::DevicePointer next_address = 0x10000;
  int event_status = 0, launch_status = 0, synchronize_status = 0, instantiate_status = 0;
  int retained = 0, released = 0;
  std::vector<std::string> calls;  // those whose order matters
  std::vector<void*> arguments;    // of the last launch, as the driver got them

  [[nodiscard]] std::size_t used() const {
    std::size_t sum = 0;
    for (const auto& [address, bytes] : allocations) sum += bytes;
    return sum;
  }
};

/// The one stub of the test program; a test begins with `stub_driver() = {}`.
inline StubDriver& stub_driver() {
  static StubDriver driver;
  return driver;
}

namespace stub_calls {

using namespace backends::cuda;  // NOLINT: the names of a driver

template <class Handle>
Handle handle() {
  return reinterpret_cast<Handle>(std::uintptr_t{0x40});
}
inline Result note(const char* call, int status = 0) {
  stub_driver().calls.emplace_back(call);
  return static_cast<Result>(status);
}
inline Result allocate(DevicePointer* pointer, std::size_t bytes) {
  StubDriver& driver = stub_driver();
  if (driver.used() + bytes > driver.total_bytes) return error_out_of_memory;
  *pointer = driver.next_address;
  driver.next_address += bytes;
  driver.allocations[*pointer] = bytes;
  return success;
}
inline Result launch(Function, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, Stream,
                     void** arguments, void**) {
  stub_driver().arguments.assign(arguments, arguments + 5);
  for (void*& argument : stub_driver().arguments) {
    std::uint64_t value = 0;
    std::memcpy(&value, argument, 8);  // a launch argument has at least eight bytes behind it
    argument = reinterpret_cast<void*>(value);
  }
  return note("launch", stub_driver().launch_status);
}
inline Result attribute(int* value, unsigned int which, DeviceId) {
  *value = which == attribute_compute_capability_major ? 9 : which == attribute_compute_capability_minor ? 0 : 1024;
  return success;
}

}  // namespace stub_calls

inline std::shared_ptr<backends::cuda::DriverApi> stub_api() {
  using namespace stub_calls;  // NOLINT
  auto api = std::make_shared<DriverApi>();
  api->driver_get_version = [](int* version) -> Result { return *version = 12040, success; };
  api->get_error_name = [](Result error, const char** text) -> Result {
    return *text = error == error_out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR", success;
  };
  api->get_error_string = [](Result, const char** text) -> Result { return *text = "as the stub was told", success; };
  api->device_get = [](DeviceId* device, int) -> Result { return *device = 0, success; };
  api->device_get_name = [](char* name, int, DeviceId) -> Result { return std::strcpy(name, "Stub"), success; };
  api->device_get_attribute = stub_calls::attribute;
  api->device_total_mem = [](std::size_t* bytes, DeviceId) -> Result { return *bytes = stub_driver().total_bytes, success; };
  api->device_primary_ctx_retain = [](Context* context, DeviceId) -> Result {
    ++stub_driver().retained;
    return *context = handle<Context>(), success;
  };
  api->device_primary_ctx_release = [](DeviceId) -> Result { return ++stub_driver().released, success; };
  api->ctx_set_current = [](Context) -> Result { return note("current"); };
  api->ctx_synchronize = []() -> Result { return static_cast<Result>(stub_driver().synchronize_status); };
  api->mem_get_info = [](std::size_t* free, std::size_t* total) -> Result {
    *total = stub_driver().total_bytes;
    return *free = *total - stub_driver().used(), success;
  };
  api->mem_alloc = allocate;
  api->mem_free = [](DevicePointer pointer) -> Result { return stub_driver().allocations.erase(pointer), success; };
  api->mem_host_alloc = [](void** pointer, std::size_t bytes, unsigned int) -> Result { return *pointer = ::operator new(bytes), success; };
  api->mem_free_host = [](void* pointer) -> Result { return ::operator delete(pointer), success; };
  api->memcpy_htod_async = [](DevicePointer, const void*, std::size_t, Stream) -> Result { return note("write"); };
  api->memcpy_dtod_async = [](DevicePointer, DevicePointer, std::size_t, Stream) -> Result { return note("copy"); };
  api->stream_create = [](Stream* stream, unsigned int) -> Result { return *stream = handle<Stream>(), success; };
  api->stream_destroy = [](Stream) -> Result { return success; };
  api->stream_synchronize = [](Stream) -> Result { return static_cast<Result>(stub_driver().synchronize_status); };
  api->stream_begin_capture = [](Stream, unsigned int mode) -> Result { return note(mode == capture_thread_local ? "begin" : "?"); };
  api->stream_end_capture = [](Stream, GraphHandle* graph) -> Result { return *graph = handle<GraphHandle>(), note("end"); };
  api->graph_instantiate = [](GraphProgram* program, GraphHandle, unsigned long long) -> Result {
    return *program = handle<GraphProgram>(), note("instantiate", stub_driver().instantiate_status);
  };
  api->graph_launch = [](GraphProgram, Stream) -> Result { return note("graph", stub_driver().launch_status); };
  api->graph_exec_destroy = [](GraphProgram) -> Result { return note("destroy program"); };
  api->graph_destroy = [](GraphHandle) -> Result { return note("destroy graph"); };
  api->event_create = [](EventHandle* event, unsigned int) -> Result { return *event = handle<EventHandle>(), success; };
  api->event_destroy = [](EventHandle) -> Result { return success; };
  api->event_record = [](EventHandle, Stream) -> Result { return note("event"); };
  api->event_query = [](EventHandle) -> Result { return static_cast<Result>(stub_driver().event_status); };
  api->event_synchronize = [](EventHandle) -> Result { return static_cast<Result>(stub_driver().synchronize_status); };
  api->event_elapsed_time = [](float* milliseconds, EventHandle, EventHandle) -> Result { return *milliseconds = 2, success; };
  api->module_load_data_ex = [](Module* module, const void*, unsigned int, unsigned int*, void**) -> Result {
    return *module = handle<Module>(), success;
  };
  api->module_unload = [](Module) -> Result { return success; };
  api->module_get_function = [](Function* function, Module, const char*) -> Result { return *function = handle<Function>(), success; };
  api->func_get_attribute = [](int* value, unsigned int which, Function) -> Result {
    return *value = which == function_num_regs ? 40 : 0, success;
  };
  api->occupancy_max_active_blocks = [](int* blocks, Function, int block_size, std::size_t) -> Result {
    return *blocks = 2048 / block_size, success;
  };
  api->launch_kernel = launch;
  return api;
}

inline Device stub_device() { return Device(std::make_shared<backends::CudaDevice>(stub_api(), nullptr, 0)); }

}  // namespace dgsolve::codegen
