// Numerical fluxes and boundary conditions that every system has, written in the formula language.
#pragma once

#include <span>
#include <string_view>

#include "solver/equations/definition.h"

namespace dgsolve::solver {

/// central: the mean of both fluxes. rusanov: Rusanov 1961, doi:10.1016/0041-5553(62)90062-9 (local Lax-Friedrichs).
/// hll: Harten, Lax, van Leer 1983, doi:10.1137/1025002, equation 3.8, with the signal speeds of Davis 1988 that equation 10.47 of Toro
/// 2009 gives.
[[nodiscard]] std::span<const NamedFormulas> generic_fluxes();

/// dirichlet and its other name inflow (given values), exact (the exact solution), outflow (the inner state).
[[nodiscard]] std::span<const std::string_view> generic_conditions();

}  // namespace dgsolve::solver
