// Writes integrals, extrema and point values to monitors.csv while the run goes on.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/config.h"
#include "io/schedule.h"
#include "io/table_file.h"
#include "solver/simulation.h"

namespace dgsolve::io {

/// Names of the columns of a monitor: its own name if it has one component and is no point; else NAME_COMPONENT.
[[nodiscard]] std::vector<std::string> monitor_columns(const MonitorSpec& monitor, const std::vector<std::string>& components);

/// One line per step at which a monitor is due: time, step, then the columns of all monitors; those that are not due stay empty. A monitor
/// with an interval records the first step at or after each multiple; steps are never shortened for it.
class MonitorObserver : public solver::Observer {
 public:
  /// Throws OutputError; ConfigError for a point outside the domain; solver::EquationError for a field that does not exist.
  MonitorObserver(solver::DgOperator& op, const std::vector<MonitorSpec>& monitors, const std::filesystem::path& file);

  [[nodiscard]] double quiet_until(double now) const override;
  void observe(const solver::Progress& progress, solver::DgOperator& op) override;
  /// Records the last step of a run that stops early for monitors that have not recorded it.
  void finish(const solver::Progress& progress, solver::DgOperator& op) override;

 private:
  struct Monitor {
    MonitorSpec spec;
    Schedule schedule;
    std::size_t columns = 0;
    solver::DgOperator::PointLocation point;
    double last = -std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] static std::vector<double> values(const Monitor& monitor, double time, solver::DgOperator& op);
  void record(const solver::Progress& progress, solver::DgOperator& op, const std::vector<bool>& due);

  std::vector<Monitor> monitors_;
  TableFile table_;
};

}  // namespace dgsolve::io
