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
  partial_ sums[${lanes}];
  clear_(sums);
  const int64 begin = (int64)GROUP_ID(0) * chunk_;
  const int64 end = begin + chunk_ < item_count ? begin + chunk_ : item_count;
#if ${keeps_order}
  const int64 run = chunk_ / ${lanes};
  for (int lane = 0; lane < ${lanes}; ++lane) {
    const int64 run_end = begin + (lane + 1) * run < end ? begin + (lane + 1) * run : end;
    partial_ own = neutral_();
    for (int64 i = begin + lane * run; i < run_end; ++i) own = combine_(own, map_(i, item_count${values}));
    sums[lane] = own;
  }
#else
  int64 row = begin;
  for (; row + ${lanes} <= end; row += ${lanes}) {
    for (int lane = 0; lane < ${lanes}; ++lane) sums[lane] = combine_(sums[lane], map_(row + lane, item_count${values}));
  }
  for (int lane = 0; row + lane < end; ++lane) sums[lane] = combine_(sums[lane], map_(row + lane, item_count${values}));
#endif
  partials_[GROUP_ID(0)] = fold_lanes_(sums);
  FENCE();
  if (ATOMIC_ADD(finished_, 1) == GROUP_COUNT(0) - 1) {
    FENCE();
    const int64 chunks = GROUP_COUNT(0);
    const int64 run_length = ${keeps_order} ? (chunks + ${lanes} - 1) / ${lanes} : 1;
    clear_(sums);
    for (int64 c = 0; c < chunks; ++c) {
      const int lane = (int)(c / run_length % ${lanes});
      sums[lane] = combine_(sums[lane], partials_[c]);
    }
    const partial_ total = fold_lanes_(sums);
    ${store}
    finished_[0] = 0;
  }
}
