/* Values on their way to or from other ranks: gathers what is sent (PACK), or puts what came to its places. */

#define CHUNK ${CHUNK}             /* values of a group */
#define GROUP_SIZE ${GROUP_SIZE}

${signature} {
  const int64 begin = (int64)GROUP_ID(0) * CHUNK;
  const int64 end = begin + CHUNK < count ? begin + CHUNK : count;
  for (int64 i = begin + LOCAL_ID(0); i < end; i += GROUP_SIZE) {
#if ${PACK}
    packed[offset + i] = values[places[first + i]];
#else
    values[places[first + i]] = packed[offset + i];
#endif
  }
}
