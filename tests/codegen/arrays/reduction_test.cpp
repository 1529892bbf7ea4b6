// Reductions on every device: against the host, for sizes around every block size, operators that do not commute, structures, faults.
#include "codegen/arrays/reduction.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "codegen/errors.h"
#include "tests/codegen/arrays/algorithm_types.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class ReductionOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
};

const std::vector<std::int64_t> sizes{0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 8192 + 17, 1'000'007, 2'300'001};

/// The order that the header states, on the host.
template <class T, class Map, class Combine>
T folded(std::int64_t count, T neutral, Map map, Combine combine) {
  constexpr std::int64_t lanes = 256;
  std::int64_t chunk = 16 * lanes;
  while ((count + chunk - 1) / chunk > 512) chunk *= 2;
  const auto fold_chunk = [&](std::int64_t begin, std::int64_t end, const auto& item) {
    std::vector<T> sums(lanes, neutral);
    for (std::int64_t i = begin; i < end; ++i) {
      T& sum = sums[static_cast<std::size_t>((i - begin) % lanes)];
      sum = combine(sum, item(i));
    }
    for (std::size_t step = 1; step < lanes; step *= 2) {
      for (std::size_t lane = 0; lane < lanes; lane += 2 * step) sums[lane] = combine(sums[lane], sums[lane + step]);
    }
    return sums[0];
  };
  std::vector<T> chunks;
  for (std::int64_t begin = 0; begin < std::max<std::int64_t>(1, count); begin += chunk) {
    chunks.push_back(fold_chunk(begin, std::min(begin + chunk, count), map));
  }
  return fold_chunk(0, std::ssize(chunks), [&](std::int64_t c) { return chunks[static_cast<std::size_t>(c)]; });
}

std::vector<double> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = std::exp(10 * uniform(generator)) * uniform(generator);
  return values;
}

TEST_P(ReductionOnDevice, a_dot_product_has_the_bits_of_the_documented_order_on_every_device) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const ReductionKernel dot(context_, "const double* x, const double* y", {{"double", "x[i]*y[i]", "a + b", "0"}},
                              {.name = "dot", .style = style});
    for (const std::int64_t count : sizes) {
      const auto x = random_values(count, 1), y = random_values(count, 2);
      const Array<double> x_array = to_device(context_, x), y_array = to_device(context_, y);
      const double expected = folded(
          count, 0.0, [&](std::int64_t i) { return x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)]; }, std::plus<>());
      EXPECT_EQ(dot.run<double>({x_array, y_array}, count), expected) << count;
      EXPECT_EQ(dot.run<double>({x_array, y_array}, count), expected) << count << ", again";
    }
  }
}

TEST_P(ReductionOnDevice, several_results_of_different_types_in_one_pass) {
  const ReductionKernel summary(context_, "const float* x, float limit",
                                {{"float", "x[i]", "a < b ? a : b", "1e30f"},
                                 {"int64", "x[i] > limit ? 1 : 0", "a + b", "0"},
                                 {"float", "x[i]", "a > b ? a : b", "-1e30f"},
                                 {"byte", "x[i] == 0.5f", "a | b", "0"}},
                                {.name = "summary"});
  std::vector<float> x(70'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  x[40'000] = -7;
  x[50'000] = 9;
  const Array<float> x_array = to_device(context_, x), least(context_, 1), most(context_, 3);
  const Array<std::int64_t> above(context_, 1);
  const Array<std::uint8_t> any(context_, 1);
  const std::vector<CustomArgument> arguments{x_array, 0.25F}, results{least, above, most.slice({.begin = 2}), any};
  summary.enqueue(arguments, std::ssize(x), results);
  EXPECT_EQ(least.to_host()[0], -7);
  EXPECT_EQ(most.to_host()[2], 9);
  EXPECT_EQ(above.to_host()[0], std::count_if(x.begin(), x.end(), [](float value) { return value > 0.25F; }));
  EXPECT_EQ(any.to_host()[0], 0);
}

TEST_P(ReductionOnDevice, operators_that_do_not_commute_keep_the_order_of_the_items) {
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const ReductionKernel compose(context_, "const affine* maps", {{"affine", "maps[i]", "compose(a, b)", "identity()"}},
                                  {.name = "composition",
                                   .preamble = affine_functions,
                                   .structures = {affine_type()},
                                   .operand_order = OperandOrder::kept,
                                   .style = style});
    for (const std::int64_t count : sizes) {
      const std::vector<Affine> maps = random_affine_maps(count);
      Affine expected{1, 0};
      for (const Affine& map : maps) expected = composition(expected, map);
      EXPECT_EQ(compose.run<Affine>({to_device(context_, maps)}, count), expected) << count;
    }
  }
}

TEST_P(ReductionOnDevice, a_pair_of_value_and_place_finds_the_first_largest) {
  const ReductionKernel argmax(context_, "const int* x", {{"best", "best_of(x[i], i)", "better(a, b)", "best_of(-2147483647, -1)"}},
                               {.name = "argmax", .preamble = best_functions, .structures = {best_type()}});
  std::vector<std::int32_t> x(300'000, 5);
  for (const std::size_t place : {299'999U, 123'456U, 4'096U}) {
    x[place] = 6;
    const Best found = argmax.run<Best>({to_device(context_, x)}, std::ssize(x));
    EXPECT_EQ(found.place, static_cast<std::int64_t>(place));
    EXPECT_EQ(found.value, 6);
  }
}

TEST_P(ReductionOnDevice, views_begin_anywhere_and_arguments_are_optional) {
  const ReductionKernel sum(context_, "const int64* x", {{"int64", "x[i]", "a + b", "0"}}, {.name = "view_sum"});
  std::vector<std::int64_t> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
  const Array<std::int64_t> array = to_device(context_, x);
  EXPECT_EQ(sum.run<std::int64_t>({array.slice({.begin = 900})}, 100), 94'950);
  const ReductionKernel squares(context_, "", {{"uint64", "(uint64)(i*i)", "a + b", "0"}}, {.name = "squares"});
  EXPECT_EQ(squares.run<std::uint64_t>({}, 1'000'000), 333'332'833'333'500'000U);
}

TEST_P(ReductionOnDevice, arguments_may_have_any_name) {
  const char* names = "const int* lane, int step, int begin, int end, int own, int k, int c, int n, int x, int result, int total, int sums";
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const ReductionKernel sum(context_, names,
                              {{"int", "lane[i]*step + begin + end + own + k + c + n + x + result + total + sums", "a + b", "0"}},
                              {.name = "names", .style = style});
    const Array<std::int32_t> ones = to_device(context_, std::vector<std::int32_t>(5000, 1));
    EXPECT_EQ(sum.run<std::int32_t>({ones, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 5000), 60'000);
  }
}

TEST_P(ReductionOnDevice, more_than_two_to_the_31_items) {
  // No memory is needed: the items are their numbers. On CPUs this is slow enough as it is.
  const ReductionKernel sum(context_, "", {{"uint64", "(uint64)i & 1023", "a + b", "0"}}, {.name = "many"});
  const std::int64_t count = (std::int64_t{1} << 31) + 1025;
  EXPECT_EQ(sum.run<std::uint64_t>({}, count), (std::uint64_t{1} << 21) * 523'776 + 523'776);
}

TEST_P(ReductionOnDevice, faults_of_texts_name_the_text) {
  const auto failure = [&](const Reduction& reduction, std::string_view arguments = "const int* x") {
    try {
      const ReductionKernel kernel(context_, arguments, {reduction}, {.name = "wrong"});
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(failure({"int", "x[i] +\n  y[i]", "a + b", "0"}), HasSubstr("wrong.map:2: error:"));
  EXPECT_THAT(failure({"int", "x[i]", "a + bb", "0"}), HasSubstr("wrong.reduce:1: error:"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "zero"}), HasSubstr("wrong.neutral:1: error:"));
  EXPECT_THAT(failure({"itn", "x[i]", "a + b", "0"}), HasSubstr("did you mean 'int'"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "0"}, "const int* i"), HasSubstr("an argument may not be called 'i'"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "0"}, "const int* x_"), HasSubstr("may not be called 'x_'"));
}

TEST_P(ReductionOnDevice, faults_of_calls_name_kernel_and_argument) {
  const ReductionKernel sum(context_, "const int* x", {{"int", "x[i]", "a + b", "0"}}, {.name = "int_sum"});
  const Array<std::int32_t> x = to_device(context_, std::vector<std::int32_t>(64, 1));
  const auto failure = [&](std::initializer_list<CustomArgument> arguments, std::int64_t count) {
    try {
      (void)sum.run<std::int32_t>(arguments, count);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(failure({x}, 64), "accepted");
  EXPECT_THAT(failure({}, 1), HasSubstr("kernel 'int_sum' has 1 arguments, 0 were given"));
  EXPECT_THAT(failure({1}, 1), HasSubstr("argument 'x' (int*): a value of type int was given, not an array"));
  EXPECT_THAT(failure({to_device(context_, std::vector<float>(4))}, 4), HasSubstr("an array of float was given"));
  EXPECT_THAT(failure({x.slice({.step = 2})}, 4), HasSubstr("a view with gaps"));
  EXPECT_THAT(failure({x}, -1), HasSubstr("-1 items"));
  EXPECT_THROW((void)sum.run<float>({x}, 4), std::invalid_argument);
}

TEST(ReductionOffline, compiles_for_an_architecture_without_a_device) {
  const Reduction sum{"double", "x[i]", "a + b", "0"};
  const KernelSpec spec = reduction_spec("const double* x", std::span(&sum, 1), {.name = "offline", .style = WorkStyle::groups});
  try {
    EXPECT_THAT(compile_cuda_offline(render(spec, "cuda"), "sm_90"), HasSubstr("offline_reduction"));
  } catch (const CompileError&) {
    throw;
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ReductionOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
