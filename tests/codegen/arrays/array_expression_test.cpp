// Array expressions on every device: one kernel each, re-used, with the host's values.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "codegen/arrays/array.h"
#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/cache.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ArrayExpressionOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  /// begin, begin + step, ...
  template <class T>
  static std::vector<T> ramp(std::size_t count, T begin, T step) {
    std::vector<T> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = static_cast<T>(begin + step * static_cast<T>(i));
    return items;
  }

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

TEST_P(ArrayExpressionOnDevice, a_fused_expression_is_one_kernel_that_is_built_once) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{100003}}) {
    const auto x = ramp<float>(count, 0.5F, 0.001F), z = ramp<float>(count, -1, 0.002F), w = ramp<float>(count, 2, 0.0001F);
    const Array<float> dx = to_device(context_, x), dz = to_device(context_, z), dw = to_device(context_, w);
    Array<float> y(context_, Shape(static_cast<std::int64_t>(count)));
    for (const double a : {2.0, 3.0}) {
      y = a * dx + 0.5 * dz + dw * dx / (1 + dw);
      const std::vector<float> found = y.to_host();
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(found[i], static_cast<float>(a) * x[i] + 0.5F * z[i] + w[i] * x[i] / (1.0F + w[i])) << i << " of " << count;
      }
    }
  }
  EXPECT_EQ(context_.kernels_built(), 1U);
}

TEST_P(ArrayExpressionOnDevice, another_process_compiles_nothing) {
  const TemporaryFolder folder;
  const auto evaluate_once = [&](Cache& cache) {
    const Context context(device_, &cache);
    const Array<float> x = full<float>(context, 100, 2), z = full<float>(context, 100, 3), w = full<float>(context, 100, 4),
                       v = full<float>(context, 100, 5);
    const std::size_t before = context.kernels_built();
    Array<float> y(context, 100);
    for (const float a : {1.0F, 2.0F}) y = a * x + 3 * z + w * v;
    EXPECT_EQ(context.kernels_built(), before + 1);
    EXPECT_EQ(y.to_host()[99], 2 * 2 + 9 + 20);
  };
  Cache first(folder.path());
  evaluate_once(first);
  EXPECT_EQ(first.counters().misses, 2) << "one kernel fills, one is the expression";
  EXPECT_EQ(first.counters().compiles, 2);
  const auto* device = dynamic_cast<backends::OpenClDevice*>(&device_.backend());
  if (device != nullptr && device->is_pocl() && device->pocl_folder().empty()) GTEST_SKIP() << "PoCL has no folder for its files";
  Cache second(folder.path());
  evaluate_once(second);
  EXPECT_EQ(second.counters().hits, 2);
  EXPECT_EQ(second.counters().compiles, 0);
}

TEST_P(ArrayExpressionOnDevice, several_arrays_are_written_by_one_kernel) {
  Array<int> x = arange<int>(context_, 0, 1000), y = zeros<int>(context_, 1000);
  const std::size_t before = context_.kernels_built();
  evaluate({{x, x + 1000}, {y, 2 * x}});
  EXPECT_EQ(context_.kernels_built(), before + 1);
  EXPECT_EQ(x.to_host()[7], 1007);
  EXPECT_EQ(y.to_host()[7], 14) << "x was read before it was written";
  evaluate({{x.slice({1}), x.slice({{}, -1})}, {y.slice({1}), x.slice({1})}});
  EXPECT_EQ(x.to_host()[7], 1006);
  EXPECT_EQ(y.to_host()[7], 1007);
  EXPECT_THAT(refusal([&] { evaluate({{x, y}, {y.slice({5}), 1}}); }), HasSubstr("(1000) and (995)"));
  EXPECT_THAT(refusal([&] { evaluate({{Array<int>(), 1}}); }), HasSubstr("without memory"));
}

TEST_P(ArrayExpressionOnDevice, wrong_operands_are_refused) {
  const Array<std::uint8_t> bytes = zeros<std::uint8_t>(context_, 4);
  EXPECT_THAT(refusal([&] { static_cast<void>(bytes + 300); }), HasSubstr("the scalar 300 does not fit items of byte"));
  EXPECT_THAT(refusal([&] { static_cast<void>(bytes - (-1)); }), HasSubstr("-1"));
  EXPECT_THAT(refusal([&] { static_cast<void>(Array<float>() + 1); }), HasSubstr("without memory"));
  EXPECT_THAT(refusal([&] {
                Array<float> none;
                none = 1;
              }),
              HasSubstr("a scalar is assigned to an array without memory"));
  const Context other(device_);
  const Array<std::uint8_t> elsewhere = zeros<std::uint8_t>(other, 4);
  EXPECT_THAT(refusal([&] { const Array<std::uint8_t> sum = bytes + elsewhere; }), HasSubstr("two contexts"));
  Expression<float> long_sum = full<float>(context_, 4, 1) + 0;
  for (int k = 0; k < 30; ++k) long_sum = long_sum + full<float>(context_, 4, 1);
  EXPECT_THAT(refusal([&] { const Array<float> sum = long_sum; }), HasSubstr("too many operands"));
  Array<int> a = full<int>(context_, 4, 1), b = full<int>(context_, 5, 2);
  swap(a, b);
  EXPECT_EQ(a.size(), 5);
  a.rebind(b);
  EXPECT_EQ(a.size(), 4);
}

TEST_P(ArrayExpressionOnDevice, sizes_around_the_tiles_are_covered) {
  for (const std::int64_t count : {0, 1, 3, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 8192, 8193, 16383, 16384, 16385, 40000}) {
    const Array<int> x = arange<int>(context_, 0, static_cast<int>(count));
    const Array<std::uint8_t> bytes = x.as<std::uint8_t>();
    Array<int> y = 3 * x + bytes;
    const std::vector<int> found = y.to_host();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 3 * static_cast<int>(i) + static_cast<int>(i % 256)) << count;
  }
}

TEST_P(ArrayExpressionOnDevice, shapes_are_broadcast_as_numpy_does) {
  const Array<int> rows = arange<int>(context_, 0, 3).reshape({3, 1}), columns = arange<int>(context_, 0, 4);
  const Array<int> table = 10 * rows + columns;
  EXPECT_EQ(table.shape(), (Shape{3, 4}));
  EXPECT_THAT(table.to_host(), ElementsAre(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23));
  Array<int> cube(context_, {2, 3, 4});
  cube = table;
  cube.row(1) += 100 * rows;
  EXPECT_THAT(cube.row(1).transpose().to_host(), ElementsAre(0, 110, 220, 1, 111, 221, 2, 112, 222, 3, 113, 223));
  cube = 7;
  EXPECT_THAT(cube.row(0).row(2).to_host(), ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(refusal([&] { cube = arange<int>(context_, 0, 5) + 1; }),
              HasSubstr("values of shape (5) do not fit an array of shape (2, 3, 4)"));
  EXPECT_THAT(refusal([&] { cube = table + arange<int>(context_, 0, 5); }),
              HasSubstr("arrays of shapes (3, 4) and (5) cannot be combined"));
  EXPECT_THAT(refusal([&] {
                Array<int> small = columns.row(0);
                small = columns;
              }),
              HasSubstr("values of shape (4) do not fit an array of shape ()"));
}

TEST_P(ArrayExpressionOnDevice, views_are_read_and_written_in_place) {
  Array<int> x = arange<int>(context_, 0, 60).reshape({3, 4, 5});
  const std::vector<int> before = x.to_host();
  x.slice(1, {1, {}, 2}).slice(2, {{}, {}, -2}) = -1 * x.slice(1, {{}, {}, 2}).slice(2, {0, 5, 2});
  const std::vector<int> after = x.to_host();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 5; ++k) {
        const std::size_t place = (4 * i + j) * 5 + k;
        const int expected = j % 2 == 1 && k % 2 == 0 ? -before[(4 * i + j - 1) * 5 + 4 - k] : before[place];
        ASSERT_EQ(after[place], expected) << i << j << k;
      }
    }
  }
  Array<double> t(context_, {70, 50});
  t = arange<double>(context_, 0, 3500).reshape({50, 70}).transpose();
  EXPECT_EQ(t.to_host()[1], 70);
  EXPECT_EQ(t.transpose().to_host()[1], 1);
}

TEST_P(ArrayExpressionOnDevice, overlapping_sources_and_targets_are_as_if_read_first) {
  const std::int64_t count = 50000;
  Array<int> x = arange<int>(context_, 0, count);
  x.slice({1}) = x.slice({{}, -1});
  EXPECT_EQ(x.to_host()[1], 0);
  EXPECT_EQ(x.to_host()[49999], 49998);
  x = arange<int>(context_, 0, count);
  x = x.slice({{}, {}, -1}) + x;
  for (const int item : x.to_host()) ASSERT_EQ(item, count - 1);
  Array<int> square = arange<int>(context_, 0, 100).reshape({10, 10});
  square = square.transpose();
  EXPECT_EQ(square.to_host()[1], 10);
  square = square + square.row(0);
  EXPECT_EQ(square.to_host()[99], 99 + 90);
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayExpressionOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
