// clang-format off
// A pass of the radix sort for CPUs: a work-item counts the digits of one chunk (phase 0), or moves its keys to their places (phase 1).
typedef ${key_type} key_;
typedef ${count_type} count_;
#include "sort_digit.kernel.h"
${value_definition}
${signature} {
  const int64 begin = (int64)GROUP_ID(0) * chunk;
  const int64 end = begin + chunk < item_count ? begin + chunk : item_count;
  GLOBAL count_* own = places + GROUP_ID(0);
  count_ counts[256];
  if (phase == 0) {
    for (int digit = 0; digit < 256; ++digit) counts[digit] = 0;
    for (int64 i = begin; i < end; ++i) counts[digit_(keys[keys_first + i], shift, mask)] += 1;
    for (int digit = 0; digit < 256; ++digit) own[(int64)digit * GROUP_COUNT(0)] = counts[digit];
  } else {
    for (int digit = 0; digit < 256; ++digit) counts[digit] = own[(int64)digit * GROUP_COUNT(0)];
    for (int64 i = begin; i < end; ++i) {
      const key_ key = keys[keys_first + i];
      const int digit = digit_(key, shift, mask);
      const int64 target = (int64)counts[digit];
      counts[digit] += 1;
      sorted_keys[sorted_keys_first + target] = key;
#if ${has_values}
      sorted_values[sorted_values_first + target] = values[values_first + i];
#endif
    }
  }
}
