// The program dgsolve: reads the command line, runs one command, and turns faults into messages and exit statuses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/ranks.h"
#include "cli/stop_signals.h"
#include "codegen/nearest.h"

#ifndef DGSOLVE_VERSION
#error "the build defines DGSOLVE_VERSION"
#endif

namespace dgsolve::cli {
namespace {

struct CommandRow {
  const char* name;
  AddCommand add;
};

/// In the order of the help text. `run` is what `dgsolve CONFIG.yaml` means.
constexpr std::array<CommandRow, 12> commands{{
    {"run", add_command_run},
    {"check", add_command_check},
    {"converge", add_command_converge},
    {"bench", add_command_bench},
    {"tune", add_command_tune},
    {"kernels", add_command_kernels},
    {"precompile", add_command_precompile},
    {"cache", add_command_cache},
    {"devices", add_command_devices},
    {"explain", add_command_explain},
    {"equations", add_command_equations},
    {"pack", add_command_pack},
}};

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : commands) names.emplace_back(row.name);
  return names;
}

/// A word near a command's name that is no file is a misspelt command, not a configuration.
bool is_misspelt_command(const std::string& word) {
  return codegen::nearest_name(word, command_names()).has_value() && !std::filesystem::exists(word);
}

/// Without a command, `run` is meant: everything else on the line belongs to it.
void insert_run(std::vector<std::string>& arguments) {
  static const std::array<std::string, 4> own_options{"-h", "--help", "--help-all", "--version"};
  const auto known = command_names();
  const std::string& first = arguments.front();
  if (std::find(known.begin(), known.end(), first) != known.end()) return;
  if (std::find(own_options.begin(), own_options.end(), first) != own_options.end()) return;
  if (is_misspelt_command(first)) throw CommandLineError(fmt::format("'{}' is no command{}", first, codegen::did_you_mean(first, known)));
  arguments.insert(arguments.begin(), "run");
}

/// What CLI11 found wrong, and where to read on.
[[noreturn]] void throw_usage_fault(const CLI::App& program, const CLI::ParseError& fault) {
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? std::string("dgsolve") : "dgsolve " + chosen.front()->get_name();
  throw CommandLineError(fmt::format("command line: {} (see: {} --help)", fault.what(), command));
}

/// What many ranks can do together.
constexpr std::array<std::string_view, 3> parallel_commands{"run", "bench", "tune"};

void refuse_ranks(const CLI::App& program) {
  const std::string command = program.get_subcommands().front()->get_name();
  if (std::find(parallel_commands.begin(), parallel_commands.end(), command) != parallel_commands.end()) return;
  throw CommandLineError(fmt::format("dgsolve {} works on one rank; many can: {}", command, fmt::join(parallel_commands, ", ")));
}

int run_program(std::vector<std::string> arguments, const mesh::Communicator& ranks) {
  CLI::App program{
      "Solves hyperbolic systems with the discontinuous Galerkin method, with kernels written for the problem at hand.\n"
      "dgsolve CONFIG.yaml [options] runs a configuration: short for dgsolve run CONFIG.yaml.",
      "dgsolve"};
  program.set_version_flag("--version", "dgsolve " DGSOLVE_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 done, 1 internal error, 2 bad configuration, mesh or command line, 3 the solution diverged,\n"
      "5 device, compiler, memory or file-system trouble, 75 stopped early with a checkpoint (go on with --resume).");
  Action action;
  for (const CommandRow& row : commands) row.add(program, action);

  if (arguments.empty()) {
    fmt::print(stderr, "{}", program.help());
    return exit_status::bad_input;
  }
  insert_run(arguments);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
  try {
    program.parse(arguments);
  } catch (const CLI::Success& request) {  // help and version, to standard output
    return program.exit(request);
  } catch (const CLI::ParseError& fault) {
    throw_usage_fault(program, fault);
  }
  check_launcher(ranks);
  if (!ranks.alone()) refuse_ranks(program);
  if (program.get_subcommands().front()->get_name() != "run") unblock_stop_signals();
  return action(ranks);
}

}  // namespace
}  // namespace dgsolve::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);       // past a limit of the file size, writes then fail and say so, like those on a full disk
  dgsolve::cli::block_stop_signals();  // before MPI has threads
  const dgsolve::mesh::Communicator ranks = dgsolve::cli::launched_ranks();
  try {
    return dgsolve::cli::run_program(std::vector<std::string>(argv + 1, argv + argc), ranks);
  } catch (...) {
    const dgsolve::cli::Failure failure = dgsolve::cli::describe_failure(std::current_exception());
    std::fflush(stdout);
    if (!ranks.alone()) dgsolve::cli::end_all(ranks, failure);
    std::fputs(("dgsolve: error: " + failure.message + "\n").c_str(), stderr);
    return failure.status;
  }
}
