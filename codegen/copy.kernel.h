/* Copies one buffer to another: what the device's memory can do at best. Each group copies GROUP_SIZE * RUNS * RUN vectors. */
#define RUN 8
${signature} {
  const int64 first = (int64)GROUP_ID(0) * (${GROUP_SIZE} * ${RUNS} * RUN) + LOCAL_ID(0);
  for (int run = 0; run < ${RUNS}; ++run) {
    UNROLL
    for (int k = 0; k < RUN; ++k) {
      const int64 at = (first + (int64)(run * RUN + k) * ${GROUP_SIZE}) * ${WIDTH};
      VSTORE(VLOAD(source + at), target + at);
    }
  }
}
