// dgsolve CONFIG.yaml: runs a configuration to its end time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "codegen/profile.h"
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
  std::filesystem::path json;  ///< empty: summary.json in the output directory
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Notes what had passed when the first step was about to begin: everything before it is set-up, also the first outputs.
class SetupTimer : public solver::Observer {
 public:
  SetupTimer(Clock::time_point started, const codegen::Cache& cache, io::Summary& summary)
      : started_(started), cache_(cache), summary_(summary) {}
  [[nodiscard]] double quiet_until(double) const override { return std::numeric_limits<double>::infinity(); }
  void observe(const solver::Progress& progress, solver::DgOperator& op) override {
    if (progress.step > 0) return;
    op.queue().finish();
    summary_.setup_s = seconds_since(started_);
    summary_.compile_s = cache_.counters().compile_milliseconds * 1e-3;
  }

 private:
  Clock::time_point started_;
  const codegen::Cache& cache_;
  io::Summary& summary_;
};

/// What watches a run: outputs, monitors, progress.
struct Watchers {
  std::unique_ptr<io::OutputObserver> output;
  std::unique_ptr<io::MonitorObserver> monitors;  ///< null: the configuration has none
  std::unique_ptr<io::ProgressObserver> progress;

  [[nodiscard]] std::vector<solver::Observer*> all(SetupTimer& timer) const {
    std::vector<solver::Observer*> list{output.get()};
    if (monitors) list.push_back(monitors.get());
    list.push_back(progress.get());
    list.push_back(&timer);
    return list;
  }
};

Watchers make_watchers(const io::Config& config, solver::DgOperator& op, Verbosity verbosity) {
  io::OutputPlan plan;
  plan.directory = config.output_directory;
  plan.name = config.name;
  plan.every = config.output_every;
  plan.fields = config.output_fields;
  plan.storage = config.problem.precision == codegen::Precision::single_precision ? io::ValueStorage::float32 : io::ValueStorage::float64;
  plan.origin = io::describe_origin(config.text, DGSOLVE_VERSION, op);

  Watchers watchers;
  watchers.output = std::make_unique<io::OutputObserver>(op, std::move(plan));
  if (!config.monitors.empty())
    watchers.monitors = std::make_unique<io::MonitorObserver>(op, config.monitors, config.output_directory / "monitors.csv");
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

/// The time loop. A run that fails still leaves its summary, if that can be written.
void run_to_end(const io::Config& config, solver::DgOperator& op, const Watchers& watchers, SetupTimer& timer, io::Summary& summary,
                const std::filesystem::path& summary_file) {
  try {
    add_progress(summary, solver::run_simulation(op, config.time, watchers.all(timer)));
  } catch (const solver::DivergedError& fault) {
    watchers.progress->break_line();
    summary.status = io::RunStatus::diverged;
    add_progress(summary, fault.progress());
    if (op.ranks().is_root()) io::write_summary(summary_file, summary);
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

int run(const RunOptions& options, const mesh::Communicator& ranks) {
  const auto started = Clock::now();
  const io::Config config = load_config(options.session);
  const auto summary_file = options.json.empty() ? config.output_directory / "summary.json" : options.json;
  if (!options.json.empty() && options.json.has_parent_path() && !std::filesystem::is_directory(options.json.parent_path()))
    throw io::OutputError(fmt::format("cannot write {}: its folder does not exist", options.json.string()));

  Engine engine = make_engine(config, options.session.verbosity, ranks);
  const Discretisation discretisation = discretise(config, engine);
  solver::DgOperator& op = *discretisation.op;
  set_initial_state(op, config);
  tune_if_asked(op, config, engine);
  const Watchers watchers = make_watchers(config, op, engine.verbosity);

  io::Summary summary;
  summary.dofs = op.dof_count();
  summary.elements = op.cell_count();
  summary.device = engine.device.facts().name;
  SetupTimer timer(started, *engine.cache, summary);
  if (options.session.profile) codegen::start_profile(op.queue());
  run_to_end(config, op, watchers, timer, summary, summary_file);
  if (options.session.profile) print_profile(op, engine);
  summary.errors = op.error_norms(summary.time);
  summary.checksum = op.checksum();
  summary.cache = engine.cache->counters();
  if (!ranks.is_root()) return exit_status::done;
  io::write_summary(summary_file, summary);
  print_errors(summary.errors);
  print_end(summary, engine, watchers.output->series().main_file());
  return exit_status::done;
}

}  // namespace

void add_command_run(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "run a configuration (the word run may be left out)");
  add_session_options(*command, options->session);
  add_profile_option(*command, options->session);
  command->add_option("--output", options->session.output, "directory of the outputs (default: the configuration's)")->type_name("DIR");
  command->add_option("--json", options->json, "write the summary to this file")->type_name("FILE");
  command->callback([options, &action] { action = [options](const mesh::Communicator& ranks) { return run(*options, ranks); }; });
}

}  // namespace dgsolve::cli
