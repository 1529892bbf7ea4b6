// The time loop: steps limited by stability, outputs and the end; observers are told at their due times.
#pragma once

#include <cstdint>
#include <functional>
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

/// What a run is asked for between two steps; of different wishes the last in this list counts.
enum class Request { none, checkpoint, stop };

struct Progress {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0;  ///< of the last step; 0 before the first
  double end = 0;
  double wall_s = 0;                ///< since the first step began
  std::int64_t stages = 0;          ///< since the first step of this process
  Request request = Request::none;  ///< agreed by all ranks
};

/// How a run begins and what it listens to.
struct RunControl {
  std::optional<Progress> from;        ///< time, step and dt at which an earlier run is continued; none: options.start, step 0
  std::function<Request()> request{};  ///< asked after every step or batch of steps, on every rank; empty: never anything
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
  /// Called before the first step (of a continued run: with the step that it begins at) and after every step that is not quiet.
  virtual void observe(const Progress& progress, DgOperator& op) = 0;
  /// Called once after the last step, not when the run was asked to stop before it.
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

/// DivergedError about the present state: what is wrong with it, and where. Called by all ranks.
[[noreturn]] void throw_diverged(DgOperator& op, const Progress& progress);

/// Runs to options.end, or until a stop is requested: then observers have seen the last step and the result's request is `stop`. The
/// state must be set. A continued run makes the steps that the whole one would have made. Throws DivergedError.
Progress run_simulation(DgOperator& op, const TimeOptions& options, const std::vector<Observer*>& observers,
                        const RunControl& control = {});

}  // namespace dgsolve::solver
