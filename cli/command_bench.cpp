// dgsolve bench: how fast the stages run, and how near the device's copy bandwidth that is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/json_report.h"
#include "cli/stage_timing.h"
#include "codegen/profile.h"
#include "io/atomic_file.h"

namespace dgsolve::cli {
namespace {

struct BenchOptions {
  SessionOptions session;
  std::optional<std::int64_t> steps;
  std::filesystem::path json;
};

void print_timing(const StageTiming& timing, const io::Config& config, const solver::DgOperator& op) {
  const codegen::DeviceFacts& facts = op.device().facts();
  fmt::print("device          {}\n", describe_device(facts));
  if (!op.ranks().alone()) fmt::print("exchange        {}, {} ranks\n", op.exchange(), op.ranks().size());
  fmt::print("problem         {}, order {}, {} elements, {:.4g} M DOF, {} precision\n", op.system().name(), config.problem.order,
             op.cell_count(), static_cast<double>(timing.dofs) * 1e-6,
             config.problem.precision == codegen::Precision::double_precision ? "double" : "single");
  fmt::print("stage           {:.4g} us (median of {} samples of {} steps, {} stages each; {:.4g} to {:.4g})\n",
             timing.seconds_per_stage() * 1e6, timing.seconds.size(), timing.steps, timing.stages_per_step,
             timing.seconds.front() / static_cast<double>(timing.steps * timing.stages_per_step) * 1e6,
             timing.seconds.back() / static_cast<double>(timing.steps * timing.stages_per_step) * 1e6);
  fmt::print("rate            {:.4g} GDOF/s\n", timing.gdofs_per_second());
  fmt::print("traffic         {:.4g} B/DOF: state {:.4g}, geometry and connectivity {:.3g} (model)\n", timing.traffic.total(),
             timing.traffic.state, timing.traffic.geometry);
  fmt::print("copy bandwidth  {:.4g} GB/s (measured)\n", timing.copy_bandwidth * 1e-9);
  fmt::print("share           {:.1f}% of it ({:.4g} GB/s)\n", 100 * timing.share_of_copy(), timing.bytes_per_second() * 1e-9);
}

/// A line for each rank: what it has, what it sends in a stage, and how much of that is seen.
void print_ranks(const StageTiming& timing) {
  fmt::print("balance         {:.3f} (mean over largest number of elements of a rank)\n", timing.balance());
  fmt::print("{:>4} {:>12} {:>11} {:>14} {:>16} {:>16}\n", "rank", "elements", "neighbours", "bytes a stage", "exchange seen us",
             "hidden us");
  for (std::size_t r = 0; r < timing.ranks.size(); ++r) {
    const RankTiming& rank = timing.ranks[r];
    fmt::print("{:>4} {:>12} {:>11} {:>14} {:>16.4g} {:>16.4g}\n", r, rank.elements, rank.exchange.neighbours, rank.exchange.bytes_sent,
               rank.exchange.exposed_s * 1e6, rank.hidden_s() * 1e6);
  }
}

int bench(const BenchOptions& options, const mesh::Communicator& ranks) {
  const io::Config config = load_config(options.session);
  Engine engine = make_engine(config, options.session.verbosity, ranks);
  const Discretisation discretisation = discretise(config, engine);
  set_initial_state(*discretisation.op, config);
  tune_if_asked(*discretisation.op, config, engine);
  const StageTiming timing = time_stages(*discretisation.op, config, engine, options.steps);
  if (ranks.is_root()) print_timing(timing, config, *discretisation.op);
  if (!timing.ranks.empty()) print_ranks(timing);
  if (options.session.profile) {
    codegen::start_profile(discretisation.op->queue());
    time_steps(*discretisation.op, config, timing.steps);
    print_profile(*discretisation.op, engine);
  }
  if (!options.json.empty() && ranks.is_root()) io::write_file_atomically(options.json, json_of_timing(timing, *discretisation.op).text());
  return exit_status::done;
}

}  // namespace

void add_command_bench(CLI::App& program, Action& action) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = program.add_subcommand("bench", "time the stages: GDOF/s, bytes per DOF, share of the measured copy bandwidth");
  add_session_options(*command, options->session);
  add_profile_option(*command, options->session);
  command->add_option("--steps", options->steps, "steps of each of the five samples (default: about half a second's worth)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command->add_option("--json", options->json, "also write the figures as JSON")->type_name("FILE");
  command->callback([options, &action] { action = [options](const mesh::Communicator& ranks) { return bench(*options, ranks); }; });
}

}  // namespace dgsolve::cli
