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
#include "codegen/arrays/reduction.h"

// All of these wait for the queue. They take an Array or an Expression; an expression, or a view with gaps, is first written to memory.
// They fold in the order of ReductionKernel: the same bits in every run. A kernel is built at the first call for a type. Whoever calls one
// of them often, or wants several results in one pass or a result that stays on the device, keeps a ReductionKernel.

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

// The texts behind the functions below.
enum class ExtremeKind { least, most };
[[nodiscard]] Reduction sum_reduction(const ElementType& item, const ElementType& result);
[[nodiscard]] Reduction dot_reduction(const ElementType& item, const ElementType& result);
[[nodiscard]] Reduction extreme_reduction(ExtremeKind kind, const ElementType& item);
[[nodiscard]] ElementType extreme_type(const ElementType& item);
[[nodiscard]] Reduction place_reduction(const ElementType& item);
[[nodiscard]] std::string place_functions(ExtremeKind kind, const ElementType& item);
void require_items(std::int64_t items, const char* function);
void require_same_size(std::int64_t left, std::int64_t right, const char* function);

template <class T>
struct ElementTypeOf<Extreme<T>> {
  static ElementType get() { return extreme_type(element_type<T>()); }
};

/// The operand itself if its items are neighbours, else a copy of its values.
template <ArrayOperand X>
[[nodiscard]] Array<item_of<X>> neighbouring_items(const X& x) {
  if constexpr (std::is_same_v<X, Array<item_of<X>>>) {
    if (x.is_contiguous()) return x;
    Array<item_of<X>> copy(x.context(), x.shape());
    copy = x;
    return copy;
  } else {
    return Array<item_of<X>>(x);
  }
}

/// The sum of all items, accumulated in R; 0 if there are none.
template <class R = void, ArrayOperand X>
[[nodiscard]] auto sum(const X& x) {
  using T = item_of<X>;
  using Result = std::conditional_t<std::is_void_v<R>, SumOf<T>, R>;
  static_assert(!is_complex_v<T> || std::is_same_v<T, Result>, "complex items are accumulated in their own type");
  const Array<T> items = neighbouring_items(x);
  const ElementType type = element_type<T>(), result = element_type<Result>();
  return ReductionKernel(items.context(), "const " + type.name + "* x", {sum_reduction(type, result)}, {.name = "sum"})
      .template run<Result>({items}, items.size());
}

/// The sum of the products of items of two operands of as many items and one type, accumulated in R. (Complex items are not conjugated.)
template <class R = void, ArrayOperand X, ArrayOperand Y>
[[nodiscard]] auto dot(const X& x, const Y& y) {
  using T = item_of<X>;
  static_assert(std::is_same_v<T, item_of<Y>>, "dot: items of two types");
  using Result = std::conditional_t<std::is_void_v<R>, SumOf<T>, R>;
  static_assert(!is_complex_v<T> || std::is_same_v<T, Result>, "complex items are accumulated in their own type");
  const Array<T> left = neighbouring_items(x), right = neighbouring_items(y);
  require_same_size(left.size(), right.size(), "dot");
  const ElementType type = element_type<T>(), result = element_type<Result>();
  return ReductionKernel(left.context(), "const " + type.name + "* x, const " + type.name + "* y", {dot_reduction(type, result)},
                         {.name = "dot"})
      .template run<Result>({left, right}, left.size());
}

/// The mean of all items: a float for float items, else a double. Throws std::invalid_argument if there are none.
template <ArrayOperand X>
[[nodiscard]] auto mean(const X& x) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "mean: items must be integers or real");
  using Result = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const Array<T> items = neighbouring_items(x);
  require_items(items.size(), "mean");
  return sum<Result>(items) / static_cast<Result>(items.size());
}

/// The root of the sum of the squares of real items, or of the squares of the absolute values of complex ones; 0 if there are none.
template <ArrayOperand X>
[[nodiscard]] auto norm2(const X& x) {
  using T = item_of<X>;
  const Array<T> items = neighbouring_items(x);
  const ElementType type = element_type<T>();
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    const std::string part = element_type<Part>().name;
    return std::sqrt(ReductionKernel(items.context(), "const " + type.name + "* x",
                                     {{part, "x[i].re * x[i].re + x[i].im * x[i].im", "a + b", "0"}}, {.name = "norm2"})
                         .template run<Part>({items}, items.size()));
  } else {
    static_assert(std::is_floating_point_v<T>, "norm2: items must be real or complex");
    return std::sqrt(dot(items, items));
  }
}

template <ArrayOperand X>
[[nodiscard]] item_of<X> extreme_item(const X& x, ExtremeKind kind, const char* name) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "only numbers that can be compared");
  const Array<T> items = neighbouring_items(x);
  require_items(items.size(), name);
  const ElementType type = element_type<T>();
  return ReductionKernel(items.context(), "const " + type.name + "* x", {extreme_reduction(kind, type)}, {.name = name})
      .template run<T>({items}, items.size());
}
template <ArrayOperand X>
[[nodiscard]] std::int64_t extreme_place(const X& x, ExtremeKind kind, const char* name) {
  using T = item_of<X>;
  static_assert(std::is_arithmetic_v<T>, "only numbers that can be compared");
  const Array<T> items = neighbouring_items(x);
  require_items(items.size(), name);
  const ElementType type = element_type<T>();
  return ReductionKernel(items.context(), "const " + type.name + "* x", {place_reduction(type)},
                         {.name = name, .preamble = place_functions(kind, type), .structures = {extreme_type(type)}})
      .template run<Extreme<T>>({items}, items.size())
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
  const Array<item_of<X>> items = neighbouring_items(x);
  const std::string type = element_type<item_of<X>>().name;
  return ReductionKernel(items.context(), "const " + type + "* x", {{"int", "x[i] != 0", "a | b", "0"}}, {.name = "any"})
             .template run<std::int32_t>({items}, items.size()) != 0;
}
template <ArrayOperand X>
[[nodiscard]] bool all(const X& x) {
  const Array<item_of<X>> items = neighbouring_items(x);
  const std::string type = element_type<item_of<X>>().name;
  return ReductionKernel(items.context(), "const " + type + "* x", {{"int", "x[i] != 0", "a & b", "1"}}, {.name = "all"})
             .template run<std::int32_t>({items}, items.size()) != 0;
}

}  // namespace dgsolve::codegen
