// clang-format off
// Scan in one pass for devices of many work-items. Groups take tiles in the order in which they start, publish the fold of their tile, and
// wait for the folds of all tiles before theirs. So that no one folds them all, the last tile of every ${lanes} publishes the fold of these
// (a block), and the last block of every ${lanes} that of these. Unlike the look-back of D. Merrill and M. Garland (Single-pass parallel
// prefix scan with decoupled look-back, NVIDIA NVR-2016-002), which takes the nearest prefix that happens to be there, the order of the
// operations is fixed.
${definitions}
${operators}
#include "scan_operator.kernel.h"
typedef struct {
  scan_ items[${lanes} * ${run}];
  scan_ lanes[${lanes}];
  scan_ before;
  int tile;
  int epoch;
} shared_;

// The fold of `count` published values, for lane 0.
INLINE scan_ fold_published_(SHARED shared_* shared, GLOBAL scan_* folds, GLOBAL int* published, int first, int count, int epoch) {
  const int lane = LOCAL_ID(0);
  scan_ part = nothing_();
  if (lane < count) {
    while (ATOMIC_READ(published + first + lane) != epoch) {}
    FENCE();
    part = folds[first + lane];
  }
  BARRIER();
  shared->lanes[lane] = part;
  UNROLL for (int step = 1; step < ${lanes}; step *= 16) {
    BARRIER();
    if (lane % (16 * step) == 0) {
      for (int n = 1; n < 16; ++n) {
        if (lane + n * step < ${lanes}) part = combine_(part, shared->lanes[lane + n * step]);
      }
      shared->lanes[lane] = part;
    }
  }
  return part;
}

INLINE void publish_(GLOBAL scan_* folds, GLOBAL int* published, int place, scan_ value, int epoch) {
  folds[place] = value;
  FENCE();
  ATOMIC_WRITE(published + place, epoch);
}

${signature} {
  SHARED_MEMORY(shared_, memory_, 1);
  ${advance}
  const int lane_ = LOCAL_ID(0);
  if (lane_ == 0) {
    memory_->epoch = ATOMIC_READ(counters_ + 2) + 1;
    memory_->tile = ATOMIC_ADD(counters_, 1);
  }
  BARRIER();
  const int tile_ = memory_->tile, epoch_ = memory_->epoch, tiles_ = GROUP_COUNT(0);
  const int64 begin_ = (int64)tile_ * (${lanes} * ${run});
  if (begin_ + ${lanes} * ${run} <= item_count) {
    UNROLL for (int k_ = 0; k_ < ${run}; ++k_) {
      memory_->items[k_ * ${lanes} + lane_] = item_at_(begin_ + (k_ * ${lanes} + lane_), item_count${values});
    }
  } else {
    for (int k_ = lane_; k_ < ${lanes} * ${run}; k_ += ${lanes}) {
      memory_->items[k_] = begin_ + k_ < item_count ? item_at_(begin_ + k_, item_count${values}) : nothing_();
    }
  }
  BARRIER();

  // Every lane scans a run of neighbours; then the lanes' folds are scanned in rows of 16, and the rows' folds by everyone.
  scan_ own_[${run}];
  own_[0] = memory_->items[lane_ * ${run}];
  UNROLL for (int k_ = 1; k_ < ${run}; ++k_) own_[k_] = combine_(own_[k_ - 1], memory_->items[lane_ * ${run} + k_]);
  scan_ sum_ = own_[${run} - 1];
  memory_->lanes[lane_] = sum_;
  BARRIER();
  if (lane_ % 16 == 0) {
    for (int n_ = 1; n_ < 16; ++n_) {
      sum_ = combine_(sum_, memory_->lanes[lane_ + n_]);
      memory_->lanes[lane_ + n_] = sum_;
    }
  }
  BARRIER();
  scan_ left_ = nothing_(), whole_ = nothing_();
  for (int row_ = 0; row_ < ${lanes} / 16; ++row_) {
    if (row_ == lane_ / 16) left_ = whole_;
    whole_ = combine_(whole_, memory_->lanes[16 * row_ + 15]);
  }
  if (lane_ % 16 > 0) left_ = combine_(left_, memory_->lanes[lane_ - 1]);

  // Everything before this tile: whole blocks of blocks, blocks, tiles.
  const int block_ = tile_ / ${lanes}, blocks_ = tiles_ / ${lanes}, in_block_ = tile_ % ${lanes};
  const int super_ = block_ / ${lanes}, in_super_ = block_ % ${lanes};
  if (lane_ == 0) publish_(folds_, published_, tile_, whole_, epoch_);
  scan_ before_ = nothing_();
  if (in_block_ > 0) before_ = fold_published_(memory_, folds_, published_, tile_ - in_block_, in_block_, epoch_);
  if (lane_ == 0 && in_block_ == ${lanes} - 1) {
    whole_ = combine_(before_, whole_);
    publish_(folds_, published_, tiles_ + block_, whole_, epoch_);
  }
  if (in_super_ > 0) {
    const scan_ earlier_ = fold_published_(memory_, folds_, published_, tiles_ + block_ - in_super_, in_super_, epoch_);
    before_ = combine_(earlier_, before_);
    whole_ = combine_(earlier_, whole_);
  }
  if (lane_ == 0 && in_block_ == ${lanes} - 1 && in_super_ == ${lanes} - 1) publish_(folds_, published_, tiles_ + blocks_ + super_, whole_, epoch_);
  for (int end_ = super_; end_ > 0; end_ -= ${lanes}) {
    const int first_ = end_ > ${lanes} ? end_ - ${lanes} : 0;
    before_ = combine_(fold_published_(memory_, folds_, published_, tiles_ + blocks_ + first_, end_ - first_, epoch_), before_);
  }
  if (lane_ == 0) memory_->before = before_;
  BARRIER();
  before_ = memory_->before;

  left_ = combine_(before_, left_);
  UNROLL for (int k_ = 0; k_ < ${run}; ++k_) memory_->items[lane_ * ${run} + k_] = combine_(left_, own_[k_]);
  BARRIER();
#if ${uses_last}
  if (phase_ == 0) {
    if (lane_ == 0 && tile_ == tiles_ - 1) last_[0] = VALUE_(memory_->items[item_count - 1 - begin_]);
  } else
#endif
  {
    const item_ last_item_ = ${uses_last} ? last_[0] : neutral_();
    if (begin_ + ${lanes} * ${run} <= item_count) {
      UNROLL for (int k_ = 0; k_ < ${run}; ++k_) {
        const int place_ = k_ * ${lanes} + lane_;
        write_item_(begin_ + place_, memory_->items[place_], place_ > 0 ? memory_->items[place_ - 1] : before_, last_item_, item_count${values});
      }
    } else {
      for (int place_ = lane_; begin_ + place_ < item_count; place_ += ${lanes}) {
        write_item_(begin_ + place_, memory_->items[place_], place_ > 0 ? memory_->items[place_ - 1] : before_, last_item_, item_count${values});
      }
    }
  }
  // The last group to come here makes all ready for the next launch.
  if (lane_ == 0 && ATOMIC_ADD(counters_ + 1, 1) == tiles_ - 1) {
    counters_[0] = 0;
    counters_[1] = 0;
    counters_[2] = epoch_;
  }
}
