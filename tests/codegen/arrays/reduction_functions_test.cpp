// Sums, extremes and norms of arrays and expressions on every device.
#include "codegen/arrays/reduction_functions.h"

#include <gmock/gmock.h>

#include <numeric>

#include "codegen/arrays/array_math.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

class ReductionFunctionsOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
};

template <class T>
std::vector<T> counted(std::int64_t count, T first) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_P(ReductionFunctionsOnDevice, sums_of_integers_are_of_64_bits) {
  const Array<std::int32_t> x = to_device(context_, std::vector<std::int32_t>(3'000, 2'000'000'000));
  EXPECT_EQ(sum(x), 6'000'000'000'000);
  static_assert(std::is_same_v<decltype(sum(x)), std::int64_t>);
  const Array<std::uint8_t> bytes = to_device(context_, std::vector<std::uint8_t>(1'000, 255));
  EXPECT_EQ(sum(bytes), 255'000U);
  const Array<std::int32_t> y = to_device(context_, std::vector<std::int32_t>(2, -2'000'000'000));
  EXPECT_EQ(dot(y, y), 8'000'000'000'000'000'000);
  EXPECT_EQ(sum(Array<std::int32_t>(context_, 0)), 0);
}

TEST_P(ReductionFunctionsOnDevice, sums_of_views_and_expressions) {
  const Array<float> x = to_device(context_, counted<float>(100, 0));
  EXPECT_EQ(sum(x), 4950.0F);
  EXPECT_EQ(sum(x.slice({.begin = 50})), 3725.0F);
  EXPECT_EQ(sum(x.slice({.step = 2})), 2450.0F);
  EXPECT_EQ(sum(x * 2.0F + 1.0F), 10'000.0F);
  EXPECT_EQ(dot(x, x - 1.0F), 328'350.0F - 4950.0F);
  EXPECT_EQ(mean(x), 49.5F);
  if (device_.facts().has_double) {
    EXPECT_EQ(sum<double>(x), 4950.0);
  }
  EXPECT_EQ(norm2(to_device(context_, std::vector<float>{3, 0, -4})), 5.0F);
  EXPECT_THROW((void)dot(x, x.slice({.begin = 1})), std::invalid_argument);
}

TEST_P(ReductionFunctionsOnDevice, expressions_are_computed_in_the_reductions_kernel) {
  const Array<std::int32_t> x = to_device(context_, counted<std::int32_t>(5'000, 1));
  const Array<std::uint8_t> y = to_device(context_, std::vector<std::uint8_t>(5'000, 3));
  const std::size_t kernels = context_.kernels_built();
  EXPECT_EQ(sum(x * 2 - y), 25'005'000 - 15'000);
  EXPECT_EQ(context_.kernels_built(), kernels + 1);
  EXPECT_EQ(dot(x, y), 3 * 12'502'500);
  EXPECT_EQ(context_.kernels_built(), kernels + 2);
  EXPECT_EQ(sum(x.slice({.begin = 10, .end = 20}) * y.slice({.begin = 0, .end = 10})), 3 * 155);
  EXPECT_EQ(max(x.slice({.begin = 0, .end = 4}).reshape({2, 2}) * x.slice({.begin = 0, .end = 2})), 8);
  EXPECT_EQ(argmax(x % 4'999), 4'997);
  EXPECT_EQ(sum(x.slice({.begin = 0, .end = 6}).reshape({2, 3}).transpose() + 0), 21);
}

TEST_P(ReductionFunctionsOnDevice, complex_sums_and_norms) {
  using Complex = std::complex<float>;
  const Array<Complex> x = to_device(context_, std::vector<Complex>{{1, 2}, {3, -4}, {0, 1}});
  EXPECT_EQ(sum(x), Complex(4, -1));
  EXPECT_EQ(dot(x, x), Complex(-11, -20));
  EXPECT_FLOAT_EQ(norm2(x), std::sqrt(31.0F));
}

TEST_P(ReductionFunctionsOnDevice, extremes_and_their_first_places) {
  std::vector<std::int64_t> values(10'000, 7);
  values[5'000] = values[6'000] = -8;
  values[700] = values[9'999] = std::int64_t{1} << 40;
  const Array<std::int64_t> x = to_device(context_, values);
  EXPECT_EQ(min(x), -8);
  EXPECT_EQ(max(x), std::int64_t{1} << 40);
  EXPECT_EQ(argmin(x), 5'000);
  EXPECT_EQ(argmax(x), 700);
  EXPECT_EQ(argmax(x.slice({.begin = 701})), 9'298);
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  const Array<std::int32_t> small = to_device(context_, std::vector<std::int32_t>{least, least});
  EXPECT_EQ(max(small), least);
  EXPECT_EQ(argmax(small), 0);
  EXPECT_EQ(min(to_device(context_, std::vector<std::uint8_t>{255, 255})), 255);
  EXPECT_EQ(max(to_device(context_, std::vector<std::uint32_t>{0, 4'000'000'000U})), 4'000'000'000U);
  const Array<std::int32_t> none(context_, 0);
  EXPECT_THROW((void)min(none), std::invalid_argument);
  EXPECT_THROW((void)argmax(none), std::invalid_argument);
  EXPECT_THROW((void)mean(none), std::invalid_argument);
}

TEST_P(ReductionFunctionsOnDevice, extremes_of_reals_see_infinities_and_nan) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(max(to_device(context_, std::vector<float>{-infinity, -infinity})), -infinity);
  EXPECT_EQ(min(to_device(context_, std::vector<float>{infinity, infinity})), infinity);
  std::vector<float> values(5'000, 1);
  values[17] = -3;
  const Array<float> x = to_device(context_, values);
  EXPECT_EQ(argmin(x), 17);
  EXPECT_EQ(argmax(x), 0);
  values[300] = values[4'000] = nan;
  const Array<float> y = to_device(context_, values);
  EXPECT_TRUE(std::isnan(min(y)));
  EXPECT_TRUE(std::isnan(max(y)));
  EXPECT_EQ(argmin(y), 300);
  EXPECT_EQ(argmax(y), 300);
}

TEST_P(ReductionFunctionsOnDevice, any_and_all) {
  const Array<std::int32_t> x = to_device(context_, counted<std::int32_t>(1'000, 0));
  EXPECT_TRUE(any(x));
  EXPECT_FALSE(all(x));
  EXPECT_TRUE(all(x.slice({.begin = 1})));
  EXPECT_TRUE(all(x < 1'000));
  EXPECT_FALSE(any(x > 999));
  EXPECT_FALSE(any(x.slice({.begin = 0, .end = 0})));
  EXPECT_TRUE(all(x.slice({.begin = 0, .end = 0})));
}

TEST_P(ReductionFunctionsOnDevice, a_second_call_builds_no_kernel) {
  const Array<float> x = to_device(context_, counted<float>(10, 0));
  (void)sum(x);
  const std::size_t kernels = context_.kernels_built();
  (void)sum(x);
  EXPECT_EQ(context_.kernels_built(), kernels);
}

INSTANTIATE_TEST_SUITE_P(Devices, ReductionFunctionsOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
