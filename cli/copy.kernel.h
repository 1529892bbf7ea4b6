/* Copies one buffer to another: what the device's memory can do at best. Each group copies GROUP_SIZE*VECTORS_PER_ITEM vectors. */
${signature} {
  const int64 first = (int64)GROUP_ID(0) * (${GROUP_SIZE} * ${VECTORS_PER_ITEM}) + LOCAL_ID(0);
  UNROLL
  for (int k = 0; k < ${VECTORS_PER_ITEM}; ++k) {
    const int64 at = (first + (int64)k * ${GROUP_SIZE}) * ${WIDTH};
    VSTORE(VLOAD(source + at), target + at);
  }
}
