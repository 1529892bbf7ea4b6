// A custom reduction with two results in one pass: pi from random points, and the longest distance of a point.
#include "codegen/arrays/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "codegen/arrays/array.h"
#include "codegen/arrays/random.h"
#include "codegen/cache.h"

using namespace dgsolve::codegen;

int main(int argc, char** argv) {
  Cache cache(Cache::default_options());
  const Context context(select_device(argc > 1 ? argv[1] : "auto"), &cache);
  const std::int64_t count = 1'000'000;
  const Array<float> x = random_uniform<float>(context, count, {.seed = 42, .stream = 0});
  const Array<float> y = random_uniform<float>(context, count, {.seed = 42, .stream = 1});

  // Of each result: its type, what an item gives, how two of them are put together, and the neutral value.
  const ReductionKernel points(context, "const float* x, const float* y",
                               {{"int64", "square(x[i]) + square(y[i]) < 1.0f ? 1 : 0", "a + b", "0"},
                                {"float", "sqrt(square(x[i]) + square(y[i]))", "a < b ? b : a", "0.0f"}},
                               {.name = "points", .preamble = "INLINE float square(float v) { return v * v; }"});
  const Array<std::int64_t> inside(context, 1);
  const Array<float> longest(context, 1);
  const CustomArgument arguments[] = {x, y}, results[] = {inside, longest};
  points.enqueue(arguments, count, results);

  const double pi = 4.0 * static_cast<double>(inside.to_host()[0]) / static_cast<double>(count);
  const std::vector<float> xs = x.to_host(), ys = y.to_host();
  float expected = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) expected = std::max(expected, std::hypot(xs[i], ys[i]));
  const float found = longest.to_host()[0];
  const bool is_right = std::abs(pi - 3.14159) < 0.01 && std::abs(found - expected) < 1e-6F;
  std::printf("reduction on %s: pi is about %.4f, the longest distance %.6f: %s\n", context.device().facts().name.c_str(), pi, found,
              is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
