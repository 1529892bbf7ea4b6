// clang-format off
// Scan for CPUs: a work-item folds one chunk (phase 0; the last to finish scans the chunks' folds), then scans it (phase 1).
${definitions}
${operators}
#include "scan_operator.kernel.h"

${signature} {
  ${advance}
  const int64 begin = (int64)GROUP_ID(0) * chunk_;
  const int64 end = begin + chunk_ < item_count ? begin + chunk_ : item_count;
  if (phase_ == 0) {
    scan_ sum = nothing_();
    for (int64 i = begin; i < end; ++i) sum = combine_(sum, item_at_(i, item_count${values}));
    folds_[GROUP_ID(0)] = sum;
    FENCE();
    if (ATOMIC_ADD(counters_, 1) == GROUP_COUNT(0) - 1) {
      FENCE();
      scan_ before = nothing_();
      for (int c = 0; c < GROUP_COUNT(0); ++c) {
        const scan_ own = folds_[c];
        folds_[c] = before;
        before = combine_(before, own);
      }
      last_[0] = VALUE_(before);
      counters_[0] = 0;
    }
  } else {
    const item_ last_item = last_[0];
    scan_ before = folds_[GROUP_ID(0)];
    for (int64 i = begin; i < end; ++i) {
      const scan_ sum = combine_(before, item_at_(i, item_count${values}));
      write_item_(i, sum, before, last_item, item_count${values});
      before = sum;
    }
  }
}
