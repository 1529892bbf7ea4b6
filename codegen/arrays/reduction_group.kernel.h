// clang-format off
// Reduction for devices of many work-items. A group folds one chunk of items; the last group to finish folds the chunks' values. Which
// group that is leaves no trace in the result.
${definitions}
${operators}
typedef struct {
  partial_ sums[${lanes}];
  int is_last;
} shared_;

// The lanes' values in order, pairs of neighbours first. The result is lane 0's.
INLINE partial_ fold_lanes_(SHARED shared_* shared, partial_ own) {
  const int lane = LOCAL_ID(0);
  shared->sums[lane] = own;
  for (int step = 1; step < ${lanes}; step *= 2) {
    BARRIER();
    if (lane % (2 * step) == 0) shared->sums[lane] = combine_(shared->sums[lane], shared->sums[lane + step]);
  }
  return shared->sums[0];
}

// A lane takes every ${lanes}th item, or, if the operands keep their order, a run of them.
INLINE int64 lane_begin_(int64 items) { return ${keeps_order} ? LOCAL_ID(0) * ((items + ${lanes} - 1) / ${lanes}) : LOCAL_ID(0); }
INLINE int64 lane_end_(int64 items) { return ${keeps_order} ? (LOCAL_ID(0) + 1) * ((items + ${lanes} - 1) / ${lanes}) : items; }

${signature} {
  SHARED_MEMORY(shared_, shared, 1);
  ${advance}
  const int64 step = ${keeps_order} ? 1 : ${lanes};
  const int64 begin = (int64)GROUP_ID(0) * chunk_;
  int64 end = begin + lane_end_(chunk_);
  if (end > item_count) end = item_count;
  partial_ own = neutral_();
  int64 i = begin + lane_begin_(chunk_);
  for (; i + ${unroll} * step - step < end; i += ${unroll} * step) {
    partial_ values[${unroll}];
    UNROLL for (int k = 0; k < ${unroll}; ++k) values[k] = map_(i + k * step, item_count${values});
    UNROLL for (int k = 0; k < ${unroll}; ++k) own = combine_(own, values[k]);
  }
  for (; i < end; i += step) own = combine_(own, map_(i, item_count${values}));
  own = fold_lanes_(shared, own);
  if (LOCAL_ID(0) == 0) {
    partials_[GROUP_ID(0)] = own;
    FENCE();
    shared->is_last = ATOMIC_ADD(finished_, 1) == GROUP_COUNT(0) - 1;
  }
  BARRIER();
  if (shared->is_last) {
    FENCE();
    const int64 chunks = GROUP_COUNT(0);
    end = lane_end_(chunks);
    if (end > chunks) end = chunks;
    own = neutral_();
    for (int64 c = lane_begin_(chunks); c < end; c += step) own = combine_(own, partials_[c]);
    const partial_ total = fold_lanes_(shared, own);
    if (LOCAL_ID(0) == 0) {
      ${store}
      finished_[0] = 0;
    }
  }
}
