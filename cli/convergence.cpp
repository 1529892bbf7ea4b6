// Errors and observed orders on a family of meshes.
#include "cli/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "mesh/check.h"
#include "solver/simulation.h"

namespace dgsolve::cli {
namespace {

double mean_cell_size(const mesh::Mesh& mesh) {
  const std::vector<double> measures = mesh::cell_measures(mesh);
  const double total = std::accumulate(measures.begin(), measures.end(), 0.0);
  return std::pow(total / static_cast<double>(measures.size()), 1.0 / mesh.dimension);
}

std::optional<double> observed_order(double coarse_error, double error, double coarse_h, double h) {
  if (!(coarse_error > 0) || !(error > 0)) return std::nullopt;
  return std::log(coarse_error / error) / std::log(coarse_h / h);
}

void add_observed_orders(const ConvergenceRow& coarse, ConvergenceRow& row) {
  for (std::size_t c = 0; c < row.errors.size(); ++c) {
    const solver::ErrorNorms& before = coarse.errors[c];
    const solver::ErrorNorms& now = row.errors[c];
    row.observed[c] = {observed_order(before.l1, now.l1, coarse.h, row.h), observed_order(before.l2, now.l2, coarse.h, row.h),
                       observed_order(before.linf, now.linf, coarse.h, row.h)};
  }
}

}  // namespace

std::vector<ConvergenceRow> measure_convergence(const io::Config& config, Engine& engine, int meshes, Verbosity verbosity) {
  if (config.problem.exact.empty()) {
    throw io::ConfigError(
        fmt::format("{}: converge needs an exact: section, the solution that errors are measured against", config.path.string()));
  }
  std::vector<ConvergenceRow> rows;
  for (int level = 0; level < meshes; ++level) {
    Discretisation discretisation = discretise(config, engine, level);
    solver::DgOperator& op = *discretisation.op;
    ConvergenceRow row;
    row.order = config.problem.order;
    row.cells = op.cell_count();
    row.h = mean_cell_size(op.mesh());

    solver::TimeOptions time = config.time;
    const double power = static_cast<double>(row.order + 1) / op.method().order;
    if (!rows.empty()) time.cfl *= std::pow(row.h / rows.front().h, std::max(0.0, power - 1));
    set_initial_state(op, config);
    row.steps = solver::run_simulation(op, time, {}).step;
    row.errors = op.error_norms(time.end);
    row.observed.resize(row.errors.size());
    if (!rows.empty()) add_observed_orders(rows.back(), row);
    if (verbosity != Verbosity::quiet) fmt::print(stderr, "dgsolve: order {}, {} cells, {} steps\n", row.order, row.cells, row.steps);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace dgsolve::cli
