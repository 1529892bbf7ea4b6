// clang-format off
// Second half of a pass of the radix sort: a tile is sorted by its digit in shared memory, then its runs of equal digits are moved to
// their places. The local sort takes four bits at a time: every lane counts the digits of its keys, in the order of the keys, in a column
// of 16-bit counters, two to a word (after N. Satish, M. Harris, M. Garland, Designing efficient sorting algorithms for manycore GPUs,
// IPDPS 2009).
typedef ${key_type} key_;
typedef ${count_type} count_;
#include "sort_digit.kernel.h"
${value_definition}
typedef struct {
  count_ targets[256];                            // place of a digit's first key, minus its place in the tile
  key_ keys[${lanes} * ${run}];
  uint32 marks[${lanes} * ${run}];                // digit << 16 | number of the key in the tile
  uint32 counters[8 * ${lanes} + 8 * ${lanes} / 32];
  uint32 lanes[${lanes}];
} shared_;

// Words of a lane's column lie on different banks, and so do eight neighbours that one lane adds up.
INLINE int padded_(int word) { return word + word / 32; }

// The place of each of the lane's marks among the tile's, ordered by four bits of the mark. The marks are read twice: they would take too
// many registers.
INLINE void rank_(SHARED shared_* shared, int* ranks, int shift) {
  const int lane = LOCAL_ID(0);
  SHARED const uint32* marks = shared->marks + lane * ${run};
  UNROLL for (int row = 0; row < 8; ++row) shared->counters[padded_(row * ${lanes} + lane)] = 0;
  UNROLL for (int k = 0; k < ${run}; ++k) {
    const int digit = (int)(marks[k] >> shift) & 15, upper = (digit >> 3) * 16;
    SHARED uint32* counter = shared->counters + padded_((digit & 7) * ${lanes} + lane);
    const uint32 word = *counter;
    ranks[k] = (int)(word >> upper) & 0xffff;
    *counter = word + ((uint32)1 << upper);
  }
  BARRIER();
  // Both halves are scanned at once: digits 0 to 7 in the lower one, 8 to 15 in the upper one, which begins where the lower one ends.
  uint32 words[8];
  uint32 sum = 0;
  UNROLL for (int n = 0; n < 8; ++n) {
    words[n] = shared->counters[padded_(lane * 8 + n)];
    sum += words[n];
  }
  shared->lanes[lane] = sum;
  BARRIER();
  if (lane % 16 == 0) {
    for (int n = 1; n < 16; ++n) {
      sum += shared->lanes[lane + n];
      shared->lanes[lane + n] = sum;
    }
  }
  BARRIER();
  uint32 before = lane % 16 > 0 ? shared->lanes[lane - 1] : 0, whole = 0;
  for (int row = 0; row < ${lanes} / 16; ++row) {
    if (row == lane / 16) before += whole;
    whole += shared->lanes[16 * row + 15];
  }
  before += whole << 16;
  UNROLL for (int n = 0; n < 8; ++n) {
    shared->counters[padded_(lane * 8 + n)] = before;
    before += words[n];
  }
  BARRIER();
  UNROLL for (int k = 0; k < ${run}; ++k) {
    const int digit = (int)(marks[k] >> shift) & 15, upper = (digit >> 3) * 16;
    ranks[k] += (int)(shared->counters[padded_((digit & 7) * ${lanes} + lane)] >> upper) & 0xffff;
  }
}

${signature} {
  SHARED_MEMORY(shared_, shared, 1);
  const int lane = LOCAL_ID(0);
  const int64 begin = (int64)GROUP_ID(0) * (${lanes} * ${run});
  const int items = begin + ${lanes} * ${run} <= item_count ? ${lanes} * ${run} : (int)(item_count - begin);
  GLOBAL const key_* own = keys + keys_first + begin;
  UNROLL for (int k = 0; k < ${run}; ++k) {
    if (k * ${lanes} + lane < items) shared->keys[k * ${lanes} + lane] = own[k * ${lanes} + lane];
  }
  BARRIER();
  UNROLL for (int k = 0; k < ${run}; ++k) {
    const int number = lane * ${run} + k;  // past the end: digits that stay behind all others
    const int digit = number < items ? digit_(shared->keys[number], shift, mask) : 255;
    shared->marks[number] = (uint32)(digit << 16 | number);
  }
  UNROLL for (int nibble = 16; nibble < 24; nibble += 4) {
    int ranks[${run}];
    uint32 marks[${run}];
    rank_(shared, ranks, nibble);
    UNROLL for (int k = 0; k < ${run}; ++k) marks[k] = shared->marks[lane * ${run} + k];
    BARRIER();
    UNROLL for (int k = 0; k < ${run}; ++k) shared->marks[ranks[k]] = marks[k];
    BARRIER();
  }
  UNROLL for (int k = 0; k < ${run}; ++k) {
    const int place = k * ${lanes} + lane;
    const uint32 digit = shared->marks[place] >> 16;
    if (place < items && (place == 0 || shared->marks[place - 1] >> 16 != digit)) {
      shared->targets[digit] = places[(int64)digit * GROUP_COUNT(0) + GROUP_ID(0)] - (count_)place;
    }
  }
  BARRIER();
  UNROLL for (int k = 0; k < ${run}; ++k) {
    const int place = k * ${lanes} + lane;
    if (place < items) {
      const uint32 mark = shared->marks[place];
      const int number = (int)(mark & 0xffff);
      const int64 target = (int64)(count_)(shared->targets[mark >> 16] + (count_)place);
      sorted_keys[sorted_keys_first + target] = shared->keys[number];
#if ${has_values}
      sorted_values[sorted_values_first + target] = values[values_first + begin + number];
#endif
    }
  }
}
