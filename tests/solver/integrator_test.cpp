// Time integrators: their rows, interpreted on the host, have the order they claim.
#include "solver/time/integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace dgsolve::solver {
namespace {

using State = std::vector<double>;
using Rate = std::function<State(double, const State&)>;

/// Interprets the rows as integrator.h describes them. Registers start as NaN: a row that reads one before it is written shows.
void step(const Integrator& method, const Rate& rate, double t, double dt, std::vector<State>& registers) {
  for (const Stage& stage : method.stages) {
    const State slope = rate(t + stage.time * dt, registers[0]);
    const auto apply = [&](std::size_t m, const std::vector<State>& from) {
      const RegisterUpdate& row = stage.updates[m];
      State result(slope.size(), 0.0);
      for (std::size_t n = 0; n < row.coefficients.size(); ++n) {
        for (std::size_t i = 0; row.coefficients[n] != 0 && i < result.size(); ++i) result[i] += row.coefficients[n] * from[n][i];
      }
      for (std::size_t i = 0; row.rate != 0 && i < result.size(); ++i) result[i] += row.rate * dt * slope[i];
      return result;
    };
    const std::vector<State> old = registers;
    for (std::size_t m = 1; m < registers.size(); ++m) {
      if (stage.updates[m].active) registers[m] = apply(m, old);
    }
    std::vector<State> mixed = registers;
    mixed[0] = old[0];
    if (stage.updates[0].active) registers[0] = apply(0, mixed);
  }
}

State solve(const Integrator& method, const Rate& rate, State state, double end, int steps) {
  std::vector<State> registers(static_cast<std::size_t>(method.registers), State(state.size(), std::nan("")));
  registers[0] = std::move(state);
  for (int n = 0; n < steps; ++n) step(method, rate, end * n / steps, end / steps, registers);
  return registers[0];
}

/// A nonlinear, non-autonomous system with the solution (sin(t^2), exp(sin t)).
State nonlinear_rate(double t, const State& y) {
  const double a = std::sin(t * t);
  const double b = std::exp(std::sin(t));
  return {2 * t * std::cos(t * t) + y[0] * y[1] - a * b, y[1] * std::cos(t) + std::sin(y[0]) - std::sin(a)};
}

TEST(integrators, reach_their_order_on_a_nonlinear_non_autonomous_system) {
  for (const Integrator& method : integrators()) {
    std::vector<double> errors;
    for (const int steps : {40, 80, 160}) {
      const State y = solve(method, nonlinear_rate, {0.0, 1.0}, 1.5, steps);
      errors.push_back(std::hypot(y[0] - std::sin(2.25), y[1] - std::exp(std::sin(1.5))));
    }
    for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
      const double observed = std::log2(errors[i] / errors[i + 1]);
      EXPECT_GT(observed, method.order - 0.15) << method.name;
      EXPECT_LT(observed, method.order + 0.6) << method.name;
    }
    EXPECT_LT(errors.back(), 1e-5);
  }
}

TEST(integrators, have_complete_rows_that_read_only_what_was_written) {
  for (const Integrator& method : integrators()) {
    EXPECT_FALSE(method.reference.empty());
    EXPECT_EQ(method.stages.front().time, 0.0);
    for (const Stage& stage : method.stages) {
      ASSERT_EQ(stage.updates.size(), static_cast<std::size_t>(method.registers));
      EXPECT_TRUE(stage.updates[0].active);
      for (const RegisterUpdate& row : stage.updates) {
        if (row.active) {
          EXPECT_EQ(row.coefficients.size(), static_cast<std::size_t>(method.registers));
        }
      }
    }
    const State y = solve(method, nonlinear_rate, {0.0, 1.0}, 0.1, 1);
    EXPECT_TRUE(std::isfinite(y[0]) && std::isfinite(y[1])) << method.name;
  }
}

/// First-order upwind advection of one cell's value, for which a method that preserves strong stability makes no new extrema up to its
/// coefficient (in units of the forward Euler step), and the methods here none beyond: they are optimal for linear problems too (Ketcheson
/// 2008, table 6.1).
TEST(integrators, preserve_strong_stability_up_to_their_coefficient_and_no_further) {
  const auto upwind = [](double, const State& y) {
    State rate(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) rate[i] = (i == 0 ? 0.0 : y[i - 1]) - y[i];
    return rate;
  };
  const auto worst = [&](const Integrator& method, double dt) {
    State start(40, 0.0);
    start[10] = 1;
    const State end = solve(method, upwind, start, dt, 1);
    const auto [low, high] = std::minmax_element(end.begin(), end.end());
    return std::max(-*low, *high - 1);
  };
  for (const auto& [name, coefficient] : {std::pair{"ssprk33", 1.0}, {"ssprk43", 2.0}, {"ssprk104", 6.0}}) {
    EXPECT_LT(worst(integrator(name), coefficient), 1e-13) << name;
    EXPECT_GT(worst(integrator(name), 1.05 * coefficient), 1e-6) << name;
  }
}

TEST(integrators, stage_times_match_their_states) {
  // y' = 1 gives y = t + c dt at every stage: L is evaluated at a state that belongs to its time.
  for (const Integrator& method : integrators()) {
    std::vector<State> registers(static_cast<std::size_t>(method.registers), State(1, std::nan("")));
    registers[0] = {0.0};
    const auto rate = [&](double t, const State& y) {
      EXPECT_NEAR(y[0], t, 1e-14) << method.name;
      return State{1.0};
    };
    step(method, rate, 0.0, 1.0, registers);
    EXPECT_NEAR(registers[0][0], 1.0, 1e-14);
  }
}

TEST(integrators, are_found_by_name_and_an_unknown_name_is_answered_with_the_nearest) {
  for (const Integrator& method : integrators()) EXPECT_EQ(&integrator(method.name), &method);
  try {
    static_cast<void>(integrator("lsrk45"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown integrator 'lsrk45': allowed are lsrk54, ssprk33, ssprk43, ssprk104, rk4; did you mean 'lsrk54'?");
  }
}

}  // namespace
}  // namespace dgsolve::solver
