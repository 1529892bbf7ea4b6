// Turns the results of the measuring commands into JSON values.
#include "cli/json_report.h"

namespace dgsolve::cli {
namespace {

io::Json number(const std::optional<double>& value) { return value ? io::Json(*value) : io::Json(); }

io::Json norms(io::Json l1, io::Json l2, io::Json linf) {
  io::Json object = io::Json::object();
  object.set("L1", std::move(l1)).set("L2", std::move(l2)).set("Linf", std::move(linf));
  return object;
}

io::Json json_of_row(const ConvergenceRow& row) {
  io::Json errors = io::Json::object();
  io::Json observed = io::Json::object();
  for (std::size_t c = 0; c < row.errors.size(); ++c) {
    const solver::ErrorNorms& error = row.errors[c];
    const ObservedOrder& order = row.observed[c];
    errors.set(error.component, norms(error.l1, error.l2, error.linf));
    observed.set(error.component, norms(number(order.l1), number(order.l2), number(order.linf)));
  }
  io::Json object = io::Json::object();
  object.set("order", row.order).set("cells", row.cells).set("h", row.h).set("steps", row.steps);
  object.set("errors", std::move(errors)).set("observed", std::move(observed));
  return object;
}

}  // namespace

io::Json json_of_convergence(std::span<const ConvergenceRow> rows) {
  io::Json list = io::Json::array();
  for (const ConvergenceRow& row : rows) list.push(json_of_row(row));
  io::Json report = io::Json::object();
  report.set("rows", std::move(list));
  return report;
}

io::Json json_of_timing(const StageTiming& timing, const solver::DgOperator& op) {
  io::Json samples = io::Json::array();
  for (const double seconds : timing.seconds) samples.push(seconds);
  io::Json report = io::Json::object();
  report.set("device", op.device().facts().name).set("selector", op.device().facts().selector);
  report.set("is_cpu", op.device().facts().is_cpu).set("exchange", op.exchange());
  report.set("dofs", timing.dofs).set("elements", op.cell_count());
  report.set("stages_per_step", timing.stages_per_step).set("steps", timing.steps).set("samples_s", std::move(samples));
  report.set("seconds_per_stage", timing.seconds_per_stage()).set("gdofs_per_s", timing.gdofs_per_second());
  report.set("state_bytes_per_dof", timing.traffic.state).set("geometry_bytes_per_dof", timing.traffic.geometry);
  report.set("bytes_per_dof", timing.traffic.total()).set("copy_bytes_per_s", timing.copy_bandwidth);
  report.set("share_of_copy", timing.share_of_copy());
  if (timing.ranks.empty()) return report;
  io::Json ranks = io::Json::array();
  for (const RankTiming& rank : timing.ranks) {
    const solver::DgOperator::ExchangeCost& exchange = rank.exchange;
    ranks.push(io::Json::object()
                   .set("elements", rank.elements)
                   .set("neighbours", exchange.neighbours)
                   .set("bytes_per_stage", exchange.bytes_sent)
                   .set("exchange_alone_s", exchange.alone_s)
                   .set("exchange_exposed_s", exchange.exposed_s)
                   .set("exchange_hidden_s", rank.hidden_s()));
  }
  report.set("balance", timing.balance()).set("ranks", std::move(ranks));
  return report;
}

}  // namespace dgsolve::cli
