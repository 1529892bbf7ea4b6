// Errors on a family of meshes, each with cells half the size of the one before, and the orders of accuracy they show.
#pragma once

#include <optional>
#include <vector>

#include "cli/session.h"

namespace dgsolve::cli {

struct ObservedOrder {
  std::optional<double> l1, l2, linf;  ///< none on the first mesh, and where an error is zero
};

/// One mesh at one polynomial order.
struct ConvergenceRow {
  int order = 0;
  std::int64_t cells = 0;
  double h = 0;  ///< (measure of the domain / cells)^(1/dimension)
  std::int64_t steps = 0;
  std::vector<solver::ErrorNorms> errors;  ///< of each state component
  std::vector<ObservedOrder> observed;     ///< likewise: log(e_coarse/e)/log(h_coarse/h)
};

/// Runs the configuration on `meshes` meshes. With a CFL-limited step, dt falls like h^max(1, (p+1)/q), q the integrator's order, so that
/// the error in time falls at least as fast as the one in space. Throws io::ConfigError without an exact solution, solver::DivergedError.
[[nodiscard]] std::vector<ConvergenceRow> measure_convergence(const io::Config& config, Engine& engine, int meshes, Verbosity verbosity);

}  // namespace dgsolve::cli
