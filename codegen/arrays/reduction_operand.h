// What a reduction of an array or an expression reads: arguments of a custom kernel, and the text of item i.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/array_expression.h"
#include "codegen/arrays/custom_argument.h"

namespace dgsolve::codegen {

/// It points into the array or the expression that it was made from.
struct ReductionOperand {
  Context context;
  std::int64_t size = 0;
  std::string declaration{};  ///< of the arguments
  std::string item{};         ///< expression of the value of item i
  std::string preamble{};     ///< functions that it calls
  std::vector<CustomArgument> arguments{};
  ArrayView copy{};  ///< of the values, if they had to be written to memory
};

/// The values of a program whose arrays all have their items side by side are computed in the reduction's kernel; others are written to
/// memory first.
[[nodiscard]] ReductionOperand program_operand(const ArrayProgram& program, const ElementType& type, ElementCode code);
[[nodiscard]] ReductionOperand view_operand(const ArrayView& view, const ElementType& type);

/// Array: the items themselves if they are neighbours.
template <ArrayOperand X>
[[nodiscard]] ReductionOperand reduction_operand(const X& x, const ArrayProgram& program) {
  using T = item_of<X>;
  if constexpr (std::is_same_v<X, Array<T>>) {
    if (x.has_memory() && x.is_contiguous()) return view_operand(x.view(), element_type<T>());
  }
  return program_operand(program, element_type<T>(), element_code<T>());
}

}  // namespace dgsolve::codegen
