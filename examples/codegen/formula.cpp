// From a formula to a kernel in two lines.
#include <cmath>
#include <cstdio>

#include "codegen/arrays/array.h"
#include "codegen/arrays/elementwise.h"
#include "codegen/cache.h"

using namespace dgsolve::codegen;

int main(int argc, char** argv) {
  Cache cache(Cache::default_options());
  const Context context(select_device(argc > 1 ? argv[1] : "auto"), &cache);
  const Array<float> x = arange<float>(context, -4.0F, 4.0F, 0.001F), y(context, x.shape());

  const auto packet = ElementwiseKernel::from_formulas(context, "float a, const float* x, float* y", "y = exp(-a*x^2)*cos(9*x)", "packet");
  packet(0.5F, x, y);

  const std::vector<float> points = x.to_host(), found = y.to_host();
  float worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] - std::exp(-0.5F * points[i] * points[i]) * std::cos(9 * points[i])));
  }
  std::printf("formula on %s: %zu points, largest difference %.1e: %s\n", context.device().facts().name.c_str(), points.size(), worst,
              worst < 1e-5F ? "right" : "wrong");
  return worst < 1e-5F ? 0 : 1;
}
