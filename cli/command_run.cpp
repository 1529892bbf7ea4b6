// dgsolve CONFIG.yaml: runs a configuration to its end time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "solver/simulation.h"

namespace dgsolve::cli {
namespace {

struct RunOptions {
  SessionOptions session;
  std::filesystem::path json;
};

void print_errors(const std::vector<solver::ErrorNorms>& errors) {
  if (errors.empty()) return;
  fmt::print("{:12} {:>12} {:>12} {:>12}\n", "error", "L1", "L2", "Linf");
  for (const solver::ErrorNorms& error : errors) {
    fmt::print("{:12} {:12.5e} {:12.5e} {:12.5e}\n", error.component, error.l1, error.l2, error.linf);
  }
}

int run(const RunOptions& options) {
  const io::Config config = load_config(options.session);
  Engine engine = make_engine(config, options.session.verbosity);
  const Discretisation discretisation = discretise(config, engine);
  solver::DgOperator& op = *discretisation.op;
  set_initial_state(op, config);
  const solver::Progress end = solver::run_simulation(op, config.time, {});
  print_errors(op.error_norms(end.time));
  return exit_status::done;
}

}  // namespace

void add_command_run(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "run a configuration (the word run may be left out)");
  add_session_options(*command, options->session);
  command->add_option("--output", options->session.output, "directory of the outputs (default: the configuration's)")->type_name("DIR");
  command->add_option("--json", options->json, "write the summary to this file")->type_name("FILE");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace dgsolve::cli
