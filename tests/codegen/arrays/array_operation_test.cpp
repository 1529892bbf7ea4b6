// Every operator of array expressions on every type, on every device, cut for CPUs and for GPUs: the host's bits.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

template <class T, class R>
struct Row {
  const char* name;
  std::function<Expression<R>(const Array<T>&, const Array<T>&)> device;
  std::function<R(T, T)> host;
};

template <class T>
std::string text_of(const T& value) {
  if constexpr (is_complex_v<T>)
    return testing::PrintToString(value.real()) + " + i " + testing::PrintToString(value.imag());
  else
    return testing::PrintToString(+value);
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (is_complex_v<T>)
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  else
    return a == b || (a != a && b != b);
}

/// Small and large numbers and the ends of the range, in every combination of places of x and y.
template <class T>
std::vector<T> samples(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> items(count);
  for (T& item : items) {
    const std::uint64_t bits = random();
    if constexpr (std::is_integral_v<T>) {
      constexpr std::array<T, 5> ends{T{0}, T{1}, static_cast<T>(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
      const T small = static_cast<T>(static_cast<int>(bits % 17) - 8);
      item = bits % 4 == 0 ? ends[(bits >> 8) % 5] : bits % 4 == 1 ? small : static_cast<T>(bits >> 8);
    } else if constexpr (is_complex_v<T>) {
      item = T(static_cast<typename T::value_type>(static_cast<int>(bits % 1000) - 500) / 7,
               static_cast<typename T::value_type>(static_cast<int>((bits >> 20) % 1000) - 500) / 7);
    } else {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      constexpr std::array<T, 6> ends{T{0}, -T{0}, infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), T{1}};
      item = bits % 8 == 0 ? ends[(bits >> 8) % 6] : static_cast<T>(static_cast<std::int64_t>(bits)) / T{1e15F};
    }
  }
  return items;
}

class ArrayOperationOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
  static constexpr std::size_t count_ = 5000;

  template <class T, class R>
  void expect_host(const std::vector<Row<T, R>>& rows) {
    const std::vector<T> x = samples<T>(count_, 1), y = samples<T>(count_, 2);
    const Array<T> dx = to_device(context_, x), dy = to_device(context_, y);
    OutputsOf<R> outputs;
    for (const Row<T, R>& row : rows) outputs.add(context_, row.device(dx, dy));
    const std::vector<ArrayOutput> list = outputs.outputs();
    const ArrayPlan plan = plan_outputs(list);
    for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
      for (Array<R>& target : outputs.targets) context_.queue().fill_zero(target.buffer());
      launch_plan(plan, style);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::vector<R> found = outputs.targets[k].to_host();
        for (std::size_t i = 0; i < count_; ++i) {
          const R expected = rows[k].host(x[i], y[i]);
          ASSERT_TRUE(same(found[i], expected)) << text_of(x[i]) << " " << rows[k].name << " " << text_of(y[i]) << " of "
                                                << element_type<T>().name << ": " << text_of(found[i]) << ", not " << text_of(expected);
        }
      }
    }
    compiles_as_cuda(array_kernel_spec(plan, WorkStyle::groups));
  }

  template <class T>
  void expect_integers();
  template <class T>
  void expect_order();
  template <class T>
  void expect_reals();
  template <class T>
  void expect_complex();
};

/// Two's complement arithmetic that wraps.
template <class T>
T wrapped(std::uint64_t value) {
  return static_cast<T>(value);
}
template <class T>
std::uint64_t wide(T value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
void ArrayOperationOnDevice::expect_integers() {
  using A = const Array<T>&;
  constexpr T lowest = std::numeric_limits<T>::min();
  const auto overflows = [](T a, T b) { return std::is_signed_v<T> && b == static_cast<T>(-1) && a == lowest; };
  constexpr unsigned mask = 8 * sizeof(T) - 1;
  expect_host<T, T>({
      {"+", [](A a, A b) { return a + b; }, [](T a, T b) { return wrapped<T>(wide(a) + wide(b)); }},
      {"-", [](A a, A b) { return a - b; }, [](T a, T b) { return wrapped<T>(wide(a) - wide(b)); }},
      {"*", [](A a, A b) { return a * b; }, [](T a, T b) { return wrapped<T>(wide(a) * wide(b)); }},
      {"/", [](A a, A b) { return a / b; }, [=](T a, T b) { return b == 0            ? T{0}
                                                                   : overflows(a, b) ? lowest
                                                                                     : static_cast<T>(a / b); }},
      {"%", [](A a, A b) { return a % b; }, [=](T a, T b) { return b == 0 || overflows(a, b) ? T{0} : static_cast<T>(a % b); }},
      {"&", [](A a, A b) { return a & b; }, [](T a, T b) { return static_cast<T>(a & b); }},
      {"|", [](A a, A b) { return a | b; }, [](T a, T b) { return static_cast<T>(a | b); }},
      {"^", [](A a, A b) { return a ^ b; }, [](T a, T b) { return static_cast<T>(a ^ b); }},
      {"<<", [](A a, A b) { return a << b; }, [](T a, T b) { return wrapped<T>(wide(a) << (static_cast<unsigned>(b) & mask)); }},
      {">>", [](A a, A b) { return a >> b; }, [](T a, T b) { return static_cast<T>(a >> (static_cast<unsigned>(b) & mask)); }},
      {"~", [](A a, A) { return ~a; }, [](T a, T) { return static_cast<T>(~a); }},
      {"negate", [](A a, A) { return -a; }, [](T a, T) { return wrapped<T>(0 - wide(a)); }},
      {"abs", [](A a, A) { return abs(a); }, [](T a, T) { return a < 0 ? wrapped<T>(0 - wide(a)) : a; }},
      {"min", [](A a, A b) { return min(a, b); }, [](T a, T b) { return std::min(a, b); }},
      {"max", [](A a, A b) { return max(a, b); }, [](T a, T b) { return std::max(a, b); }},
      {"where", [](A a, A b) { return where(a, a, b); }, [](T a, T b) { return a != 0 ? a : b; }},
      {"scalars", [](A a, A) { return 3 * a + 1; }, [](T a, T) { return wrapped<T>(3 * wide(a) + 1); }},
  });
}

template <class T>
void ArrayOperationOnDevice::expect_order() {
  using A = const Array<T>&;
  using Byte = std::uint8_t;
  expect_host<T, Byte>({
      {"<", [](A a, A b) { return a < b; }, [](T a, T b) { return Byte{a < b}; }},
      {"<=", [](A a, A b) { return a <= b; }, [](T a, T b) { return Byte{a <= b}; }},
      {">", [](A a, A b) { return a > b; }, [](T a, T b) { return Byte{a > b}; }},
      {">=", [](A a, A b) { return a >= b; }, [](T a, T b) { return Byte{a >= b}; }},
      {"==", [](A a, A b) { return a == b; }, [](T a, T b) { return Byte{a == b}; }},
      {"!=", [](A a, A b) { return a != b; }, [](T a, T b) { return Byte{a != b}; }},
      {"&&", [](A a, A b) { return a && b; }, [](T a, T b) { return Byte{a != 0 && b != 0}; }},
      {"||", [](A a, A b) { return a || b; }, [](T a, T b) { return Byte{a != 0 || b != 0}; }},
      {"!", [](A a, A) { return !a; }, [](T a, T) { return Byte{a == 0}; }},
  });
}

template <class T>
void ArrayOperationOnDevice::expect_reals() {
  using A = const Array<T>&;
  expect_host<T, T>({
      {"+", [](A a, A b) { return a + b; }, [](T a, T b) { return a + b; }},
      {"-", [](A a, A b) { return a - b; }, [](T a, T b) { return a - b; }},
      {"*", [](A a, A b) { return a * b; }, [](T a, T b) { return a * b; }},
      {"/", [](A a, A b) { return a / b; }, [](T a, T b) { return a / b; }},
      {"a*b + a", [](A a, A b) { return a * b + a; }, [](T a, T b) { return a * b + a; }},
      {"fma", [](A a, A b) { return fma(a, b, a); }, [](T a, T b) { return std::fma(a, b, a); }},
      {"negate", [](A a, A) { return -a; }, [](T a, T) { return -a; }},
      {"abs", [](A a, A) { return abs(a); }, [](T a, T) { return std::fabs(a); }},
      {"min", [](A a, A b) { return min(a, b); }, [](T a, T b) { return std::min(a, b); }},
      {"max", [](A a, A b) { return max(a, b); }, [](T a, T b) { return std::max(a, b); }},
      {"where", [](A a, A b) { return where(a < b, a, 2.5); }, [](T a, T b) { return a < b ? a : T{2.5}; }},
      {"sqrt", [](A a, A) { return sqrt(abs(a)); }, [](T a, T) { return std::sqrt(std::fabs(a)); }},
      {"floor", [](A a, A) { return floor(a); }, [](T a, T) { return std::floor(a); }},
      {"ceil", [](A a, A) { return ceil(a); }, [](T a, T) { return std::ceil(a); }},
      {"trunc", [](A a, A) { return trunc(a); }, [](T a, T) { return std::trunc(a); }},
      {"rint", [](A a, A) { return rint(a); }, [](T a, T) { return std::rint(a); }},
      {"round", [](A a, A) { return round(a); }, [](T a, T) { return std::round(a); }},
      {"copysign", [](A a, A b) { return copysign(a, b); }, [](T a, T b) { return b != b ? std::copysign(a, b) : std::copysign(a, b); }},
      {"scalars", [](A a, A) { return 2 - a * 0.1 + a / 3; }, [](T a, T) { return T{2} - a * static_cast<T>(0.1) + a / T{3}; }},
  });
  using Byte = std::uint8_t;
  expect_host<T, Byte>({
      {"isnan", [](A a, A) { return isnan(a); }, [](T a, T) { return Byte{std::isnan(a)}; }},
      {"isfinite", [](A a, A) { return isfinite(a); }, [](T a, T) { return Byte{std::isfinite(a)}; }},
      {"to byte", [](A a, A) { return (abs(a) < 200 && isfinite(a)).template as<Byte>(); },
       [](T a, T) { return Byte{std::fabs(a) < 200}; }},
  });
}

template <class T>
void ArrayOperationOnDevice::expect_complex() {
  using A = const Array<T>&;
  using R = typename T::value_type;
  expect_host<T, T>({
      {"+", [](A a, A b) { return a + b; }, [](T a, T b) { return a + b; }},
      {"-", [](A a, A b) { return a - b; }, [](T a, T b) { return a - b; }},
      {"*", [](A a, A b) { return a * b; },
       [](T a, T b) { return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()); }},
      {"negate", [](A a, A) { return -a; }, [](T a, T) { return -a; }},
      {"conj", [](A a, A) { return conj(a); }, [](T a, T) { return std::conj(a); }},
      {"where", [](A a, A b) { return where(real(a) < imag(b), a, b); }, [](T a, T b) { return a.real() < b.imag() ? a : b; }},
      {"complex", [](A a, A b) { return complex(real(a), imag(b)); }, [](T a, T b) { return T(a.real(), b.imag()); }},
      {"scalars", [](A a, A) { return a * T(0, 1) + 1; }, [](T a, T) { return T(-a.imag() + R{1}, a.real()); }},
      {"to complex", [](A a, A b) { return real(a) + b; }, [](T a, T b) { return T(a.real() + b.real(), b.imag()); }},
  });
  expect_host<T, R>({
      {"real", [](A a, A) { return real(a); }, [](T a, T) { return a.real(); }},
      {"imag", [](A a, A) { return imag(a); }, [](T a, T) { return a.imag(); }},
  });
  using Byte = std::uint8_t;
  expect_host<T, Byte>({
      {"==", [](A a, A b) { return a == conj(conj(a)) && real(b) == real(b); }, [](T, T) { return Byte{1}; }},
      {"!=", [](A a, A b) { return a != b; }, [](T a, T b) { return Byte{a != b}; }},
      {"!", [](A a, A) { return !(a - a); }, [](T, T) { return Byte{1}; }},
  });
}

TEST_P(ArrayOperationOnDevice, signed_integers_wrap_and_divide_without_faults) {
  expect_integers<std::int32_t>();
  expect_integers<std::int64_t>();
}
TEST_P(ArrayOperationOnDevice, unsigned_integers_wrap_and_divide_without_faults) {
  expect_integers<std::uint32_t>();
  expect_integers<std::uint64_t>();
  expect_integers<std::uint8_t>();
}
TEST_P(ArrayOperationOnDevice, comparisons_and_logic_of_integers_give_bytes) {
  expect_order<std::int32_t>();
  expect_order<std::int64_t>();
  expect_order<std::uint32_t>();
  expect_order<std::uint64_t>();
}
TEST_P(ArrayOperationOnDevice, comparisons_and_logic_of_bytes_and_reals_give_bytes) {
  expect_order<std::uint8_t>();
  expect_order<float>();
  if (device_.facts().has_double) expect_order<double>();
}
TEST_P(ArrayOperationOnDevice, real_arithmetic_rounds_as_the_host) {
  expect_reals<float>();
  if (device_.facts().has_double) expect_reals<double>();
}
TEST_P(ArrayOperationOnDevice, floats_are_divided_exactly_beside_doubles) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  const std::vector<float> x = samples<float>(count_, 3), y = samples<float>(count_, 4);
  const Array<float> dx = to_device(context_, x), dy = to_device(context_, y);
  const Array<double> quotients = dx / dy + 0 * arange<double>(context_, 0, static_cast<double>(count_));
  const std::vector<double> found = quotients.to_host();
  for (std::size_t i = 0; i < count_; ++i) ASSERT_TRUE(same(found[i], static_cast<double>(x[i] / y[i]) + 0.0)) << x[i] << " / " << y[i];
}
TEST_P(ArrayOperationOnDevice, complex_arithmetic_rounds_as_the_host) {
  expect_complex<std::complex<float>>();
  if (device_.facts().has_double) expect_complex<std::complex<double>>();
}

template <class A, class B, class R>
constexpr bool promotes = std::is_same_v<decltype(promote_items<A, B>()), R>&& std::is_same_v<decltype(promote_items<B, A>()), R>;

TEST(ArrayPromotion, types_are_promoted_by_the_rules_of_numpy) {
  EXPECT_TRUE((promotes<float, double, double>));
  EXPECT_TRUE((promotes<std::int32_t, float, double>));
  EXPECT_TRUE((promotes<std::uint8_t, float, float>));
  EXPECT_TRUE((promotes<std::int64_t, double, double>));
  EXPECT_TRUE((promotes<std::int32_t, std::int64_t, std::int64_t>));
  EXPECT_TRUE((promotes<std::int32_t, std::uint32_t, std::int64_t>));
  EXPECT_TRUE((promotes<std::int32_t, std::uint64_t, double>));
  EXPECT_TRUE((promotes<std::int64_t, std::uint64_t, double>));
  EXPECT_TRUE((promotes<std::int64_t, std::uint32_t, std::int64_t>));
  EXPECT_TRUE((promotes<std::uint8_t, std::int32_t, std::int32_t>));
  EXPECT_TRUE((promotes<std::uint8_t, std::uint64_t, std::uint64_t>));
  EXPECT_TRUE((promotes<std::complex<float>, float, std::complex<float>>));
  EXPECT_TRUE((promotes<std::complex<float>, double, std::complex<double>>));
  EXPECT_TRUE((promotes<std::complex<float>, std::int32_t, std::complex<double>>));
  EXPECT_TRUE((promotes<std::complex<float>, std::uint8_t, std::complex<float>>));
}

TEST(ArrayPromotion, scalars_take_the_type_of_the_array_unless_they_are_of_a_higher_kind) {
  EXPECT_TRUE((std::is_same_v<promoted<Array<float>, double>, float>));
  EXPECT_TRUE((std::is_same_v<promoted<Array<std::uint8_t>, int>, std::uint8_t>));
  EXPECT_TRUE((std::is_same_v<promoted<long, Array<std::int32_t>>, std::int32_t>));
  EXPECT_TRUE((std::is_same_v<promoted<Array<std::int32_t>, float>, double>));
  EXPECT_TRUE((std::is_same_v<promoted<Array<float>, std::complex<double>>, std::complex<float>>));
  EXPECT_TRUE((std::is_same_v<promoted<Array<std::int64_t>, std::complex<float>>, std::complex<double>>));
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayOperationOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
