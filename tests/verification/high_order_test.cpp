// Kernels of low and high orders: the time derivative of a polynomial of the element's degree is exact, steps keep it finite and close to
// the exact solution. Orders 3 and 4 are in free_stream_test.cpp too.
#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

/// Advection of ((x + 0.5 y - 0.3 z + 1)/2)^p through a small straight box with the exact solution outside.
std::string polynomial(const std::string& shape, int dimension, int order, const std::string& nodes, int overintegration) {
  const auto d = static_cast<std::size_t>(dimension - 1);
  const std::string axis =
      std::array{"(x - 0.9*t)", "(x - 0.9*t + 0.5*(y - 0.4*t))", "(x - 0.9*t + 0.5*(y - 0.4*t) - 0.3*(z + 0.2*t))"}.at(d);
  const std::string velocity = std::array{"[0.9]", "[0.9, 0.4]", "[0.9, 0.4, -0.2]"}.at(d);
  const std::string sides = std::array{"left: exact, right: exact", "left: exact, right: exact, bottom: exact, top: exact",
                                       "left: exact, right: exact, bottom: exact, top: exact, front: exact, back: exact"}
                                .at(d);
  std::string at_start = axis;
  for (std::size_t k = at_start.find("*t"); k != std::string::npos; k = at_start.find("*t")) at_start.replace(k, 2, "*0");
  return fmt::format(
      "equations: advection\nparameters: {{a: {}}}\nmesh: {{box: {{cells: {}, shape: {}}}}}\nboundaries: {{{}}}\n"
      "initial:\n  u: (0.5*({} + 1))^{}\nexact:\n  u: (0.5*({} + 1))^{}\norder: {}\nnodes: {}\noverintegration: {}\nflux: upwind\n"
      "time: {{end: 1}}\n",
      velocity, same_in_each_direction("2", dimension), shape, sides, at_start, order, axis, order, order, nodes, overintegration);
}

/// k.a of the phase above.
double phase_speed(int dimension) {
  return std::array{0.9, 0.9 + 0.5 * 0.4, 0.9 + 0.5 * 0.4 + 0.3 * 0.2}.at(static_cast<std::size_t>(dimension - 1));
}

class EveryOrder : public codegen::EveryDevice {
 protected:
  void run(const std::string& shape, int order, const std::string& nodes = "lobatto", int overintegration = 0) {
    SCOPED_TRACE(fmt::format("{} order {} {} overintegration {}", shape, order, nodes, overintegration));
    const int dimension = shape == "line" ? 1 : shape == "tri" || shape == "quad" ? 2 : 3;
    DiscreteProblem problem(polynomial(shape, dimension, order, nodes, overintegration), device_);
    solver::DgOperator& op = *problem.op;
    // u = s^p with ds/dt = -k.a/2, so du/dt = -p (k.a/2) u/s; s > 0.3 in the box.
    const std::vector<double> state = op.state();
    const std::vector<double> rate = op.time_derivative(0);
    ASSERT_EQ(rate.size(), state.size());
    std::vector<double> expected(state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      expected[i] = -order * 0.5 * phase_speed(dimension) * std::pow(state[i], 1 - 1.0 / order);
    }
    EXPECT_LT(relative_difference(rate, expected, op), 1e-9);

    const double dt = 0.5 * op.stable_step(0);
    ASSERT_GT(dt, 1e-4);
    op.step(0, dt);
    op.step(dt, dt);
    const auto errors = op.error_norms(2 * dt);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_LT(errors[0].linf, 1e-3) << "what the Runge-Kutta method leaves";
    problem.take_steps(20, 2 * dt);
    for (const double value : op.state()) ASSERT_LT(std::abs(value), 100) << "unstable";
  }
};

TEST_P(EveryOrder, of_lines_differentiates_polynomials) {
  for (const int order : {1, 2, 5, 10}) run("line", order);
  for (const int order : {1, 10}) run("line", order, "gauss");
}
TEST_P(EveryOrder, of_triangles_differentiates_polynomials) {
  for (const int order : {1, 2, 5, 6, 7, 8}) run("tri", order);
}
TEST_P(EveryOrder, of_quadrilaterals_differentiates_polynomials) {
  for (const int order : {1, 2, 5, 6, 7, 8, 9, 10}) run("quad", order);
}
TEST_P(EveryOrder, of_gauss_quadrilaterals_differentiates_polynomials) {
  for (const int order : {1, 3, 7, 10}) run("quad", order, "gauss");
}
TEST_P(EveryOrder, of_tetrahedra_differentiates_polynomials) {
  for (const int order : {1, 2, 5, 6, 7, 8}) run("tet", order);
}
TEST_P(EveryOrder, of_hexahedra_differentiates_polynomials) {
  for (const int order : {1, 2, 5, 6, 7, 8, 9, 10}) run("hex", order);
}
TEST_P(EveryOrder, of_gauss_hexahedra_differentiates_polynomials) {
  for (const int order : {1, 3, 6, 10}) run("hex", order, "gauss");
}
TEST_P(EveryOrder, of_over_integrated_simplices_differentiates_polynomials) {
  for (const auto& [order, more] : {std::array{1, 1}, {5, 2}, {6, 2}}) run("tri", order, "lobatto", more);
  for (const auto& [order, more] : {std::array{1, 1}, {3, 2}, {6, 1}}) run("tet", order, "lobatto", more);
}
TEST_P(EveryOrder, of_over_integrated_tensor_shapes_differentiates_polynomials) {
  for (const auto& [order, more] : {std::array{1, 1}, {4, 2}, {7, 3}}) run("line", order, "lobatto", more);
  for (const auto& [order, more] : {std::array{1, 1}, {4, 2}, {7, 3}}) run("quad", order, "lobatto", more);
  for (const auto& [order, more] : {std::array{1, 1}, {3, 1}, {3, 2}, {5, 2}}) run("hex", order, "lobatto", more);
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryOrder, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
