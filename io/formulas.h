// Turns nodes of a document into formulas and named lists of them, with their places.
#pragma once

#include <vector>

#include "io/node.h"
#include "solver/equations/definition.h"
#include "solver/problem.h"

namespace dgsolve::io {

// All functions expect nodes that passed validate(); what does not fit is left out.

[[nodiscard]] solver::Formula to_formula(const Node& node);
/// A scalar is one component, a list one per item.
[[nodiscard]] std::vector<solver::Formula> to_components(const Node& node);
/// Map of name: formula or list of formulas. Null gives none.
[[nodiscard]] std::vector<solver::ValueFormulas> to_values(const Node* node);
/// Map of target: formula, in file order. Null gives none.
[[nodiscard]] std::vector<solver::FormulaEntry> to_entries(const Node* node);
/// A name, a list of names and `name: formula`, or a map of them. A formula without a name is called `fallback_name`.
[[nodiscard]] std::vector<solver::FieldSpec> to_fields(const Node& node, const std::string& fallback_name);

}  // namespace dgsolve::io
