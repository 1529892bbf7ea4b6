// The operations of array expressions, the types they work on, and the rules for mixed types.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codegen/arrays/element_type.h"

namespace dgsolve::codegen {

enum class ElementCode : std::uint8_t { float32, float64, int32, int64, uint32, uint64, byte, complex64, complex128, structure };

enum class ArrayOperation : std::uint8_t {
  array,  // leaves
  scalar,
  item_index,
  cast,    // to the token's type
  gather,  // item of a table at the place below
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  bit_not,
  negate,
  absolute,
  minimum,
  maximum,
  fma,
  select,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  is_nan,
  is_finite,
  make_complex,
  real_part,
  imaginary_part,
  conjugate,
  argument,
  sqrt,  // from here on the name in kernels is the name of the operation
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  cbrt,
  erf,
  erfc,
  tgamma,
  lgamma,
  floor,
  ceil,
  trunc,
  rint,
  round,
  pow,
  atan2,
  hypot,
  fmod,
  copysign,
};

/// How many operands below it an operation takes (a gather: the place).
[[nodiscard]] int operand_count(ArrayOperation operation);
/// The type of the result of an operation on operands of `type`.
[[nodiscard]] ElementCode result_type(ArrayOperation operation, ElementCode type);
/// The type's name in kernels; not of structures.
[[nodiscard]] std::string_view element_name(ElementCode type);
/// Bytes of one item; not of structures.
[[nodiscard]] std::size_t element_bytes(ElementCode type);
/// The function's name in kernels; empty for operations that are none.
[[nodiscard]] std::string_view function_name(ArrayOperation operation);

/// Functions of tens of instructions.
[[nodiscard]] constexpr bool is_long_function(ArrayOperation operation) {
  using enum ArrayOperation;
  return operation > sqrt && operation != copysign && !(operation >= floor && operation <= round);
}

template <class T>
constexpr bool is_complex_v = false;
template <class T>
constexpr bool is_complex_v<std::complex<T>> = true;

template <class T>
[[nodiscard]] constexpr ElementCode element_code() {
  if constexpr (std::is_same_v<T, float>) return ElementCode::float32;
  if constexpr (std::is_same_v<T, double>) return ElementCode::float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementCode::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementCode::int64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ElementCode::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ElementCode::uint64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ElementCode::byte;
  if constexpr (std::is_same_v<T, std::complex<float>>) return ElementCode::complex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return ElementCode::complex128;
  return ElementCode::structure;
}

template <class T>
concept NumericItem = element_code<T>()
!= ElementCode::structure;

/// The real type of a type's parts; integers become double, bytes float.
template <class T>
struct RealOf {
  using Type = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, std::uint8_t>, float, double>;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

/// Type of an operation on items of types A and B, NumPy's rules: complex before real before integer; the wider of two; float with an
/// integer wider than a byte is double; signed with unsigned is the next wider signed type, 64 bits of both are double.
template <class A, class B>
[[nodiscard]] constexpr auto promote_items() {
  using Real = std::conditional_t<std::is_same_v<typename RealOf<A>::Type, double> || std::is_same_v<typename RealOf<B>::Type, double>,
                                  double, float>;
  if constexpr (std::is_same_v<A, B>) {
    return A{};
  } else if constexpr (is_complex_v<A> || is_complex_v<B>) {
    return std::complex<Real>{};
  } else if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {
    return Real{};
  } else if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
    return std::conditional_t<(sizeof(A) > sizeof(B)), A, B>{};
  } else {
    constexpr std::size_t signed_bytes = std::is_signed_v<A> ? sizeof(A) : sizeof(B), other_bytes = sizeof(A) + sizeof(B) - signed_bytes;
    using Signed = std::conditional_t<std::is_signed_v<A>, A, B>;
    using Wide = std::conditional_t<(other_bytes < 8), std::int64_t, double>;
    return std::conditional_t<(other_bytes < signed_bytes), Signed, Wide>{};
  }
}

/// Type of an operation on an array of A and a host scalar of type S: that of the array, unless the scalar is real and the array is of
/// integers (double), or the scalar is complex and the array is not.
template <class A, class S>
[[nodiscard]] constexpr auto promote_scalar() {
  if constexpr (is_complex_v<S> && !is_complex_v<A>) {
    return std::complex<std::conditional_t<std::is_same_v<A, float>, float, double>>{};
  } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<A>) {
    return double{};
  } else {
    return A{};
  }
}

}  // namespace dgsolve::codegen
