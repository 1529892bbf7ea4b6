// Every shipped boundary condition against the exact solution that it belongs to, or against what it must preserve.
#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

struct Standing {
  std::string name;
  std::string text;   ///< everything but mesh and order
  std::string walls;  ///< on every side
  std::string shape;
  double bound;  ///< of the L2 error of each component, order 4
};

int dimension_of(const std::string& shape) { return shape == "line" ? 1 : shape == "tri" || shape == "quad" ? 2 : 3; }

std::string configuration(const Standing& it, int cells) {
  const int dimension = dimension_of(it.shape);
  std::string text = fmt::format("{}\norder: 4\nmesh: {{box: {{cells: {}, shape: {}}}}}\nboundaries:\n", it.text,
                                 same_in_each_direction(std::to_string(cells), dimension), it.shape);
  for (const char* side : {"left", "right", "bottom", "top", "front", "back"}) {
    if (side == std::string("bottom") && dimension < 2) break;
    if (side == std::string("front") && dimension < 3) break;
    text += fmt::format("  {}: {}\n", side, it.walls);
  }
  return text;
}

const std::string hard_acoustics = R"(
equations: acoustics
initial: {p: cos(pi*x)*cos(pi*y), v: [0, 0]}
exact:
  p: cos(pi*x)*cos(pi*y)*cos(sqrt(2)*pi*t)
  v: [sin(pi*x)*cos(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2), cos(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)]
flux: upwind
time: {end: 0.9}
)";
const std::string soft_acoustics = R"(
equations: acoustics
initial: {p: sin(pi*x)*sin(pi*y), v: [0, 0]}
exact:
  p: sin(pi*x)*sin(pi*y)*cos(sqrt(2)*pi*t)
  v: [-cos(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2), -sin(pi*x)*cos(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)]
flux: upwind
time: {end: 0.9}
)";
// Torsion-free standing pressure waves of a bar (plane strain): speed sqrt(lambda + 2 mu) = 2, stress zero at free ends.
const std::string free_elasticity = R"(
equations: elasticity
parameters: {lambda: 2, mu: 1}
initial: {v: [cos(pi*x)], s: [0]}
exact: {v: [cos(pi*x)*cos(2*pi*t)], s: [-2*sin(pi*x)*sin(2*pi*t)]}
flux: upwind
time: {end: 0.6}
)";
const std::string fixed_elasticity = R"(
equations: elasticity
parameters: {lambda: 2, mu: 1}
initial: {v: [sin(pi*x)], s: [0]}
exact: {v: [sin(pi*x)*cos(2*pi*t)], s: [2*cos(pi*x)*sin(2*pi*t)]}
flux: upwind
time: {end: 0.6}
)";
// Lame's mode of a free square, equivoluminal: v = (sin kx cos ky, -cos kx sin ky) with k = pi leaves every side free of traction
// (Graff 1975, Wave Motion in Elastic Solids, section 8.1.4). Frequency sqrt(2) k cs, here cs = 1.
const std::string lame_mode = R"(
equations: elasticity
parameters: {lambda: 2, mu: 1}
initial:
  v: [cos(pi*x)*sin(pi*y), -sin(pi*x)*cos(pi*y)]
  s: [0, 0, 0]
exact:
  v: [cos(pi*x)*sin(pi*y)*cos(sqrt(2)*pi*t), -sin(pi*x)*cos(pi*y)*cos(sqrt(2)*pi*t)]
  s: [-sqrt(2)*sin(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t), 0, sqrt(2)*sin(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t)]
flux: upwind
time: {end: 0.8}
)";
// The dual of the cavity with electric walls: H_z = sin sin between magnetic walls.
const std::string magnetic_maxwell = R"(
equations: maxwell
mode: te
initial: {E_x: 0, E_y: 0, H_z: sin(pi*x)*sin(pi*y)}
exact:
  E_x: sin(pi*x)*cos(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)
  E_y: -cos(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)
  H_z: sin(pi*x)*sin(pi*y)*cos(sqrt(2)*pi*t)
flux: upwind
time: {end: 0.9}
)";
const std::string electric_maxwell = R"(
equations: maxwell
mode: te
initial: {E_x: 0, E_y: 0, H_z: cos(pi*x)*cos(pi*y)}
exact:
  E_x: -cos(pi*x)*sin(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)
  E_y: sin(pi*x)*cos(pi*y)*sin(sqrt(2)*pi*t)/sqrt(2)
  H_z: cos(pi*x)*cos(pi*y)*cos(sqrt(2)*pi*t)
flux: upwind
time: {end: 0.9}
)";

class BoundaryConditions : public codegen::EveryDevice {
 protected:
  /// The wave that stands between the walls: error bound on 4 cells a direction, and order p + 1 from 2 cells to 4.
  void expect_standing(const Standing& it) {
    SCOPED_TRACE(it.name + " " + it.shape);
    std::vector<std::vector<solver::ErrorNorms>> errors;
    for (const int cells : {2, 4}) {
      DiscreteProblem problem(configuration(it, cells), device_);
      problem.run_to_end();
      errors.push_back(problem.op->error_norms(problem.config.time.end));
    }
    for (std::size_t c = 0; c < errors[1].size(); ++c) {
      EXPECT_LT(errors[1][c].l2, it.bound) << errors[1][c].component;
      EXPECT_GT(std::log2(errors[0][c].l2 / errors[1][c].l2), 4.0) << errors[1][c].component << " from " << errors[0][c].l2;
    }
  }
};

TEST_P(BoundaryConditions, hard_walls_hold_a_standing_sound_wave) {
  expect_standing({"hard_wall", hard_acoustics, "hard_wall", "quad", 1e-4});
  expect_standing({"hard_wall", hard_acoustics, "hard_wall", "tri", 1e-4});
}
TEST_P(BoundaryConditions, soft_walls_hold_a_standing_sound_wave) {
  expect_standing({"soft_wall", soft_acoustics, "soft_wall", "quad", 1e-4});
}
TEST_P(BoundaryConditions, free_and_fixed_ends_hold_a_standing_wave_of_a_bar) {
  expect_standing({"free_surface", free_elasticity, "free_surface", "line", 1e-4});
  expect_standing({"fixed", fixed_elasticity, "fixed", "line", 1e-4});
}
TEST_P(BoundaryConditions, free_surfaces_hold_the_mode_of_lame) {
  expect_standing({"free_surface", lame_mode, "free_surface", "tri", 1e-4});
}
TEST_P(BoundaryConditions, electric_and_magnetic_conductors_hold_their_modes) {
  expect_standing({"perfect_magnetic_conductor", magnetic_maxwell, "perfect_magnetic_conductor", "quad", 1e-4});
  expect_standing({"perfect_conductor", electric_maxwell, "perfect_conductor", "tri", 1e-4});
}

/// Walls along a flow do not disturb it, also where the cells at them are curved.
TEST_P(BoundaryConditions, slip_walls_keep_a_uniform_flow_along_them) {
  for (const std::string shape : {"tri", "quad", "tet", "hex"}) {
    SCOPED_TRACE(shape);
    const bool plane = dimension_of(shape) == 2;
    DiscreteProblem problem(fmt::format(R"(
equations: euler
mesh: {{box: {{cells: {}, shape: {}, periodic: [x], warp: 0.03, order: 2}}}}
boundaries: {}
initial: {{rho: 1.2, v: {}, p: 1}}
order: 3
time: {{end: 1}}
)",
                                        plane ? "[4, 3]" : "[2, 2, 2]", shape,
                                        plane ? "{bottom: slip_wall, top: slip_wall}"
                                              : "{bottom: slip_wall, top: slip_wall, front: slip_wall, back: slip_wall}",
                                        plane ? "[0.7, 0]" : "[0.7, 0, 0]"),
                            device_);
    const std::vector<double> initial = problem.op->state();
    problem.take_steps(100);
    EXPECT_LE(relative_difference(problem.op->state(), initial, *problem.op), 1e-12);
  }
}

/// A closed vessel loses neither mass nor energy; momentum it may exchange with its walls.
TEST_P(BoundaryConditions, closed_vessels_keep_mass_and_energy) {
  DiscreteProblem gas(R"(
equations: euler
mesh: {box: {cells: [4, 4], shape: tri}}
boundaries: {left: slip_wall, right: slip_wall, bottom: slip_wall, top: slip_wall}
initial: {rho: 1, v: [0, 0], p: 1 + 0.3*exp(-20*((x - 0.3)^2 + (y - 0.6)^2))}
order: 3
time: {end: 1}
)",
                      device_);
  DiscreteProblem water(R"(
equations: shallow_water
mesh: {box: {cells: [4, 4], shape: quad}}
boundaries: {left: wall, right: wall, bottom: wall, top: wall}
initial: {h: 1 + 0.1*exp(-20*((x - 0.3)^2 + (y - 0.6)^2)), v: [0, 0]}
order: 3
time: {end: 1}
)",
                        device_);
  for (auto& [problem, names] : {std::pair<DiscreteProblem&, std::vector<std::string>>{gas, {"rho", "E"}}, {water, {"h"}}}) {
    const std::vector<double> before = problem.integrals(names);
    const std::vector<double> initial = problem.op->state();
    problem.take_steps(100);
    EXPECT_GT(relative_difference(problem.op->state(), initial, *problem.op), 1e-2) << "nothing moved";
    const std::vector<double> after = problem.integrals(names);
    for (std::size_t k = 0; k < names.size(); ++k) EXPECT_LE(std::abs(after[k] - before[k]), 1e-13 * before[k]) << names[k];
  }
}

/// A pulse leaves through its absorbing ends; what stays is a small part of the error of the scheme.
TEST_P(BoundaryConditions, absorbing_ends_let_a_pulse_leave) {
  const std::string rest = "\nmesh: {box: {cells: [12]}}\nboundaries: {left: absorbing, right: absorbing}\norder: 5\nflux: upwind\n";
  for (const std::string system : {"equations: acoustics\ninitial: {p: exp(-100*(x - 0.5)^2), v: [0]}\ntime: {end: 1.2}",
                                   "equations: elasticity\ninitial: {v: [exp(-100*(x - 0.5)^2)], s: [0]}\ntime: {end: 1.2}",
                                   "equations: maxwell\nmode: 1d\ninitial: {E_y: exp(-100*(x - 0.5)^2), H_z: 0}\ntime: {end: 1.2}"}) {
    SCOPED_TRACE(system);
    DiscreteProblem problem(system + rest, device_);
    problem.run_to_end();
    const std::vector<double> state = problem.op->state();
    const double left = *std::max_element(state.begin(), state.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    EXPECT_LT(std::abs(left), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BoundaryConditions, testing::Range<std::size_t>(0, codegen::all_devices().size()),
                         codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
