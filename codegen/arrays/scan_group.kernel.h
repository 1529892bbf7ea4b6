// clang-format off
// Scan in one pass for devices of many work-items. Groups draw tiles in their order. A group has three under way, so that it does not idle: it
// reads the items of one, scans another and sends its fold, and writes the one before, which has waited for the folds before it meanwhile.
// These are a window: the fold of all earlier blocks of ${lanes} tiles but the last, sent by the block's last tile, and the tiles since, ${lanes}
// to 2 * ${lanes} - 1 of them, so that the fold of a block is there long before it is needed. Unlike the look-back of D. Merrill and M. Garland
// (Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002), which takes the nearest prefix that happens to be there, the
// order of the operations is fixed. No wait is for ever: the first tile whose fold is not sent is in a group that waits for none but earlier ones.
${definitions}
${operators}
#include "scan_operator.kernel.h"
typedef scan_ message_;
#include "message.kernel.h"
#define TILE_ (${lanes} * ${run})
#define SLOT_(place) ((place) + (place) / ${run})  // a gap after every run: lanes side by side and a run apart are on different banks
#define SUMS_ (((${lanes} > 1) + (${lanes} > 4) + (${lanes} > 16) + (${lanes} > 64)) % 2)  // where scan_lanes_ ends
typedef struct {
  scan_ items[2][SLOT_(TILE_)];  // of the tile that waits and the one after it: scanned run by run
  scan_ lanes[2][${lanes}];
  int tile;
  int launch;
} shared_;

// The inclusive scan of the lanes' values, in shared memory.
INLINE SHARED scan_* scan_lanes_(SHARED shared_* memory_, scan_ sum_) {
  const int lane_ = LOCAL_ID(0);
  int from_ = 0;
  BARRIER();
  memory_->lanes[0][lane_] = sum_;
  UNROLL for (int step_ = 1; step_ < ${lanes}; step_ *= 4) {
    BARRIER();
    UNROLL for (int n_ = 1; n_ < 4; ++n_) {
      if (lane_ >= n_ * step_) sum_ = combine_(memory_->lanes[from_][lane_ - n_ * step_], sum_);
    }
    from_ = 1 - from_;
    memory_->lanes[from_][lane_] = sum_;
  }
  BARRIER();
  return memory_->lanes[SUMS_];
}

// Where the folds lie that tile `waiting_` waits for: the place in the window is 0 for that of the blocks, then counts the tiles from
// `first_`. Negative: none.
INLINE int window_place_(int p_, int first_, int waiting_, int tiles_) {
  if (p_ == 0) return first_ > 0 ? tiles_ + first_ / ${lanes} - 1 : -1;
  return p_ <= waiting_ - first_ ? first_ + p_ - 1 : -1;
}

// The items of a full tile, neighbours in neighbouring lanes.
INLINE void read_tile_(scan_* read_, int tile_, int64 item_count${parameters}) {
  const int64 first_ = (int64)tile_ * TILE_ + LOCAL_ID(0);
  UNROLL for (int k_ = 0; k_ < ${run}; ++k_) read_[k_] = item_at_(first_ + k_ * ${lanes}, item_count${values});
}

// Those of the last tile, if it is not full. Beyond the last item the reads repeat it, so that none waits for a condition.
INLINE void read_rest_(SHARED scan_* items_, int tile_, int64 item_count${parameters}) {
  const int64 begin_ = (int64)tile_ * TILE_;
  const int count_ = (int)(item_count - begin_);
  for (int place_ = LOCAL_ID(0); place_ < TILE_; place_ += ${lanes}) {
    const scan_ found_ = item_at_(begin_ + (place_ < count_ ? place_ : count_ - 1), item_count${values});
    items_[SLOT_(place_)] = place_ < count_ ? found_ : nothing_();
  }
}

// An item with all before it. lanes[1 - SUMS_]: what is before every run.
INLINE scan_ scanned_(SHARED shared_* memory_, SHARED scan_* items_, int run_, int slot_) {
  return combine_(memory_->lanes[1 - SUMS_][run_], items_[slot_]);
}

// The output for this lane's k-th item of the tile.
INLINE void write_place_(SHARED shared_* memory_, SHARED scan_* items_, int64 begin_, int k_, scan_ before_, item_ last_item_, int64 item_count${parameters}) {
  const int lane_ = LOCAL_ID(0), runs_ = k_ * (${lanes} / ${run}), slots_ = k_ * SLOT_(${lanes});
  const int run_ = lane_ / ${run}, earlier_run_ = (lane_ + ${run} - 1) / ${run} - 1;  // of this item, of the one before it
  const scan_ found_ = scanned_(memory_, items_, runs_ + run_, slots_ + lane_ + run_);
  if (k_ > 0 || lane_ > 0) before_ = scanned_(memory_, items_, runs_ + earlier_run_, slots_ + lane_ - 1 + earlier_run_);
  write_item_(begin_ + (k_ * ${lanes} + lane_), found_, before_, last_item_, item_count${values});
}

INLINE void write_tile_(SHARED shared_* memory_, SHARED scan_* items_, int tile_, scan_ before_, item_ last_item_, int64 item_count${parameters}) {
  const int64 begin_ = (int64)tile_ * TILE_;
  if (begin_ + TILE_ <= item_count) {
    UNROLL for (int k_ = 0; k_ < ${run}; ++k_) write_place_(memory_, items_, begin_, k_, before_, last_item_, item_count${values});
  } else {
    for (int k_ = 0; begin_ + k_ * ${lanes} + LOCAL_ID(0) < item_count; ++k_) {
      write_place_(memory_, items_, begin_, k_, before_, last_item_, item_count${values});
    }
  }
}

${signature} {
  SHARED_MEMORY(shared_, memory_, 1);
  ${advance}
  const int lane_ = LOCAL_ID(0), full_tiles_ = (int)(item_count / TILE_), tiles_ = (int)((item_count - 1) / TILE_ + 1);
  if (lane_ == 0) {
    memory_->launch = ATOMIC_READ(counters_ + 2) + 1;
    memory_->tile = ATOMIC_ADD(counters_, 1);
  }
  BARRIER();
  const int launch_ = memory_->launch;
  int tile_ = memory_->tile, waiting_ = -1, half_ = 0;
  scan_ read_[${run}];
  scan_ waiting_left_ = nothing_(), waiting_whole_ = nothing_();
  if (tile_ < full_tiles_) read_tile_(read_, tile_, item_count${values});
  do {
    int drawn_ = tiles_;
    if (lane_ == 0 && tile_ < tiles_) drawn_ = ATOMIC_ADD(counters_, 1);
    SHARED scan_* items_ = memory_->items[half_];
    BARRIER();
    if (tile_ < full_tiles_) {
      UNROLL for (int k_ = 0; k_ < ${run}; ++k_) items_[k_ * SLOT_(${lanes}) + SLOT_(lane_)] = read_[k_];
    } else if (tile_ < tiles_) {
      read_rest_(items_, tile_, item_count${values});
    }
    BARRIER();
    // What is before the tile that waits: two places of the window for each lane.
    const int first_ = waiting_ < 2 * ${lanes} ? 0 : (waiting_ / ${lanes} - 1) * ${lanes};
    uint64 words_[2][MESSAGE_WORDS_];
    UNROLL for (int w_ = 0; w_ < 2; ++w_) {
      const int place_ = window_place_(2 * lane_ + w_, first_, waiting_, tiles_);
      if (place_ >= 0) ask_(words_[w_], folds_, place_);
    }
    // Every lane scans a run of neighbours; then the lanes' folds are scanned.
    scan_ left_ = nothing_();
    if (tile_ < tiles_) {
      SHARED scan_* own_ = items_ + lane_ * (${run} + 1);
      left_ = own_[0];
      UNROLL for (int k_ = 1; k_ < ${run}; ++k_) {
        left_ = combine_(left_, own_[k_]);
        own_[k_] = left_;
      }
    }
    if (lane_ == 0) memory_->tile = drawn_;
    SHARED scan_* sums_ = scan_lanes_(memory_, left_);
    left_ = lane_ > 0 ? sums_[lane_ - 1] : nothing_();
    const scan_ whole_ = sums_[${lanes} - 1];
    const int next_ = memory_->tile;
    if (lane_ == 0 && tile_ < tiles_) send_(folds_, tile_, whole_, launch_);
    if (next_ < full_tiles_) read_tile_(read_, next_, item_count${values});

    scan_ before_ = nothing_();
    UNROLL for (int w_ = 0; w_ < 2; ++w_) {
      const int place_ = window_place_(2 * lane_ + w_, first_, waiting_, tiles_);
      if (place_ >= 0) before_ = combine_(before_, receive_(words_[w_], folds_, place_, launch_));
    }
    before_ = scan_lanes_(memory_, before_)[${lanes} - 1];
    if (lane_ == 0 && waiting_ % ${lanes} == ${lanes} - 1) send_(folds_, tiles_ + waiting_ / ${lanes}, combine_(before_, waiting_whole_), launch_);
    memory_->lanes[1 - SUMS_][lane_] = combine_(before_, waiting_left_);
    BARRIER();
    half_ = 1 - half_;
    items_ = memory_->items[half_];
#if ${uses_last}
    const int end_ = (int)(item_count - 1 - (int64)waiting_ * TILE_);
    if (phase_ == 0 && lane_ == 0 && waiting_ == tiles_ - 1) last_[0] = VALUE_(scanned_(memory_, items_, end_ / ${run}, SLOT_(end_)));
    if (phase_ == 1 && waiting_ >= 0) write_tile_(memory_, items_, waiting_, before_, last_[0], item_count${values});
#else
    if (waiting_ >= 0) write_tile_(memory_, items_, waiting_, before_, neutral_(), item_count${values});
#endif
    waiting_ = tile_;
    waiting_left_ = left_;
    waiting_whole_ = whole_;
    tile_ = next_;
  } while (waiting_ < tiles_);
  // The last group to come here makes all ready for the next launch.
  if (lane_ == 0 && ATOMIC_ADD(counters_ + 1, 1) == GROUP_COUNT(0) - 1) {
    counters_[0] = 0;
    counters_[1] = 0;
    counters_[2] = launch_;
  }
}
