// Writes checkpoints while a run goes on, when it is asked to stop, and at its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "io/checkpoint.h"
#include "io/checkpoint_folder.h"
#include "io/monitor_observer.h"
#include "io/output_observer.h"
#include "io/schedule.h"
#include "solver/simulation.h"

namespace dgsolve::io {

/// On every rank; each writes its share. Steps are never shortened: it is the first step after the due time that is kept. A run that was
/// asked to stop always leaves one, and a run with an interval leaves one of its end.
class CheckpointObserver : public solver::Observer {
 public:
  /// `output` and `monitors` (may be null) are told before this one; they must outlive it.
  CheckpointObserver(solver::DgOperator& op, const Config& config, std::string program, const OutputObserver& output,
                     MonitorObserver* monitors);

  [[nodiscard]] double quiet_until(double now) const override;
  /// Throws DivergedError instead of keeping a state that is not finite and admissible; OutputError.
  void observe(const solver::Progress& progress, solver::DgOperator& op) override;
  void finish(const solver::Progress& progress, solver::DgOperator& op) override;

  /// The interval of the wall clock has passed since the last checkpoint: the ranks must be asked for one together.
  [[nodiscard]] bool is_wall_time_due() const;
  /// The last one that was written; empty: none.
  [[nodiscard]] const std::filesystem::path& last_file() const { return last_file_; }

 private:
  [[nodiscard]] bool is_due(const solver::Progress& progress) const;
  void write(const solver::Progress& progress, solver::DgOperator& op);

  CheckpointOptions options_;
  CheckpointFolder folder_;
  CheckpointHeader header_;
  const OutputObserver& output_;
  MonitorObserver* monitors_;
  Schedule schedule_;
  std::int64_t batch_steps_;
  std::optional<solver::Progress> seen_;      ///< the last step observed
  std::optional<std::int64_t> written_step_;  ///< or the one that the run began at
  std::chrono::steady_clock::time_point written_at_;
  std::filesystem::path last_file_;
};

}  // namespace dgsolve::io
