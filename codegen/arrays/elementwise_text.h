// What is found out about the statements of an element-wise operation by reading their words.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/arrays/declaration.h"

namespace dgsolve::codegen {

/// How an operation uses one array.
struct ArrayUse {
  bool only_items = true;     ///< as `name[i]` only
  bool first_written = true;  ///< its item is set before anything can read it
};
[[nodiscard]] ArrayUse array_use(std::string_view operation, std::string_view name);

/// The operation with `name[i]` of arrays replaced: `name_item_` for those that are read, `(*name_item_)` for those that are written.
[[nodiscard]] std::string with_items(std::string_view operation, std::span<const DeclaredArgument> arguments);

/// The operation that formulas stand for; see ElementwiseKernel::from_formulas. Values are of type realv, so it may be one of items or of
/// vectors of them.
[[nodiscard]] std::string formula_operation(std::string_view arguments, std::string_view formulas, std::string_view name);

}  // namespace dgsolve::codegen
