// Numerical fluxes and boundary conditions that every system has.
#include "solver/equations/generic.h"

#include <algorithm>
#include <array>
#include <vector>

#include "solver/equations/system.h"

namespace dgsolve::solver {

std::span<const NamedFormulas> generic_fluxes() {
  static const std::vector<NamedFormulas> fluxes{
      {"central", {}, {{"", {"mean(flux)", {}}}}, {}},
      {"rusanov", {}, {{"", {"mean(flux) - 0.5*max(inner(max_wave_speed), outer(max_wave_speed))*jump(state)", {}}}}, {}},
      {"hll",
       {{"s_minus", {"min(0, inner(slowest), outer(slowest))", {}}}, {"s_plus", {"max(0, inner(fastest), outer(fastest))", {}}}},
       {{"",
         {"if(s_plus > s_minus, (s_plus*inner(flux) - s_minus*outer(flux) + s_plus*s_minus*jump(state))/(s_plus - s_minus), mean(flux))",
          {}}}},
       {}}};
  return fluxes;
}

std::span<const std::string_view> generic_conditions() {
  static constexpr std::array<std::string_view, 4> names{"dirichlet", "exact", "inflow", "outflow"};
  return names;
}

std::vector<std::string> flux_names(const EquationDefinition& definition) {
  std::vector<std::string> names;
  for (const NamedFormulas& flux : definition.numerical_fluxes) names.push_back(flux.name);
  for (const NamedFormulas& flux : generic_fluxes()) {
    if (std::find(names.begin(), names.end(), flux.name) == names.end()) names.push_back(flux.name);
  }
  return names;
}

std::vector<std::string> condition_names(const EquationDefinition& definition) {
  std::vector<std::string> names;
  for (const NamedFormulas& condition : definition.boundary_conditions) names.push_back(condition.name);
  for (const std::string_view condition : generic_conditions()) {
    if (std::find(names.begin(), names.end(), condition) == names.end()) names.emplace_back(condition);
  }
  return names;
}

}  // namespace dgsolve::solver
