/* Item by item: every operand is one item, or has an item at place i for every place i of the results. */
#include "array_functions.kernel.h"
#include "complex.kernel.h"
typedef ${index} Index;
${definitions}
${item}
${signature} {
#if ${on_cpu}
  const Index first = (Index)GROUP_ID(0) * ${chunk};
  const Index last = n - first < ${chunk} ? n : first + ${chunk};
  for (Index i = first; i < last; ++i) {
    ${item_at_i}
  }
#else
  /* A full tile in packs of 16 bytes, all loads first; what is left item by item. */
  const Index tile = (Index)GROUP_ID(0) * (${group} * ${runs} * ${pack});
  if (n - tile >= ${group} * ${runs} * ${pack}) {
    const Index first = tile / ${pack} + LOCAL_ID(0);
    ${pack_variables}
    UNROLL
    for (int run = 0; run < ${runs}; ++run) {
      const Index at = first + run * ${group};
      ${load_packs}
    }
    UNROLL
    for (int run = 0; run < ${runs}; ++run) {
      const Index at = first + run * ${group};
      ${result_packs}
      UNROLL
      for (int k = 0; k < ${pack}; ++k) {
        ${item_of_packs}
      }
      ${store_packs}
    }
  } else {
    for (Index i = tile + LOCAL_ID(0); i < n; i += ${group}) {
      ${item_at_i}
    }
  }
#endif
}
