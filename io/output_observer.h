// Writes the fields of a run at the start, at the multiples of an interval, and at the end.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/schedule.h"
#include "io/vtkhdf.h"
#include "solver/simulation.h"

namespace dgsolve::io {

struct OutputPlan {
  std::filesystem::path directory;
  std::string name;             ///< of the series
  std::optional<double> every;  ///< none: start and end only
  std::vector<solver::FieldSpec> fields;
  ValueStorage storage = ValueStorage::float64;
  OutputOrigin origin;
  ResultsPosition from = {};  ///< of the run that is continued
};

/// On every rank; each writes its share.
class OutputObserver : public solver::Observer {
 public:
  /// Makes the folder and writes the mesh, or continues a series that is there. Throws OutputError, ConfigError (see VtkhdfSeries),
  /// solver::EquationError for a field that does not exist.
  OutputObserver(solver::DgOperator& op, OutputPlan plan);

  [[nodiscard]] double next_landing(double now) const override { return schedule_.next_after(now); }
  [[nodiscard]] double quiet_until(double) const override { return std::numeric_limits<double>::infinity(); }
  void observe(const solver::Progress& progress, solver::DgOperator& op) override;
  /// Writes the last time if it is not yet written.
  void finish(const solver::Progress& progress, solver::DgOperator& op) override;
  [[nodiscard]] const VtkhdfSeries& series() const { return *series_; }
  /// What is written so far.
  void tell(ResultsPosition& position) const;

 private:
  void write(const solver::Progress& progress, solver::DgOperator& op);

  std::vector<solver::FieldSpec> fields_;
  Schedule schedule_;
  std::optional<VtkhdfSeries> series_;
  std::optional<double> last_;  ///< time written last
};

/// Attributes that say where results come from: program and version, configuration, device, kernels ("name SHA-256" lines).
[[nodiscard]] OutputOrigin describe_origin(const std::string& configuration, const std::string& version, const solver::DgOperator& op);

}  // namespace dgsolve::io
