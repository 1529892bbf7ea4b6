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
  UNROLL for (int step = 1; step < ${lanes}; step *= 4) {
    BARRIER();
    if (lane % (4 * step) == 0) {
      UNROLL for (int n = 1; n < 4; ++n) {
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
  SHARED_MEMORY(shared_, shared, 1);
  ${advance}
  const int lane = LOCAL_ID(0);
  if (lane == 0) {
    shared->epoch = ATOMIC_READ(counters_ + 2) + 1;
    shared->tile = ATOMIC_ADD(counters_, 1);
  }
  BARRIER();
  const int tile = shared->tile, epoch = shared->epoch, tiles = GROUP_COUNT(0);
  const int64 begin = (int64)tile * (${lanes} * ${run});
  if (begin + ${lanes} * ${run} <= item_count) {
    UNROLL for (int k = 0; k < ${run}; ++k) {
      shared->items[k * ${lanes} + lane] = item_at_(begin + (k * ${lanes} + lane), item_count${values});
    }
  } else {
    for (int k = lane; k < ${lanes} * ${run}; k += ${lanes}) {
      shared->items[k] = begin + k < item_count ? item_at_(begin + k, item_count${values}) : nothing_();
    }
  }
  BARRIER();

  // Every lane scans a run of neighbours, then the lanes' folds are scanned.
  scan_ own[${run}];
  own[0] = shared->items[lane * ${run}];
  UNROLL for (int k = 1; k < ${run}; ++k) own[k] = combine_(own[k - 1], shared->items[lane * ${run} + k]);
  scan_ sum = own[${run} - 1];
  shared->lanes[lane] = sum;
  UNROLL for (int step = 1; step < ${lanes}; step *= 4) {
    BARRIER();
    UNROLL for (int n = 1; n < 4; ++n) {
      if (lane >= n * step) sum = combine_(shared->lanes[lane - n * step], sum);
    }
    BARRIER();
    shared->lanes[lane] = sum;
  }
  BARRIER();
  scan_ left = nothing_();
  if (lane > 0) left = shared->lanes[lane - 1];

  // Everything before this tile: whole blocks of blocks, blocks, tiles.
  const int block = tile / ${lanes}, blocks = tiles / ${lanes}, in_block = tile % ${lanes};
  const int super = block / ${lanes}, in_super = block % ${lanes};
  scan_ whole = shared->lanes[${lanes} - 1];
  if (lane == 0) publish_(folds_, published_, tile, whole, epoch);
  scan_ before = nothing_();
  if (in_block > 0) before = fold_published_(shared, folds_, published_, tile - in_block, in_block, epoch);
  if (lane == 0 && in_block == ${lanes} - 1) {
    whole = combine_(before, whole);
    publish_(folds_, published_, tiles + block, whole, epoch);
  }
  if (in_super > 0) {
    const scan_ earlier = fold_published_(shared, folds_, published_, tiles + block - in_super, in_super, epoch);
    before = combine_(earlier, before);
    whole = combine_(earlier, whole);
  }
  if (lane == 0 && in_block == ${lanes} - 1 && in_super == ${lanes} - 1) publish_(folds_, published_, tiles + blocks + super, whole, epoch);
  for (int end = super; end > 0; end -= ${lanes}) {
    const int first = end > ${lanes} ? end - ${lanes} : 0;
    before = combine_(fold_published_(shared, folds_, published_, tiles + blocks + first, end - first, epoch), before);
  }
  if (lane == 0) shared->before = before;
  BARRIER();
  before = shared->before;

  left = combine_(before, left);
  UNROLL for (int k = 0; k < ${run}; ++k) shared->items[lane * ${run} + k] = combine_(left, own[k]);
  BARRIER();
#if ${uses_last}
  if (phase_ == 0) {
    if (lane == 0 && tile == tiles - 1) last_[0] = VALUE_(shared->items[item_count - 1 - begin]);
  } else
#endif
  {
    const item_ last_item = ${uses_last} ? last_[0] : neutral_();
    if (begin + ${lanes} * ${run} <= item_count) {
      UNROLL for (int k = 0; k < ${run}; ++k) {
        const int place = k * ${lanes} + lane;
        write_item_(begin + place, shared->items[place], place > 0 ? shared->items[place - 1] : before, last_item, item_count${values});
      }
    } else {
      for (int place = lane; begin + place < item_count; place += ${lanes}) {
        write_item_(begin + place, shared->items[place], place > 0 ? shared->items[place - 1] : before, last_item, item_count${values});
      }
    }
  }
  // The last group to come here makes all ready for the next launch.
  if (lane == 0 && ATOMIC_ADD(counters_ + 1, 1) == tiles - 1) {
    counters_[0] = 0;
    counters_[1] = 0;
    counters_[2] = epoch;
  }
}
