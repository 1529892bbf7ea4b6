// When a checkpoint is due, and what goes into it.
#include "io/checkpoint_observer.h"

#include <limits>

#include "io/shared_file.h"

namespace dgsolve::io {
namespace {

using Unit = CheckpointInterval::Unit;

bool has_unit(const CheckpointOptions& options, Unit unit) { return options.every && options.every->unit == unit; }

std::optional<double> simulated_interval(const CheckpointOptions& options) {
  return has_unit(options, Unit::simulated_time) ? std::optional(options.every->value) : std::nullopt;
}

}  // namespace

CheckpointObserver::CheckpointObserver(solver::DgOperator& op, const Config& config, std::string program, const OutputObserver& output,
                                       MonitorObserver* monitors)
    : options_(config.checkpoint),
      folder_(config.output_directory, config.name),
      header_(describe_problem(config)),
      output_(output),
      monitors_(monitors),
      schedule_(simulated_interval(options_), Schedule::WithoutInterval::never),
      batch_steps_(op.batch_steps()),
      written_at_(std::chrono::steady_clock::now()) {
  describe_operator(header_, op);
  header_.program = std::move(program);
}

double CheckpointObserver::quiet_until(double now) const {
  if (has_unit(options_, Unit::simulated_time)) return schedule_.next_after(now);
  if (!has_unit(options_, Unit::steps) || !seen_) return std::numeric_limits<double>::infinity();
  const auto every = static_cast<std::int64_t>(options_.every->value);
  return every - seen_->step % every <= batch_steps_ ? now : std::numeric_limits<double>::infinity();
}

bool CheckpointObserver::is_wall_time_due() const {
  return has_unit(options_, Unit::wall_time) &&
         std::chrono::duration<double>(std::chrono::steady_clock::now() - written_at_).count() >= options_.every->value;
}

bool CheckpointObserver::is_due(const solver::Progress& progress) const {
  if (written_step_ == progress.step) return false;
  if (progress.request != solver::Request::none) return true;
  if (!seen_) return false;
  if (has_unit(options_, Unit::simulated_time)) return schedule_.is_due(seen_->time, progress.time);
  const auto every = has_unit(options_, Unit::steps) ? static_cast<std::int64_t>(options_.every->value) : 0;
  return every > 0 && progress.step / every > seen_->step / every;
}

void CheckpointObserver::observe(const solver::Progress& progress, solver::DgOperator& op) {
  if (is_due(progress)) write(progress, op);
  seen_ = progress;
}

void CheckpointObserver::finish(const solver::Progress& progress, solver::DgOperator& op) {
  if (options_.every && written_step_ != progress.step) write(progress, op);
}

void CheckpointObserver::write(const solver::Progress& progress, solver::DgOperator& op) {
  if (op.fault(progress.time)) solver::throw_diverged(op, progress);
  const mesh::Communicator& ranks = op.ranks();
  header_.step = progress.step;
  header_.time = progress.time;
  header_.dt = progress.dt;
  std::string file;
  on_root(ranks, [&] {
    output_.tell(header_.results);
    if (monitors_ != nullptr) monitors_->tell(header_.results);
    header_.results.step = progress.step;
    file = folder_.next().string();
  });
  ranks.broadcast(file, 0);
  write_checkpoint(file, header_, own_state(op), ranks);
  last_file_ = file;
  if (ranks.is_root()) folder_.remove_older(options_.keep);
  written_step_ = progress.step;
  written_at_ = std::chrono::steady_clock::now();
}

}  // namespace dgsolve::io
