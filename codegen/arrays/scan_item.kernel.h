// clang-format off
// Scan for CPUs: a work-item folds one chunk (phase 0; the last to finish scans the chunks' folds), then scans it (phase 1).
${definitions}
${operators}
#include "scan_operator.kernel.h"

${signature} {
  ${advance}
  const int64 begin_ = (int64)GROUP_ID(0) * chunk_;
  const int64 end_ = begin_ + chunk_ < item_count ? begin_ + chunk_ : item_count;
  if (phase_ == 0) {
    scan_ sum_ = nothing_();
    for (int64 i_ = begin_; i_ < end_; ++i_) sum_ = combine_(sum_, item_at_(i_, item_count${values}));
    folds_[GROUP_ID(0)] = sum_;
    FENCE();
    if (ATOMIC_ADD(counters_, 1) == GROUP_COUNT(0) - 1) {
      FENCE();
      scan_ before_ = nothing_();
      for (int c_ = 0; c_ < GROUP_COUNT(0); ++c_) {
        const scan_ own_ = folds_[c_];
        folds_[c_] = before_;
        before_ = combine_(before_, own_);
      }
      last_[0] = VALUE_(before_);
      counters_[0] = 0;
    }
  } else {
    const item_ last_item_ = last_[0];
    scan_ before_ = folds_[GROUP_ID(0)];
    for (int64 i_ = begin_; i_ < end_; ++i_) {
      const scan_ sum_ = combine_(before_, item_at_(i_, item_count${values}));
      write_item_(i_, sum_, before_, last_item_, item_count${values});
      before_ = sum_;
    }
  }
}
