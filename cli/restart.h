// What --restart FILE and --resume mean: which checkpoint a run begins with, whether it fits, and how its state gets to the device.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/session.h"
#include "io/checkpoint.h"

namespace CLI {
class App;
}

namespace dgsolve::cli {

struct RestartOptions {
  std::filesystem::path file;  ///< --restart
  bool resume = false;         ///< --resume
  bool convert = false;        ///< --convert
};

/// `options` must outlive the parsing.
void add_restart_options(CLI::App& command, RestartOptions& options);

/// A checkpoint that a run goes on from.
struct Restart {
  io::CheckpointHeader header;
  std::unique_ptr<const io::CheckpointFile> file;

  /// Where the time loop begins.
  [[nodiscard]] solver::Progress progress() const;
};

/// The checkpoint that the options ask for; nothing: start afresh. With --resume damaged ones are passed over, which is said. Throws
/// io::CheckpointError: also where equations, parameters, shape or time do not fit. Called by all ranks; a folder's lock is held.
[[nodiscard]] std::optional<Restart> find_restart(const RestartOptions& options, const io::Config& config, const mesh::Communicator& ranks,
                                                  Verbosity verbosity);

/// Gives the problem the kernel variants of the checkpoint where the same bits can come of it.
void adopt_variant(io::Config& config, const Restart& restart, const codegen::DeviceFacts& facts);

/// Sets the operator's state. What differs from the checkpoint's run is said on standard error; elements and meshes are converted. Throws
/// io::CheckpointError, mesh::MeshError.
void restore_state(solver::DgOperator& op, const io::Config& config, const Restart& restart, Verbosity verbosity);

}  // namespace dgsolve::cli
