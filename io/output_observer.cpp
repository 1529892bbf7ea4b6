// From the operator's state to the files.
#include "io/output_observer.h"

#include <fmt/format.h>

#include "codegen/cache.h"

namespace dgsolve::io {

OutputObserver::OutputObserver(solver::DgOperator& op, OutputPlan plan)
    : fields_(std::move(plan.fields)), schedule_(plan.every, Schedule::WithoutInterval::never) {
  auto fields = make_output_fields(op.system().resolve_fields(fields_));
  series_.emplace(plan.directory, plan.name, make_output_grid(op.part(), op.element(), op.ranks()), std::move(fields), plan.storage,
                  std::move(plan.origin), op.ranks(), plan.from);
  if (series_->time_count() > 0) last_ = plan.from.output_times.back();
}

void OutputObserver::tell(ResultsPosition& position) const {
  position.output_times = series_->times();
  position.output_steps = series_->steps();
}

void OutputObserver::observe(const solver::Progress& progress, solver::DgOperator& op) {
  if (!last_ || schedule_.is_due(*last_, progress.time)) write(progress, op);
}

void OutputObserver::finish(const solver::Progress& progress, solver::DgOperator& op) {
  if (!last_ || *last_ != progress.time) write(progress, op);
}

void OutputObserver::write(const solver::Progress& progress, solver::DgOperator& op) {
  series_->write(progress.time, progress.step, op.evaluate_owned(fields_, progress.time));
  last_ = progress.time;
}

OutputOrigin describe_origin(const std::string& configuration, const std::string& version, const solver::DgOperator& op) {
  std::string kernels;
  for (const auto& kernel : op.kernels())
    kernels += fmt::format("{} {}\n", kernel.spec().name, codegen::Cache::key({{"text", kernel.text()}}));
  const auto& facts = op.device().facts();
  return {{"program", "dgsolve"},
          {"version", version},
          {"configuration", configuration},
          {"device", fmt::format("{} ({}, {}, driver {})", facts.name, facts.selector, facts.platform, facts.driver_version)},
          {"kernels", kernels}};
}

}  // namespace dgsolve::io
