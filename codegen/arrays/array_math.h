// Operators and functions of arrays and expressions. All work item by item, broadcast by NumPy's rules, and are evaluated at the
// assignment.
#pragma once

#include <cmath>
#include <concepts>

#include "codegen/arrays/array.h"

namespace dgsolve::codegen {

template <class A, class B>
concept ArrayPair = (ArrayOperand<A> && ArrayOrScalar<B>) || (ArrayOrScalar<A> && ArrayOperand<B>);

/// The type in which functions of real arguments are computed: integers as double.
template <class T>
using real_function_type = std::conditional_t<std::is_integral_v<T>, double, T>;

#define DGSOLVE_ARRAY_OPERATOR(symbol, operation, condition, message)               \
  template <class A, class B>                                                       \
  requires ArrayPair<A, B>                                                          \
  [[nodiscard]] auto operator symbol(A&& a, B&& b) {                                \
    using T = promoted<A, B>;                                                       \
    static_assert(condition, message);                                              \
    return make_expression<T, T>(ArrayOperation::operation, std::forward<A>(a), b); \
  }
DGSOLVE_ARRAY_OPERATOR(+, add, NumericItem<T>, "arithmetic of structures")
DGSOLVE_ARRAY_OPERATOR(-, subtract, NumericItem<T>, "arithmetic of structures")
DGSOLVE_ARRAY_OPERATOR(*, multiply, NumericItem<T>, "arithmetic of structures")
// Of integers as in C, towards zero; x / 0 and x % 0 are 0.
DGSOLVE_ARRAY_OPERATOR(/, divide, NumericItem<T>, "arithmetic of structures")
DGSOLVE_ARRAY_OPERATOR(%, remainder, std::is_integral_v<T>, "% is for integers: use fmod")
DGSOLVE_ARRAY_OPERATOR(&, bit_and, std::is_integral_v<T>, "& is for integers")
DGSOLVE_ARRAY_OPERATOR(|, bit_or, std::is_integral_v<T>, "| is for integers")
DGSOLVE_ARRAY_OPERATOR(^, bit_xor, std::is_integral_v<T>, "^ is for integers")
// The number of bits is taken modulo the width of T.
DGSOLVE_ARRAY_OPERATOR(<<, shift_left, std::is_integral_v<T>, "<< is for integers")
DGSOLVE_ARRAY_OPERATOR(>>, shift_right, std::is_integral_v<T>, ">> is for integers")
#undef DGSOLVE_ARRAY_OPERATOR

/// Comparisons and logic give bytes: 1 where true, 0 elsewhere. Anything but 0 is true.
#define DGSOLVE_ARRAY_COMPARISON(symbol, operation, condition)                                 \
  template <class A, class B>                                                                  \
  requires ArrayPair<A, B>                                                                     \
  [[nodiscard]] auto operator symbol(A&& a, B&& b) {                                           \
    using T = promoted<A, B>;                                                                  \
    static_assert(NumericItem<T> && (condition), "complex numbers have no order");             \
    return make_expression<std::uint8_t, T>(ArrayOperation::operation, std::forward<A>(a), b); \
  }
DGSOLVE_ARRAY_COMPARISON(<, less, !is_complex_v<T>)
DGSOLVE_ARRAY_COMPARISON(<=, less_equal, !is_complex_v<T>)
DGSOLVE_ARRAY_COMPARISON(>, greater, !is_complex_v<T>)
DGSOLVE_ARRAY_COMPARISON(>=, greater_equal, !is_complex_v<T>)
DGSOLVE_ARRAY_COMPARISON(==, equal, true)
DGSOLVE_ARRAY_COMPARISON(!=, not_equal, true)
DGSOLVE_ARRAY_COMPARISON(&&, logical_and, !is_complex_v<T>)
DGSOLVE_ARRAY_COMPARISON(||, logical_or, !is_complex_v<T>)
#undef DGSOLVE_ARRAY_COMPARISON

template <ArrayOperand A>
[[nodiscard]] auto operator-(A&& a) {
  return make_expression<item_of<A>, item_of<A>>(ArrayOperation::negate, std::forward<A>(a));
}
template <ArrayOperand A>
requires std::integral<item_of<A>>
[[nodiscard]] auto operator~(A&& a) { return make_expression<item_of<A>, item_of<A>>(ArrayOperation::bit_not, std::forward<A>(a)); }
template <ArrayOperand A>
[[nodiscard]] auto operator!(A&& a) {
  return make_expression<std::uint8_t, item_of<A>>(ArrayOperation::logical_not, std::forward<A>(a));
}

// Functions of real numbers; those of integers are computed as double. exp, log and sqrt have complex ones too.
#define DGSOLVE_ARRAY_FUNCTION(name)                                                           \
  template <ArrayOperand A>                                                                    \
  [[nodiscard]] auto name(A&& a) {                                                             \
    using T = real_function_type<item_of<A>>;                                                  \
    static_assert(has_function<T>(ArrayOperation::name), "not a function of complex numbers"); \
    return make_expression<T, T>(ArrayOperation::name, std::forward<A>(a));                    \
  }
template <class T>
[[nodiscard]] constexpr bool has_function(ArrayOperation operation) {
  using enum ArrayOperation;
  return NumericItem<T> &&
         (!is_complex_v<T> || operation == ArrayOperation::sqrt || operation == ArrayOperation::exp || operation == ArrayOperation::log);
}
DGSOLVE_ARRAY_FUNCTION(sqrt)
DGSOLVE_ARRAY_FUNCTION(exp)
DGSOLVE_ARRAY_FUNCTION(exp2)
DGSOLVE_ARRAY_FUNCTION(expm1)
DGSOLVE_ARRAY_FUNCTION(log)
DGSOLVE_ARRAY_FUNCTION(log2)
DGSOLVE_ARRAY_FUNCTION(log10)
DGSOLVE_ARRAY_FUNCTION(log1p)
DGSOLVE_ARRAY_FUNCTION(sin)
DGSOLVE_ARRAY_FUNCTION(cos)
DGSOLVE_ARRAY_FUNCTION(tan)
DGSOLVE_ARRAY_FUNCTION(asin)
DGSOLVE_ARRAY_FUNCTION(acos)
DGSOLVE_ARRAY_FUNCTION(atan)
DGSOLVE_ARRAY_FUNCTION(sinh)
DGSOLVE_ARRAY_FUNCTION(cosh)
DGSOLVE_ARRAY_FUNCTION(tanh)
DGSOLVE_ARRAY_FUNCTION(asinh)
DGSOLVE_ARRAY_FUNCTION(acosh)
DGSOLVE_ARRAY_FUNCTION(atanh)
DGSOLVE_ARRAY_FUNCTION(cbrt)
DGSOLVE_ARRAY_FUNCTION(erf)
DGSOLVE_ARRAY_FUNCTION(erfc)
DGSOLVE_ARRAY_FUNCTION(tgamma)
DGSOLVE_ARRAY_FUNCTION(lgamma)
DGSOLVE_ARRAY_FUNCTION(floor)
DGSOLVE_ARRAY_FUNCTION(ceil)
DGSOLVE_ARRAY_FUNCTION(trunc)
DGSOLVE_ARRAY_FUNCTION(rint)   // halves to even
DGSOLVE_ARRAY_FUNCTION(round)  // halves away from zero
#undef DGSOLVE_ARRAY_FUNCTION

#define DGSOLVE_ARRAY_FUNCTION(name)                                                           \
  template <class A, class B>                                                                  \
  requires ArrayPair<A, B>                                                                     \
  [[nodiscard]] auto name(A&& a, B&& b) {                                                      \
    using T = real_function_type<promoted<A, B>>;                                              \
    static_assert(has_function<T>(ArrayOperation::name), "not a function of complex numbers"); \
    return make_expression<T, T>(ArrayOperation::name, std::forward<A>(a), b);                 \
  }
DGSOLVE_ARRAY_FUNCTION(pow)
DGSOLVE_ARRAY_FUNCTION(atan2)
DGSOLVE_ARRAY_FUNCTION(hypot)
DGSOLVE_ARRAY_FUNCTION(fmod)
DGSOLVE_ARRAY_FUNCTION(copysign)
#undef DGSOLVE_ARRAY_FUNCTION

/// b < a ? b : a, and a < b ? b : a: the first one if either is not a number.
template <class A, class B>
requires ArrayPair<A, B>
[[nodiscard]] auto min(A&& a, const B& b) {
  using T = promoted<A, B>;
  static_assert(NumericItem<T> && !is_complex_v<T>, "complex numbers have no order");
  return make_expression<T, T>(ArrayOperation::minimum, std::forward<A>(a), b);
}
template <class A, class B>
requires ArrayPair<A, B>
[[nodiscard]] auto max(A&& a, const B& b) {
  using T = promoted<A, B>;
  static_assert(NumericItem<T> && !is_complex_v<T>, "complex numbers have no order");
  return make_expression<T, T>(ArrayOperation::maximum, std::forward<A>(a), b);
}

/// Magnitude; of complex numbers real.
template <ArrayOperand A>
[[nodiscard]] auto abs(A&& a) {
  using T = item_of<A>;
  using R = std::conditional_t<is_complex_v<T>, typename RealOf<T>::Type, T>;
  return make_expression<R, T>(ArrayOperation::absolute, std::forward<A>(a));
}
template <ArrayOperand A>
requires std::floating_point<item_of<A>>
[[nodiscard]] auto isnan(A&& a) { return make_expression<std::uint8_t, item_of<A>>(ArrayOperation::is_nan, std::forward<A>(a)); }
template <ArrayOperand A>
requires std::floating_point<item_of<A>>
[[nodiscard]] auto isfinite(A&& a) { return make_expression<std::uint8_t, item_of<A>>(ArrayOperation::is_finite, std::forward<A>(a)); }

/// a*b + c, rounded once. Everything else is rounded after every operation.
template <ArrayOrScalar A, ArrayOrScalar B, ArrayOrScalar C>
requires ArrayPair<A, B>
[[nodiscard]] auto fma(A&& a, const B& b, const C& c) {
  using T = promoted<Expression<promoted<A, B>>, C>;
  static_assert(std::is_floating_point_v<T>, "fma is for real numbers");
  ArrayProgram program = begin_program<T>(std::forward<A>(a));
  push_operand<T>(program, b);
  push_operand<T>(program, c);
  program.push(ArrayOperation::fma, element_code<T>());
  return Expression<T>(std::move(program));
}

/// a where the condition is not 0, b elsewhere. Two scalars have their common C++ type.
template <ArrayOperand C, ArrayOrScalar A, ArrayOrScalar B>
[[nodiscard]] auto where(C&& condition, const A& a, const B& b) {
  static_assert(!is_complex_v<item_of<C>>, "a complex condition");
  using T = typename decltype([] {
    if constexpr (HostScalar<A> && HostScalar<B>)
      return std::common_type<A, B>{};
    else
      return std::type_identity<promoted<A, B>>{};
  }())::type;
  ArrayProgram program = begin_program<item_of<C>>(std::forward<C>(condition));
  if constexpr (!std::is_same_v<item_of<C>, std::uint8_t>) {
    push_scalar<item_of<C>>(program, item_of<C>{});
    program.push(ArrayOperation::not_equal, element_code<item_of<C>>());
  }
  push_operand<T>(program, a);
  push_operand<T>(program, b);
  program.push(ArrayOperation::select, element_code<T>());
  return Expression<T>(std::move(program));
}

/// Parts of complex numbers; `complex(re, im)` makes them of real ones.
template <ArrayOperand A>
requires is_complex_v<item_of<A>>
[[nodiscard]] auto real(A&& a) {
  return make_expression<typename item_of<A>::value_type, item_of<A>>(ArrayOperation::real_part, std::forward<A>(a));
}
template <ArrayOperand A>
requires is_complex_v<item_of<A>>
[[nodiscard]] auto imag(A&& a) {
  return make_expression<typename item_of<A>::value_type, item_of<A>>(ArrayOperation::imaginary_part, std::forward<A>(a));
}
template <ArrayOperand A>
requires is_complex_v<item_of<A>>
[[nodiscard]] auto arg(A&& a) {
  return make_expression<typename item_of<A>::value_type, item_of<A>>(ArrayOperation::argument, std::forward<A>(a));
}
template <ArrayOperand A>
requires is_complex_v<item_of<A>>
[[nodiscard]] auto conj(A&& a) { return make_expression<item_of<A>, item_of<A>>(ArrayOperation::conjugate, std::forward<A>(a)); }
template <class A, class B>
requires ArrayPair<A, B>
[[nodiscard]] auto complex(A&& re, const B& im) {
  using T = promoted<A, B>;
  static_assert(std::is_floating_point_v<T>, "complex numbers are made of real ones");
  return make_expression<std::complex<T>, T>(ArrayOperation::make_complex, std::forward<A>(re), im);
}

/// Every item `value`.
template <class T>
[[nodiscard]] Array<T> full(const Context& context, const Shape& shape, T value) {
  Array<T> result(context, shape);
  result = value;
  return result;
}
template <class T>
[[nodiscard]] Array<T> zeros(const Context& context, const Shape& shape) {
  return full<T>(context, shape, T{});
}
/// begin, begin + step, ... before end: item i is begin + step*i, rounded twice. Throws std::invalid_argument for step 0.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] Array<T> arange(const Context& context, T begin, T end, T step = T{1}) {
  if (step == T{0}) throw std::invalid_argument("arange with step 0");
  const auto steps = std::ceil((static_cast<long double>(end) - static_cast<long double>(begin)) / static_cast<long double>(step));
  Array<T> result(context, Shape(steps > 0 ? static_cast<std::int64_t>(steps) : 0));
  ArrayProgram program;
  push_scalar<T>(program, begin);
  push_scalar<T>(program, step);
  program.push(ArrayOperation::item_index, ElementCode::int64);
  if constexpr (!std::is_same_v<T, std::int64_t>) program.push(ArrayOperation::cast, element_code<T>());
  program.push(ArrayOperation::multiply, element_code<T>());
  program.push(ArrayOperation::add, element_code<T>());
  result = Expression<T>(std::move(program));
  return result;
}

/// An array and the values for its items.
struct ArrayAssignment {
  template <class T, ArrayOrScalar X>
  ArrayAssignment(const Array<T>& array, const X& given) : target(array.view()), type(element_code<T>()), values(begin_program<T>(given)) {
    check_assignable<T, item_of<X>>();
  }

  ArrayView target;
  ElementCode type;
  ArrayProgram values;
};

/// `evaluate({{y, a + b}, {z, a - b}})`: several arrays of one shape written by one kernel.
/// As if every value were known before the first one is written. Throws std::invalid_argument if a target has no memory or the shapes
/// do not fit.
inline void evaluate(std::initializer_list<ArrayAssignment> assignments) {
  std::vector<ArrayOutput> outputs;
  for (const ArrayAssignment& one : assignments) outputs.push_back({one.target, one.type, nullptr, &one.values, nullptr});
  evaluate_outputs(outputs);
}

}  // namespace dgsolve::codegen
