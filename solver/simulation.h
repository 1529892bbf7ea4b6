// The time loop: steps limited by stability, outputs and the end; observers are told at their due times.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "solver/dg_operator.h"

namespace dgsolve::solver {

struct TimeOptions {
  double start = 0.0;
  double end = 1.0;
  double cfl = 0.9;
  std::optional<double> step;  ///< fixed step instead of cfl
};

struct Progress {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0;  ///< of the last step; 0 before the first
  double end = 0;
  double wall_s = 0;  ///< since the first step began
  std::int64_t stages = 0;
};

/// Told about the run; nothing else branches inside the time loop.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A time that the run must land on exactly (outputs), later than `now`; infinity: none.
  [[nodiscard]] virtual double next_landing(double now) const {
    (void)now;
    return std::numeric_limits<double>::infinity();
  }
  /// Steps that end before this time need not be observed; `now`: every step must be.
  [[nodiscard]] virtual double quiet_until(double now) const { return now; }
  /// Called before the first step and after every step that is not quiet.
  virtual void observe(const Progress& progress, DgOperator& op) = 0;
  /// Called once after the last step, also when the run stops early.
  virtual void finish(const Progress& progress, DgOperator& op) {
    (void)progress;
    (void)op;
  }
};

/// The solution diverged, or the time step under-flowed (exit status 3). what(): step, time, element, coordinates, variable.
class DivergedError : public std::runtime_error {
 public:
  DivergedError(const std::string& message, StateFault fault, Progress progress)
      : std::runtime_error(message), fault_(std::move(fault)), progress_(progress) {}
  [[nodiscard]] const StateFault& fault() const { return fault_; }
  [[nodiscard]] const Progress& progress() const { return progress_; }

 private:
  StateFault fault_;
  Progress progress_;
};

/// Runs from options.start to options.end. The state must be set. Throws DivergedError.
Progress run_simulation(DgOperator& op, const TimeOptions& options, const std::vector<Observer*>& observers);

}  // namespace dgsolve::solver
