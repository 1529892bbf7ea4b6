// A small world of names for tests of formulas.
#pragma once

#include <string>
#include <vector>

#include "codegen/expression/evaluate.h"
#include "codegen/expression/expand.h"
#include "codegen/expression/print.h"

namespace dgsolve::codegen::expression {

/// Scalars a, b and the constant zero; vectors u[i], v[i] and the normal n[i] in `dimension` directions; B[a:3]; s[i,k].
struct World {
  explicit World(int dim) : dimension(dim), scope(graph, dim) {
    scope.bind("a", graph.symbol("a"));
    scope.bind("b", graph.symbol("b"));
    scope.bind("zero", graph.constant(0));
    for (const std::string name : {"u", "v", "n"}) scope.bind(name, tensor(name, {dim}), name == "n" ? Beyond::zero : Beyond::fault);
    scope.bind("B", tensor("B", {3}));
    scope.bind("s", tensor("s", {dim, dim}));
    for (int k = 0; k < 3; ++k) {
      values["u" + std::to_string(k + 1)] = 1 + k;
      values["v" + std::to_string(k + 1)] = 5 + 3 * k;
      values["B" + std::to_string(k + 1)] = 13 + 4 * k;
    }
    for (int k = 0; k < 9; ++k) values["s" + std::to_string(k + 1)] = 0.5 * (k * k + 1);
  }

  Tensor tensor(const std::string& name, const std::vector<int>& extents) {
    Tensor result{extents, {}};
    int count = 1;
    for (const int extent : extents) count *= extent;
    for (int k = 1; k <= count; ++k) result.components.push_back(graph.symbol(name + std::to_string(k)));
    return result;
  }

  Tensor expand_text(const std::string& text, const std::vector<FreeIndex>& free = {}) { return expand(parse_formula(text), free, scope); }
  std::vector<double> all_values(const std::string& text, const std::vector<FreeIndex>& free) {
    return evaluate(graph, expand_text(text, free).components, values);
  }
  double value(const std::string& text) { return all_values(text, {}).front(); }
  std::string print(const std::string& text, Precision precision = Precision::double_precision) {
    const std::vector<Assignment> out{{"r", expand_text(text).components.front()}};
    return print_statements(graph, out, {.precision = precision, .indent = ""}).text;
  }

  int dimension;
  Graph graph;
  Scope scope;
  SymbolValues values{{"a", 1.5}, {"b", -2}, {"n1", 0.6}, {"n2", 0.8}, {"n3", 0}};
};

}  // namespace dgsolve::codegen::expression
