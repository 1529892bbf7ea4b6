/* Random numbers for the places start, start + 1, ... of a sequence; every work-item makes whole blocks of Philox. */
#include "random.kernel.h"
#define PER_BLOCK ${per_block}
typedef struct __attribute__((aligned(16))) { ${type} lane[PER_BLOCK]; } Pack;
${signature} {
  const uint64 first_number = start / PER_BLOCK;
  const int64 first = ((int64)GROUP_ID(0) * ${group} + LOCAL_ID(0)) * ${chunk};
  const int64 last = blocks - first < ${chunk} ? blocks : first + ${chunk};
  target += target_first;
  for (int64 block = first; block < last; ++block) {
    const uint64 number = first_number + (uint64)block;
    const RandomBlock made = philox((uint32)number, (uint32)(number >> 32), (uint32)stream, (uint32)(stream >> 32), (uint32)seed, (uint32)(seed >> 32));
    const int64 place = (int64)(number * PER_BLOCK - start);
    Pack values;
    UNROLL
    for (int k = 0; k < PER_BLOCK; ++k) values.lane[k] = ${value};
    if (place >= 0 && place + PER_BLOCK <= n && (target_first + place) % PER_BLOCK == 0) {
      *(GLOBAL Pack*)(target + place) = values;
    } else {
      UNROLL
      for (int k = 0; k < PER_BLOCK; ++k) {
        if (place + k >= 0 && place + k < n) target[place + k] = values.lane[k];
      }
    }
  }
}
