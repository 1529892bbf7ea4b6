// clang-format off
// Reduction for devices of many work-items. A group folds one chunk of items; the last group to start waits for the chunks' values and folds
// them. Which group that is leaves no trace in the result.
${definitions}
${operators}
typedef partial_ message_;
#include "message.kernel.h"
typedef struct {
  partial_ sums[${lanes}];
  int is_last;
  int launch;
} shared_;

// The lanes' values in order, pairs of neighbours first. The result is lane 0's.
INLINE partial_ fold_lanes_(SHARED shared_* shared, partial_ own) {
  const int lane = LOCAL_ID(0);
  shared->sums[lane] = own;
  for (int step = 1; step < ${lanes}; step *= 4) {  // two levels of the tree at once
    BARRIER();
    if (lane % (4 * step) == 0) {
      own = combine_(combine_(own, shared->sums[lane + step]), combine_(shared->sums[lane + 2 * step], shared->sums[lane + 3 * step]));
      shared->sums[lane] = own;
    }
  }
  return own;
}

// A lane takes every ${lanes}th item, or, if the operands keep their order, a run of them.
INLINE int64 lane_begin_(int64 items) { return ${keeps_order} ? LOCAL_ID(0) * ((items + ${lanes} - 1) / ${lanes}) : LOCAL_ID(0); }
INLINE int64 lane_end_(int64 items) { return ${keeps_order} ? (LOCAL_ID(0) + 1) * ((items + ${lanes} - 1) / ${lanes}) : items; }

${signature} {
  SHARED_MEMORY(shared_, memory_, 1);
  ${advance}
  int started_ = 0, launch_ = 0;  // asked for now, needed after the chunk
  if (LOCAL_ID(0) == 0) {
    launch_ = ATOMIC_READ(counters_ + 1) + 1;
    started_ = ATOMIC_ADD(counters_, 1);
  }
  const int64 step_ = ${keeps_order} ? 1 : ${lanes};
  const int64 begin_ = (int64)GROUP_ID(0) * chunk_;
  int64 end_ = begin_ + lane_end_(chunk_);
  if (end_ > item_count) end_ = item_count;
  partial_ own_ = neutral_();
  int64 i_ = begin_ + lane_begin_(chunk_);
  for (; i_ + ${unroll} * step_ - step_ < end_; i_ += ${unroll} * step_) {
    partial_ values_[${unroll}];
    UNROLL for (int k_ = 0; k_ < ${unroll}; ++k_) values_[k_] = map_(i_ + k_ * step_, item_count${values});
    UNROLL for (int k_ = 0; k_ < ${unroll}; ++k_) own_ = combine_(own_, values_[k_]);
  }
  for (; i_ < end_; i_ += step_) own_ = combine_(own_, map_(i_, item_count${values}));
  own_ = fold_lanes_(memory_, own_);
  if (LOCAL_ID(0) == 0) {
    send_(partials_, GROUP_ID(0), own_, launch_);
    memory_->is_last = started_ == GROUP_COUNT(0) - 1;
    memory_->launch = launch_;
  }
  BARRIER();
  if (memory_->is_last) {
    launch_ = memory_->launch;
    const int64 chunks_ = GROUP_COUNT(0);
    end_ = lane_end_(chunks_);
    if (end_ > chunks_) end_ = chunks_;
    own_ = neutral_();
    uint64 words_[2][MESSAGE_WORDS_];
    for (int64 c_ = lane_begin_(chunks_); c_ < end_; c_ += 2 * step_) {
      UNROLL for (int k_ = 0; k_ < 2; ++k_) {
        if (c_ + k_ * step_ < end_) ask_(words_[k_], partials_, (int)(c_ + k_ * step_));
      }
      UNROLL for (int k_ = 0; k_ < 2; ++k_) {
        if (c_ + k_ * step_ < end_) own_ = combine_(own_, receive_(words_[k_], partials_, (int)(c_ + k_ * step_), launch_));
      }
    }
    const partial_ total = fold_lanes_(memory_, own_);
    if (LOCAL_ID(0) == 0) {
      ${store}
      counters_[0] = 0;
      counters_[1] = launch_;
    }
  }
}
