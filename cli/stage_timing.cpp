// Times the stages of a discretisation.
#include "cli/stage_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "codegen/device_limits.h"

namespace dgsolve::cli {
namespace {

constexpr int sample_count = 5;
constexpr double sample_seconds = 0.5;

double run_steps(solver::DgOperator& op, double& t, double dt, std::int64_t steps) {
  op.queue().finish();
  op.ranks().barrier();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < steps; ++i, t += dt) op.step(t, dt);
  op.queue().finish();
  op.ranks().barrier();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Steps in which exchanges are timed.
constexpr std::int64_t most_timed_steps = 20;

std::vector<RankTiming> time_ranks(solver::DgOperator& op, double t, double dt, std::int64_t steps) {
  if (op.ranks().alone()) return {};
  const auto own = op.measure_exchange(t, dt, std::min(steps, most_timed_steps));
  const std::vector<double> all = op.ranks().gather({static_cast<double>(op.owned_numbers().size()), static_cast<double>(own.bytes_sent),
                                                     static_cast<double>(own.neighbours), own.alone_s, own.exposed_s});
  std::vector<RankTiming> ranks;
  for (std::size_t i = 0; i + 5 <= all.size(); i += 5) {
    ranks.push_back({std::llround(all[i]), {std::llround(all[i + 1]), static_cast<int>(std::llround(all[i + 2])), all[i + 3], all[i + 4]}});
  }
  return ranks;
}

}  // namespace

double StageTiming::balance() const {
  std::int64_t sum = 0, largest = 1;
  for (const RankTiming& rank : ranks) {
    sum += rank.elements;
    largest = std::max(largest, rank.elements);
  }
  return static_cast<double>(sum) / static_cast<double>(ranks.size()) / static_cast<double>(largest);
}

double first_step(solver::DgOperator& op, const io::Config& config) {
  const double dt = config.time.step.value_or(config.time.cfl * op.stable_step(config.time.start));
  return std::isfinite(dt) ? dt : 1;  // nothing moves
}

double state_bytes_per_dof(const solver::Integrator& method, std::size_t real_bytes) {
  int values = 0;
  for (const solver::Stage& stage : method.stages) values += solver::values_moved(stage);
  return static_cast<double>(values) * static_cast<double>(real_bytes) / static_cast<double>(method.stages.size());
}

StageTraffic stage_traffic(const solver::DgOperator& op) {
  const solver::MemoryUse memory = op.memory();
  const std::size_t real_bytes = op.precision() == codegen::Precision::double_precision ? 8 : 4;
  const auto dofs = static_cast<double>(std::max<std::int64_t>(1, op.own_dof_count()));
  return {state_bytes_per_dof(op.method(), real_bytes), static_cast<double>(memory.geometry + memory.connectivity) / dofs};
}

void time_steps(solver::DgOperator& op, const io::Config& config, std::int64_t steps) {
  double t = config.time.start;
  run_steps(op, t, first_step(op, config), steps);
}

StageTiming time_stages(solver::DgOperator& op, const io::Config& config, Engine& engine, std::optional<std::int64_t> steps) {
  double t = config.time.start;
  const double dt = first_step(op, config);
  StageTiming timing;
  timing.dofs = op.dof_count();
  timing.stages_per_step = static_cast<int>(op.method().stages.size());
  timing.traffic = stage_traffic(op);
  timing.copy_bandwidth = codegen::measure_copy_bandwidth(engine.device, engine.cache.get());

  run_steps(op, t, dt, 1);
  const double one = op.ranks().max(std::max(run_steps(op, t, dt, 1), 1e-7));
  timing.steps = steps.value_or(std::clamp<std::int64_t>(std::llround(sample_seconds / one), 1, 100000));
  for (int i = 0; i < sample_count; ++i) timing.seconds.push_back(run_steps(op, t, dt, timing.steps));
  std::sort(timing.seconds.begin(), timing.seconds.end());
  timing.ranks = time_ranks(op, t, dt, timing.steps);
  return timing;
}

}  // namespace dgsolve::cli
