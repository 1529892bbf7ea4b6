// clang-format off
// First half of a pass of the radix sort: how often each digit occurs in each tile.
typedef ${key_type} key_;
typedef ${count_type} count_;
#include "sort_digit.kernel.h"
${signature} {
  SHARED_MEMORY(int, counts, 256);
  const int lane = LOCAL_ID(0);
  for (int digit = lane; digit < 256; digit += ${lanes}) counts[digit] = 0;
  BARRIER();
  const int64 begin = (int64)GROUP_ID(0) * (${lanes} * ${run});
  GLOBAL const key_* own = keys + keys_first + begin;
  if (begin + ${lanes} * ${run} <= item_count) {
    UNROLL for (int k = 0; k < ${run}; ++k) ATOMIC_ADD(counts + digit_(own[k * ${lanes} + lane], shift, mask), 1);
  } else {
    for (int k = lane; begin + k < item_count; k += ${lanes}) ATOMIC_ADD(counts + digit_(own[k], shift, mask), 1);
  }
  BARRIER();
  for (int digit = lane; digit < 256; digit += ${lanes}) {
    places[(int64)digit * GROUP_COUNT(0) + GROUP_ID(0)] = (count_)counts[digit];
  }
}
