/* Chains of fused multiply-adds in registers: what the device computes at best. */
#define CHAINS 8
${signature} {
  realv chains[CHAINS];
  const int64 item = (int64)GROUP_ID(0) * ${GROUP_SIZE} + LOCAL_ID(0);
  UNROLL
  for (int c = 0; c < CHAINS; ++c) chains[c] = REALV(factor * c);
  for (int i = 0; i < ${ROUNDS}; ++i) {
    UNROLL
    for (int c = 0; c < CHAINS; ++c) chains[c] = FMA(chains[c], REALV(factor), REALV(shift));
  }
  realv sum = chains[0];
  UNROLL
  for (int c = 1; c < CHAINS; ++c) sum = sum + chains[c];
  VSTORE(sum, result + item * ${WIDTH});
}
