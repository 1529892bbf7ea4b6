// The table of time integrators.
#include "solver/time/integrator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "codegen/nearest.h"

namespace dgsolve::solver {
namespace {

RegisterUpdate update(std::vector<double> coefficients, double rate) { return {true, std::move(coefficients), rate}; }
RegisterUpdate keep() { return {}; }

/// k <- A k + dt L(u);  u <- u + B k (Williamson 1980).
Integrator low_storage(std::string name, std::string reference, int order, const std::vector<double>& a, const std::vector<double>& b,
                       const std::vector<double>& c) {
  Integrator method{std::move(name), std::move(reference), order, 2, {}};
  for (std::size_t s = 0; s < a.size(); ++s) method.stages.push_back({c[s], {update({1, b[s]}, 0), update({0, a[s]}, 1)}});
  return method;
}

Integrator lsrk54() {
  return low_storage("lsrk54", "Carpenter & Kennedy 1994, NASA TM 109112, solution 3, five stages, order 4", 4,
                     {0.0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0, -3550918686646.0 / 2091501179385.0,
                      -1275806237668.0 / 842570457699.0},
                     {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0, 1720146321549.0 / 2090206949498.0,
                      3134564353537.0 / 4481467310338.0, 2277821191437.0 / 14882151754819.0},
                     {0.0, 1432997174477.0 / 9575080441755.0, 2526269341429.0 / 6820363962896.0, 2006345519317.0 / 3224310063776.0,
                      2802321613138.0 / 2924317926251.0});
}

/// Register 1 keeps the state at the start of the step.
Integrator ssprk33() {
  return {"ssprk33",
          "Shu & Osher 1988, eq. 2.18, three stages, order 3",
          3,
          2,
          {{0.0, {update({1, 0}, 1), update({1, 0}, 0)}},
           {1.0, {update({1.0 / 4, 3.0 / 4}, 1.0 / 4), keep()}},
           {0.5, {update({2.0 / 3, 1.0 / 3}, 2.0 / 3), keep()}}}};
}

/// Register 1 keeps the state at the start of the step.
Integrator ssprk43() {
  return {"ssprk43",
          "Kraaijevanger 1991; Spiteri & Ruuth 2002, four stages, order 3",
          3,
          2,
          {{0.0, {update({1, 0}, 1.0 / 2), update({1, 0}, 0)}},
           {0.5, {update({1, 0}, 1.0 / 2), keep()}},
           {1.0, {update({1.0 / 3, 2.0 / 3}, 1.0 / 6), keep()}},
           {0.5, {update({1, 0}, 1.0 / 2), keep()}}}};
}

/// Register 1 keeps the state at the start of the step, and from the fifth stage on what the last one adds of it and of the fifth.
Integrator ssprk104() {
  Integrator method{"ssprk104", "Ketcheson 2008, pseudocode 3, ten stages, order 4", 4, 2, {}};
  for (int s = 0; s < 10; ++s) {
    const double time = (s < 5 ? s : s - 3) / 6.0;
    RegisterUpdate state = update({1, 0}, 1.0 / 6), kept = s == 0 ? update({1, 0}, 0) : keep();
    if (s == 4) {
      state = update({-5, 15}, -5.0 / 6);
      kept = update({9.0 / 25, 1.0 / 25}, 3.0 / 50);
    }
    if (s == 9) state = update({3.0 / 5, 1}, 1.0 / 10);
    method.stages.push_back({time, {state, kept}});
  }
  return method;
}

/// Register 1 keeps the state at the start of the step, register 2 collects the result.
Integrator rk4() {
  return {"rk4",
          "Kutta 1901, four stages, order 4",
          4,
          3,
          {{0.0, {update({1, 0, 0}, 1.0 / 2), update({1, 0, 0}, 0), update({1, 0, 0}, 1.0 / 6)}},
           {0.5, {update({0, 1, 0}, 1.0 / 2), keep(), update({0, 0, 1}, 1.0 / 3)}},
           {0.5, {update({0, 1, 0}, 1), keep(), update({0, 0, 1}, 1.0 / 3)}},
           {1.0, {update({0, 0, 1}, 1.0 / 6), keep(), keep()}}}};
}

/// Whether the old value of register n must be read in a stage that also computes new ones. The update of u sees new values of the others.
bool reads_register(const Stage& stage, std::size_t n) {
  bool read = !stage.updates[n].active && stage.updates[0].coefficients[n] != 0;
  for (std::size_t m = 1; m < stage.updates.size(); ++m) read |= stage.updates[m].active && stage.updates[m].coefficients[n] != 0;
  return read;
}

}  // namespace

int values_moved(const Stage& stage) {
  int values = 2;  // u
  for (std::size_t n = 1; n < stage.updates.size(); ++n) values += (reads_register(stage, n) ? 1 : 0) + (stage.updates[n].active ? 1 : 0);
  return values;
}

std::span<const Integrator> integrators() {
  static const std::array<Integrator, 5> table{lsrk54(), ssprk33(), ssprk43(), ssprk104(), rk4()};
  return table;
}

const Integrator& integrator(std::string_view name) {
  const auto table = integrators();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Integrator& row) { return row.name == name; });
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const Integrator& row : table) names.push_back(row.name);
  throw std::invalid_argument(
      fmt::format("unknown integrator '{}': allowed are {}{}", name, fmt::join(names, ", "), codegen::did_you_mean(name, names)));
}

}  // namespace dgsolve::solver
