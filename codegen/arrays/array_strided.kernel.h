/* Item by item through views: each work-item takes a run of places in row-major order, row by row. */
#include "array_functions.kernel.h"
#include "complex.kernel.h"
typedef ${index} Index;
${definitions}
${item}
${signature} {
  const Index first = ((Index)GROUP_ID(0) * ${group} + LOCAL_ID(0)) * ${chunk};
  const Index last = n - first < ${chunk} ? n : first + ${chunk};
  for (Index i = first; i < last;) {
    ${decode}
    const Index run = row_left < last - i ? row_left : last - i;
    for (Index k = 0; k < run; ++k) {
      ${item_at_k}
    }
    i += run;
  }
}
