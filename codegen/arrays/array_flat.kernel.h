/* Item by item: every operand is one item, or has an item at place i for every place i of the results. */
#include "array_functions.kernel.h"
#include "complex.kernel.h"
typedef ${index} Index;
${definitions}
${item}
${signature} {
  ${advance}
#if ${on_cpu}
  const Index first_ = (Index)GROUP_ID(0) * ${chunk};
  const Index last_ = n_ - first_ < ${chunk} ? n_ : first_ + ${chunk};
  for (Index i_ = first_; i_ < last_; ++i_) {
    ${item_at_i}
  }
#else
  /* A full tile in packs of 16 bytes, all loads first; what is left item by item. */
  const Index tile_ = (Index)GROUP_ID(0) * (${group} * ${runs} * ${pack});
  if (${use_packs} && n_ - tile_ >= ${group} * ${runs} * ${pack}) {
    const Index first_ = tile_ / ${pack} + LOCAL_ID(0);
    ${pack_variables}
    UNROLL
    for (int run_ = 0; run_ < ${runs}; ++run_) {
      const Index at_ = first_ + run_ * ${group};
      ${load_packs}
    }
    UNROLL
    for (int run_ = 0; run_ < ${runs}; ++run_) {
      const Index at_ = first_ + run_ * ${group};
      ${result_packs}
      UNROLL
      for (int k_ = 0; k_ < ${pack}; ++k_) {
        ${item_of_packs}
      }
      ${store_packs}
    }
  } else {
    const Index last_ = n_ - tile_ < ${group} * ${runs} * ${pack} ? n_ : tile_ + ${group} * ${runs} * ${pack};
    for (Index i_ = tile_ + LOCAL_ID(0); i_ < last_; i_ += ${group}) {
      ${item_at_i}
    }
  }
#endif
}
