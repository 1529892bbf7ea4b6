// Symbolic derivatives against central differences of the host evaluator.
#include "codegen/expression/differentiate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/expression/world.h"

namespace dgsolve::codegen::expression {
namespace {

class EveryDerivative : public testing::TestWithParam<std::string> {};

TEST_P(EveryDerivative, equals_central_differences) {
  World world(2);
  const NodeId root = world.expand_text(GetParam()).components.front();
  for (const std::string symbol : {"a", "b", "u1"}) {
    const std::array<NodeId, 1> derivative{differentiate(world.graph, root, world.graph.symbol(symbol))};
    const std::array<NodeId, 1> value{root};
    for (const double at : {0.31, 0.77}) {
      world.values["b"] = 0.43;
      world.values[symbol] = at;
      const double exact = evaluate(world.graph, derivative, world.values).front();
      const double step = 1e-5;
      world.values[symbol] = at + step;
      const double above = evaluate(world.graph, value, world.values).front();
      world.values[symbol] = at - step;
      const double below = evaluate(world.graph, value, world.values).front();
      EXPECT_NEAR(exact, (above - below) / (2 * step), 1e-8 * (1 + std::abs(exact))) << "d/d" << symbol << " at " << at;
      world.values["a"] = 0.62;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formulas, EveryDerivative,
                         testing::Values("a + 2*b - u[1]", "a*b*u[i]*u[i]", "a/b", "u[1]/(a^2 + b)", "a^3 + a^-2", "a^b", "pow(a, 1.7)",
                                         "sqrt(a*b)", "exp(a*b)*sin(u[1])", "log(a) + log10(b)", "cos(a)*tan(b)", "asin(a*b) + acos(a)",
                                         "atan(a/b)", "atan2(a, b)", "sinh(a) + cosh(b)*tanh(u[1])", "abs(a - 5)*b",
                                         "max(a, 3*b) + min(a, b)", "if(a < b, a^2, b^2)*u[1]", "floor(a)*b", "-(a - b)*sign(b)"));

TEST(Differentiate, derivative_of_a_sum_of_squares_is_simple) {
  World world(3);
  const NodeId root = world.expand_text("0.5*u[i]*u[i]").components.front();
  const NodeId derivative = differentiate(world.graph, root, world.graph.symbol("u2"));
  EXPECT_EQ(derivative, world.graph.symbol("u2"));
}

}  // namespace
}  // namespace dgsolve::codegen::expression
