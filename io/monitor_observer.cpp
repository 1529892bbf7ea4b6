// Monitors: which are due, their values, their line.
#include "io/monitor_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "io/faults.h"

namespace dgsolve::io {
namespace {

std::vector<std::string> component_names(const solver::DgOperator& op, const std::vector<solver::FieldSpec>& fields) {
  std::vector<std::string> names;
  for (const auto& quantity : op.system().resolve_fields(fields)) {
    names.insert(names.end(), quantity.component_names.begin(), quantity.component_names.end());
  }
  return names;
}

std::vector<std::string> all_columns(const solver::DgOperator& op, const std::vector<MonitorSpec>& monitors) {
  std::vector<std::string> columns{"time", "step"};
  for (const MonitorSpec& monitor : monitors) {
    const auto own = monitor_columns(monitor, component_names(op, monitor.fields));
    columns.insert(columns.end(), own.begin(), own.end());
  }
  return columns;
}

/// Of a row of the table: its second column.
double step_of(std::string_view line) {
  const std::size_t comma = line.find(',');
  double step = std::numeric_limits<double>::infinity();
  if (comma != std::string_view::npos) std::from_chars(line.data() + comma + 1, line.data() + line.size(), step);
  return step;
}

solver::DgOperator::PointLocation locate(solver::DgOperator& op, const MonitorSpec& monitor) {
  if (monitor.kind != MonitorSpec::Kind::at) return {};
  if (auto location = op.locate(monitor.point)) return *location;
  throw ConfigError(fmt::format("{}: monitors.{}.at: the point ({}) lies outside the domain", to_text(monitor.where), monitor.name,
                                fmt::join(monitor.point.begin(), monitor.point.begin() + op.mesh().dimension, ", ")));
}

}  // namespace

std::vector<std::string> monitor_columns(const MonitorSpec& monitor, const std::vector<std::string>& components) {
  if (components.size() == 1 && monitor.kind != MonitorSpec::Kind::at) return {monitor.name};
  std::vector<std::string> columns;
  for (const std::string& component : components) columns.push_back(monitor.name + "_" + component);
  return columns;
}

MonitorObserver::MonitorObserver(solver::DgOperator& op, const std::vector<MonitorSpec>& monitors, const std::filesystem::path& file,
                                 const ResultsPosition* from) {
  const std::vector<std::string> columns = all_columns(op, monitors);
  if (op.ranks().is_root() && from != nullptr) {
    table_.emplace(file, columns, [&](std::string_view line) { return step_of(line) <= static_cast<double>(from->step); });
  } else if (op.ranks().is_root()) {
    table_.emplace(file, columns);
  }
  begun_ = op.ranks().max(table_ && table_->continues() ? 1.0 : 0.0) > 0;
  for (const MonitorSpec& spec : monitors) {
    monitors_.push_back(
        {spec, Schedule(spec.every, Schedule::WithoutInterval::always), component_names(op, spec.fields).size(), locate(op, spec)});
    if (!begun_ || !from->monitor_times.contains(spec.name)) continue;
    monitors_.back().last = from->monitor_times.at(spec.name);
  }
}

void MonitorObserver::tell(ResultsPosition& position) const {
  table_->flush();
  for (const Monitor& monitor : monitors_) position.monitor_times[monitor.spec.name] = monitor.last;
}

double MonitorObserver::quiet_until(double now) const {
  double until = std::numeric_limits<double>::infinity();
  for (const Monitor& monitor : monitors_) until = std::min(until, monitor.spec.every ? monitor.schedule.next_after(now) : now);
  return until;
}

void MonitorObserver::observe(const solver::Progress& progress, solver::DgOperator& op) {
  const bool all = !begun_ || progress.time >= progress.end;
  std::vector<bool> due;
  for (const Monitor& monitor : monitors_)
    due.push_back(monitor.last != progress.time && (all || monitor.schedule.is_due(monitor.last, progress.time)));
  record(progress, op, due);
}

void MonitorObserver::finish(const solver::Progress& progress, solver::DgOperator& op) {
  std::vector<bool> due;
  for (const Monitor& monitor : monitors_) due.push_back(monitor.last != progress.time);
  record(progress, op, due);
}

void MonitorObserver::record(const solver::Progress& progress, solver::DgOperator& op, const std::vector<bool>& due) {
  if (std::find(due.begin(), due.end(), true) == due.end()) return;
  begun_ = true;
  std::vector<std::optional<double>> cells{progress.time, static_cast<double>(progress.step)};
  for (std::size_t i = 0; i < monitors_.size(); ++i) {
    Monitor& monitor = monitors_[i];
    if (!due[i]) {
      cells.insert(cells.end(), monitor.columns, std::nullopt);
      continue;
    }
    for (const double value : values(monitor, progress.time, op)) cells.emplace_back(value);
    monitor.last = progress.time;
  }
  if (table_) table_->append(cells);
}

std::vector<double> MonitorObserver::values(const Monitor& monitor, double time, solver::DgOperator& op) {
  const auto& fields = monitor.spec.fields;
  if (monitor.spec.kind == MonitorSpec::Kind::integral) return op.integrals(fields, time);
  if (monitor.spec.kind == MonitorSpec::Kind::at) return op.evaluate_at(monitor.point, fields, time);
  std::vector<double> result;
  const std::size_t which = monitor.spec.kind == MonitorSpec::Kind::max ? 1 : 0;
  for (const auto& smallest_largest : op.extrema(fields, time)) result.push_back(smallest_largest[which]);
  return result;
}

}  // namespace dgsolve::io
