// Tables of the operations of array expressions.
#include "codegen/arrays/array_operation.h"

#include <array>

namespace dgsolve::codegen {
namespace {

constexpr std::array<std::string_view, 9> element_names{"float",  "double", "int",       "int64",     "uint32",
                                                        "uint64", "byte",   "complex64", "complex128"};

constexpr std::array<std::string_view, 36> function_names{
    "sqrt",   "exp",   "exp2", "expm1", "log",  "log2",  "log10", "log1p", "sin",   "cos",  "tan",      "asin",
    "acos",   "atan",  "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh", "cbrt",  "erf",  "erfc",     "tgamma",
    "lgamma", "floor", "ceil", "trunc", "rint", "round", "pow",   "atan2", "hypot", "fmod", "copysign", ""};

}  // namespace

int operand_count(ArrayOperation operation) {
  using enum ArrayOperation;
  if (operation <= item_index) return 0;
  if (operation == fma || operation == select) return 3;
  if (operation >= pow) return 2;
  if (operation >= sqrt) return 1;
  switch (operation) {
    case cast:
    case gather:
    case bit_not:
    case negate:
    case absolute:
    case logical_not:
    case is_nan:
    case is_finite:
    case real_part:
    case imaginary_part:
    case conjugate:
    case argument:
      return 1;
    default:
      return 2;
  }
}

ElementCode result_type(ArrayOperation operation, ElementCode type) {
  using enum ArrayOperation;
  if (operation >= less && operation <= is_finite) return ElementCode::byte;
  if (operation == make_complex) return type == ElementCode::float32 ? ElementCode::complex64 : ElementCode::complex128;
  const bool is_complex = type == ElementCode::complex64 || type == ElementCode::complex128;
  const bool to_real = operation == absolute || operation == real_part || operation == imaginary_part || operation == argument;
  if (is_complex && to_real) return type == ElementCode::complex64 ? ElementCode::float32 : ElementCode::float64;
  return type;
}

std::string_view element_name(ElementCode type) { return element_names.at(static_cast<std::size_t>(type)); }

std::size_t element_bytes(ElementCode type) {
  constexpr std::array<std::size_t, 9> bytes{4, 8, 4, 8, 4, 8, 1, 8, 16};
  return bytes.at(static_cast<std::size_t>(type));
}

std::string_view function_name(ArrayOperation operation) {
  if (operation < ArrayOperation::sqrt) return {};
  return function_names.at(static_cast<std::size_t>(operation) - static_cast<std::size_t>(ArrayOperation::sqrt));
}

}  // namespace dgsolve::codegen
