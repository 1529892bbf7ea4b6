// Prints expression graphs as straight-line C of the kernel dialect.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/expression/graph.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen::expression {

/// `target = value;`, e.g. target "f[0]".
struct Assignment {
  std::string target;
  NodeId value;
};

struct PrintedCode {
  std::string text;    ///< statements, one a line
  int operations = 0;  ///< floating-point operations: fma 2, everything else 1; selections and comparisons are not counted
};

struct PrintOptions {
  Precision precision = Precision::double_precision;
  std::string indent = "  ";
  std::string temporary = "w";  ///< temporaries are w1, w2, ...: no symbol may be called so
};

/// The statements for `realv` (scalar or vector reals). Products that feed one sum become FMA(a, b, c); reciprocals with one use become
/// divisions; values with several uses become temporaries. The text depends on the graph and the options alone.
[[nodiscard]] PrintedCode print_statements(const Graph& graph, std::span<const Assignment> assignments, const PrintOptions& options);

/// A number as a literal that reads back to the same bits, with suffix f in single precision.
[[nodiscard]] std::string print_literal(double value, Precision precision);

}  // namespace dgsolve::codegen::expression
