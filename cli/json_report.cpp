// The only file of cli/ that sees the JSON library.
#include "cli/json_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dgsolve::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

}  // namespace

std::string json_of_convergence(std::span<const ConvergenceRow> rows) {
  Json list = Json::array();
  for (const ConvergenceRow& row : rows) {
    Json errors = Json::object();
    Json observed = Json::object();
    for (std::size_t c = 0; c < row.errors.size(); ++c) {
      const solver::ErrorNorms& error = row.errors[c];
      const ObservedOrder& order = row.observed[c];
      errors[error.component] = {{"L1", number(error.l1)}, {"L2", number(error.l2)}, {"Linf", number(error.linf)}};
      observed[error.component] = {{"L1", number(order.l1)}, {"L2", number(order.l2)}, {"Linf", number(order.linf)}};
    }
    list.push_back({{"order", row.order},
                    {"cells", row.cells},
                    {"h", number(row.h)},
                    {"steps", row.steps},
                    {"errors", std::move(errors)},
                    {"observed", std::move(observed)}});
  }
  return Json{{"rows", std::move(list)}}.dump(2) + "\n";
}

std::string json_of_timing(const StageTiming& timing, const solver::DgOperator& op) {
  const Json report{{"device", op.device().facts().name},
                    {"selector", op.device().facts().selector},
                    {"dofs", timing.dofs},
                    {"elements", op.mesh().cell_count()},
                    {"stages_per_step", timing.stages_per_step},
                    {"steps", timing.steps},
                    {"samples_s", timing.seconds},
                    {"seconds_per_stage", timing.seconds_per_stage()},
                    {"gdofs_per_s", timing.gdofs_per_second()},
                    {"state_bytes_per_dof", timing.traffic.state},
                    {"geometry_bytes_per_dof", timing.traffic.geometry},
                    {"bytes_per_dof", timing.traffic.total()},
                    {"copy_bytes_per_s", timing.copy_bandwidth},
                    {"share_of_copy", timing.share_of_copy()}};
  return report.dump(2) + "\n";
}

}  // namespace dgsolve::cli
