// Reductions of whole arrays and expressions to numbers of the host: sums, extremes, norms.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "codegen/arrays/array.h"
#include "codegen/arrays/array_expression.h"
#include "codegen/arrays/array_math.h"
#include "codegen/arrays/reduction.h"
#include "codegen/arrays/reduction_operand.h"

// All of these wait for the queue. They take an Array or an Expression, whose values are computed in the reduction's kernel where its
// arrays have their items side by side, and written to memory first elsewhere. They fold in the order of ReductionKernel: the same bits in
// every run. A kernel is built at the first call for an expression. Whoever calls one of them very often, or wants several results in one
// pass or a result that stays on the device, keeps a ReductionKernel.

namespace dgsolve::codegen {

/// 64-bit integers for integers, else the type itself: what a sum of items is accumulated in.
template <class T>
using SumOf = std::conditional_t<std::is_integral_v<T>, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>;

/// A number and its place in an array.
template <class T>
struct Extreme {
  std::int64_t place;
  T value;
};

// The texts behind the functions below; `value` is the text of item i.
enum class ExtremeKind { least, most };
[[nodiscard]] Reduction sum_reduction(std::string_view value, const ElementType& result);
[[nodiscard]] Reduction square_reduction(std::string_view value, const ElementType& item, const ElementType& result);
[[nodiscard]] Reduction extreme_reduction(std::string_view value, ExtremeKind kind, const ElementType& item);
[[nodiscard]] ElementType extreme_type(const ElementType& item);
[[nodiscard]] Reduction place_reduction(std::string_view value, const ElementType& item);
[[nodiscard]] std::string place_functions(ExtremeKind kind, const ElementType& item);
void require_items(std::int64_t items, const char* function);

template <class T>
struct ElementTypeOf<Extreme<T>> {
  static ElementType get() { return extreme_type(element_type<T>()); }
};

/// Runs a reduction of one operand.
template <class R>
[[nodiscard]] R reduce_operand(const ReductionOperand& operand, const Reduction& reduction, ReductionOptions options) {
  options.preamble = operand.preamble + options.preamble;
  const ReductionKernel kernel(operand.context, operand.declaration, {reduction}, std::move(options));
  const Array<R> result(operand.context, 1, "result of a reduction");
  const CustomArgument target(result);
  kernel.enqueue(operand.arguments, operand.size, {&target, 1});
  return result.to_host().front();
}

/// The sum of all items, accumulated in R; 0 if there are none.
template <class R = void, ArrayOperand X>
[[nodiscard]] auto sum(const X& x) {
  using T = item_of<X>;
  using Result = std::conditional_t<std::is_void_v<R>, SumOf<T>, R>;
  static_assert(!is_complex_v<T> || std::is_same_v<T, Result>, "complex items are accumulated in their own type");
  const ArrayProgram program = begin_program<T>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  return reduce_operand<Result>(operand, sum_reduction(operand.item, element_type<Result>()), {.name = "sum"});
}

/// The sum of the products of items of two operands (of one shape, or broadcast), accumulated in R. (Complex items are not conjugated.)
template <class R = void, ArrayOperand X, ArrayOperand Y>
[[nodiscard]] auto dot(const X& x, const Y& y) {
  using T = promoted<X, Y>;
  using Result = std::conditional_t<std::is_void_v<R>, SumOf<T>, R>;
  return sum<Result>(x.template as<Result>() * y.template as<Result>());
}

/// The mean of all items: a float for float items, else a double. Throws std::invalid_argument if there are none.
template <ArrayOperand X>
[[nodiscard]] auto mean(const X& x) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "mean: items must be integers or real");
  using Result = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const ArrayProgram program = begin_program<T>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  require_items(operand.size, "mean");
  return reduce_operand<Result>(operand, sum_reduction(operand.item, element_type<Result>()), {.name = "mean"}) /
         static_cast<Result>(operand.size);
}

/// The root of the sum of the squares of real items, or of the squares of the absolute values of complex ones; 0 if there are none.
template <ArrayOperand X>
[[nodiscard]] auto norm2(const X& x) {
  using T = item_of<X>;
  using Result = typename RealOf<T>::Type;
  static_assert(std::is_floating_point_v<T> || is_complex_v<T>, "norm2: items must be real or complex");
  const ArrayProgram program = begin_program<T>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  return std::sqrt(
      reduce_operand<Result>(operand, square_reduction(operand.item, element_type<T>(), element_type<Result>()), {.name = "norm2"}));
}

/// The least or the largest item, and its place, with the name of the function in messages.
template <ArrayOperand X>
[[nodiscard]] item_of<X> extreme_item(const X& x, ExtremeKind kind, const char* name) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "only numbers that can be compared");
  const ArrayProgram program = begin_program<T>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  require_items(operand.size, name);
  return reduce_operand<T>(operand, extreme_reduction(operand.item, kind, element_type<T>()), {.name = name});
}
template <ArrayOperand X>
[[nodiscard]] std::int64_t extreme_place(const X& x, ExtremeKind kind, const char* name) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "only numbers that can be compared");
  const ElementType type = element_type<T>();
  const ArrayProgram program = begin_program<T>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  require_items(operand.size, name);
  return reduce_operand<Extreme<T>>(operand, place_reduction(operand.item, type),
                                    {.name = name, .preamble = place_functions(kind, type), .structures = {extreme_type(type)}})
      .place;
}

/// The least and the largest item; NaN if there is a NaN. Throw std::invalid_argument if there are no items.
template <ArrayOperand X>
[[nodiscard]] item_of<X> min(const X& x) {
  return extreme_item(x, ExtremeKind::least, "min");
}
template <ArrayOperand X>
[[nodiscard]] item_of<X> max(const X& x) {
  return extreme_item(x, ExtremeKind::most, "max");
}

/// The place (in row-major order) of the first of the least or the largest items; that of the first NaN if there is one. Throw
/// std::invalid_argument if there are no items.
template <ArrayOperand X>
[[nodiscard]] std::int64_t argmin(const X& x) {
  return extreme_place(x, ExtremeKind::least, "argmin");
}
template <ArrayOperand X>
[[nodiscard]] std::int64_t argmax(const X& x) {
  return extreme_place(x, ExtremeKind::most, "argmax");
}

/// True if one item, or every item, is not zero: any of none is false, all of none is true.
template <ArrayOperand X>
[[nodiscard]] bool any(const X& x) {
  const ArrayProgram program = begin_program<item_of<X>>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  return reduce_operand<std::int32_t>(operand, {"int", operand.item + " != 0", "a | b", "0"}, {.name = "any"}) != 0;
}
template <ArrayOperand X>
[[nodiscard]] bool all(const X& x) {
  const ArrayProgram program = begin_program<item_of<X>>(x);
  const ReductionOperand operand = reduction_operand(x, program);
  return reduce_operand<std::int32_t>(operand, {"int", operand.item + " != 0", "a & b", "1"}, {.name = "all"}) != 0;
}

}  // namespace dgsolve::codegen
