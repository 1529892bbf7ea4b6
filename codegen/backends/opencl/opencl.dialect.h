// clang-format off
// The words of the kernel dialect in OpenCL C (docs/kernels.md explains them). REAL_BITS, VECTOR_WIDTH and SHARED_BYTES are defined before.
#pragma OPENCL FP_CONTRACT OFF
typedef long int64;
typedef unsigned long uint64;
typedef unsigned int uint32;
typedef unsigned char byte;
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#if REAL_BITS == 64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL_NAME double
#else
#define REAL_NAME float
#endif
typedef REAL_NAME real;
#if VECTOR_WIDTH == 1
typedef real realv;
#define LANE(v, i) (v)
#define ANY(condition) ((condition) != 0)
#else
typedef JOIN(REAL_NAME, VECTOR_WIDTH) realv;
#define LANE(v, i) (((real*)&(v))[i])
#define ANY(condition) any(condition)
#endif
#define KERNEL __kernel
#define GLOBAL __global
#define CONSTANT __constant
#define CONSTANT_SPACE __constant
#define SHARED __local
#define SHARED_MEMORY(type, name, count) \
  typedef char SHARED_MEMORY_is_larger_than_the_shared_bytes_of_the_spec[sizeof(type) * (count) <= SHARED_BYTES ? 1 : -1]; __local type name[count]
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define PREVIOUS_KERNEL_DONE() ((void)0)
#define WRITTEN_BEFORE(p) ((void)0)
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#ifdef __NV_CL_C_VERSION  // the standard's mem_fence need not reach beyond the group
#define FENCE() asm volatile("membar.gl;" ::: "memory")
#elif defined(POCL_DEVICE_ADDRESS_BITS)
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define COPY_ASYNC(to, from) (*(to) = *(from))
#define CLOSE_COPIES() ((void)0)
#define WAIT_COPIES(n) ((void)0)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_READ(p) (*(GLOBAL const volatile int*)(p))
#define ATOMIC_WRITE(p, v) (*(GLOBAL volatile int*)(p) = (v))
#define ATOMIC_READ64(p) (*(GLOBAL const volatile uint64*)(p))
#define ATOMIC_WRITE64(p, v) (*(GLOBAL volatile uint64*)(p) = (v))
#define GROUP_ID(d) ((int)get_group_id(d))
#define GROUP_COUNT(d) ((int)get_num_groups(d))
#define LOCAL_ID(d) ((int)get_local_id(d))
#define INLINE static inline __attribute__((always_inline))
#define RESTRICT restrict
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define REAL(x) ((real)(x))
#define REALV(x) ((realv)(x))
#define SELECT(condition, a, b) ((condition) ? (a) : (b))
#define VLOAD(p) (*(GLOBAL const realv*)(p))
#define VSTORE(v, p) (*(GLOBAL realv*)(p) = (v))
#define FMA(a, b, c) fma(a, b, c)
#ifdef POCL_DEVICE_ADDRESS_BITS
#define VSTREAM(v, p) __builtin_nontemporal_store((v), (GLOBAL realv*)(p))
#define PREFETCH(p) __builtin_prefetch((const void*)(size_t)(p), 0, 2)
#else
#define VSTREAM(v, p) VSTORE(v, p)
#define PREFETCH(p) ((void)(p))
#endif
#define LOAD_TWO(p, a, b) do { const JOIN(REAL_NAME, 2) load_two_ = vload2(0, p); a = load_two_.x; b = load_two_.y; } while (0)
#define STORE_TWO(a, b, p) vstore2((JOIN(REAL_NAME, 2))(a, b), 0, p)
#ifdef POCL_DEVICE_ADDRESS_BITS  // PoCL's own floor takes twenty instructions
#if __has_builtin(__builtin_elementwise_floor)
#undef floor
#define floor(x) __builtin_elementwise_floor(x)
#endif
#endif
