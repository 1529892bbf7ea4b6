// Writes integrals, extrema and point values to monitors.csv while the run goes on.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/config.h"
#include "io/results_position.h"
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
  /// Throws OutputError; ConfigError for a point outside the domain, or a table of other columns; solver::EquationError for a field that
  /// does not exist. `from`, of the run that is continued: a table that is there goes on after the rows of its steps; null: begin anew.
  MonitorObserver(solver::DgOperator& op, const std::vector<MonitorSpec>& monitors, const std::filesystem::path& file,
                  const ResultsPosition* from = nullptr);

  [[nodiscard]] double quiet_until(double now) const override;
  void observe(const solver::Progress& progress, solver::DgOperator& op) override;
  /// Records the last step for monitors that have not recorded it.
  void finish(const solver::Progress& progress, solver::DgOperator& op) override;
  /// What is recorded so far, all of it on the disk; rank 0 alone. Throws OutputError.
  void tell(ResultsPosition& position) const;

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
  std::optional<TableFile> table_;  ///< on rank 0
  bool begun_ = false;              ///< there is a row
};

}  // namespace dgsolve::io
