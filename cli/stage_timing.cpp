// Times the stages of a discretisation.
#include "cli/stage_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/copy_bandwidth.h"

namespace dgsolve::cli {
namespace {

constexpr int sample_count = 5;
constexpr double sample_seconds = 0.5;

/// Whether the old value of register n must be read in a stage that also computes new ones. The update of u sees new values of the others.
bool reads_register(const solver::Stage& stage, std::size_t n) {
  bool read = !stage.updates[n].active && stage.updates[0].coefficients[n] != 0;
  for (std::size_t m = 1; m < stage.updates.size(); ++m) read |= stage.updates[m].active && stage.updates[m].coefficients[n] != 0;
  return read;
}

double run_steps(solver::DgOperator& op, double& t, double dt, std::int64_t steps) {
  op.queue().finish();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < steps; ++i, t += dt) op.step(t, dt);
  op.queue().finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double state_bytes_per_dof(const solver::Integrator& method, std::size_t real_bytes) {
  std::size_t values = 0;
  for (const solver::Stage& stage : method.stages) {
    values += 2;  // u
    for (std::size_t n = 1; n < stage.updates.size(); ++n) {
      values += reads_register(stage, n) ? 1 : 0;
      values += stage.updates[n].active ? 1 : 0;
    }
  }
  return static_cast<double>(values * real_bytes) / static_cast<double>(method.stages.size());
}

StageTiming time_stages(solver::DgOperator& op, const io::Config& config, Engine& engine, std::optional<std::int64_t> steps) {
  double t = config.time.start;
  double dt = config.time.step.value_or(config.time.cfl * op.stable_step(t));
  if (!std::isfinite(dt)) dt = 1;  // nothing moves

  StageTiming timing;
  timing.dofs = op.dof_count();
  timing.stages_per_step = static_cast<int>(op.method().stages.size());
  const std::size_t real_bytes = config.problem.precision == codegen::Precision::double_precision ? 8 : 4;
  const solver::MemoryUse memory = op.memory();
  timing.traffic.state = state_bytes_per_dof(op.method(), real_bytes);
  timing.traffic.geometry = static_cast<double>(memory.geometry + memory.connectivity) / static_cast<double>(timing.dofs);
  timing.copy_bandwidth = measure_copy_bandwidth(engine.device, engine.cache.get());

  run_steps(op, t, dt, 1);
  const double one = std::max(run_steps(op, t, dt, 1), 1e-7);
  timing.steps = steps.value_or(std::clamp<std::int64_t>(std::llround(sample_seconds / one), 1, 100000));
  for (int i = 0; i < sample_count; ++i) timing.seconds.push_back(run_steps(op, t, dt, timing.steps));
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return timing;
}

}  // namespace dgsolve::cli
