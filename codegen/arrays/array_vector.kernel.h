/* Item by item through views, for functions that CPUs have for vectors: each work-item takes a run of places in row-major order, row by row,
   in vectors; lanes beyond the end of a row repeat its first place. Every item is computed by the same vector functions, wherever it is. */
#include "array_functions.kernel.h"
#include "complex.kernel.h"
typedef ${index} Index;
typedef realv realv_anywhere __attribute__((aligned(sizeof(real))));
#define LOAD_ANYWHERE(p) (*(GLOBAL const realv_anywhere*)(p))
#define STORE_ANYWHERE(v, p) (*(GLOBAL realv_anywhere*)(p) = (v))
${definitions}
${item}
${signature} {
  ${advance}
  const Index first_ = (Index)GROUP_ID(0) * ${chunk};
  const Index last_ = n_ - first_ < ${chunk} ? n_ : first_ + ${chunk};
  for (Index i_ = first_; i_ < last_;) {
    ${decode}
    const Index run_ = row_left_ < last_ - i_ ? row_left_ : last_ - i_;
    for (Index k_ = 0; k_ < run_; k_ += VECTOR_WIDTH) {
      ${variables}
      if (run_ - k_ >= VECTOR_WIDTH) {
        ${load_vectors}
        ${compute}
        ${store_vectors}
      } else {
        for (int j_ = 0; j_ < VECTOR_WIDTH; ++j_) {
          const Index at_ = k_ + (j_ < run_ - k_ ? j_ : 0);
          ${load_lanes}
        }
        ${compute}
        for (int j_ = 0; j_ < run_ - k_; ++j_) { ${store_lanes} }
      }
    }
    i_ += run_;
  }
}
