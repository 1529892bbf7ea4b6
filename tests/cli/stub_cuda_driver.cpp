// A libcuda.so.1 that runs nothing, for tests of the program without a GPU: an H200 whose memory is the host's, full of 0xff (no fault at
// any node, rates that are no numbers). It cannot serve NVRTC, which looks for it while compiling: a test that compiles crashes.
#include <cstdlib>
#include <cstring>

using Result = unsigned int;
using Address = unsigned long long;
using Handle = void*;

namespace {

constexpr std::size_t device_bytes = 150'000'000'000;
Handle handle() { return reinterpret_cast<Handle>(8); }
Result give(Handle* target) { return *target = handle(), 0; }
void* pointer(Address address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {
Result cuInit(unsigned int) { return 0; }
Result cuDriverGetVersion(int* version) { return *version = 13000, 0; }
Result cuGetErrorName(Result, const char** text) { return *text = "STUB", 0; }
Result cuGetErrorString(Result, const char** text) { return *text = "stub", 0; }
Result cuDeviceGetCount(int* count) { return *count = 1, 0; }
Result cuDeviceGet(int* device, int) { return *device = 0, 0; }
Result cuDeviceGetName(char* name, int, int) { return std::strcpy(name, "NVIDIA H200"), 0; }
Result cuDeviceGetAttribute(int* value, unsigned int which, int) {
  switch (which) {
    case 1:  // threads per block
      return *value = 1024, 0;
    case 8:  // shared memory per block
      return *value = 49152, 0;
    case 16:  // multiprocessors
      return *value = 132, 0;
    case 75:  // compute capability
      return *value = 9, 0;
    case 76:
      return *value = 0, 0;
    case 97:  // shared memory per block, opted in
      return *value = 232448, 0;
    default:
      return *value = 1, 0;
  }
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = device_bytes, 0; }
Result cuDevicePrimaryCtxRetain(Handle* context, int) { return give(context); }
Result cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Result cuCtxSetCurrent(Handle) { return 0; }
Result cuCtxSynchronize() { return 0; }
Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return *free = *total = device_bytes, 0; }
Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  *address = reinterpret_cast<Address>(std::malloc(bytes));
  return std::memset(pointer(*address), 0xff, bytes), 0;
}
Result cuMemFree_v2(Address address) { return std::free(pointer(address)), 0; }
Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int) { return *memory = std::malloc(bytes), 0; }
Result cuMemFreeHost(void* memory) { return std::free(memory), 0; }
Result cuMemcpyHtoDAsync_v2(Address target, const void* source, std::size_t bytes, Handle) {
  return std::memcpy(pointer(target), source, bytes), 0;
}
Result cuMemcpyDtoHAsync_v2(void* target, Address source, std::size_t bytes, Handle) {
  return std::memcpy(target, pointer(source), bytes), 0;
}
Result cuMemcpyDtoDAsync_v2(Address target, Address source, std::size_t bytes, Handle) {
  return std::memcpy(pointer(target), pointer(source), bytes), 0;
}
Result cuMemsetD8Async(Address target, unsigned char value, std::size_t bytes, Handle) {
  return std::memset(pointer(target), value, bytes), 0;
}
Result cuStreamCreate(Handle* stream, unsigned int) { return give(stream); }
Result cuStreamDestroy_v2(Handle) { return 0; }
Result cuStreamSynchronize(Handle) { return 0; }
Result cuStreamWaitEvent(Handle, Handle, unsigned int) { return 0; }
Result cuStreamBeginCapture_v2(Handle, unsigned int) { return 0; }
Result cuStreamEndCapture(Handle, Handle* graph) { return give(graph); }
Result cuGraphInstantiateWithFlags(Handle* program, Handle, unsigned long long) { return give(program); }
Result cuGraphLaunch(Handle, Handle) { return 0; }
Result cuGraphExecDestroy(Handle) { return 0; }
Result cuGraphDestroy(Handle) { return 0; }
Result cuEventCreate(Handle* event, unsigned int) { return give(event); }
Result cuEventDestroy_v2(Handle) { return 0; }
Result cuEventRecord(Handle, Handle) { return 0; }
Result cuEventQuery(Handle) { return 0; }
Result cuEventSynchronize(Handle) { return 0; }
Result cuEventElapsedTime(float* milliseconds, Handle, Handle) { return *milliseconds = 1, 0; }
Result cuModuleLoadDataEx(Handle* module, const void*, unsigned int, unsigned int*, void**) { return give(module); }
Result cuModuleUnload(Handle) { return 0; }
Result cuModuleGetFunction(Handle* function, Handle, const char*) { return give(function); }
Result cuFuncGetAttribute(int* value, unsigned int, Handle) { return *value = 0, 0; }
Result cuFuncSetAttribute(Handle, unsigned int, int) { return 0; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Handle, int, std::size_t) { return *blocks = 2, 0; }
Result cuLaunchKernel(Handle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, Handle,
                      void**, void**) {
  return 0;
}
}
