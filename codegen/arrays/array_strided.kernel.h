/* Item by item through views: each work-item takes a run of places in row-major order, row by row. */
#include "array_functions.kernel.h"
#include "complex.kernel.h"
typedef ${index} Index;
${definitions}
${item}
${signature} {
  const Index first_ = ((Index)GROUP_ID(0) * ${group} + LOCAL_ID(0)) * ${chunk};
  const Index last_ = n_ - first_ < ${chunk} ? n_ : first_ + ${chunk};
  for (Index i_ = first_; i_ < last_;) {
    ${decode}
    const Index run_ = row_left_ < last_ - i_ ? row_left_ : last_ - i_;
    for (Index k_ = 0; k_ < run_; ++k_) {
      ${item_at_k}
    }
    i_ += run_;
  }
}
