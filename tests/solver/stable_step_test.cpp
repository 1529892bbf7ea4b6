// Stable steps: the spectrum's table, known limits, and runs of a model problem at and beyond the limit.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <chrono>
#include <cmath>
#include <numbers>

#include "solver/time/advection_spectrum.h"
#include "solver/time/integrator.h"
#include "solver/time/step_limit.h"

namespace dgsolve::solver {
namespace {

using mesh::Shape;

ReferenceElement element(Shape shape, int order, NodeFamily family = NodeFamily::lobatto) {
  return make_reference_element(shape, order, family);
}

/// Largest distance of two outlines relative to the spectral radius, in the directions in which both are extreme.
double difference(const SpectrumOutline& a, const SpectrumOutline& b) {
  double worst = 0;
  double radius = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto direction = std::polar(1.0, std::numbers::pi * static_cast<double>(i) / (outline_size - 1));
    worst = std::max(worst, std::abs(std::real((a[i] - b[i]) * std::conj(direction))));
    radius = std::max(radius, std::abs(a[i]));
  }
  return worst / radius;
}

std::string row(const SpectrumOutline& outline) {
  std::string text;
  for (const auto& z : outline) text += "(" + std::to_string(z.real()) + ", " + std::to_string(z.imag()) + ") ";
  return text;
}

void expect_table_row(Shape shape, int order) {
  const ReferenceElement simplex = element(shape, order);
  const SpectrumOutline sampled = sample_spectrum(simplex, {});
  EXPECT_LT(difference(sampled, advection_spectrum(simplex)), 1e-5)
      << mesh::shape_facts(shape).name << " p = " << order << " should be " << row(sampled);
}

TEST(advection_spectrum, table_of_simplices_is_what_the_sampling_gives) {
  for (int p = 1; p <= 5; ++p) expect_table_row(Shape::triangle, p);
  for (int p = 1; p <= 3; ++p) expect_table_row(Shape::tetrahedron, p);
}

/// Takes minutes: run it when nodes or operators change.
TEST(advection_spectrum, DISABLED_whole_table_of_simplices_is_what_the_sampling_gives) {
  for (int p = 1; p <= 8; ++p) {
    expect_table_row(Shape::triangle, p);
    expect_table_row(Shape::tetrahedron, p);
  }
}

TEST(advection_spectrum, no_direction_is_worse_than_along_the_axis) {
  const auto check = [](Shape shape, int order, SpectrumSampling all) {
    const ReferenceElement simplex = element(shape, order);
    const SpectrumOutline axis = sample_spectrum(simplex, {all.wave_numbers, 0});
    EXPECT_LT(difference(sample_spectrum(simplex, all), axis), 1e-6) << mesh::shape_facts(shape).name << " p = " << order;
  };
  check(Shape::triangle, 1, {16, 6});
  check(Shape::triangle, 2, {8, 4});
  check(Shape::triangle, 3, {8, 2});
  check(Shape::tetrahedron, 1, {4, 2});
}

TEST(stable_step, rates_are_speed_over_edge_in_cut_squares_and_cubes) {
  // Cells of the unit square and cube with grad xi^d = 2 e_d: advection along an edge has the rate 1, in tensor cells also.
  for (const Shape shape : {Shape::line, Shape::quadrilateral, Shape::hexahedron, Shape::triangle, Shape::tetrahedron}) {
    double rate = 0;
    for (const auto& direction : rate_directions(element(shape, 1))) rate += std::abs(2 * direction[0]);
    EXPECT_DOUBLE_EQ(rate, 1.0) << mesh::shape_facts(shape).name;
  }
}

TEST(stable_step, reproduces_the_limits_of_discontinuous_galerkin_with_ssprk33) {
  // Cockburn & Shu 2001, J. Sci. Comput. 16, table 2.2: RK3 with p = 1..3. Gauss nodes integrate the scheme exactly.
  const Integrator& method = integrator("ssprk33");
  EXPECT_NEAR(stable_step_constant(method, element(Shape::line, 1, NodeFamily::gauss)), 0.409, 0.001);
  EXPECT_NEAR(stable_step_constant(method, element(Shape::line, 2, NodeFamily::gauss)), 0.209, 0.001);
  // 0.130 in the table, for upwind advection alone. Ours also holds for waves slower than the dissipation of Rusanov's flux: a wave at rest
  // decays with (p + 1)(p + 2) = 20, and the method's region ends at -2.5127.
  EXPECT_NEAR(stable_step_constant(method, element(Shape::line, 3, NodeFamily::gauss)), 2.5127 / 20, 0.0001);
}

TEST(stable_step, is_the_same_in_all_dimensions_of_tensor_shapes_and_falls_with_the_order) {
  for (const Integrator& method : integrators()) {
    for (const NodeFamily family : {NodeFamily::lobatto, NodeFamily::gauss}) {
      double before = 10;
      for (int p = 1; p <= 10; ++p) {
        const double line = stable_step_constant(method, element(Shape::line, p, family));
        EXPECT_EQ(line, stable_step_constant(method, element(Shape::quadrilateral, p, family)));
        EXPECT_LT(line, before);
        before = line;
      }
    }
    for (const Shape shape : {Shape::triangle, Shape::tetrahedron}) {
      double before = 0.12 * static_cast<double>(method.stages.size());
      for (int p = 1; p <= 8; ++p) {
        const double step = stable_step_constant(method, element(shape, p));
        EXPECT_LT(step, before) << method.name << " p = " << p;
        EXPECT_GT(step, 0.3 * before);
        before = step;
      }
    }
  }
}

/// Growth of periodic advection at `speed` with Rusanov's flux for waves of speed 1 (1: upwind) over unit cells and many steps of
/// dt = factor * C: power of the step's matrix.
double growth(const Integrator& method, const ReferenceElement& line, double factor, double speed) {
  constexpr int cells = 12;
  const int np = line.node_count;
  Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(cells * np, cells * np);
  for (int c = 0; c < cells; ++c) {
    const int left = (c + cells - 1) % cells;
    const int right = (c + 1) % cells;
    const double ahead = (speed + 1) / 2;  // f* = ahead * q_left + behind * q_right
    const double behind = (speed - 1) / 2;
    rate.block(c * np, c * np, np, np) += 2 * (speed * line.weak_derivative[0] - ahead * line.lift.col(1) * line.trace.row(1) +
                                               behind * line.lift.col(0) * line.trace.row(0));
    rate.block(c * np, right * np, np, np) -= 2 * behind * line.lift.col(1) * line.trace.row(0);
    rate.block(c * np, left * np, np, np) += 2 * ahead * line.lift.col(0) * line.trace.row(1);
  }
  const double dt = factor * stable_step_constant(method, line);
  std::vector<Eigen::MatrixXd> registers(static_cast<std::size_t>(method.registers), Eigen::MatrixXd::Zero(cells * np, cells * np));
  registers[0].setIdentity();
  for (const Stage& stage : method.stages) {
    const Eigen::MatrixXd slope = dt * rate * registers[0];
    std::vector<Eigen::MatrixXd> next = registers;
    for (std::size_t m = 1; m <= registers.size(); ++m) {
      // Register 0 last: it sees the new values of the others.
      const std::size_t target = m % registers.size();
      const RegisterUpdate& update = stage.updates[target];
      if (!update.active) continue;
      Eigen::MatrixXd sum = update.rate * slope;
      for (std::size_t n = 0; n < registers.size(); ++n) sum += update.coefficients[n] * (target == 0 && n > 0 ? next[n] : registers[n]);
      next[target] = sum;
    }
    registers = next;
  }
  Eigen::MatrixXd steps = registers[0];
  for (int doubling = 0; doubling < 12; ++doubling) steps = Eigen::MatrixXd(steps * steps);  // 4096 steps
  return steps.norm();
}

TEST(stable_step, bounds_the_steps_that_do_not_blow_up_for_waves_of_every_speed) {
  for (const Integrator& method : integrators()) {
    for (const NodeFamily family : {NodeFamily::lobatto, NodeFamily::gauss}) {
      for (const int p : {1, 3, 5, 8}) {
        const ReferenceElement line = element(Shape::line, p, family);
        bool limit_is_sharp = false;
        for (const double speed : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
          EXPECT_LT(growth(method, line, 1.0, speed), 100) << method.name << " p = " << p << " speed " << speed;
          limit_is_sharp = limit_is_sharp || !(growth(method, line, 1.06, speed) < 1e4);
        }
        EXPECT_TRUE(limit_is_sharp) << method.name << " p = " << p;
      }
    }
  }
}

TEST(stable_step, takes_little_time) {
  // The aim is 50 ms in a release build; this bound also holds for unoptimised ones.
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(stable_step_constant(integrator("lsrk54"), element(Shape::triangle, 8)));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 2.0);
}

}  // namespace
}  // namespace dgsolve::solver
