// Functions of array expressions on every device: as exact as OpenCL asks, in both precisions.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

template <class T>
struct Row {
  const char* name;
  std::function<Expression<T>(const Array<T>&, const Array<T>&)> device;
  std::function<double(double, double)> host;
  double ulps;  ///< OpenCL 1.2, section 7.4; lgamma has no bound there
};

// The names of <cmath> in dgsolve::codegen are functions of arrays.
#define ROW1(name, argument, ulps)                                                                                 \
  {                                                                                                                \
#name, [](A x, A) { return name(argument(x)); }, [](double x, double) { return std::name(argument(x)); }, ulps \
  }
#define ROW2(name, ulps)                                                                                 \
  {                                                                                                      \
#name, [](A x, A y) { return name(x, y); }, [](double x, double y) { return std::name(x, y); }, ulps \
  }

/// Arguments are within (0, 1), as they are.
constexpr auto inside = [](const auto& x) -> const auto& { return x; };

template <class T>
std::vector<Row<T>> rows() {
  using A = const Array<T>&;
  return {ROW1(sqrt, inside, 0),
          ROW1(exp, inside, 4),
          ROW1(exp2, inside, 4),
          ROW1(expm1, inside, 4),
          ROW1(log, inside, 4),
          ROW1(log2, inside, 4),
          ROW1(log10, inside, 4),
          ROW1(log1p, inside, 4),
          ROW1(sin, inside, 4),
          ROW1(cos, inside, 4),
          ROW1(tan, inside, 5),
          ROW1(asin, inside, 4),
          ROW1(acos, inside, 4),
          ROW1(atan, inside, 5),
          ROW1(sinh, inside, 4),
          ROW1(cosh, inside, 4),
          ROW1(tanh, inside, 5),
          ROW1(asinh, inside, 4),
          ROW1(atanh, inside, 5),
          ROW1(cbrt, inside, 4),
          ROW1(erf, inside, 16),
          ROW1(erfc, inside, 16),
          ROW1(tgamma, inside, 16),
          ROW1(lgamma, inside, 64),
          {"acosh", [](A x, A) { return acosh(x + 1.5); }, [](double x, double) { return std::acosh(x + 1.5); }, 6},
          ROW2(pow, 16),
          ROW2(atan2, 6),
          ROW2(hypot, 4),
          ROW2(fmod, 0)};
}

template <class T>
double ulp(double value) {
  const T magnitude = std::max(static_cast<T>(std::fabs(value)), std::numeric_limits<T>::min());
  return static_cast<double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude);
}

class ArrayFunctionOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  template <class T>
  void expect_functions() {
    std::vector<T> x(1000), y(1000);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<T>((static_cast<double>(i) + 0.37) / 1000);
      y[i] = static_cast<T>(0.3 + 2 * std::fabs(std::sin(static_cast<double>(i))));
    }
    const Array<T> dx = to_device(context_, x), dy = to_device(context_, y);
    const std::vector<Row<T>> all = rows<T>();
    for (std::size_t first = 0; first < all.size(); first += 15)
      expect_rows(std::span(all).subspan(first, std::min<std::size_t>(15, all.size() - first)), x, y, dx, dy);
  }

  template <class T>
  void expect_rows(std::span<const Row<T>> rows, const std::vector<T>& x, const std::vector<T>& y, const Array<T>& dx, const Array<T>& dy) {
    OutputsOf<T> outputs;
    for (const Row<T>& row : rows) outputs.add(context_, row.device(dx, dy));
    const std::vector<ArrayOutput> list = outputs.outputs();
    const ArrayPlan plan = plan_outputs(list);
    launch_plan(plan, work_style(WorkStyle::of_device, device_.facts()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<T> found = outputs.targets[k].to_host();
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = rows[k].host(static_cast<double>(x[i]), static_cast<double>(y[i]));
        const double rounded = rows[k].ulps == 0 ? static_cast<double>(static_cast<T>(expected)) : expected;
        worst = std::max(worst, std::fabs(static_cast<double>(found[i]) - rounded) / ulp<T>(expected));
      }
      // The host's double functions are themselves wrong by up to one unit.
      EXPECT_LE(worst, rows[k].ulps == 0 ? 0 : rows[k].ulps + 1) << rows[k].name << " of " << element_type<T>().name;
    }
    compiles_as_cuda(array_kernel_spec(plan, WorkStyle::groups));
  }
};

TEST_P(ArrayFunctionOnDevice, functions_of_floats_are_as_exact_as_the_standard_asks) { expect_functions<float>(); }

TEST_P(ArrayFunctionOnDevice, functions_of_doubles_are_as_exact_as_the_standard_asks) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  expect_functions<double>();
}

TEST_P(ArrayFunctionOnDevice, functions_of_integers_are_of_double) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  const Array<double> roots = sqrt(arange<int>(context_, 0, 10));
  EXPECT_EQ(roots.to_host()[3], std::sqrt(3.0));
}

TEST_P(ArrayFunctionOnDevice, complex_functions_equal_the_host) {
  using Complex = std::complex<float>;
  std::vector<Complex> z;
  for (int i = 0; i < 400; ++i) z.emplace_back(static_cast<float>(i % 20) / 3 - 3, static_cast<float>(i / 20) / 4 - 2.5F);
  const Array<Complex> dz = to_device(context_, z);
  OutputsOf<Complex> complex_values;
  OutputsOf<float> real_values;
  complex_values.add(context_, exp(dz));
  complex_values.add(context_, log(dz + 0.1));
  complex_values.add(context_, sqrt(dz));
  complex_values.add(context_, dz / (dz * dz + Complex(0.3F, 0.2F)));
  real_values.add(context_, abs(dz));
  real_values.add(context_, arg(dz));
  std::vector<ArrayOutput> list = complex_values.outputs();
  for (const ArrayOutput& output : real_values.outputs()) list.push_back(output);
  evaluate_outputs(list);
  const auto near = [](Complex a, Complex b) { return std::abs(a - b) <= 4e-6F * (1 + std::abs(b)); };
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_TRUE(near(complex_values.targets[0].to_host()[i], std::exp(z[i]))) << z[i];
    EXPECT_TRUE(near(complex_values.targets[1].to_host()[i], std::log(z[i] + 0.1F))) << z[i];
    EXPECT_TRUE(near(complex_values.targets[2].to_host()[i], std::sqrt(z[i]))) << z[i];
    EXPECT_TRUE(near(complex_values.targets[3].to_host()[i], z[i] / (z[i] * z[i] + Complex(0.3F, 0.2F)))) << z[i];
    EXPECT_TRUE(near(real_values.targets[0].to_host()[i], std::abs(z[i]))) << z[i];
    EXPECT_TRUE(near(real_values.targets[1].to_host()[i], std::arg(z[i]))) << z[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayFunctionOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
