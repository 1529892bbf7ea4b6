// Boundary conditions, initial data and fields of the shipped systems; Riemann problems solved by their fluxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/shipped_systems.h"

namespace dgsolve::io {
namespace {

/// A wall of a system, the flux that sees it, and the components of the flux that must vanish for a normal.
struct WallCase {
  SystemCase system;
  std::string condition;
  std::string flux;
};

void PrintTo(const WallCase& it, std::ostream* out) { *out << it.system.name << " " << it.condition << " " << it.flux; }

class EveryWall : public testing::TestWithParam<WallCase> {
 protected:
  EveryWall() : system_(GetParam().system), states_(GetParam().system) {}
  /// The numerical flux between a random state and the one behind the wall.
  Vector wall_flux(const Vector& q, const Vector& n) {
    HostFunction condition = system_.boundary(GetParam().condition);
    HostFunction flux = system_.numerical_flux(GetParam().flux);
    return flux({{"qm", q}, {"qp", condition({{"q", q}, {"n", n}})}, {"n", n}});
  }
  HostSystem system_;
  RandomStates states_;
};

/// What a flux says about the star state: it must vanish at this wall.
double vanishing_part(const WallCase& it, const Vector& f, const Vector& n) {
  const auto d = static_cast<Eigen::Index>(it.system.dimension);
  if (it.condition == "slip_wall" || it.condition == "wall" || it.condition == "hard_wall") return f(0);  // mass, or K v.n
  if (it.condition == "soft_wall") return f.tail(d).norm();                                               // p n
  if (it.condition == "perfect_conductor") return f.tail(3).norm();                                       // n x E
  if (it.condition == "perfect_magnetic_conductor") return f.head(3).norm();                              // n x H
  if (it.condition == "free_surface") return f.head(d).norm();                                            // s.n
  if (it.condition == "fixed") return f.tail(f.size() - d).norm();                                        // v n
  return n.norm();
}

TEST_P(EveryWall, nothing_passes_that_the_wall_stops) {
  for (int k = 0; k < 20; ++k) {
    const Vector q = states_.state(system_.model.state.count);
    const Vector n = states_.unit();
    EXPECT_NEAR(vanishing_part(GetParam(), wall_flux(q, n), n), 0, 1e-13);
  }
}

std::vector<WallCase> walls() {
  std::vector<WallCase> cases;
  for (const int dimension : {1, 2, 3}) {
    for (const std::string flux : {"rusanov", "hll", "hllc", "roe"}) cases.push_back({{"euler", dimension, ""}, "slip_wall", flux});
    for (const std::string flux : {"upwind", "rusanov"}) {
      for (const std::string wall : {"hard_wall", "soft_wall"}) cases.push_back({{"acoustics", dimension, ""}, wall, flux});
    }
    for (const std::string flux : {"upwind", "damped_upwind", "rusanov"}) {
      cases.push_back({{"elasticity", dimension, ""}, "free_surface", flux});
    }
    for (const std::string flux : {"upwind", "damped_upwind"}) cases.push_back({{"elasticity", dimension, ""}, "fixed", flux});
  }
  for (const int dimension : {1, 2}) {
    for (const std::string flux : {"rusanov", "hll"}) cases.push_back({{"shallow_water", dimension, ""}, "wall", flux});
  }
  for (const std::string wall : {"perfect_conductor", "perfect_magnetic_conductor"})
    cases.push_back({{"maxwell", 3, "3d"}, wall, "upwind"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryWall, testing::ValuesIn(walls()));

TEST(Elasticity, conditions_leave_the_stress_alone_that_has_no_traction) {
  for (const int dimension : {1, 2, 3}) {
    const SystemCase it{"elasticity", dimension, ""};
    HostSystem system(it);
    RandomStates states(it);
    HostFunction upwind = system.numerical_flux("upwind");
    HostFunction damped = system.numerical_flux("damped_upwind");
    for (const std::string name : {"free_surface", "fixed", "absorbing"}) {
      HostFunction condition = system.boundary(name);
      const Vector q = states.state(system.model.state.count);
      const Vector n = states.unit();
      const std::map<std::string, Vector> sides{{"qm", q}, {"qp", condition({{"q", q}, {"n", n}})}, {"n", n}};
      EXPECT_LE((damped(sides) - upwind(sides)).norm(), 1e-13) << name << " in " << dimension << "D";
    }
  }
}

TEST(Maxwell, two_dimensional_conductors_stop_the_tangential_field) {
  for (const std::string mode : {"tm", "te"}) {
    const SystemCase it{"maxwell", 2, mode};
    HostSystem system(it);
    RandomStates states(it);
    HostFunction condition = system.boundary("perfect_conductor");
    HostFunction flux = system.numerical_flux("upwind");
    const Vector q = states.state(3);
    const Vector n = states.unit();
    const Vector f = flux({{"qm", q}, {"qp", condition({{"q", q}, {"n", n}})}, {"n", n}});
    // tm stores E_z, H_x, H_y and te E_x, E_y, H_z: the flux of H is n x E / mu.
    EXPECT_LE((mode == "tm" ? f.tail(2) : f.tail(1)).norm(), 1e-14) << mode;
    EXPECT_GT((mode == "tm" ? f.head(1) : f.head(2)).norm(), 1e-3) << mode;
  }
}

TEST(Absorbing, plane_waves_along_the_normal_leave_without_reflection) {
  // A wave q = r w with A r = +c r leaves: with the outer state 0 the upwind flux is the wave's own.
  const SystemCase it{"acoustics", 2, ""};
  HostSystem system(it);
  HostFunction flux = system.numerical_flux("upwind");
  HostFunction condition = system.boundary("absorbing");
  HostFunction physical = system.flux_along();
  const Vector n{{0.6, 0.8}};
  const Vector q{{1.3 * 2.1, n(0), n(1)}};
  const Vector found = flux({{"qm", q}, {"qp", condition({{"q", q}, {"n", n}})}, {"n", n}});
  EXPECT_LE((found - physical({{"q", q}, {"a", n}})).norm(), 1e-14);
}

solver::ValueFormulas values(const std::string& name, const std::vector<std::string>& texts) {
  solver::ValueFormulas result{name, {}, {}};
  for (const std::string& text : texts) result.components.push_back({text, {}});
  return result;
}

TEST(InitialData, primitive_values_become_the_conserved_state) {
  solver::Problem problem = problem_of({"euler", 2, ""});
  problem.initial = {values("rho", {"2 + x"}), values("v", {"3", "y"}), values("p", {"0.6*t"})};
  solver::EquationFaults faults;
  const solver::Model model = solver::parse_model(problem, 2, faults);
  HostFunction initial(solver::build_values(model, model.initial, "initial", faults));
  faults.throw_if_any();
  const Vector q = initial({{"x", Vector{{1, 5}}}, {"t", Vector{{7}}}});
  EXPECT_THAT(std::vector<double>(q.begin(), q.end()), testing::Pointwise(testing::DoubleEq(), {3.0, 9.0, 15.0, 7 + 0.5 * 3 * 34}));
}

TEST(InitialData, modes_take_all_or_the_stored_components) {
  for (const std::vector<std::string>& electric : {std::vector<std::string>{"x"}, {"0", "0", "x"}}) {
    solver::Problem problem = problem_of({"maxwell", 2, "tm"});
    problem.initial = {values("E", electric), values("H", {"1", "2"})};
    solver::EquationFaults faults;
    const solver::Model model = solver::parse_model(problem, 2, faults);
    HostFunction initial(solver::build_values(model, model.initial, "initial", faults));
    faults.throw_if_any();
    const Vector q = initial({{"x", Vector{{4, 5}}}, {"t", Vector{{0}}}});
    EXPECT_EQ(q, (Vector{{4, 1, 2}}));
  }
}

TEST(Parameters, velocity_of_advection_may_depend_on_position_and_time) {
  solver::Problem problem;
  problem.equations = shipped_definition("advection");
  problem.parameters = {values("a", {"-y", "x*t"})};
  const solver::EquationSystem system(problem, 2);
  EXPECT_TRUE(system.flux_along(codegen::Precision::double_precision).uses_position);
  EXPECT_TRUE(system.flux_along(codegen::Precision::double_precision).uses_time);
  EXPECT_FALSE(system.source(codegen::Precision::double_precision).uses_position);
  HostSystem host(problem, 2);
  HostFunction flux = host.flux_along();
  EXPECT_DOUBLE_EQ(flux({{"q", Vector{{3}}}, {"a", Vector{{1, 10}}}, {"x", Vector{{2, 5}}}, {"t", Vector{{0.5}}}})(0), 3 * (-5 + 10 * 1.0));
}

/// First-order finite volumes on [-1, 1], jump at 0: the cell states at `end`.
std::vector<Vector> riemann(HostSystem& system, const std::string& flux_name, const Vector& left, const Vector& right, double end,
                            int cells) {
  HostFunction flux = system.numerical_flux(flux_name);
  HostFunction speed = system.max_wave_speed();
  const Vector n{{1.0}};
  std::vector<Vector> q(static_cast<std::size_t>(cells), left);
  std::fill(q.begin() + cells / 2, q.end(), right);
  const double h = 2.0 / cells;
  for (double t = 0; t < end;) {
    double fastest = 0;
    for (const Vector& each : q) fastest = std::max(fastest, speed({{"q", each}, {"n", n}})(0));
    const double dt = std::min(0.9 * h / fastest, end - t);
    std::vector<Vector> f;
    for (std::size_t k = 0; k <= q.size(); ++k) {
      f.push_back(flux({{"qm", q[k == 0 ? 0 : k - 1]}, {"qp", q[std::min(k, q.size() - 1)]}, {"n", n}}));
    }
    for (std::size_t k = 0; k < q.size(); ++k) q[k] -= dt / h * (f[k + 1] - f[k]);
    t += dt;
  }
  return q;
}

const Vector& at(const std::vector<Vector>& q, double x) {
  return q[static_cast<std::size_t>((x + 1) / 2 * static_cast<double>(q.size()))];
}

/// Sod's tube: exact star values p 0.30313018, u 0.92745262, rho 0.42631943 and 0.26557371 (Toro 2009, section 4.3.3).
TEST(Riemann, euler_fluxes_find_the_star_states_of_sods_tube) {
  solver::Problem problem;
  problem.equations = shipped_definition("euler");
  HostSystem system(problem, 1);
  for (const std::string flux : {"rusanov", "hll", "hllc", "roe"}) {
    const double end = 0.4;
    const std::vector<Vector> q = riemann(system, flux, Vector{{1, 0, 2.5}}, Vector{{0.125, 0, 0.25}}, end, 400);
    const auto pressure = [](const Vector& s) { return 0.4 * (s(2) - 0.5 * s(1) * s(1) / s(0)); };
    const Vector star = at(q, end * 1.45);  // between contact and shock
    EXPECT_NEAR(pressure(star), 0.30313018, 3e-3) << flux;
    EXPECT_NEAR(star(1) / star(0), 0.92745262, 5e-3) << flux;
    EXPECT_NEAR(star(0), 0.26557371, 5e-3) << flux;
    EXPECT_NEAR(at(q, end * 0.4)(0), 0.42631943, 8e-3) << flux;
    EXPECT_NEAR(at(q, end * 1.9)(0), 0.125, 1e-6) << flux << ": the shock has not come here";
  }
}

TEST(Riemann, strong_rarefactions_stay_positive_with_hll_and_hllc) {
  solver::Problem problem;
  problem.equations = shipped_definition("euler");
  HostSystem system(problem, 1);
  for (const std::string flux : {"rusanov", "hll", "hllc"}) {
    const std::vector<Vector> q = riemann(system, flux, Vector{{1, -2, 3}}, Vector{{1, 2, 3}}, 0.3, 100);
    for (const Vector& s : q) {
      ASSERT_GT(s(0), 0) << flux;
      ASSERT_GT(s(2) - 0.5 * s(1) * s(1) / s(0), 0) << flux;
    }
    EXPECT_NEAR(at(q, 0)(0), 0.02185212, 0.05) << flux;
  }
}

/// Dam break 2/1, g = 9.81: h 1.45384089, u 1.30583375 (Toro 2001, section 7).
TEST(Riemann, shallow_water_fluxes_find_the_star_state_of_a_dam_break) {
  solver::Problem problem;
  problem.equations = shipped_definition("shallow_water");
  HostSystem system(problem, 1);
  for (const std::string flux : {"rusanov", "hll"}) {
    const std::vector<Vector> q = riemann(system, flux, Vector{{2, 0}}, Vector{{1, 0}}, 0.15, 400);
    EXPECT_NEAR(at(q, 0.35)(0), 1.45384089, 3e-3) << flux;
    EXPECT_NEAR(at(q, 0.35)(1) / at(q, 0.35)(0), 1.30583375, 1e-2) << flux;
  }
}

TEST(Riemann, burgers_shocks_move_with_the_mean_of_both_states) {
  solver::Problem problem;
  problem.equations = shipped_definition("burgers");
  HostSystem system(problem, 1);
  for (const std::string flux : {"rusanov", "hll", "godunov"}) {
    const std::vector<Vector> q = riemann(system, flux, Vector{{2}}, Vector{{0}}, 0.5, 200);
    EXPECT_NEAR(at(q, 0.4)(0), 2, 1e-2) << flux;
    EXPECT_NEAR(at(q, 0.6)(0), 0, 1e-2) << flux;
  }
}

/// Cars stop behind a red light: a shock runs back with the speed -rho v/(rho* - rho), rho* the density that has the same r/rho at rest.
TEST(Riemann, traffic_jams_behind_a_red_light) {
  solver::Problem problem;
  problem.equations = shipped_definition("traffic");
  problem.boundaries = {{"light", "red_light", {}, {}}};
  HostSystem system(problem, 1);
  HostFunction light = system.boundary("red_light");
  const double rho = 0.4, v = 0.33;
  const Vector coming{{rho, rho * (v + rho * rho)}};
  const Vector jam = light({{"q", coming}, {"n", Vector{{1.0}}}});
  EXPECT_DOUBLE_EQ(jam(0), std::sqrt(v + rho * rho));
  EXPECT_NEAR(jam(1) / jam(0) - jam(0) * jam(0), 0, 1e-15) << "the speed behind the light is zero";
  const std::vector<Vector> q = riemann(system, "hll", coming, jam, 1.0, 400);
  const double shock = -rho * v / (jam(0) - rho);
  EXPECT_NEAR(at(q, shock - 0.05)(0), rho, 1e-3);
  EXPECT_NEAR(at(q, shock + 0.05)(0), jam(0), 2e-3);
}

TEST(Fields, every_field_of_every_system_has_its_components) {
  for (const SystemCase& it : every_system()) {
    const solver::Problem problem = problem_of(it);
    const solver::EquationSystem system(problem, it.dimension);
    std::vector<solver::FieldSpec> fields;
    for (const auto& quantity : system.state()) fields.push_back({quantity.name, {}, {}});
    for (const auto& quantity : system.primitive()) fields.push_back({quantity.name, {}, {}});
    for (const auto& entry : problem.equations.fields) fields.push_back({entry.target.substr(0, entry.target.find('[')), {}, {}});
    std::size_t components = 0;
    for (const solver::Quantity& quantity : system.resolve_fields(fields)) components += quantity.component_names.size();
    EXPECT_EQ(system.fields(fields, codegen::Precision::double_precision).outputs, static_cast<int>(components)) << it.name;
  }
}

TEST(Fields, names_of_components_follow_the_storage_order) {
  const solver::EquationSystem elasticity(problem_of({"elasticity", 3, ""}), 3);
  EXPECT_THAT(elasticity.component_names(), testing::ElementsAre("v_x", "v_y", "v_z", "s_xx", "s_xy", "s_xz", "s_yy", "s_yz", "s_zz"));
  const solver::EquationSystem tm(problem_of({"maxwell", 2, "tm"}), 2);
  EXPECT_THAT(tm.component_names(), testing::ElementsAre("E_z", "H_x", "H_y"));
  EXPECT_THAT(tm.state()[1].axes, testing::ElementsAre(0, 1));
  EXPECT_THAT(tm.state()[0].axes, testing::ElementsAre(2));
}

}  // namespace
}  // namespace dgsolve::io
