// The time loop.
#include "solver/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dgsolve::solver {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The next time that the run must land on.
double next_landing(const std::vector<Observer*>& observers, double now, double end) {
  double target = end;
  for (const Observer* observer : observers) target = std::min(target, observer->next_landing(now));
  return target;
}

double quiet_until(const std::vector<Observer*>& observers, double now) {
  double until = std::numeric_limits<double>::infinity();
  for (const Observer* observer : observers) until = std::min(until, observer->quiet_until(now));
  return until;
}

/// A batch must have this many times the room of its steps at their present length.
constexpr double batch_room = 1.25;

double own_request(const RunControl& control) { return control.request ? static_cast<double>(control.request()) : 0.0; }

/// The stable step of the present state, and what all ranks together are asked for.
double look_around(DgOperator& op, const RunControl& control, Progress& progress) {
  double request = own_request(control);
  const double stable = op.stable_step(progress.time, &request);
  progress.request = static_cast<Request>(std::lround(request));
  return stable;
}

}  // namespace

void throw_diverged(DgOperator& op, const Progress& progress) {
  const auto found = op.fault(progress.time);
  const StateFault fault = found.value_or(StateFault{"non-finite", "wave speed", std::nan(""), -1, {0, 0, 0}});
  std::string position;
  for (int k = 0; k < op.mesh().dimension; ++k)
    position += fmt::format("{}{:.6g}", k > 0 ? ", " : "", fault.position[static_cast<std::size_t>(k)]);
  const std::string when = progress.step == 0 ? fmt::format("the initial state at t = {:.8g} is not admissible", progress.time)
                                              : fmt::format("the solution diverged at step {}, t = {:.8g}", progress.step, progress.time);
  throw DivergedError(fmt::format("{}: {} is {} ({:.6g}) in element {} at ({}){}", when, fault.quantity, fault.what, fault.value,
                                  fault.element, position, op.ranks().alone() ? std::string() : fmt::format(" on rank {}", fault.rank)),
                      fault, progress);
}

Progress run_simulation(DgOperator& op, const TimeOptions& options, const std::vector<Observer*>& observers, const RunControl& control) {
  Progress progress;
  progress.time = options.start;
  if (control.from) progress = {.step = control.from->step, .time = control.from->time, .dt = control.from->dt};
  progress.end = options.end;
  const auto stages = static_cast<std::int64_t>(op.method().stages.size());
  const double span = options.end - options.start;
  const double smallest_step = 1e-14 * std::max(std::abs(options.end), std::abs(options.start));

  double stable = look_around(op, control, progress);
  if (std::isnan(stable)) throw_diverged(op, progress);
  for (Observer* observer : observers) observer->observe(progress, op);
  int batch_steps = op.batch_steps();
  const auto start = Clock::now();
  while (progress.time < options.end && progress.request != Request::stop) {
    const double wanted = options.step ? *options.step : options.cfl * stable;
    const double target = next_landing(observers, progress.time, options.end);
    const double quiet = std::min(target, quiet_until(observers, progress.time));
    if (batch_steps > 0 && batch_room * batch_steps * wanted <= quiet - progress.time) {
      const DgOperator::Batch batch = op.run_batch(progress.time, {quiet, options.cfl, options.step, smallest_step});
      if (!batch.ok) batch_steps = 0;  // step by step to the fault
      if (batch.steps > 0) {
        progress.time = batch.time;
        progress.dt = batch.dt;
        progress.step += batch.steps;
        progress.stages += batch.steps * stages;
        progress.wall_s = seconds_since(start);
        stable = batch.stable;
        progress.request = static_cast<Request>(std::lround(own_request(control)));  // batches are made on one rank alone
        for (Observer* observer : observers) observer->observe(progress, op);
        continue;
      }
    }
    const double remaining = target - progress.time;
    double dt = std::min(wanted, remaining);
    // The steps up to a landing are made equal, so that none is left over that is far too short.
    const bool lands = dt >= remaining * (1 - 1e-10);
    if (!lands && !options.step && wanted > 0.5 * remaining) dt = 0.5 * remaining;
    if (dt <= smallest_step && !lands) {
      throw DivergedError(
          fmt::format(
              "the time step under-flowed at step {}, t = {:.8g}: dt = {:.3g} of a run of length {:.3g}; wave speeds grow without bound",
              progress.step, progress.time, dt, span),
          StateFault{"time step", "dt", dt, -1, {0, 0, 0}}, progress);
    }
    op.step(progress.time, dt);
    progress.time = lands ? target : progress.time + dt;
    progress.dt = dt;
    ++progress.step;
    progress.stages += stages;
    stable = look_around(op, control, progress);
    progress.wall_s = seconds_since(start);
    if (std::isnan(stable)) throw_diverged(op, progress);
    for (Observer* observer : observers) observer->observe(progress, op);
  }
  op.queue().finish();
  progress.wall_s = seconds_since(start);
  if (progress.time < options.end) return progress;
  for (Observer* observer : observers) observer->finish(progress, op);
  return progress;
}

}  // namespace dgsolve::solver
