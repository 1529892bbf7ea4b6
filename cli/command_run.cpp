// dgsolve CONFIG.yaml: runs a configuration to its end time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/restart.h"
#include "cli/session.h"
#include "cli/stop_signals.h"
#include "codegen/profile.h"
#include "io/atomic_file.h"
#include "io/checkpoint_observer.h"
#include "io/fault_surroundings.h"
#include "io/folder_lock.h"
#include "io/monitor_observer.h"
#include "io/output_error.h"
#include "io/output_observer.h"
#include "io/progress_observer.h"
#include "io/summary.h"
#include "solver/simulation.h"

namespace dgsolve::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RunOptions {
  SessionOptions session;
  RestartOptions restart;
  std::filesystem::path json;  ///< empty: summary.json in the output directory
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Notes what had passed when the first step was about to begin: everything before it is set-up, also the first outputs.
class SetupTimer : public solver::Observer {
 public:
  SetupTimer(Clock::time_point started, const codegen::Cache& cache, io::Summary& summary)
      : started_(started), cache_(cache), summary_(summary) {}
  [[nodiscard]] double quiet_until(double) const override { return std::numeric_limits<double>::infinity(); }
  void observe(const solver::Progress&, solver::DgOperator& op) override {
    if (std::exchange(done_, true)) return;
    op.queue().finish();
    summary_.setup_s = seconds_since(started_);
    summary_.compile_s = cache_.counters().compile_milliseconds * 1e-3;
  }

 private:
  Clock::time_point started_;
  const codegen::Cache& cache_;
  io::Summary& summary_;
  bool done_ = false;
};

/// Keeps signals from ending the program while a checkpoint is written.
class HeldCheckpoints : public solver::Observer {
 public:
  HeldCheckpoints(io::CheckpointObserver& checkpoints, StopSignals& signals) : checkpoints_(checkpoints), signals_(signals) {}
  [[nodiscard]] double quiet_until(double now) const override { return checkpoints_.quiet_until(now); }
  void observe(const solver::Progress& progress, solver::DgOperator& op) override {
    const StopSignals::Hold hold(signals_);
    checkpoints_.observe(progress, op);
  }
  void finish(const solver::Progress& progress, solver::DgOperator& op) override {
    const StopSignals::Hold hold(signals_);
    checkpoints_.finish(progress, op);
  }

 private:
  io::CheckpointObserver& checkpoints_;
  StopSignals& signals_;
};

/// What watches a run: outputs, monitors, then checkpoints, which note what those have written; progress.
struct Watchers {
  std::unique_ptr<io::OutputObserver> output;
  std::unique_ptr<io::MonitorObserver> monitors;  ///< null: the configuration has none
  std::unique_ptr<io::CheckpointObserver> checkpoints;
  std::unique_ptr<HeldCheckpoints> held_checkpoints;
  std::unique_ptr<io::ProgressObserver> progress;

  [[nodiscard]] std::vector<solver::Observer*> all(SetupTimer& timer) const {
    std::vector<solver::Observer*> list{output.get()};
    if (monitors) list.push_back(monitors.get());
    list.push_back(held_checkpoints.get());
    list.push_back(progress.get());
    list.push_back(&timer);
    return list;
  }
};

Watchers make_watchers(const io::Config& config, solver::DgOperator& op, const std::optional<Restart>& restart, StopSignals& signals,
                       Verbosity verbosity) {
  io::OutputPlan plan;
  plan.directory = config.output_directory;
  plan.name = config.name;
  plan.every = config.output_every;
  plan.fields = config.output_fields;
  plan.storage = config.problem.precision == codegen::Precision::single_precision ? io::ValueStorage::float32 : io::ValueStorage::float64;
  plan.origin = io::describe_origin(config.text, DGSOLVE_VERSION, op);

  if (restart) plan.from = restart->header.results;

  Watchers watchers;
  watchers.output = std::make_unique<io::OutputObserver>(op, std::move(plan));
  if (!config.monitors.empty()) {
    watchers.monitors = std::make_unique<io::MonitorObserver>(op, config.monitors, config.output_directory / "monitors.csv",
                                                              restart ? &restart->header.results : nullptr);
  }
  watchers.checkpoints = std::make_unique<io::CheckpointObserver>(op, config, DGSOLVE_VERSION, *watchers.output, watchers.monitors.get());
  watchers.held_checkpoints = std::make_unique<HeldCheckpoints>(*watchers.checkpoints, signals);
  const auto style = verbosity == Verbosity::quiet ? io::ProgressStyle::quiet : io::progress_style_of(stderr);
  watchers.progress = std::make_unique<io::ProgressObserver>(stderr, style);
  return watchers;
}

void add_progress(io::Summary& summary, const solver::Progress& progress) {
  summary.steps = progress.step;
  summary.time = progress.time;
  summary.wall_s = progress.wall_s;
  if (progress.wall_s > 0)
    summary.gdofs_per_s = static_cast<double>(summary.dofs) * static_cast<double>(progress.stages) / progress.wall_s * 1e-9;
}

void print_errors(const std::vector<solver::ErrorNorms>& errors) {
  if (errors.empty()) return;
  fmt::print("{:12} {:>12} {:>12} {:>12}\n", "error", "L1", "L2", "Linf");
  for (const solver::ErrorNorms& error : errors)
    fmt::print("{:12} {:12.5e} {:12.5e} {:12.5e}\n", error.component, error.l1, error.l2, error.linf);
  std::fflush(stdout);
}

void print_end(const io::Summary& summary, const Engine& engine, const std::filesystem::path& results) {
  if (engine.verbosity == Verbosity::quiet) return;
  fmt::print(stderr, "dgsolve: {} steps in {:.3g} s after {:.3g} s of set-up, {:.4g} GDOF/s; results in {}\n", summary.steps,
             summary.wall_s, summary.setup_s, summary.gdofs_per_s, results.string());
  if (engine.verbosity != Verbosity::verbose) return;
  fmt::print(stderr, "dgsolve: {}\ndgsolve: checksum {}\n", describe_cache(*engine.cache), summary.checksum);
}

/// What this process, by its signals and (rank 0) its clock, wants of the run.
solver::Request wanted(const io::Config& config, const io::CheckpointObserver& checkpoints, const StopSignals& signals,
                       const mesh::Communicator& ranks, Clock::time_point started) {
  if (signals.signal() != nullptr) return solver::Request::stop;
  if (!ranks.is_root()) return solver::Request::none;
  if (config.wall_time && seconds_since(started) >= *config.wall_time) return solver::Request::stop;
  return checkpoints.is_wall_time_due() ? solver::Request::checkpoint : solver::Request::none;
}

/// What helps to find the reason: the surroundings of the fault as a file, and where the last good state is. By all ranks.
void report_fault(const io::Config& config, solver::DgOperator& op, const Watchers& watchers, const solver::DivergedError& fault) {
  const auto file = io::write_surroundings(op, config, fault);
  if (!op.ranks().is_root()) return;
  if (file) fmt::print(stderr, "dgsolve: the elements around the fault: {}\n", file->string());
  const auto& checkpoint = watchers.checkpoints->last_file();
  if (!checkpoint.empty()) fmt::print(stderr, "dgsolve: the last checkpoint before it: {}\n", checkpoint.string());
}

/// The time loop. A run that fails still leaves its summary, if that can be written.
void run_to_end(const io::Config& config, solver::DgOperator& op, const Watchers& watchers, SetupTimer& timer,
                const solver::RunControl& control, io::Summary& summary, const std::filesystem::path& summary_file) {
  try {
    const solver::Progress end = solver::run_simulation(op, config.time, watchers.all(timer), control);
    if (end.time < config.time.end) summary.status = io::RunStatus::stopped;
    add_progress(summary, end);
  } catch (const solver::DivergedError& fault) {
    watchers.progress->break_line();
    summary.status = io::RunStatus::diverged;
    add_progress(summary, fault.progress());
    if (op.ranks().is_root()) io::write_summary(summary_file, summary);
    report_fault(config, op, watchers, fault);
    throw;
  } catch (...) {
    watchers.progress->break_line();
    summary.status = io::RunStatus::failed;
    try {
      if (op.ranks().is_root()) io::write_summary(summary_file, summary);
    } catch (const io::OutputError&) {  // the first fault is the one to report
    }
    throw;
  }
}

/// On rank 0: nobody else writes into the folder, and nothing that a killed run left half done is in it.
std::unique_ptr<io::FolderLock> lock_results(const io::Config& config, const mesh::Communicator& ranks) {
  if (!ranks.is_root()) return nullptr;
  auto lock = std::make_unique<io::FolderLock>(config.output_directory);
  for (const auto& folder : {config.output_directory, config.output_directory / (config.name + ".d"),
                             io::CheckpointFolder(config.output_directory, config.name).path()})
    io::remove_temporaries(folder);
  return lock;
}

void print_stop(const io::Summary& summary, const Watchers& watchers, const StopSignals& signals, Clock::time_point started,
                const io::Config& config) {
  const bool by_clock = config.wall_time && seconds_since(started) >= *config.wall_time;
  const char* signal = signals.signal();
  const std::string_view reason = signal != nullptr ? signal : by_clock ? "time.wall" : "a signal to another rank";
  fmt::print(stderr, "dgsolve: stopped by {} at step {}, t = {}; checkpoint {}; go on with --resume\n", reason, summary.steps, summary.time,
             watchers.checkpoints->last_file().string());
}

/// Where the summary goes. Throws what would only be found out at the end of the run.
std::filesystem::path summary_file_of(const RunOptions& options, const io::Config& config) {
  if (options.json.empty()) return config.output_directory / "summary.json";
  if (options.json.has_parent_path() && !std::filesystem::is_directory(options.json.parent_path()))
    throw io::OutputError(fmt::format("cannot write {}: its folder does not exist", options.json.string()));
  return options.json;
}

/// A problem on a device with the state that the time loop begins with.
struct Beginning {
  Engine engine;
  Discretisation discretisation;
  std::optional<Restart> restart;
};

/// May adopt kernel variants into the configuration.
Beginning begin(const RunOptions& options, io::Config& config, const mesh::Communicator& ranks) {
  std::optional<Restart> restart = find_restart(options.restart, config, ranks, options.session.verbosity);
  Engine engine = make_engine(config, options.session.verbosity, ranks);
  if (restart) adopt_variant(config, *restart, engine.device.facts());
  Discretisation discretisation = discretise(config, engine);
  solver::DgOperator& op = *discretisation.op;
  if (restart) {
    restore_state(op, config, *restart, engine.verbosity);
    restart->file.reset();  // it may be removed before the run ends
  } else {
    set_initial_state(op, config);
  }
  if (config.problem.continued_variant.empty()) tune_if_asked(op, config, engine);
  report_variants(op, engine);
  return {std::move(engine), std::move(discretisation), std::move(restart)};
}

int run(const RunOptions& options, const mesh::Communicator& ranks) {
  const auto started = Clock::now();
  io::Config config = load_config(options.session);
  const auto summary_file = summary_file_of(options, config);
  StopSignals signals([&](const char* name) {
    if (ranks.is_root() && options.session.verbosity != Verbosity::quiet)
      fmt::print(stderr, "dgsolve: {}: stops after this step with a checkpoint; a second signal ends the program at once\n", name);
  });
  const auto lock = lock_results(config, ranks);
  Beginning beginning = begin(options, config, ranks);
  Engine& engine = beginning.engine;
  solver::DgOperator& op = *beginning.discretisation.op;
  const Watchers watchers = make_watchers(config, op, beginning.restart, signals, engine.verbosity);

  io::Summary summary;
  summary.dofs = op.dof_count();
  summary.elements = op.cell_count();
  summary.device = engine.device.facts().name;
  summary.exchange = op.exchange();
  SetupTimer timer(started, *engine.cache, summary);
  if (options.session.profile) codegen::start_profile(op.queue());
  solver::RunControl control;
  if (beginning.restart) control.from = beginning.restart->progress();
  control.request = [&] { return wanted(config, *watchers.checkpoints, signals, ranks, started); };
  run_to_end(config, op, watchers, timer, control, summary, summary_file);
  if (options.session.profile) print_profile(op, engine);
  const bool stopped = summary.status == io::RunStatus::stopped;
  if (!stopped) summary.errors = op.error_norms(summary.time);
  summary.checksum = op.checksum();
  summary.cache = engine.cache->counters();
  if (ranks.is_root()) {
    io::write_summary(summary_file, summary);
    watchers.progress->break_line();
    print_errors(summary.errors);
    if (stopped) {
      print_stop(summary, watchers, signals, started, config);
    } else {
      print_end(summary, engine, watchers.output->series().main_file());
    }
  }
  ranks.barrier();  // a launcher may end all ranks as soon as one has ended with a status that is not 0
  return stopped ? exit_status::stopped : exit_status::done;
}

}  // namespace

void add_command_run(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "run a configuration (the word run may be left out)");
  add_session_options(*command, options->session);
  add_profile_option(*command, options->session);
  add_restart_options(*command, options->restart);
  command->add_option("--output", options->session.output, "directory of the outputs (default: the configuration's)")->type_name("DIR");
  command->add_option("--json", options->json, "write the summary to this file")->type_name("FILE");
  command->callback([options, &action] { action = [options](const mesh::Communicator& ranks) { return run(*options, ranks); }; });
}

}  // namespace dgsolve::cli
