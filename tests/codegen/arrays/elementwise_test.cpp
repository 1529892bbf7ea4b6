// Element-wise kernels on every device: operations from text and formulas, packs, sizes, and what wrong calls are told.
#include "codegen/arrays/elementwise.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "codegen/arrays/elementwise_text.h"
#include "codegen/errors.h"
#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ElementwiseText, finds_what_packs_may_replace) {
  EXPECT_TRUE(array_use("y[i] = a*x[ i ];", "x").only_items);
  EXPECT_FALSE(array_use("y[i] = x[i + 1];", "x").only_items);
  EXPECT_FALSE(array_use("y[i] = sum(x, i);", "x").only_items);
  EXPECT_FALSE(array_use("y[i] = x[i]; // x[i]", "x").only_items);
  EXPECT_TRUE(array_use("p[i].x = q.x[2] + x[i];", "x").only_items) << "a member is no array";
  EXPECT_TRUE(array_use("y[i] = x[i];", "y").first_written);
  EXPECT_TRUE(array_use("double t = x[i]; y[i] = t*t; y[i] += 1", "y").first_written);
  EXPECT_FALSE(array_use("y[i] = y[i] + x[i]", "y").first_written);
  EXPECT_FALSE(array_use("y[i] += x[i]", "y").first_written);
  EXPECT_FALSE(array_use("if (x[i] > 0) y[i] = x[i]", "y").first_written);
  EXPECT_FALSE(array_use("t = y[i]; y[i] = t", "y").first_written);
  EXPECT_FALSE(array_use("y[i] == x[i];", "y").first_written);
  const auto arguments = parse_declaration("double a, const double* x, double* y");
  EXPECT_EQ(with_items("y[i] = a * x[i] + x [ i ]", arguments), "(*y_item_) = a * x_item_ + x_item_");
}

class ElementwiseOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  template <class Make>
  static std::string refusal(const Make& make) {
    try {
      make();
    } catch (const std::exception& fault) {
      return fault.what();
    }
    return "accepted";
  }
};

TEST_P(ElementwiseOnDevice, axpy_of_every_size_equals_the_host) {
  const ElementwiseKernel axpy(context_, "float a, const float* x, float* y", "y[i] = a * x[i] + y[i]", "axpy");
  for (const std::int64_t count : {0, 1, 3, 255, 256, 4095, 4096, 4097, 16384, 16385, 100003}) {
    std::vector<float> x(static_cast<std::size_t>(count)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 0.25F + static_cast<float>(i);
      y[i] = 1 / (1 + static_cast<float>(i));
    }
    const Array<float> dx = to_device(context_, x), dy = to_device(context_, y);
    axpy(0.1, dx, dy);
    const std::vector<float> found = dy.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], 0.1F * x[i] + y[i]) << i << " of " << count;
  }
}

TEST_P(ElementwiseOnDevice, views_that_begin_anywhere_and_neighbours_are_possible) {
  const std::int64_t count = 20000;
  const Array<int> x = arange<int>(context_, 0, static_cast<int>(count));
  Array<int> y = zeros<int>(context_, count);
  const ElementwiseKernel add(context_, "int a, const int* x, int* y", "if (x[i] % 2 == 0) y[i] += a * x[i] + (int)i", "add_even");
  add(2, x, y);
  add(2, x.slice({1}), y.slice({{}, -1}));
  std::vector<int> found = y.to_host();
  for (int i = 0; i + 1 < count; ++i) {
    ASSERT_EQ(found[static_cast<std::size_t>(i)], i % 2 == 0 ? 3 * i : 2 * (i + 1) + i) << i;
  }
  const ElementwiseKernel difference(context_, "const int* x, int* y", "y[i] = x[i + 1 < item_count ? i + 1 : 0] - x[i]", "difference");
  difference(x, y);
  found = y.to_host();
  EXPECT_EQ(found[5], 1);
  EXPECT_EQ(found.back(), 1 - count);
}

TEST_P(ElementwiseOnDevice, types_preambles_and_local_names_are_free) {
  Array<std::complex<float>> z = full<std::complex<float>>(context_, 1000, {1, 2});
  Array<std::uint8_t> k = zeros<std::uint8_t>(context_, 1000);
  const ElementwiseKernel kernel(context_, "complex64* z, byte* k, uint64 n", "z[i] = squared(z[i]); int at = 3; k[i] = (byte)(n >> at);",
                                 "square", {.preamble = "INLINE complex64 squared(complex64 z) { return complex64_multiply(z, z); }"});
  compiles_as_cuda(kernel.spec({}));
  kernel(z, k, std::uint64_t{80});
  EXPECT_EQ(z.to_host()[999], std::complex<float>(-3, 4));
  EXPECT_EQ(k.to_host()[999], 10);
}

TEST_P(ElementwiseOnDevice, formulas_become_kernels) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  const Array<double> x = arange<double>(context_, 0, 10.07, 0.01);
  Array<double> y(context_, x.shape()), z = full<double>(context_, x.shape(), 3);
  const auto kernel = ElementwiseKernel::from_formulas(context_, "double a, const double* x, double* y, double* z",
                                                       "y = a*x^2 + exp(-x);\n z = max(z, y)", "curve");
  compiles_as_cuda(kernel.spec({}));
  y = 4;
  kernel(2.0, x.slice({0, 5}), y.slice({0, 5}), z.slice({0, 5}));
  kernel(2.0, x.slice({5}), y.slice({5}), z.slice({5}));
  const std::vector<double> points = x.to_host(), found = y.to_host();
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_NEAR(found[i], 2 * points[i] * points[i] + std::exp(-points[i]), 1e-13 * (1 + found[i]));
  }
  EXPECT_EQ(z.to_host()[500], 4) << "read before y was written";
  EXPECT_THROW(static_cast<void>(ElementwiseKernel::from_formulas(context_, "double* y", "y = 2*(3", "f")), FormulaError);
  EXPECT_THROW(static_cast<void>(ElementwiseKernel::from_formulas(context_, "double* y", "y = 2*u", "f")), FormulaError);
  const auto text = [&](std::string_view list, std::string_view formula) {
    return refusal([&] { static_cast<void>(ElementwiseKernel::from_formulas(context_, list, formula, "f")); });
  };
  EXPECT_THAT(text("const double* x, double* y", "x = y"), HasSubstr("'x' is no array that can be written"));
  EXPECT_THAT(text("int* y", "y = 2"), HasSubstr("all float or all double"));
  EXPECT_THAT(text("double* y", "2*y"), HasSubstr("no 'target = formula'"));
}

TEST_P(ElementwiseOnDevice, wrong_calls_are_refused_by_name) {
  Array<float> x = zeros<float>(context_, 10), y = zeros<float>(context_, 11);
  const ElementwiseKernel copy(context_, "const float* x, float* y", "y[i] = x[i]", "copy_items");
  EXPECT_THAT(refusal([&] { copy(x, y); }), AllOf(HasSubstr("copy_items"), HasSubstr("'x' has 10 items, 'y' has 11")));
  EXPECT_THAT(refusal([&] { copy(x); }), HasSubstr("2 arguments, 1 were given"));
  EXPECT_THAT(refusal([&] { copy(x, 1.0F); }), HasSubstr("'y'"));
  EXPECT_THAT(refusal([&] { copy(x, zeros<int>(context_, 10)); }), HasSubstr("an array of int was given"));
  EXPECT_THAT(refusal([&] { copy(x, zeros<float>(context_, 20).slice({{}, {}, 2})); }), HasSubstr("gaps"));
  EXPECT_THAT(refusal([&] { copy(x, x); }), HasSubstr("which the kernel writes, is also given"));
  const ElementwiseKernel wrong(context_, "float* y", "y[i] = nothing", "misspelt");
  EXPECT_THAT(refusal([&] { wrong(x); }), AllOf(HasSubstr("misspelt.operation"), HasSubstr("nothing")));
  EXPECT_THAT(refusal([&] { ElementwiseKernel(context_, "float* i", "", "taken"); }), HasSubstr("'i'"));
}

INSTANTIATE_TEST_SUITE_P(Devices, ElementwiseOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
