// Simplification of expressions, and the C text printed from them.
#include "codegen/expression/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "tests/expression/world.h"

namespace dgsolve::codegen::expression {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Print, factors_without_the_summed_index_stay_outside) {
  World world(3);
  EXPECT_EQ(world.print("a*u[j]*n[j]"), "r = a * FMA(u3, n3, FMA(u2, n2, u1 * n1));\n");
  EXPECT_EQ(world.print("(a*u[j] + b*delta[1,j])*n[j]"), "r = FMA(b, n1, a * FMA(u3, n3, FMA(u2, n2, u1 * n1)));\n");
  EXPECT_EQ(world.print("u[i]*u[i]*v[j]*v[j]"), "r = FMA(u3, u3, FMA(u2, u2, u1 * u1)) * FMA(v3, v3, FMA(v2, v2, v1 * v1));\n");
}

TEST(Print, factors_that_all_summands_share_are_taken_out) {
  World world(2);
  world.scope.define(parse_target("w[k]"), std::make_shared<const Syntax>(parse_formula("u[k]/a")));
  EXPECT_EQ(world.print("w[j]*n[j]"), "r = FMA(u2, n2, u1 * n1) / a;\n");
}

TEST(Print, constants_fold_and_trivial_operations_vanish) {
  World world(2);
  EXPECT_EQ(world.print("a*1 + 0*b + (2 - 2)*u[1]"), "r = a;\n");
  EXPECT_EQ(world.print("2*(3*a)"), "r = 6.0 * a;\n");
  EXPECT_EQ(world.print("a - a"), "r = REALV(0.0);\n");
  EXPECT_EQ(world.print("a + a"), "r = 2.0 * a;\n");
  EXPECT_EQ(world.print("3*a - 2*a"), "r = a;\n");
  EXPECT_EQ(world.print("a/a"), "r = REALV(1.0);\n");
  EXPECT_EQ(world.print("-(-a)"), "r = a;\n");
  EXPECT_EQ(world.print("-(a - b)"), "r = b - a;\n");
  EXPECT_EQ(world.print("if(1 < 2, a, b)"), "r = a;\n");
  EXPECT_EQ(world.print("max(abs(a - b), abs(a + b))"), "r = fabs(b) + fabs(a);\n");
}

TEST(Print, powers_become_products_and_roots) {
  World world(1);
  EXPECT_EQ(world.print("a^2"), "r = a * a;\n");
  EXPECT_EQ(world.print("a^3"), "r = a * (a * a);\n");
  EXPECT_EQ(world.print("a^-1"), "r = 1.0 / a;\n");
  EXPECT_EQ(world.print("a^0.5"), "r = sqrt(a);\n");
  EXPECT_EQ(world.print("a^1.5"), "r = a * sqrt(a);\n");
  EXPECT_EQ(world.print("a^1.4"), "r = pow(a, REALV(1.4));\n");
}

TEST(Print, one_division_stays_and_several_share_their_reciprocal) {
  World world(3);
  EXPECT_EQ(world.print("b/a"), "r = b / a;\n");
  EXPECT_EQ(world.print("b/4"), "r = 0.25 * b;\n");
  EXPECT_EQ(world.print("sin(u[1]/a) + cos(u[2]/a)"), "const realv w1 = 1.0 / a;\nr = sin(u1 * w1) + cos(u2 * w1);\n");
}

TEST(Print, products_that_feed_a_sum_become_fma) {
  World world(2);
  EXPECT_EQ(world.print("a*b + u[1]"), "r = FMA(a, b, u1);\n");
  EXPECT_EQ(world.print("u[1] - a*b"), "r = FMA(-a, b, u1);\n");
  EXPECT_EQ(world.print("a*b - u[1]"), "r = FMA(a, b, -u1);\n");
  EXPECT_EQ(world.print("1 - 0.5*a"), "r = FMA(REALV(-0.5), a, REALV(1.0));\n");
  EXPECT_EQ(world.print("a*b + u[1]*u[2]"), "r = FMA(u1, u2, a * b);\n");
  EXPECT_EQ(world.print("sin(a*b) + a*b"), "const realv w1 = a * b;\nr = w1 + sin(w1);\n") << "a product with another use stays";
}

TEST(Print, selections_have_vector_branches_and_scalar_bounds) {
  World world(1);
  EXPECT_EQ(world.print("max(a, 0)"), "r = SELECT(a > 0.0, a, REALV(0.0));\n");
  EXPECT_EQ(world.print("min(a, b)"), "r = SELECT(a < b, a, b);\n");
  EXPECT_EQ(world.print("abs(a)"), "r = fabs(a);\n");
  EXPECT_EQ(world.print("if(a < b && b != 1 || !(a > 2), a, 2)"), "r = SELECT(a < b && b != 1.0 || !(2.0 < a), a, REALV(2.0));\n");
}

TEST(Print, scalar_symbols_are_broadcast) {
  World world(1);
  world.scope.bind("t", world.graph.symbol("t", true));
  EXPECT_EQ(world.print("sin(2*t)"), "r = sin(2.0 * REALV(t));\n");
}

TEST(Print, values_with_several_uses_are_computed_once) {
  World world(1);
  const std::string text = world.print("exp(a)*sin(exp(a)) + max(exp(a), b)");
  EXPECT_EQ(text.find("exp"), text.rfind("exp")) << text;
}

TEST(Print, operations_are_counted) {
  World world(3);
  const auto count = [&world](const std::string& text) {
    const std::vector<Assignment> out{{"r", world.expand_text(text).components.front()}};
    return print_statements(world.graph, out, {}).operations;
  };
  EXPECT_EQ(count("u[i]*n[i]"), 5);
  EXPECT_EQ(count("a/b"), 1);
  EXPECT_EQ(count("sin(u[1]/a) + cos(u[2]/a)"), 6);
  EXPECT_EQ(count("-a"), 0);
}

TEST(Print, literals_read_back_to_the_same_bits) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 20000; ++k) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = print_literal(value, Precision::double_precision);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    EXPECT_THAT(text, testing::ContainsRegex("[.e]")) << "not an integer literal";
    const float narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(narrow)) continue;
    const std::string single = print_literal(static_cast<double>(narrow), Precision::single_precision);
    EXPECT_EQ(single.back(), 'f');
    EXPECT_EQ(std::strtof(single.c_str(), nullptr), narrow) << single;
  }
  EXPECT_EQ(print_literal(3, Precision::double_precision), "3.0");
  EXPECT_EQ(print_literal(1e300, Precision::double_precision), "1e+300");
}

TEST(Print, single_precision_has_single_literals_everywhere) {
  World world(2);
  const std::string text = world.print("0.1*a + max(b, 0.5)/3 + if(a > 2, 1, 2.5)", Precision::single_precision);
  EXPECT_THAT(text, HasSubstr("0.1f"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("[0-9]\\.[0-9]+[^0-9f]")));
}

TEST(Print, the_same_formula_prints_the_same_text) {
  const std::string formula = "(a*u[j] + b*delta[1,j])*n[j]/sqrt(u[i]*u[i] + a^2) + max(a, b)";
  EXPECT_EQ(World(3).print(formula), World(3).print(formula));
}

}  // namespace
}  // namespace dgsolve::codegen::expression
