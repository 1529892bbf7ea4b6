// Symbolic derivatives of expression graphs.
#pragma once

#include "codegen/expression/graph.h"

namespace dgsolve::codegen::expression {

/// d root / d symbol, where `symbol` is a symbol's node. Piecewise functions (abs, min, max, floor, select) are differentiated branch by
/// branch: the derivative at a kink is that of one side.
[[nodiscard]] NodeId differentiate(Graph& graph, NodeId root, NodeId symbol);

}  // namespace dgsolve::codegen::expression
