// Second-order terms: orders of convergence, conservation, the step limit, walls, and mappings that agree.
#include <gmock/gmock.h>

#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

struct Case {
  std::string shape;
  int dimension;
  std::string more{};  ///< lines of the configuration
  std::string warp = "0";
};

/// Every shape, straight and warped, with all node sets and with over-integration.
std::vector<Case> cases() {
  return {{"line", 1},
          {"line", 1, "nodes: gauss\n"},
          {"tri", 2},
          {"tri", 2, "", "0.04"},
          {"quad", 2},
          {"quad", 2, "", "0.04"},
          {"quad", 2, "nodes: gauss\n", "0.04"},
          {"quad", 2, "overintegration: 2\n", "0.04"},
          {"tet", 3},
          {"hex", 3},
          {"hex", 3, "", "0.04"},
          {"hex", 3, "nodes: gauss\n"}};
}

class Viscous : public codegen::EveryDevice {};

/// Decaying heat between two sides of exact values, all others periodic; in space it varies along x alone, but for the cells' own shapes.
std::string heat(const Case& each, int order, int cells) {
  const auto d = static_cast<std::size_t>(each.dimension - 1);
  const std::string u = std::array{"sin(2*pi*x + 0.4)", "sin(2*pi*x + 0.4)*cos(2*pi*y)", "sin(2*pi*x + 0.4)"}.at(d);
  return fmt::format(
      "equations: heat\nparameters: {{kappa: 0.05}}\n"
      "mesh: {{box: {{cells: [{}{}], shape: {}, periodic: [{}], warp: {}, order: {}}}}}\n"
      "boundaries: {{left: exact, right: exact}}\ninitial: {{u: \"{}\"}}\nexact: {{u: \"{}*exp(-{}*pi^2*0.05*t)\"}}\n"
      "order: {}\nflux: central\ntime: {{end: 0.02}}\n{}",
      cells, std::array<std::string, 3>{"", fmt::format(", {}", cells), fmt::format(", {}, {}", cells / 4, cells / 8)}.at(d), each.shape,
      std::array{"", "y", "y, z"}.at(d), each.warp, each.warp == "0" ? 1 : 2, u, u, each.dimension == 2 ? 8 : 4, order, each.more);
}

/// Order p + 1 for even p and p for odd p, as mean values at both faces give it (Shu 2001, section 2, doi:10.1007/978-1-4612-0185-4_5;
/// docs/verification.md).
TEST_P(Viscous, heat_converges_on_every_shape) {
  for (const Case& each : cases()) {
    if (each.dimension == 3 && each.warp != "0") continue;  // the cells' shapes stay as coarse across x as they are
    for (const int order : {2, 3}) {
      SCOPED_TRACE(fmt::format("{} {}warp {} order {}", each.shape, each.more, each.warp, order));
      std::vector<double> errors;
      for (const int cells : {16, 32}) {
        DiscreteProblem problem(heat(each, order, cells), device_);
        problem.run_to_end();
        errors.push_back(problem.op->error_norms(0.02).front().l2);
      }
      const double observed = std::log2(errors[0] / errors[1]);
      EXPECT_GE(observed, (order % 2 == 0 ? order + 1 : order) - 0.2) << errors[0] << " " << errors[1];
      EXPECT_LT(errors[1], order == 2 ? 1e-3 : 1e-4);
    }
  }
}

/// A viscous flow in a warped periodic box.
std::string flow(const Case& each, int order) {
  const auto d = static_cast<std::size_t>(each.dimension - 1);
  const std::string velocity = std::array{"[\"0.5 + 0.1*sin(2*pi*x)\"]", "[\"0.5 + 0.1*sin(2*pi*(x - y))\", 0.4]",
                                          "[\"0.5 + 0.1*sin(2*pi*(x - y))\", 0.4, \"0.3 + 0.1*cos(2*pi*z)\"]"}
                                   .at(d);
  const std::string axes = std::array{"x", "x, y", "x, y, z"}.at(d);
  const std::string cells = std::array{"[7]", "[5, 3]", "[3, 3, 2]"}.at(d);
  return fmt::format(
      "equations: navier_stokes\nparameters: {{mu: 0.02, viscosity_law: 2}}\n"
      "mesh: {{box: {{cells: {}, shape: {}, periodic: [{}], warp: {}, order: {}}}}}\n"
      "initial: {{rho: \"1 + 0.2*sin(2*pi*x)\", v: {}, p: \"1 + 0.1*cos(2*pi*x)\"}}\norder: {}\ntime: {{end: 1}}\n{}",
      cells, each.shape, axes, each.warp, each.warp == "0" ? 1 : 2, velocity, order, each.more);
}

TEST_P(Viscous, flow_keeps_integrals_and_constants) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(fmt::format("{} {}warp {}", each.shape, each.more, each.warp));
    DiscreteProblem problem(flow(each, 3), device_);
    std::vector<std::string> names;
    for (const solver::Quantity& quantity : problem.op->system().state()) names.push_back(quantity.name);
    const std::vector<double> before = problem.integrals(names), initial = problem.op->state();
    ASSERT_GT(*std::min_element(initial.begin(), initial.end()), 0);
    const double time = problem.take_steps(100);
    const std::vector<double> after = problem.integrals(names, time);
    EXPECT_GT(relative_difference(problem.op->state(), initial, *problem.op), 1e-3) << "nothing moved";
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_LE(std::abs(after[k] - before[k]), 1e-13 * before[k]) << "component " << k;

    const auto variables = static_cast<std::size_t>(problem.op->system().variable_count());
    const auto nodes = static_cast<std::size_t>(problem.op->element().node_count);
    std::vector<double> uniform(initial.size());
    for (std::size_t i = 0; i < uniform.size(); ++i) {
      const std::size_t v = i / nodes % variables;
      uniform[i] = v == 0 ? 1.1 : v + 1 == variables ? 3 : 0.9 / static_cast<double>(v);
    }
    problem.op->set_state(uniform);
    problem.take_steps(100);
    EXPECT_LE(relative_difference(problem.op->state(), uniform, *problem.op), 1e-12);
  }
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::isfinite(value) ? std::abs(value) : INFINITY);
  return result;
}

/// Noise, which has all that the mesh can show, decays at 0.95 of the limit, and does not at so much more of it that the limit is no waste.
TEST_P(Viscous, the_step_limit_of_diffusion_is_stable_and_near_the_truth) {
  for (const Case& each : cases()) {
    if (each.warp != "0" || each.more.starts_with("over")) continue;
    for (const int order : each.dimension == 3 ? std::vector<int>{2, 3} : std::vector<int>{1, 2, 3, 4}) {
      const std::string axes = std::array{"x", "x, y", "x, y, z"}.at(static_cast<std::size_t>(each.dimension - 1));
      const std::string text = fmt::format(
          "equations: heat\nmesh: {{box: {{cells: {}, shape: {}, periodic: [{}]}}}}\n"
          "initial: {{u: 0}}\norder: {}\nflux: central\ntime: {{end: 1}}\n{}",
          same_in_each_direction(each.dimension == 1 ? "24" : "4", each.dimension), each.shape, axes, order, each.more);
      DiscreteProblem problem(text, device_);
      std::vector<double> noise(problem.op->state().size());
      for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(1.7 * static_cast<double>(i) + 0.3 * static_cast<double>(i % 7));
      const auto after = [&](double cfl) {
        problem.op->set_state(noise);
        problem.take_steps(400, 0, cfl);
        return largest(problem.op->state());
      };
      EXPECT_LT(after(0.95), 1.0) << each.shape << " " << each.more << " order " << order;
      // Few wave numbers fit into few cells, and on simplices a sum is bounded by its parts.
      const double too_much = each.dimension == 1 ? 1.05 : each.shape == "tri" || each.shape == "tet" ? 1.9 : 1.3;
      EXPECT_GT(after(too_much), 10.0) << each.shape << " " << each.more << " order " << order;
    }
  }
}

/// Walls of all kinds, an outflow and given values on all sides: what GPUs compute node by node and CPUs lane by lane is the same.
TEST_P(Viscous, mappings_agree) {
  if (!device_.facts().is_cpu) GTEST_SKIP() << device_.facts().selector << " has no lanes";
  for (const Case& each : cases()) {
    if (each.dimension == 1 || (each.warp == "0" && each.shape != "tet")) continue;
    SCOPED_TRACE(fmt::format("{} {}warp {}", each.shape, each.more, each.warp));
    const bool space = each.dimension == 3;
    const std::string text = fmt::format(
        "equations: navier_stokes\nparameters: {{mu: 0.03, viscosity_law: 1, wall_velocity: [\"0.2*x\", 0, 0], wall_temperature: 1 + "
        "0.1*x}}\n"
        "mesh: {{box: {{upper: {}, cells: {}, shape: {}, warp: {}, order: {}}}}}\n"
        "boundaries: {{left: no_slip, right: symmetry, bottom: no_slip_isothermal, top: {{dirichlet: {{rho: 1, v: {}, p: 1}}}}{}}}\n"
        "initial: {{rho: \"1 + 0.1*sin(2*x + y)\", v: {}, p: 1}}\norder: 3\ntime: {{end: 1}}\n{}",
        space ? "[1, 1, 1]" : "[1, 1]", space ? "[3, 3, 2]" : "[5, 3]", each.shape, each.warp, each.warp == "0" ? 1 : 2,
        space ? "[0.1, 0, 0]" : "[0.1, 0]", space ? ", front: slip_wall, back: outflow" : "",
        space ? "[\"0.1*y\", 0.05, \"0.1*x\"]" : "[\"0.1*y\", 0.05]", each.more);
    std::vector<std::vector<double>> states;
    for (const char* variant : {"variant: {width: 1}\n", ""}) {
      DiscreteProblem problem(text + variant, device_);
      problem.take_steps(3, 0, 0.5);
      states.push_back(problem.op->state());
      ASSERT_LT(largest(states.back()), 10);
      if (states.size() == 2) {
        EXPECT_LT(relative_difference(states[1], states[0], *problem.op), 1e-13);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Viscous, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
