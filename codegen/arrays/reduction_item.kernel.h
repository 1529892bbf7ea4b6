// clang-format off
// Reduction for CPUs, with the order of reduction_group.kernel.h: a work-item folds one chunk, keeping the lanes' values side by side.
${definitions}
${operators}

INLINE void clear_(partial_* sums) {
  for (int lane = 0; lane < ${lanes}; ++lane) sums[lane] = neutral_();
}

INLINE partial_ fold_lanes_(partial_* sums) {
  for (int step = 1; step < ${lanes}; step *= 2) {
    for (int lane = 0; lane < ${lanes}; lane += 2 * step) sums[lane] = combine_(sums[lane], sums[lane + step]);
  }
  return sums[0];
}

${signature} {
  ${advance}
  partial_ sums_[${lanes}];
  clear_(sums_);
  const int64 begin_ = (int64)GROUP_ID(0) * chunk_;
  const int64 end_ = begin_ + chunk_ < item_count ? begin_ + chunk_ : item_count;
#if ${keeps_order}
  const int64 run_ = chunk_ / ${lanes};
  for (int lane_ = 0; lane_ < ${lanes}; ++lane_) {
    const int64 run_end_ = begin_ + (lane_ + 1) * run_ < end_ ? begin_ + (lane_ + 1) * run_ : end_;
    partial_ own_ = neutral_();
    for (int64 i_ = begin_ + lane_ * run_; i_ < run_end_; ++i_) own_ = combine_(own_, map_(i_, item_count${values}));
    sums_[lane_] = own_;
  }
#else
  int64 row_ = begin_;
  for (; row_ + ${lanes} <= end_; row_ += ${lanes}) {
    for (int lane_ = 0; lane_ < ${lanes}; ++lane_) sums_[lane_] = combine_(sums_[lane_], map_(row_ + lane_, item_count${values}));
  }
  for (int lane_ = 0; row_ + lane_ < end_; ++lane_) sums_[lane_] = combine_(sums_[lane_], map_(row_ + lane_, item_count${values}));
#endif
  partials_[GROUP_ID(0)] = fold_lanes_(sums_);
  FENCE();
  if (ATOMIC_ADD(finished_, 1) == GROUP_COUNT(0) - 1) {
    FENCE();
    const int64 chunks_ = GROUP_COUNT(0);
    const int64 run_length_ = ${keeps_order} ? (chunks_ + ${lanes} - 1) / ${lanes} : 1;
    clear_(sums_);
    for (int64 c_ = 0; c_ < chunks_; ++c_) {
      const int lane_ = (int)(c_ / run_length_ % ${lanes});
      sums_[lane_] = combine_(sums_[lane_], partials_[c_]);
    }
    const partial_ total = fold_lanes_(sums_);
    ${store}
    finished_[0] = 0;
  }
}
