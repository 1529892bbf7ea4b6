// Index notation, simplification and printing of formulas.
#include "codegen/expression/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "codegen/errors.h"
#include "codegen/expression/evaluate.h"
#include "codegen/expression/print.h"

namespace dgsolve::codegen::expression {
namespace {

/// Names of a small world in `dimension` directions: scalars a, b; vectors u[i], v[i]; B[a:3]; n; x.
struct World {
  explicit World(int dim) : dimension(dim), scope(graph, dim) {
    scope.bind("a", graph.symbol("a"));
    scope.bind("b", graph.symbol("b"));
    scope.bind("zero", graph.constant(0));
    for (const std::string name : {"u", "v", "n"}) scope.bind(name, vector(name, dim), name == "n" ? Beyond::zero : Beyond::fault);
    scope.bind("B", vector("B", 3));
  }
  Tensor vector(const std::string& name, int count) {
    Tensor result{{count}, {}};
    for (int k = 0; k < count; ++k) result.components.push_back(graph.symbol(name + std::to_string(k + 1)));
    return result;
  }
  Tensor expand_text(const std::string& text, std::vector<FreeIndex> free = {}) { return expand(parse_formula(text), free, scope); }
  double value(const std::string& text) { return evaluate(graph, expand_text(text).components, values).front(); }
  std::string print(const std::string& text) {
    const std::vector<Assignment> out{{"r", expand_text(text).components.front()}};
    return print_statements(graph, out, {.indent = ""}).text;
  }

  int dimension;
  Graph graph;
  Scope scope;
  SymbolValues values{{"a", 1.5}, {"b", -2},   {"u1", 1},   {"u2", 2}, {"u3", 3},  {"v1", 5},  {"v2", 7},
                      {"v3", 11}, {"n1", 0.6}, {"n2", 0.8}, {"n3", 0}, {"B1", 13}, {"B2", 17}, {"B3", 19}};
};

TEST(Expand, sums_over_repeated_indices_of_the_space_dimension) {
  EXPECT_EQ(World(1).value("u[i]*v[i]"), 5);
  EXPECT_EQ(World(2).value("u[i]*v[i]"), 19);
  EXPECT_EQ(World(3).value("u[i]*v[i]"), 52);
  EXPECT_EQ(World(2).value("B[i]*B[i]"), 169 + 289 + 361);
  EXPECT_EQ(World(2).value("u[i]*B[i]"), 13 + 34);
}

TEST(Expand, normal_is_zero_beyond_the_space_dimension) {
  World world(2);
  EXPECT_DOUBLE_EQ(world.value("B[a]*n[a]"), 13 * 0.6 + 17 * 0.8);
  const Tensor tensor = world.expand_text("B[a] + n[a]", {{"a", 3}});
  const std::vector<double> values = evaluate(world.graph, tensor.components, world.values);
  EXPECT_DOUBLE_EQ(values[2], 19);
}

TEST(Expand, kronecker_and_permutation_symbols) {
  World world(3);
  EXPECT_EQ(world.value("delta[i,i]"), 3);
  EXPECT_EQ(world.value("delta[i,j]*u[i]*v[j]"), 52);
  EXPECT_EQ(world.value("epsilon[i,j,k]*epsilon[i,j,k]"), 6);
  EXPECT_EQ(world.value("epsilon[1,i,j]*u[i]*v[j]"), 2 * 11 - 3 * 7);
  EXPECT_EQ(world.value("epsilon[2,i,j]*u[i]*v[j]"), 3 * 5 - 1 * 11);
}

TEST(Expand, summed_index_inside_a_function_hides_the_one_outside) {
  World world(3);
  const Tensor tensor = world.expand_text("sqrt(u[i]*u[i])*v[i]", {{"i", 3}});
  const std::vector<double> values = evaluate(world.graph, tensor.components, world.values);
  EXPECT_DOUBLE_EQ(values[0], std::sqrt(14.0) * 5);
  EXPECT_DOUBLE_EQ(values[2], std::sqrt(14.0) * 11);
}

TEST(Print, factors_without_the_summed_index_stay_outside) {
  World world(3);
  EXPECT_EQ(world.print("a*u[j]*n[j]"), "r = a * FMA(u3, n3, FMA(u2, n2, u1 * n1));\n");
  EXPECT_EQ(world.print("(a*u[j] + b*delta[1,j])*n[j]"), "r = FMA(b, n1, a * FMA(u3, n3, FMA(u2, n2, u1 * n1)));\n");
}

TEST(Print, constants_fold_and_powers_become_products) {
  World world(2);
  EXPECT_EQ(world.print("a*1 + 0*b + (2 - 2)*u[1]"), "r = a;\n");
  EXPECT_EQ(world.print("a^2"), "r = a * a;\n");
  EXPECT_EQ(world.print("2*a*3"), "r = 6.0 * a;\n");
  EXPECT_EQ(world.print("a/4"), "r = 0.25 * a;\n");
  EXPECT_EQ(world.print("a/b"), "r = a / b;\n");
  EXPECT_EQ(world.print("-a"), "r = -a;\n");
  EXPECT_EQ(world.print("1 - 0.5*a"), "r = FMA(REALV(-0.5), a, REALV(1.0));\n");
  EXPECT_EQ(world.print("max(a, 0)"), "r = SELECT(a > 0.0, a, REALV(0.0));\n");
  EXPECT_EQ(world.print("if(a < b && b != 1, a, 2)"), "r = SELECT(a < b && b != 1.0, a, REALV(2.0));\n");
}

}  // namespace
}  // namespace dgsolve::codegen::expression
