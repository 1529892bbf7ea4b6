// SAXPY with array expressions: the right-hand side of an assignment, however long, is one kernel.
#include <cmath>
#include <cstdio>

#include "codegen/arrays/array.h"
#include "codegen/cache.h"

using namespace dgsolve::codegen;

int main(int argc, char** argv) {
  Cache cache(Cache::default_options());
  const Context context(select_device(argc > 1 ? argv[1] : "auto"), &cache);
  const std::int64_t count = 1'000'000;
  const Array<float> x = arange<float>(context, 0.0F, static_cast<float>(count));
  Array<float> y = full<float>(context, count, 1.0F);

  y = 2.0F * x + y;                                           // one kernel
  const Array<float> z = sqrt(where(y > 1000.0F, y, 0.0F));   // another one
  const Array<float> odd = z.slice({.begin = 1, .step = 2});  // a view: no copy

  const std::vector<float> found = odd.to_host();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float value = 2.0F * static_cast<float>(2 * i + 1) + 1.0F;
    const float expected = value > 1000.0F ? std::sqrt(value) : 0.0F;
    if (found[i] != expected) {
      std::printf("wrong: item %zu is %g, not %g\n", i, found[i], expected);
      return 1;
    }
  }
  std::printf("saxpy on %s: %zu items, all right\n", context.device().facts().name.c_str(), found.size());
  return 0;
}
