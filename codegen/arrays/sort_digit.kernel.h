// clang-format off
// The digit of a key: bits of an unsigned number that is ordered as the keys are.
INLINE key_ ordered_(key_ bits) {
  const key_ sign = (key_)1 << (${key_bits} - 1);
  key_ number = bits;
#if ${is_real}
  // Negative numbers are ordered by falling bits; both zeros are one key; NaN is larger than all others.
  if (number == sign) number = 0;
  number = (bits & ~sign) > (key_)${infinity} ? ~(key_)0 : (number & sign) != 0 ? ~number : number | sign;
#elif ${is_signed}
  number ^= sign;
#endif
  return ${is_descending} ? ~number : number;
}
INLINE int digit_(key_ bits, int shift, int mask) { return (int)(ordered_(bits) >> shift) & mask; }
