// Host evaluation of expression graphs in double precision: the reference of the printers, and the value of constants.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "codegen/expression/graph.h"

namespace dgsolve::codegen::expression {

/// Values of the symbols by their printed text.
using SymbolValues = std::map<std::string, double, std::less<>>;

/// Values of the roots. Throws std::out_of_range naming a symbol without a value.
[[nodiscard]] std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots, const SymbolValues& values);

}  // namespace dgsolve::codegen::expression
