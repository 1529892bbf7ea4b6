// dgsolve tune: measures variants of a problem's stage kernels on a device and keeps the fastest.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "codegen/device_limits.h"

namespace dgsolve::cli {
namespace {

constexpr std::size_t rows_shown = 8;

/// The candidates that were measured, the fastest first.
std::string list_candidates(const codegen::TuningResult& result) {
  std::vector<const codegen::Candidate*> measured;
  for (const codegen::Candidate& candidate : result.candidates) {
    if (candidate.seconds > 0) measured.push_back(&candidate);
  }
  std::stable_sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
  if (measured.size() > rows_shown) measured.resize(rows_shown);
  std::string list;
  for (const codegen::Candidate* candidate : measured)
    list += fmt::format("  {:>10.2f} us  {}\n", candidate->seconds * 1e6, codegen::describe(candidate->point));
  return list;
}

int tune(const SessionOptions& options, const mesh::Communicator& ranks) {
  io::Config config = load_config(options);
  config.tune = "off";  // the discretisation begins with the default choice
  Engine engine = make_engine(config, options.verbosity, ranks);
  const Discretisation discretisation = discretise(config, engine);
  set_initial_state(*discretisation.op, config);
  const auto tuned = tune_stages(*discretisation.op, config, engine);
  std::string table;
  if (tuned) {
    table = codegen::tuning_table(tuned->task, tuned->result, codegen::device_limits(engine.device, *engine.cache).copy_bytes_per_s);
    if (options.verbosity != Verbosity::quiet) table += list_candidates(tuned->result);
  }
  ranks.rest();
  for (const std::string& one : ranks.all_gather(table)) {
    if (ranks.is_root()) fmt::print("{}", one);
  }
  return exit_status::done;
}

}  // namespace

void add_command_tune(CLI::App& program, Action& action) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App* command = program.add_subcommand("tune", "tune the problem's stage kernels on the device; later runs use the result");
  add_session_options(*command, *options);
  command->callback([options, &action] { action = [options](const mesh::Communicator& ranks) { return tune(*options, ranks); }; });
}

}  // namespace dgsolve::cli
