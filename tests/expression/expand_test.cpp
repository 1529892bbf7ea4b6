// Index notation, functions, definitions and two-state operators.
#include "codegen/expression/expand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/expression/world.h"

namespace dgsolve::codegen::expression {
namespace {

TEST(Expand, sums_over_repeated_indices_of_the_space_dimension) {
  EXPECT_EQ(World(1).value("u[i]*v[i]"), 5);
  EXPECT_EQ(World(2).value("u[i]*v[i]"), 5 + 2 * 8);
  EXPECT_EQ(World(3).value("u[i]*v[i]"), 5 + 2 * 8 + 3 * 11);
}

TEST(Expand, index_with_its_own_extent_runs_to_it) {
  EXPECT_EQ(World(2).value("B[i]*B[i]"), 169 + 289 + 441);
  EXPECT_EQ(World(2).value("u[i]*B[i]"), 13 + 2 * 17) << "a factor that ends earlier ends the sum";
}

TEST(Expand, normal_is_zero_beyond_the_space_dimension) {
  World world(2);
  EXPECT_DOUBLE_EQ(world.value("B[a]*n[a]"), 13 * 0.6 + 17 * 0.8);
  EXPECT_DOUBLE_EQ(world.all_values("B[a] + n[a]", {{"a", 3}})[2], 21);
  EXPECT_DOUBLE_EQ(world.value("(B[a] + n[a])*B[a]"), 13.6 * 13 + 17.8 * 17 + 21 * 21) << "the sum still runs to the end of B";
  EXPECT_EQ(world.value("n[3]"), 0);
}

TEST(Expand, kronecker_and_permutation_symbols) {
  World world(3);
  EXPECT_EQ(world.value("delta[i,i]"), 3);
  EXPECT_EQ(World(2).value("delta[i,i]"), 2);
  EXPECT_EQ(world.value("delta[i,j]*u[i]*v[j]"), world.value("u[i]*v[i]"));
  EXPECT_EQ(world.value("epsilon[i,j,k]*epsilon[i,j,k]"), 6);
  EXPECT_EQ(World(2).value("epsilon[i,j,k]*epsilon[i,j,k]"), 6) << "the permutation symbol always has three values";
  EXPECT_EQ(world.value("epsilon[1,i,j]*u[i]*v[j]"), 2 * 11 - 3 * 8);
  EXPECT_EQ(world.value("epsilon[2,i,j]*u[i]*v[j]"), 3 * 5 - 1 * 11);
  EXPECT_EQ(world.value("epsilon[3,i,j]*u[i]*v[j]"), 1 * 8 - 2 * 5);
}

TEST(Expand, traces_and_contractions_of_tensors) {
  World world(2);  // s = (0.5, 1, 2.5, 5)
  EXPECT_EQ(world.value("s[i,i]"), 5.5);
  EXPECT_EQ(world.value("u[i]*s[i,k]*v[k]"), 1 * (0.5 * 5 + 1 * 8) + 2 * (2.5 * 5 + 5 * 8));
  EXPECT_EQ(world.value("s[1,2]"), 1);
  EXPECT_EQ(world.all_values("s[k,i]", {{"i", 2}, {"k", 2}}), (std::vector<double>{0.5, 2.5, 1, 5}));
}

TEST(Expand, summed_index_inside_a_function_hides_the_one_outside) {
  World world(3);
  const std::vector<double> values = world.all_values("sqrt(u[i]*u[i])*v[i]", {{"i", 3}});
  EXPECT_DOUBLE_EQ(values[0], std::sqrt(14.0) * 5);
  EXPECT_DOUBLE_EQ(values[2], std::sqrt(14.0) * 11);
}

TEST(Expand, sums_in_parentheses_distribute_over_a_contraction) {
  World world(3);
  EXPECT_DOUBLE_EQ(world.value("-(a*u[j] - b*(v[j] + delta[2,j]))*n[j]"), -(1.5 * (0.6 + 1.6) + 2 * (5 * 0.6 + 8 * 0.8 + 0.8)));
  EXPECT_DOUBLE_EQ(world.value("(u[i] + v[i])*(u[i] - v[i])"), 6 * -4 + 10 * -6 + 14 * -8.0);
}

TEST(Expand, precedence_is_that_of_mathematics) {
  World world(1);
  EXPECT_EQ(world.value("-2^2"), -4);
  EXPECT_EQ(world.value("2^3^2"), 512);
  EXPECT_EQ(world.value("2^-1"), 0.5);
  EXPECT_EQ(world.value("7 - 3 - 2"), 2);
  EXPECT_EQ(world.value("16/4/2"), 2);
  EXPECT_EQ(world.value("2*-3"), -6);
  EXPECT_EQ(world.value("if(1 < 2 || 1/3 > 4 && 2 == 3, 5, 6)"), 5);
  EXPECT_EQ(world.value("if(!(a > 1), 5, 6)"), 6);
}

TEST(Expand, branch_of_a_constant_condition_that_does_not_hold_is_left_alone) {
  EXPECT_EQ(World(1).value("if(zero > 0, a/zero, b)"), -2);
  EXPECT_EQ(World(1).value("if(zero == 0, b, 1/zero)"), -2);
}

struct FunctionCase {
  std::string formula;
  double value;
};

class EveryFunction : public testing::TestWithParam<FunctionCase> {};

/// a = 1.5, b = -2 (symbols), and the same with constants, which fold.
TEST_P(EveryFunction, has_its_value_of_symbols_and_of_constants) {
  World world(1);
  EXPECT_DOUBLE_EQ(world.value(GetParam().formula), GetParam().value);
  World constants(1);
  constants.scope.bind("a", constants.graph.constant(1.5));
  constants.scope.bind("b", constants.graph.constant(-2));
  const NodeId folded = constants.expand_text(GetParam().formula).components.front();
  ASSERT_TRUE(constants.graph.is_constant(folded));
  EXPECT_DOUBLE_EQ(constants.graph.node(folded).value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryFunction,
                         testing::Values(FunctionCase{"sqrt(a)", std::sqrt(1.5)}, FunctionCase{"exp(b)", std::exp(-2.0)},
                                         FunctionCase{"log(a)", std::log(1.5)}, FunctionCase{"log10(a)", std::log10(1.5)},
                                         FunctionCase{"pow(a, 2.7)", std::pow(1.5, 2.7)}, FunctionCase{"a^2.5", std::pow(1.5, 2.5)},
                                         FunctionCase{"b^3", -8}, FunctionCase{"b^-2", 0.25}, FunctionCase{"a^b", 1 / 2.25},
                                         FunctionCase{"sin(a)", std::sin(1.5)}, FunctionCase{"cos(b)", std::cos(-2.0)},
                                         FunctionCase{"tan(a)", std::tan(1.5)}, FunctionCase{"asin(a/2)", std::asin(0.75)},
                                         FunctionCase{"acos(a/2)", std::acos(0.75)}, FunctionCase{"atan(b)", std::atan(-2.0)},
                                         FunctionCase{"atan2(b, a)", std::atan2(-2.0, 1.5)}, FunctionCase{"sinh(a)", std::sinh(1.5)},
                                         FunctionCase{"cosh(a)", std::cosh(1.5)}, FunctionCase{"tanh(a)", std::tanh(1.5)},
                                         FunctionCase{"abs(b)", 2}, FunctionCase{"sign(b)", -1}, FunctionCase{"sign(a)", 1},
                                         FunctionCase{"sign(a - 1.5)", 0}, FunctionCase{"min(a, b)", -2}, FunctionCase{"max(b, 0, a)", 1.5},
                                         FunctionCase{"mod(b, a)", 1}, FunctionCase{"mod(3.5, a)", 0.5}, FunctionCase{"floor(a)", 1},
                                         FunctionCase{"floor(b - 0.5)", -3}, FunctionCase{"if(a > b, 3, 4)", 3},
                                         FunctionCase{"if(a <= b, 3, 4)", 4}, FunctionCase{"if(a >= 1.5 && b != 2, 3, 4)", 3},
                                         FunctionCase{"if(a < 1 || b == -2, 3, 4)", 3}));

TEST(Expand, definitions_are_expanded_where_they_are_used) {
  World world(2);
  const auto define = [&world](const std::string& target, const std::string& text) {
    world.scope.define(parse_target(target), std::make_shared<const Syntax>(parse_formula(text)));
  };
  define("w[k]", "2*u[k] + sum*v[k]");
  define("sum", "u[i]*u[i]");
  EXPECT_EQ(world.all_values("w[i]", {{"i", 2}}), (std::vector<double>{2 + 5 * 5, 4 + 5 * 8}));
}

TEST(Expand, the_same_name_may_be_a_scalar_and_indexed_a_vector) {
  World world(2);
  world.scope.bind("x", world.graph.symbol("a"));
  world.scope.bind("x", world.tensor("u", {2}), Beyond::zero);
  EXPECT_EQ(world.value("x + x[2] + x[3]"), 1.5 + 2);
}

/// Two states: q is 2 inside, 5 outside.
struct TwoStates {
  TwoStates() : both(graph, 1), inner(graph, 1, &both), outer(graph, 1, &both) {
    both.bind("k", graph.constant(3));
    inner.bind("q", graph.symbol("qm"));
    outer.bind("q", graph.symbol("qp"));
    for (Scope* side : {&inner, &outer}) {
      side->define(parse_target("square"), std::make_shared<const Syntax>(parse_formula("k*q^2")));
    }
    both.set_sides(inner, outer);
  }
  double value(const std::string& text, double qm = 2, double qp = 5) {
    return evaluate(graph, expand(parse_formula(text), {}, both).components, {{"qm", qm}, {"qp", qp}}).front();
  }
  Graph graph;
  Scope both, inner, outer;
};

TEST(TwoStateOperators, take_their_argument_from_the_sides) {
  TwoStates states;
  EXPECT_EQ(states.value("inner(q)"), 2);
  EXPECT_EQ(states.value("outer(square)"), 75);
  EXPECT_EQ(states.value("mean(square)"), 43.5);
  EXPECT_EQ(states.value("jump(q)"), 3);
  EXPECT_EQ(states.value("k*inner(q) + max(inner(q), outer(q))"), 11);
}

TEST(TwoStateOperators, logarithmic_mean_is_smooth_where_both_states_are_equal) {
  TwoStates states;
  EXPECT_DOUBLE_EQ(states.value("logmean(q)", 2, 5), 3 / std::log(2.5));
  EXPECT_DOUBLE_EQ(states.value("logmean(q)", 2, 2), 2);
  // Reference: (b - a)/log1p((b - a)/a) does not cancel.
  for (const double d : {1e-12, 1e-6, 1e-3, 0.05, 0.13, 0.2, 1.0}) {
    EXPECT_NEAR(states.value("logmean(q)", 2, 2 + d), d / std::log1p(d / 2), 4e-15) << d;
  }
}

}  // namespace
}  // namespace dgsolve::codegen::expression
