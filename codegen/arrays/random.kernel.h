/* Random numbers that depend on seed, stream and place alone: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
   as 1, 2, 3", SC11), and the inverse of the normal distribution (Wichura 1988, Algorithm AS 241), made of operations that are rounded
   the same everywhere. */
typedef struct { uint32 word[4]; } RandomBlock;

INLINE RandomBlock philox(uint32 c0, uint32 c1, uint32 c2, uint32 c3, uint32 k0, uint32 k1) {
  UNROLL
  for (int round = 0; round < 10; ++round) {
    const uint64 a = (uint64)0xD2511F53u * c0, b = (uint64)0xCD9E8D57u * c2;
    c0 = (uint32)(b >> 32) ^ c1 ^ k0;
    c1 = (uint32)b;
    c2 = (uint32)(a >> 32) ^ c3 ^ k1;
    c3 = (uint32)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  RandomBlock block;
  block.word[0] = c0; block.word[1] = c1; block.word[2] = c2; block.word[3] = c3;
  return block;
}

/* Of fixed_log: towards [sqrt(1/2), sqrt(2)) by a power of 2. */
#define SCALE_UP(power, bits) if (x * (power) < (Real)1.4142135623730951) { x *= (power); e -= (bits); }

#if REAL_BITS == 64
typedef double Real;
/* [0, 1) with 53 bits */
INLINE Real to_uniform(uint32 high, uint32 low) { return (Real)((((uint64)high << 32) | low) >> 11) * 0x1p-53; }
/* log of 0 < x < 1: x = 2^e m, sqrt(1/2) <= m < sqrt(2); log m = 2 artanh(s), s = (m - 1)/(m + 1), its series to s^23 */
INLINE Real fixed_log(Real x) {
  int e = 0;
  SCALE_UP(0x1p64, 64) SCALE_UP(0x1p32, 32) SCALE_UP(0x1p16, 16) SCALE_UP(0x1p8, 8) SCALE_UP(0x1p4, 4) SCALE_UP(0x1p2, 2) SCALE_UP(2.0, 1)
  const Real s = (x - 1.0) / (x + 1.0), t = s * s;
  Real sum = 0.0;
  UNROLL
  for (int k = 23; k >= 3; k -= 2) sum = FMA(sum, t, 1.0 / (Real)k);
  return FMA((Real)e, 0.6931471805599453, FMA(2.0 * s * t, sum, 2.0 * s));
}
INLINE Real normal_centre(Real q) {
  const Real r = 0.180625 - q * q;
  Real a = 2.5090809287301226727e3, b = 5.2264952788528545610e3;
  a = FMA(a, r, 3.3430575583588128105e4); b = FMA(b, r, 2.8729085735721942674e4);
  a = FMA(a, r, 6.7265770927008700853e4); b = FMA(b, r, 3.9307895800092710610e4);
  a = FMA(a, r, 4.5921953931549871457e4); b = FMA(b, r, 2.1213794301586595867e4);
  a = FMA(a, r, 1.3731693765509461125e4); b = FMA(b, r, 5.3941960214247511077e3);
  a = FMA(a, r, 1.9715909503065514427e3); b = FMA(b, r, 6.8718700749205790830e2);
  a = FMA(a, r, 1.3314166789178437745e2); b = FMA(b, r, 4.2313330701600911252e1);
  a = FMA(a, r, 3.3871328727963666080e0); b = FMA(b, r, 1.0);
  return q * a / b;
}
INLINE Real normal_tail(Real r) {
  Real a, b;
  if (r <= 5.0) {
    r -= 1.6;
    a = 7.74545014278341407640e-4; b = 1.05075007164441684324e-9;
    a = FMA(a, r, 2.27238449892691845833e-2); b = FMA(b, r, 5.47593808499534494600e-4);
    a = FMA(a, r, 2.41780725177450611770e-1); b = FMA(b, r, 1.51986665636164571966e-2);
    a = FMA(a, r, 1.27045825245236838258e0); b = FMA(b, r, 1.48103976427480074590e-1);
    a = FMA(a, r, 3.64784832476320460504e0); b = FMA(b, r, 6.89767334985100004550e-1);
    a = FMA(a, r, 5.76949722146069140550e0); b = FMA(b, r, 1.67638483018380384940e0);
    a = FMA(a, r, 4.63033784615654529590e0); b = FMA(b, r, 2.05319162663775882187e0);
    a = FMA(a, r, 1.42343711074968357734e0); b = FMA(b, r, 1.0);
  } else {
    r -= 5.0;
    a = 2.01033439929228813265e-7; b = 2.04426310338993978564e-15;
    a = FMA(a, r, 2.71155556874348757815e-5); b = FMA(b, r, 1.42151175831644588870e-7);
    a = FMA(a, r, 1.24266094738807843860e-3); b = FMA(b, r, 1.84631831751005468180e-5);
    a = FMA(a, r, 2.65321895265761230930e-2); b = FMA(b, r, 7.86869131145613259100e-4);
    a = FMA(a, r, 2.96560571828504891230e-1); b = FMA(b, r, 1.48753612908506148525e-2);
    a = FMA(a, r, 1.78482653991729133580e0); b = FMA(b, r, 1.36929880922735805310e-1);
    a = FMA(a, r, 5.46378491116411436990e0); b = FMA(b, r, 5.99832206555887937690e-1);
    a = FMA(a, r, 6.65790464350110377720e0); b = FMA(b, r, 1.0);
  }
  return a / b;
}
/* The sign is the first bit; the others give 0 < p <= 1/2, exact near 0. */
INLINE Real to_normal(uint32 high, uint32 low) {
  const uint64 bits = ((uint64)(high & 0x7FFFFFFFu) << 32) | low;
  const Real p = ((Real)bits + 0.5) * 0x1p-64, q = 0.5 - p;
  const Real size = q <= 0.425 ? normal_centre(q) : normal_tail(sqrt(-fixed_log(p)));
  return (high >> 31) != 0 ? size : -size;
}
#else
typedef float Real;
/* [0, 1) with 24 bits */
INLINE Real to_uniform(uint32 word) { return (Real)(word >> 8) * 0x1p-24f; }
INLINE Real fixed_log(Real x) {
  int e = 0;
  SCALE_UP(0x1p32f, 32) SCALE_UP(0x1p16f, 16) SCALE_UP(0x1p8f, 8) SCALE_UP(0x1p4f, 4) SCALE_UP(0x1p2f, 2) SCALE_UP(2.0f, 1)
  const Real s = (x - 1.0f) / (x + 1.0f), t = s * s;
  Real sum = 0.0f;
  UNROLL
  for (int k = 11; k >= 3; k -= 2) sum = FMA(sum, t, 1.0f / (Real)k);
  return FMA((Real)e, 0.693147182f, FMA(2.0f * s * t, sum, 2.0f * s));
}
INLINE Real normal_centre(Real q) {
  const Real r = 0.180625f - q * q;
  const Real a = FMA(FMA(FMA(5.9109374720e1f, r, 1.5929113202e2f), r, 5.0434271938e1f), r, 3.3871327179e0f);
  const Real b = FMA(FMA(FMA(6.7187563600e1f, r, 7.8757757664e1f), r, 1.7895169469e1f), r, 1.0f);
  return q * a / b;
}
INLINE Real normal_tail(Real r) {
  Real a, b;
  if (r <= 5.0f) {
    r -= 1.6f;
    a = FMA(FMA(FMA(1.7023821103e-1f, r, 1.3067284816e0f), r, 2.7568153900e0f), r, 1.4234372777e0f);
    b = FMA(FMA(1.2021132975e-1f, r, 7.3700164250e-1f), r, 1.0f);
  } else {
    r -= 5.0f;
    a = FMA(FMA(FMA(1.7337203997e-2f, r, 4.2868294337e-1f), r, 3.0812263860e0f), r, 6.6579051150e0f);
    b = FMA(FMA(1.2258202635e-2f, r, 2.4197894225e-1f), r, 1.0f);
  }
  return a / b;
}
INLINE Real to_normal(uint32 word) {
  const Real p = ((Real)(word & 0x7FFFFFFFu) + 0.5f) * 0x1p-32f, q = 0.5f - p;
  const Real size = q <= 0.425f ? normal_centre(q) : normal_tail(sqrt(-fixed_log(p)));
  return (word >> 31) != 0 ? size : -size;
}
#endif
