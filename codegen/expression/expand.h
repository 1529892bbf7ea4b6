// From a checked formula in index notation to the scalar expression of each component.
#pragma once

#include <span>
#include <string>

#include "codegen/expression/scope.h"
#include "codegen/expression/syntax.h"

namespace dgsolve::codegen::expression {

/// An index that the target of a formula has, and how many values it takes.
struct FreeIndex {
  std::string letter;
  int extent = 0;
};

/// Checks the formula (names, indices, types) and expands it for every value of the free indices.
/// Throws FormulaError for a fault in it, BrokenDefinition for one in a definition that it uses.
[[nodiscard]] Tensor expand(const Syntax& formula, std::span<const FreeIndex> free, Scope& scope);

/// The formula times `name[letter]`, e.g. F[j] a[j].
[[nodiscard]] Syntax contracted_with(const Syntax& formula, std::string name, std::string letter);

}  // namespace dgsolve::codegen::expression
