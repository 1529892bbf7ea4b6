// The commands of the program, one file each: they add their options to the command line and say what to do.
#pragma once

#include <functional>

#include "mesh/communicator.h"

namespace CLI {
class App;
}

namespace dgsolve::cli {

/// What the chosen command does, on every rank, once the whole command line is read; returns the exit status.
using Action = std::function<int(const mesh::Communicator& ranks)>;

/// Adds the command `name` with its options to the program; if the user chooses it, `action` is set.
using AddCommand = void (*)(CLI::App& program, Action& action);

void add_command_run(CLI::App& program, Action& action);
void add_command_check(CLI::App& program, Action& action);
void add_command_converge(CLI::App& program, Action& action);
void add_command_bench(CLI::App& program, Action& action);
void add_command_kernels(CLI::App& program, Action& action);
void add_command_devices(CLI::App& program, Action& action);
void add_command_explain(CLI::App& program, Action& action);
void add_command_equations(CLI::App& program, Action& action);
void add_command_tune(CLI::App& program, Action& action);
void add_command_cache(CLI::App& program, Action& action);
void add_command_precompile(CLI::App& program, Action& action);
void add_command_pack(CLI::App& program, Action& action);

}  // namespace dgsolve::cli
