// clang-format off
// The words of the kernel dialect in CUDA C++ (docs/kernels.md explains them). REAL_BITS, VECTOR_WIDTH and SHARED_BYTES are defined before.
typedef long int64;
typedef unsigned long uint64;
typedef unsigned int uint32;
typedef unsigned char byte;
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#if REAL_BITS == 64
typedef double real;
#else
typedef float real;
#endif
#define KERNEL extern "C" __global__
#define GLOBAL
#define CONSTANT static __constant__ const
#define CONSTANT_SPACE
#define SHARED
#define SHARED_MEMORY(type, name, count) \
  static_assert(sizeof(type) * (count) <= SHARED_BYTES, "SHARED_MEMORY is larger than the spec's shared_bytes"); extern __shared__ __align__(128) type name[]
#define BARRIER() __syncthreads()
#define WARP_BARRIER() __syncwarp()
#define FENCE() __threadfence()
#if __CUDA_ARCH__ >= 900
#define PREVIOUS_KERNEL_DONE() asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory")
#else
#define PREVIOUS_KERNEL_DONE() ((void)0)
#endif
#define WRITTEN_BEFORE(p) do { asm volatile("" : "+l"(p) :: "memory"); __builtin_assume(__isGlobal(p)); } while (0)
#if __CUDA_ARCH__ >= 800
#define COPY_ASYNC(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: \
  "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(*(to))) : "memory")
#define CLOSE_COPIES() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_COPIES(n) asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")
#else
#define COPY_ASYNC(to, from) (*(to) = *(from))
#define CLOSE_COPIES() ((void)0)
#define WAIT_COPIES(n) ((void)0)
#endif
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_READ(p) (*(const volatile int*)(p))
#define ATOMIC_WRITE(p, v) (*(volatile int*)(p) = (v))
#define ATOMIC_READ64(p) (*(const volatile uint64*)(p))
#define ATOMIC_WRITE64(p, v) (*(volatile uint64*)(p) = (v))
#define DIMENSION_0 x
#define DIMENSION_1 y
#define DIMENSION_2 z
#define GROUP_ID(d) ((int)blockIdx.JOIN(DIMENSION_, d))
#define GROUP_COUNT(d) ((int)gridDim.JOIN(DIMENSION_, d))
#define LOCAL_ID(d) ((int)threadIdx.JOIN(DIMENSION_, d))
#define INLINE static __device__ __forceinline__
#define RESTRICT __restrict__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define REAL(x) ((real)(x))
#define REALV(x) ((realv)(x))
#define VLOAD(p) (*(const realv*)(p))
#define VSTORE(v, p) (*(realv*)(p) = (v))
#define VSTREAM(v, p) VSTORE(v, p)
#define FMA(a, b, c) fma(a, b, c)
#define PREFETCH(p) asm volatile("prefetch.global.L2 [%0];" : : "l"(p))
#define LOAD_TWO(p, x, y) load_two(p, x, y)
template <class T> struct alignas(2 * sizeof(T)) two_of { T x, y; };
typedef two_of<real> real_pair;
template <class T> INLINE void load_two(const T* p, T& x, T& y) { const two_of<T> both = *reinterpret_cast<const two_of<T>*>(p); x = both.x; y = both.y; }
#define STORE_TWO(x, y, p) (*reinterpret_cast<real_pair*>(p) = real_pair{x, y})
#if __CUDA_ARCH__ >= 800
#define MATRIX_STEP(sum, a, b) matrix_step_of_warp(sum, a, b)
INLINE void matrix_step_of_warp(double* sum, const double* a, const double* b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  UNROLL for (int i = 0; i < 4; ++i) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[i % 2 * 2]), "+d"(sum[i % 2 * 2 + 1]) : "d"(a[i]), "d"(b[i / 2]));
  }
#endif
}
#endif
#if VECTOR_WIDTH == 1
typedef real realv;
#define LANE(v, i) (v)
#define SELECT(condition, a, b) ((condition) ? (a) : (b))
#define ANY(condition) ((condition) != 0)
#else
#define LANE(v, i) ((v).lane[i])
#define SELECT(condition, a, b) select_lanes(condition, a, b)
#define ANY(condition) any_lane(condition)
#define LANES UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i)
struct maskv { bool lane[VECTOR_WIDTH]; };
struct alignas(sizeof(real) * VECTOR_WIDTH) realv {
  real lane[VECTOR_WIDTH];
  realv() = default;
  __device__ realv(real x) { LANES lane[i] = x; }
};
#define LANEWISE(result, head, value) INLINE result head { result r; LANES r.lane[i] = (value); return r; }
#define OPERATOR(result, op) LANEWISE(result, operator op(const realv& a, const realv& b), a.lane[i] op b.lane[i])
#define ARITHMETIC(op) OPERATOR(realv, op) INLINE realv& operator op##=(realv& a, const realv& b) { return a = a op b; }
#define FUNCTION(name) LANEWISE(realv, name(const realv& a), name(a.lane[i]))
#define FUNCTION2(name) LANEWISE(realv, name(const realv& a, const realv& b), name(a.lane[i], b.lane[i]))
ARITHMETIC(+) ARITHMETIC(-) ARITHMETIC(*) ARITHMETIC(/)
OPERATOR(maskv, <) OPERATOR(maskv, >) OPERATOR(maskv, <=) OPERATOR(maskv, >=) OPERATOR(maskv, ==) OPERATOR(maskv, !=)
LANEWISE(realv, operator-(const realv& a), -a.lane[i])
LANEWISE(maskv, operator!(const maskv& a), !a.lane[i])
LANEWISE(maskv, operator&&(const maskv& a, const maskv& b), a.lane[i] && b.lane[i])
LANEWISE(maskv, operator||(const maskv& a, const maskv& b), a.lane[i] || b.lane[i])
FUNCTION(sqrt) FUNCTION(exp) FUNCTION(log) FUNCTION(log10) FUNCTION(sin) FUNCTION(cos) FUNCTION(tan) FUNCTION(asin) FUNCTION(acos) FUNCTION(atan)
FUNCTION(sinh) FUNCTION(cosh) FUNCTION(tanh) FUNCTION(fabs) FUNCTION(floor) FUNCTION2(pow) FUNCTION2(atan2)
LANEWISE(realv, fma(const realv& a, const realv& b, const realv& c), fma(a.lane[i], b.lane[i], c.lane[i]))
LANEWISE(realv, select_lanes(const maskv& c, const realv& a, const realv& b), c.lane[i] ? a.lane[i] : b.lane[i])
INLINE realv select_lanes(bool c, const realv& a, const realv& b) { return c ? a : b; }
INLINE real select_lanes(bool c, real a, real b) { return c ? a : b; }
INLINE bool any_lane(const maskv& c) { bool r = false; LANES r = r || c.lane[i]; return r; }
INLINE bool any_lane(bool c) { return c; }
#endif
