/* Complex numbers of kernels: complex64 of floats, complex128 of doubles; laid out as std::complex. */
#define COMPLEX(C, R) \
  typedef struct { R re; R im; } C; \
  INLINE C C##_make(R re, R im) { C z; z.re = re; z.im = im; return z; } \
  INLINE C C##_add(C a, C b) { return C##_make(a.re + b.re, a.im + b.im); } \
  INLINE C C##_subtract(C a, C b) { return C##_make(a.re - b.re, a.im - b.im); } \
  INLINE C C##_multiply(C a, C b) { return C##_make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); } \
  /* Smith (1962), Algorithm 116: scaled by the larger part of the denominator */ \
  INLINE C C##_divide(C a, C b) { \
    const int tall = fabs(b.re) < fabs(b.im); \
    const R big = tall ? b.im : b.re, small = tall ? b.re : b.im; \
    const R ratio = small / big, scale = big + small * ratio; \
    return tall ? C##_make((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale) \
                : C##_make((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale); \
  } \
  INLINE C C##_negate(C a) { return C##_make(-a.re, -a.im); } \
  INLINE C C##_conjugate(C a) { return C##_make(a.re, -a.im); } \
  INLINE R C##_absolute(C a) { return hypot(a.re, a.im); } \
  INLINE R C##_argument(C a) { return atan2(a.im, a.re); } \
  INLINE int C##_equal(C a, C b) { return a.re == b.re && a.im == b.im; } \
  INLINE C C##_exp(C a) { const R size = exp(a.re); return C##_make(size * cos(a.im), size * sin(a.im)); } \
  INLINE C C##_log(C a) { return C##_make(log(C##_absolute(a)), C##_argument(a)); } \
  /* the root with a positive real part: of the two parts the one that suffers no cancellation, then the other by division */ \
  INLINE C C##_sqrt(C a) { \
    const R big = sqrt((C##_absolute(a) + fabs(a.re)) / 2); \
    if (big == 0) return C##_make(0, a.im); \
    const R other = a.im / (2 * big); \
    return a.re >= 0 ? C##_make(big, other) : C##_make(fabs(other), copysign(big, a.im)); \
  }
COMPLEX(complex64, float)
#if REAL_BITS == 64
COMPLEX(complex128, double)
#endif
