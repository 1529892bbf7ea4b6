// The dialect's words and functions give the host's results on every device, precision and vector width.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/codegen/device_fixture.h"
#include "tests/codegen/dialect_specs.h"

namespace dgsolve::codegen {
namespace {

template <class Real>
constexpr Precision precision_of = sizeof(Real) == 4 ? Precision::single_precision : Precision::double_precision;

class DialectOnDevice : public EveryDevice {
 protected:
  Kernel build(const KernelSpec& spec) { return build_kernels(device_, std::span(&spec, 1), nullptr).front(); }

  template <class Real>
  void expect_words(int width);
  template <class Real>
  void expect_functions(int width, bool scalar_calls);
};

constexpr int items = 8, groups_x = 3, groups_y = 2;

/// What `words` computes, in plain C++. [group][item][W]
template <class Real>
std::vector<Real> words_expected(const std::vector<Real>& x, int width, Real offset) {
  std::vector<Real> out(x.size());
  for (int group = 0; group < groups_x * groups_y; ++group) {
    const auto at = [&](int item, int lane) { return static_cast<std::size_t>((group * items + item) * width + lane); };
    for (int item = 0; item < items; ++item) {
      bool any = false;
      for (int lane = 0; lane < width; ++lane) {
        Real value = std::fma(Real{2}, x[at((item + 1) % items, lane)], Real{0});
        value = std::fma(Real{-3}, x[at((item + 2) % items, lane)], value);
        value += offset * Real{0.5};
        value = value < Real{0.25} ? value : -value;
        any = any || value > Real{1000};
        out[at(item, lane)] = value;
      }
      for (int lane = 0; lane < width; ++lane) {
        Real& value = out[at(item, lane)];
        if (any) value = Real{1000};
        value += static_cast<Real>(lane);
        if (lane == 0) value *= Real{2};
      }
    }
  }
  return out;
}

template <class Real>
void DialectOnDevice::expect_words(int width) {
  std::vector<Real> x(static_cast<std::size_t>(groups_x * groups_y * items * width));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Real>(std::sin(static_cast<double>(i)));
  x[x.size() / 2] = Real{-5000};  // ANY is true in some group
  const Buffer x_buffer = buffer_with(x);
  const Buffer flags = buffer_with(std::vector<unsigned char>{1, 2, 3, 250, 5, 6, 7, 255});
  const Buffer out = device_.allocate(x.size() * sizeof(Real), "out");
  const std::array<KernelArgument, 5> arguments{&x_buffer, &flags, &out, -0.1, std::int64_t{5'000'000'000}};
  build(words_spec(precision_of<Real>, width)).launch(queue_, {groups_x, groups_y, 1}, arguments);
  const std::vector<Real> found = values_of<Real>(out);
  const std::vector<Real> expected = words_expected<Real>(x, width, static_cast<Real>(-0.1));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << "width " << width << ", place " << i;
}

TEST_P(DialectOnDevice, every_word_gives_the_bits_of_the_host) {
  for (const int width : {1, 2, 4, 8}) {
    expect_words<float>(width);
    if (device_.facts().has_double) expect_words<double>(width);
  }
}

TEST_P(DialectOnDevice, two_neighbouring_reals_move_together) {
  std::vector<float> x(16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const Buffer x_buffer = buffer_with(x), out = buffer_with(std::vector<float>(x.size()));
  build(pairs_spec(Precision::single_precision, 8)).launch(queue_, 1, {&x_buffer, &out});
  const std::vector<float> found = values_of<float>(out);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(found[i], x[i ^ 1]);
  if (device_.facts().has_double) {
    EXPECT_NO_THROW(build(pairs_spec(Precision::double_precision, 8)));
  }
}

TEST_P(DialectOnDevice, a_matrix_step_adds_a_product_of_matrices) {
  if (!device_.facts().has_matrix_double) GTEST_SKIP() << device_.facts().name << " has no MATRIX_STEP";
  std::vector<double> a(128), b(64), sum(128);
  for (std::size_t i = 0; i < 128; ++i) a[i] = static_cast<double>(i * 37 % 101) - 50;
  for (std::size_t i = 0; i < 64; ++i) b[i] = static_cast<double>(i * 53 % 97) - 40;
  for (std::size_t i = 0; i < 128; ++i) sum[i] = static_cast<double>(i);
  for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
    const Buffer a_buffer = buffer_with(a), b_buffer = buffer_with(b), sum_buffer = buffer_with(sum);
    build(matrix_step_spec(precision)).launch(queue_, 1, {&a_buffer, &b_buffer, &sum_buffer});
    const std::vector<double> found = values_of<double>(sum_buffer);
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        double expected = sum[i * 8 + j];
        for (std::size_t k = 0; k < 8; ++k) expected += a[i * 8 + k] * b[k * 8 + j];
        EXPECT_EQ(found[i * 8 + j], expected) << i << ", " << j;
      }
    }
  }
}

/// A function of the dialect on the host and its allowed error in units in the last place (OpenCL 1.2, table of section 7.4).
struct Reference {
  std::string name;
  std::function<double(double, double)> value;
  double ulps;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> rows{
      {"sqrt", [](double a, double) { return std::sqrt(a); }, 0},
      {"exp", [](double a, double) { return std::exp(a); }, 4},
      {"log", [](double a, double) { return std::log(a); }, 4},
      {"sin", [](double a, double) { return std::sin(a); }, 4},
      {"cos", [](double a, double) { return std::cos(a); }, 4},
      {"tan", [](double a, double) { return std::tan(a); }, 5},
      {"asin", [](double a, double) { return std::asin(a); }, 4},
      {"acos", [](double a, double) { return std::acos(a); }, 4},
      {"atan", [](double a, double) { return std::atan(a); }, 5},
      {"sinh", [](double a, double) { return std::sinh(a); }, 4},
      {"cosh", [](double a, double) { return std::cosh(a); }, 4},
      {"tanh", [](double a, double) { return std::tanh(a); }, 5},
      {"fabs", [](double a, double) { return std::fabs(a); }, 0},
      {"floor", [](double a, double) { return std::floor(a); }, 0},
      {"pow", [](double a, double b) { return std::pow(a, b); }, 16},
      {"atan2", [](double a, double b) { return std::atan2(a, b); }, 6},
      {"fma", [](double a, double b) { return std::fma(a, b, a); }, 0.5},
      {"divide", [](double a, double b) { return a / b; }, 0.5},
      {"product and sum", [](double a, double b) { return a * b + a; }, 1.5},
  };
  return rows;
}

template <class Real>
double ulp(double value) {
  const Real magnitude = std::max(static_cast<Real>(std::fabs(value)), std::numeric_limits<Real>::min());
  return static_cast<double>(std::nextafter(magnitude, std::numeric_limits<Real>::infinity()) - magnitude);
}

template <class Real>
void DialectOnDevice::expect_functions(int width, bool scalar_calls) {
  constexpr int vectors = 64;
  const auto count = static_cast<std::size_t>(vectors * width);
  std::vector<Real> x(count), y(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<Real>((static_cast<double>(i) + 0.37) / static_cast<double>(count));  // within every domain
    y[i] = static_cast<Real>(0.3 + 2 * std::fabs(std::sin(static_cast<double>(i))));
  }
  const Buffer x_buffer = buffer_with(x), y_buffer = buffer_with(y);
  const Buffer out = device_.allocate(references().size() * count * sizeof(Real), "out");
  build(functions_spec(precision_of<Real>, width, scalar_calls)).launch(queue_, vectors, {&x_buffer, &y_buffer, &out, vectors});
  const std::vector<Real> found = values_of<Real>(out);
  for (std::size_t f = 0; f < references().size(); ++f) {
    const Reference& reference = references()[f];
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double expected = reference.value(static_cast<double>(x[i]), static_cast<double>(y[i]));
      const double rounded = reference.ulps == 0 ? static_cast<double>(static_cast<Real>(expected)) : expected;
      worst = std::max(worst, std::fabs(static_cast<double>(found[f * count + i]) - rounded) / ulp<Real>(expected));
    }
    // The host's double functions are themselves wrong by up to one unit.
    EXPECT_LE(worst, reference.ulps == 0 ? 0 : reference.ulps + 1)
        << reference.name << ", width " << width << (scalar_calls ? ", scalar" : ", vector");
  }
}

TEST_P(DialectOnDevice, functions_are_as_exact_as_the_standard_asks) {
  for (const int width : {1, 8}) {
    for (const bool scalar_calls : {true, false}) {
      expect_functions<float>(width, scalar_calls);
      if (device_.facts().has_double) expect_functions<double>(width, scalar_calls);
    }
  }
}

TEST_P(DialectOnDevice, a_product_and_a_sum_are_rounded_twice_and_fma_once) {
  KernelSpec spec;
  spec.name = "rounding";
  spec.source_name = "rounding.kernel.h";
  spec.source = "${signature} { out[0] = x[0] * x[1] + x[2]; out[1] = FMA(x[0], x[1], x[2]); }\n";
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[3]"}, {"out", ArgumentType::real_buffer, Intent::out, "[2]"}};
  spec.precision = Precision::single_precision;
  const float a = 1.0f + 0x1p-12f;
  const Buffer x = buffer_with(std::vector<float>{a, a, -(1.0f + 0x1p-11f)});
  const Buffer out = device_.allocate(2 * sizeof(float), "out");
  build(spec).launch(queue_, 1, {&x, &out});
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{0.0f, 0x1p-24f}));
}

TEST_P(DialectOnDevice, atomics_add_and_a_flag_announces_what_was_written_before_a_fence) {
  KernelSpec spec;
  spec.name = "chain";
  spec.source_name = "chain.kernel.h";
  spec.source = R"(// Every group adds its lanes' numbers to the sum of the group that started before it.
${signature} {
  SHARED_MEMORY(int, shared, 2);
  if (LOCAL_ID(0) == 0) {
    shared[0] = 0;
    shared[1] = ATOMIC_ADD(started, 1);
  }
  BARRIER();
  ATOMIC_ADD(shared, LOCAL_ID(0));
  ATOMIC_ADD(lanes, (uint32)1);
  BARRIER();
  if (LOCAL_ID(0) == 0) {
    const int number = shared[1];
    int64 before = 0;
    if (number > 0) {
      while (ATOMIC_READ(flags + number - 1) == 0) {}
      FENCE();
      before = sums[number - 1];
    }
    sums[number] = before + shared[0];
    FENCE();
    ATOMIC_WRITE(flags + number, 1);
  }
}
)";
  constexpr std::uint32_t groups = 500;
  spec.arguments = {{"started", ArgumentType::int32_buffer, Intent::in_out, "[1]"},
                    {"lanes", ArgumentType::uint32_buffer, Intent::in_out, "[1]"},
                    {"flags", ArgumentType::int32_buffer, Intent::in_out, "[group]"},
                    {"sums", ArgumentType::int64_buffer, Intent::in_out, "[group]"}};
  spec.precision = Precision::single_precision;
  spec.group_size = {64, 1, 1};
  spec.shared_bytes = 2 * sizeof(std::int32_t);
  const Buffer started = buffer_with(std::vector<std::int32_t>{0}), flags = buffer_with(std::vector<std::int32_t>(groups));
  const Buffer lanes = buffer_with(std::vector<std::uint32_t>{4'000'000'000U});
  const Buffer sums = device_.allocate(groups * sizeof(std::int64_t), "sums");
  build(spec).launch(queue_, groups, {&started, &lanes, &flags, &sums});
  EXPECT_EQ(values_of<std::int32_t>(started).front(), static_cast<std::int32_t>(groups));
  EXPECT_EQ(values_of<std::uint32_t>(lanes).front(), 4'000'000'000U + 64 * groups);
  const std::vector<std::int64_t> found = values_of<std::int64_t>(sums);
  for (std::size_t group = 0; group < groups; ++group) EXPECT_EQ(found[group], static_cast<std::int64_t>(group + 1) * 2016) << group;
}

TEST_P(DialectOnDevice, a_word_of_eight_bytes_carries_its_flag_along) {
  KernelSpec spec;
  spec.name = "carry";
  spec.source_name = "carry.kernel.h";
  spec.source = R"(// Every group adds its number to the sum of the group that started before it.
${signature} {
  const int number = ATOMIC_ADD(started, 1);
  uint64 word = 0;
  while (number > 0 && word >> 32 == 0) word = ATOMIC_READ64(words + number - 1);
  ATOMIC_WRITE64(words + number, ((uint64)1 << 32) + (uint32)word + (uint32)number);
}
)";
  constexpr std::uint32_t groups = 500;
  spec.arguments = {{"started", ArgumentType::int32_buffer, Intent::in_out, "[1]"},
                    {"words", ArgumentType::uint64_buffer, Intent::in_out, "[group]"}};
  spec.precision = Precision::single_precision;
  const Buffer started = buffer_with(std::vector<std::int32_t>{0}), words = buffer_with(std::vector<std::uint64_t>(groups));
  build(spec).launch(queue_, groups, {&started, &words});
  const std::vector<std::uint64_t> found = values_of<std::uint64_t>(words);
  for (std::size_t group = 0; group < groups; ++group) EXPECT_EQ(found[group] & 0xffffffffU, group * (group + 1) / 2) << group;
}

TEST_P(DialectOnDevice, asynchronous_copies_arrive_in_batches_and_a_warp_shares_what_it_wrote) {
  KernelSpec spec;
  spec.name = "batches";
  spec.source_name = "batches.kernel.h";
  spec.source = R"(// y: 2 x of the group's opposite lane; z: its own number and 100 times that of the warp's opposite lane.
${signature} {
  SHARED_MEMORY(real, shared, 192);
  SHARED int *numbers = (SHARED int *)(shared + 128);
  const int at = GROUP_ID(0) * 64 + LOCAL_ID(0), lane = LOCAL_ID(0);
  COPY_ASYNC(shared + lane, x + at);
  CLOSE_COPIES();
  COPY_ASYNC(shared + 64 + lane, x + at);
  CLOSE_COPIES();
  COPY_ASYNC(numbers + lane, n + at);
  CLOSE_COPIES();
  WAIT_COPIES(1);
  shared[64 + lane] += shared[lane];
  BARRIER();
  y[at] = shared[64 + 63 - lane];
  WAIT_COPIES(0);
  numbers[64 + lane] = 100 * numbers[lane];
  WARP_BARRIER();
  z[at] = numbers[lane] + numbers[64 + (lane ^ 31)];
  ROLLED for (int i = 0; i < 3; ++i) z[at] += i;
}
)";
  constexpr std::uint32_t groups = 7;
  std::vector<double> x(64 * groups);
  std::vector<std::int32_t> n(64 * groups);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 0.1 * static_cast<double>(i);
    n[i] = static_cast<std::int32_t>(i);
  }
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[group][64]"},
                    {"n", ArgumentType::int32_buffer, Intent::in, "[group][64]"},
                    {"y", ArgumentType::real_buffer, Intent::out, "[group][64]"},
                    {"z", ArgumentType::int32_buffer, Intent::out, "[group][64]"}};
  spec.group_size = {64, 1, 1};
  spec.shared_bytes = 192 * sizeof(double);
  const Buffer xs = buffer_with(x), ns = buffer_with(n);
  const Buffer y = device_.allocate(x.size() * sizeof(double), "y"), z = device_.allocate(n.size() * sizeof(std::int32_t), "z");
  build(spec).launch(queue_, groups, {&xs, &ns, &y, &z});
  const std::vector<double> sums = values_of<double>(y);
  const std::vector<std::int32_t> numbers = values_of<std::int32_t>(z);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(sums[i], 2 * x[i / 64 * 64 + 63 - i % 64]) << i;
    EXPECT_EQ(numbers[i], n[i] + 100 * n[i ^ 31U] + 3) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DialectOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
