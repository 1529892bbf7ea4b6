/* Integer operations that C leaves undefined, with a value for every operand. */
#define UNSIGNED_INTEGER(T) \
  INLINE T divide_##T(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); } \
  INLINE T remainder_##T(T a, T b) { return b == 0 ? (T)0 : (T)(a % b); } \
  INLINE T absolute_##T(T a) { return a; }
/* -1 apart: the smallest number divided by it has no representable result, and wraps. */
#define SIGNED_INTEGER(T, U) \
  INLINE T divide_##T(T a, T b) { return b == 0 ? (T)0 : b == -1 ? (T)((U)0 - (U)a) : a / b; } \
  INLINE T remainder_##T(T a, T b) { return b == 0 || b == -1 ? (T)0 : a % b; } \
  INLINE T absolute_##T(T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }
UNSIGNED_INTEGER(byte)
UNSIGNED_INTEGER(uint32)
UNSIGNED_INTEGER(uint64)
SIGNED_INTEGER(int, uint32)
SIGNED_INTEGER(int64, uint64)
