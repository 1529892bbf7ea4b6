// Argument lists of custom kernels, written as in C: "double a, const double* x, double* y".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/arrays/element_type.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// An argument of a custom kernel: what the kernel's signature needs, and the type of an item.
struct DeclaredArgument {
  ArgumentSpec spec;
  ElementType element;
  [[nodiscard]] bool is_array() const { return is_buffer(spec.type); }
};

/// Reads "TYPE name, const TYPE* name, ..."; TYPE is a plain type of the dialect or one of `structures`. A pointer to const is `in`, any
/// other `in_out`. An empty text is an empty list. Throws std::invalid_argument with the text, the place and what is allowed.
[[nodiscard]] std::vector<DeclaredArgument> parse_declaration(std::string_view text, std::span<const ElementType> structures = {});

/// The part of a KernelSpec's arguments for one item type: a buffer or a value.
[[nodiscard]] ArgumentSpec array_argument(std::string name, const ElementType& element, Intent intent, std::string shape = "[item]");
[[nodiscard]] ArgumentSpec value_argument(std::string name, const ElementType& element);

}  // namespace dgsolve::codegen
