// Numerical fluxes of every shipped system: consistency, conservation, wave speeds, upwinding, contacts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>

#include "codegen/expression/differentiate.h"
#include "solver/equations/scopes.h"
#include "tests/io/shipped_systems.h"

namespace dgsolve::io {
namespace {

namespace expression = codegen::expression;
using Matrix = Eigen::MatrixXd;

/// d (F.n) / dq by symbolic derivatives, as functions of q and n.
HostFunction jacobian_function(const solver::Model& model) {
  solver::EquationFaults faults;
  solver::BuiltFunction flux = solver::build_flux_along(model, faults);
  const std::vector<expression::NodeId> outputs = flux.outputs;
  flux.outputs.clear();
  for (const expression::NodeId output : outputs) {
    for (int k = 0; k < model.state.count; ++k) {
      const expression::NodeId symbol = flux.graph.symbol("q[" + std::to_string(k) + "]");
      flux.outputs.push_back(expression::differentiate(flux.graph, output, symbol));
    }
  }
  return HostFunction(std::move(flux));
}

Matrix jacobian_at(HostFunction& function, int count, const Vector& q, const Vector& n) {
  const Vector values = function({{"q", q}, {"a", n}});
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(), count, count);
}

/// slowest, fastest and max_wave_speed.
HostFunction speeds_function(const solver::Model& model) {
  solver::EquationFaults faults;
  solver::BuiltFunction built;
  const auto data = solver::make_data_scope(model, built.graph, "n", faults);
  const auto state = solver::make_state_scope(model, *data, "q");
  for (const char* name : {"slowest", "fastest", "max_wave_speed"}) built.outputs.push_back(state->value(name, 0).components.front());
  return HostFunction(std::move(built));
}

class EverySystem : public testing::TestWithParam<SystemCase> {
 protected:
  EverySystem() : system_(GetParam()), states_(GetParam()), count_(system_.model.state.count) {}
  std::vector<std::string> flux_names() const {
    std::vector<std::string> names;
    for (const auto& flux : system_.model.fluxes) names.push_back(flux.name);
    return names;
  }
  HostSystem system_;
  RandomStates states_;
  int count_;
};

TEST_P(EverySystem, numerical_fluxes_are_consistent) {
  HostFunction physical = system_.flux_along();
  for (const std::string& name : flux_names()) {
    HostFunction flux = system_.numerical_flux(name);
    for (int k = 0; k < 50; ++k) {
      const Vector q = states_.with_gradients(states_.state(count_), system_.model.gradients.count);
      const Vector n = states_.unit();
      const Vector expected = physical({{"q", q}, {"a", n}});
      const Vector found = flux({{"qm", q}, {"qp", q}, {"n", n}});
      ASSERT_LE((found - expected).norm(), 1e-13 * (1 + expected.norm())) << name << "\n" << found << "\n" << expected;
    }
  }
}

TEST_P(EverySystem, numerical_fluxes_are_the_same_seen_from_both_sides) {
  for (const std::string& name : flux_names()) {
    HostFunction flux = system_.numerical_flux(name);
    for (int k = 0; k < 50; ++k) {
      const Vector a = states_.with_gradients(states_.state(count_), system_.model.gradients.count);
      const Vector b = states_.with_gradients(states_.state(count_), system_.model.gradients.count);
      const Vector n = states_.unit();
      const Vector there = flux({{"qm", a}, {"qp", b}, {"n", n}});
      const Vector back = flux({{"qm", b}, {"qp", a}, {"n", -n}});
      ASSERT_LE((there + back).norm(), 2e-13 * (1 + there.norm())) << name << "\n" << there << "\n" << back;
    }
  }
}

TEST_P(EverySystem, eigenvalues_of_the_flux_lie_within_the_wave_speeds_and_reach_them) {
  HostFunction jacobian = jacobian_function(system_.model);
  HostFunction speeds = speeds_function(system_.model);
  for (int k = 0; k < 50; ++k) {
    const Vector q = states_.state(count_);
    const Vector n = states_.unit();
    Vector without_gradients = Vector::Zero(count_ + system_.model.gradients.count);  // no viscous flux then
    without_gradients.head(count_) = q;
    const auto eigenvalues = Eigen::EigenSolver<Matrix>(jacobian_at(jacobian, count_, without_gradients, n)).eigenvalues();
    const Vector bounds = speeds({{"q", q}, {"n", n}});
    EXPECT_LE(eigenvalues.imag().cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(eigenvalues.real().minCoeff(), bounds(0), 1e-6);
    EXPECT_NEAR(eigenvalues.real().maxCoeff(), bounds(1), 1e-6);
    EXPECT_DOUBLE_EQ(std::max(std::abs(bounds(0)), std::abs(bounds(1))), bounds(2));
  }
}

TEST_P(EverySystem, symbolic_jacobian_equals_differences_of_the_flux) {
  HostFunction jacobian = jacobian_function(system_.model);
  HostFunction flux = system_.flux_along();
  const Vector q = states_.with_gradients(states_.state(count_), system_.model.gradients.count);
  const Vector n = states_.unit();
  const Matrix exact = jacobian_at(jacobian, count_, q, n);
  for (Eigen::Index k = 0; k < count_; ++k) {
    const Vector step = 1e-6 * Vector::Unit(q.size(), k);
    const Vector difference = (flux({{"q", q + step}, {"a", n}}) - flux({{"q", q - step}, {"a", n}})) / 2e-6;
    EXPECT_LE((exact.col(k) - difference).norm(), 1e-8 * (1 + difference.norm()));
  }
}

/// A function of a diagonalisable matrix: the polynomial that takes the function's values at the distinct eigenvalues.
template <class Function>
Matrix function_of(const Matrix& a, Function value) {
  std::vector<double> distinct;
  const Vector eigenvalues = Eigen::EigenSolver<Matrix>(a).eigenvalues().real();
  for (const double eigenvalue : eigenvalues) {
    const auto same = [eigenvalue](double known) { return std::abs(known - eigenvalue) < 1e-5; };
    if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(eigenvalue);
  }
  const Matrix identity = Matrix::Identity(a.rows(), a.cols());
  Matrix result = Matrix::Zero(a.rows(), a.cols());
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    Matrix term = value(distinct[i]) * identity;
    for (std::size_t j = 0; j < distinct.size(); ++j) {
      if (j != i) term = term * (a - distinct[j] * identity) / (distinct[i] - distinct[j]);
    }
    result += term;
  }
  return result;
}

class LinearSystem : public EverySystem {};

TEST_P(LinearSystem, upwind_flux_is_the_splitting_by_the_jacobian) {
  HostFunction jacobian = jacobian_function(system_.model);
  HostFunction upwind = system_.numerical_flux("upwind");
  for (int k = 0; k < 20; ++k) {
    const Vector a = states_.state(count_);
    const Vector b = states_.state(count_);
    const Vector n = states_.unit();
    const Matrix matrix = jacobian_at(jacobian, count_, a, n);
    const Vector expected = 0.5 * matrix * (a + b) - 0.5 * function_of(matrix, [](double speed) { return std::abs(speed); }) * (b - a);
    const Vector found = upwind({{"qm", a}, {"qp", b}, {"n", n}});
    ASSERT_LE((found - expected).norm(), 1e-8 * (1 + expected.norm())) << found << "\n\n" << expected;
  }
}

std::vector<SystemCase> linear_systems() {
  std::vector<SystemCase> cases = every_system();
  std::erase_if(cases, [](const SystemCase& it) {
    return it.name != "advection" && it.name != "acoustics" && it.name != "maxwell" && it.name != "elasticity";
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EverySystem, testing::ValuesIn(every_system()), case_name);
INSTANTIATE_TEST_SUITE_P(Shipped, LinearSystem, testing::ValuesIn(linear_systems()), case_name);

class Elasticity : public EverySystem {
 protected:
  /// The derivative of kinetic + strain energy by the state, at q.
  Vector energy_gradient(const Vector& q) {
    constexpr double rho = 1.4, lambda = 2.2, mu = 0.8;  // unusual_parameters
    const auto d = static_cast<Eigen::Index>(GetParam().dimension);
    double trace = 0;
    for (Eigen::Index i = 0, at = d; i < d; at += d - i++) trace += q(at);
    Vector gradient = q;
    gradient.head(d) *= rho;
    for (Eigen::Index i = 0, at = d; i < d; ++i) {
      for (Eigen::Index k = i; k < d; ++k, ++at) {
        gradient(at) = i == k ? (q(at) - lambda / (lambda * static_cast<double>(d) + 2 * mu) * trace) / (2 * mu) : q(at) / mu;
      }
    }
    return gradient;
  }
};

TEST_P(Elasticity, damped_upwind_flux_damps_standing_waves_at_a_part_of_the_speed_of_shear_waves) {
  HostFunction jacobian = jacobian_function(system_.model);
  HostFunction damped = system_.numerical_flux("damped_upwind");
  const double slow = 0.6 * std::sqrt(0.8 / 1.4);  // unusual_parameters
  for (int k = 0; k < 20; ++k) {
    const Vector a = states_.state(count_);
    const Vector b = states_.state(count_);
    const Vector n = states_.unit();
    const Matrix matrix = jacobian_at(jacobian, count_, a, n);
    const Matrix dissipation = function_of(matrix, [slow](double speed) { return std::abs(speed) < 1e-5 ? slow : std::abs(speed); });
    const Vector expected = 0.5 * matrix * (a + b) - 0.5 * dissipation * (b - a);
    const Vector found = damped({{"qm", a}, {"qp", b}, {"n", n}});
    ASSERT_LE((found - expected).norm(), 1e-8 * (1 + expected.norm())) << found << "\n\n" << expected;
  }
}

TEST_P(Elasticity, damped_upwind_flux_takes_energy_from_the_standing_part_of_a_jump_alone) {
  HostFunction jacobian = jacobian_function(system_.model);
  HostFunction upwind = system_.numerical_flux("upwind");
  HostFunction damped = system_.numerical_flux("damped_upwind");
  const double slow = 0.6 * std::sqrt(0.8 / 1.4);
  for (int k = 0; k < 20; ++k) {
    const Vector a = states_.state(count_);
    const Vector n = states_.unit();
    const Matrix matrix = jacobian_at(jacobian, count_, a, n);
    const auto difference = [&](const Vector& jump) {
      const std::map<std::string, Vector> sides{{"qm", a}, {"qp", a + jump}, {"n", n}};
      return Vector(damped(sides) - upwind(sides));
    };
    const Vector moving = matrix * states_.state(count_);  // in the span of the waves of speed cp and cs
    EXPECT_LE(difference(moving).norm(), 1e-12);
    Eigen::FullPivLU<Matrix> decomposition(matrix);
    decomposition.setThreshold(1e-10);
    const auto d = static_cast<Eigen::Index>(GetParam().dimension);
    ASSERT_EQ(decomposition.dimensionOfKernel(), d * (d - 1) / 2);
    if (d == 1) continue;
    const Matrix kernel = decomposition.kernel();
    const Vector still = kernel * states_.state(static_cast<int>(kernel.cols()));
    EXPECT_NEAR(still.dot(energy_gradient(moving)), 0, 1e-12) << "the two parts do not share energy";
    const double taken = -(moving + still).dot(energy_gradient(difference(moving + still)));
    EXPECT_NEAR(taken, 0.5 * slow * still.dot(energy_gradient(still)), 1e-12 * (1 + taken));
    EXPECT_GT(taken, 0);
  }
}

std::vector<SystemCase> elasticity_cases() { return {{"elasticity", 1, ""}, {"elasticity", 2, ""}, {"elasticity", 3, ""}}; }

INSTANTIATE_TEST_SUITE_P(Shipped, Elasticity, testing::ValuesIn(elasticity_cases()), case_name);

/// A conserved Euler state of density, normal and tangential speed and pressure, gamma = 1.6.
Vector euler_state(double rho, const Vector& v, double p) {
  Vector q(v.size() + 2);
  q << rho, rho * v, p / 0.6 + 0.5 * rho * v.squaredNorm();
  return q;
}

TEST(Euler, hllc_and_roe_keep_an_isolated_contact) {
  const SystemCase euler{"euler", 3, ""};
  HostSystem system(euler);
  RandomStates states(euler);
  HostFunction physical = system.flux_along();
  for (const std::string name : {"hllc", "roe"}) {
    HostFunction flux = system.numerical_flux(name);
    for (const double speed : {0.0, 0.3, -0.2}) {
      const Vector n = states.unit();
      const Vector left = euler_state(1.4, speed * n, 0.7);
      const Vector right = euler_state(0.2, speed * n, 0.7);
      const Vector expected = physical({{"q", speed >= 0 ? left : right}, {"a", n}});
      const Vector found = flux({{"qm", left}, {"qp", right}, {"n", n}});
      EXPECT_LE((found - expected).norm(), 2e-15) << name << " " << speed;
    }
    // A shear layer at rest along its normal.
    Vector n = Vector::Unit(3, 0);
    const Vector left = euler_state(1.4, Vector{{0, 0.5, -0.3}}, 0.7);
    const Vector right = euler_state(0.2, Vector{{0, -0.4, 0.9}}, 0.7);
    const Vector expected{{0, 0.7, 0, 0, 0}};
    EXPECT_LE((flux({{"qm", left}, {"qp", right}, {"n", n}}) - expected).norm(), 1e-15) << name;
  }
}

TEST(Euler, supersonic_flow_takes_the_upstream_flux) {
  const SystemCase euler{"euler", 2, ""};
  HostSystem system(euler);
  HostFunction physical = system.flux_along();
  const Vector n = Vector{{0.6, 0.8}};
  const Vector left = euler_state(1.1, 4 * n, 0.9);
  const Vector right = euler_state(0.9, 4.2 * n, 1.0);
  for (const std::string name : {"hll", "hllc", "roe"}) {
    HostFunction flux = system.numerical_flux(name);
    const Vector expected = physical({{"q", left}, {"a", n}});
    EXPECT_LE((flux({{"qm", left}, {"qp", right}, {"n", n}}) - expected).norm(), 1e-12 * expected.norm()) << name;
  }
}

TEST(Burgers, godunov_flux_is_that_of_the_exact_solution) {
  const SystemCase burgers{"burgers", 1, ""};
  HostSystem system(burgers);
  HostFunction flux = system.numerical_flux("godunov");
  const auto value = [&flux](double a, double b, double n) {
    return flux({{"qm", Vector{{a}}}, {"qp", Vector{{b}}}, {"n", Vector{{n}}}})(0);
  };
  const double d = 0.7;
  EXPECT_DOUBLE_EQ(value(2, -1, 1), 2 * d) << "shock to the right";
  EXPECT_DOUBLE_EQ(value(1, -2, 1), 2 * d) << "shock to the left";
  EXPECT_DOUBLE_EQ(value(-1, 2, 1), 0) << "transonic rarefaction";
  EXPECT_DOUBLE_EQ(value(1, 2, 1), 0.5 * d) << "rarefaction to the right";
  EXPECT_DOUBLE_EQ(value(2, -1, -1), 0) << "seen from the other side: a rarefaction around the face";
}

}  // namespace
}  // namespace dgsolve::io
