// The way from a checkpoint to a state.
#include "cli/restart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "io/checkpoint_folder.h"
#include "mesh/describe.h"
#include "solver/digest_sum.h"
#include "solver/state_transfer.h"

namespace dgsolve::cli {
namespace {

void warn(const mesh::Communicator& ranks, const std::string& text) {
  if (ranks.is_root()) fmt::print(stderr, "dgsolve: {}\n", text);
}

std::unique_ptr<const io::CheckpointFile> open_checkpoint(const RestartOptions& options, const io::Config& config,
                                                          const mesh::Communicator& ranks) {
  if (!options.resume) return std::make_unique<const io::CheckpointFile>(options.file, ranks);
  std::string names;  // as rank 0 sees them
  if (ranks.is_root()) {
    for (const auto& file : io::CheckpointFolder(config.output_directory, config.name).files()) names += file.string() + '\n';
  }
  ranks.broadcast(names, 0);
  std::istringstream files(names);
  for (std::string file; std::getline(files, file);) {
    try {
      return std::make_unique<const io::CheckpointFile>(file, ranks);
    } catch (const io::CheckpointError& fault) {
      warn(ranks, fmt::format("warning: {}; the one before it is tried", fault.what()));
    }
  }
  return nullptr;
}

/// Throws what two runs may not differ in, unless the user wants it converted.
void check_problem(const io::CheckpointHeader& then, const io::CheckpointHeader& now, const io::Config& config, bool convert) {
  std::vector<std::string> faults;
  const auto compare = [&](const char* what, const std::string& old_value, const std::string& new_value) {
    if (old_value != new_value) faults.push_back(fmt::format("{} ({} there, {} here)", what, old_value, new_value));
  };
  compare("equations", then.equations, now.equations);
  if (faults.empty() && then.formulas != now.formulas) faults.emplace_back("formulas of the equation file");
  compare("parameters", then.parameters, now.parameters);
  if (!faults.empty() && !convert) {
    throw io::CheckpointError(
        fmt::format("{}: the checkpoint is of other {}: --convert takes its state all the same, where it has the same "
                    "components",
                    config.path.string(), fmt::join(faults, ", of other ")));
  }
  if (then.time > config.time.end) {
    throw io::CheckpointError(
        fmt::format("{}: time.end: found {}, but the checkpoint is at t = {} already", config.path.string(), config.time.end, then.time));
  }
}

const char* device_note = "the same bits as there cannot be promised";

/// What is not as it was, in words; empty: the same bits will come.
std::vector<std::string> differences(const io::CheckpointHeader& then, const io::CheckpointHeader& now) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, const auto& old_value, const auto& new_value) {
    if (old_value != new_value) found.push_back(fmt::format("{} was {} and is {}", what, old_value, new_value));
  };
  compare("order", then.order, now.order);
  compare("overintegration", then.overintegration, now.overintegration);
  compare("nodes", then.nodes, now.nodes);
  compare("precision", then.precision, now.precision);
  compare("device", then.device, now.device);
  if (then.mesh_digest != now.mesh_digest) found.push_back(fmt::format("mesh was '{}' and is '{}'", then.mesh, now.mesh));
  if (found.empty() && then.variant != now.variant) found.emplace_back("kernel variants differ");
  return found;
}

solver::ReferenceElement stored_element(const io::CheckpointHeader& header) {
  const auto shape = mesh::shape_from_name(header.shape);
  if (!shape) throw io::CheckpointError(fmt::format("the checkpoint's cells are of an unknown shape, '{}'", header.shape));
  const auto family = header.nodes == "gauss" ? solver::NodeFamily::gauss : solver::NodeFamily::lobatto;
  return solver::make_reference_element(*shape, static_cast<int>(header.order + header.overintegration), family);
}

mesh::Mesh stored_mesh(const io::CheckpointHeader& header) {
  mesh::Mesh mesh = io::rebuild_mesh(header.mesh);
  if (solver::mesh_digest(mesh, mesh.cell_count(), {}) != header.mesh_digest)
    throw io::CheckpointError(
        fmt::format("the checkpoint's mesh, '{}', is no longer what it was: its state cannot be placed", header.mesh));
  return mesh;
}

void check_state(solver::DgOperator& op, const Restart& restart) {
  const auto fault = op.fault(restart.header.time);
  if (!fault) return;
  throw io::CheckpointError(fmt::format("the state of the checkpoint is not admissible here: {} is {} ({:.6g}) at {} in element {}",
                                        fault->quantity, fault->what, fault->value,
                                        mesh::format_point(fault->position, op.element().dimension), fault->element));
}

}  // namespace

void add_restart_options(CLI::App& command, RestartOptions& options) {
  auto* restart = command.add_option("--restart", options.file, "go on from this checkpoint")->type_name("FILE");
  auto* resume = command.add_flag("--resume", options.resume,
                                  "go on from the newest intact checkpoint in the output directory; start afresh if there is none");
  restart->excludes(resume);
  command.add_flag("--convert", options.convert, "take the checkpoint's state also if equations or parameters have changed");
}

solver::Progress Restart::progress() const {
  solver::Progress progress;
  progress.step = header.step;
  progress.time = header.time;
  progress.dt = header.dt;
  return progress;
}

std::optional<Restart> find_restart(const RestartOptions& options, const io::Config& config, const mesh::Communicator& ranks,
                                    Verbosity verbosity) {
  if (!options.resume && options.file.empty()) return std::nullopt;
  Restart restart;
  restart.file = open_checkpoint(options, config, ranks);
  if (!restart.file) {
    if (verbosity != Verbosity::quiet)
      warn(ranks, fmt::format("{}: no checkpoint to go on from, starts afresh", config.output_directory.string()));
    return std::nullopt;
  }
  restart.header = restart.file->header();
  check_problem(restart.header, io::describe_problem(config), config, options.convert);
  return restart;
}

void adopt_variant(io::Config& config, const Restart& restart, const codegen::DeviceFacts& facts) {
  const io::CheckpointHeader& then = restart.header;
  const io::CheckpointHeader now = io::describe_problem(config);
  const bool same_kernels = then.order == now.order && then.overintegration == now.overintegration && then.nodes == now.nodes &&
                            then.precision == now.precision && then.device == io::describe_device_kind(facts);
  if (same_kernels) config.problem.continued_variant = then.variant;
}

void restore_state(solver::DgOperator& op, const io::Config& config, const Restart& restart, Verbosity verbosity) {
  const io::CheckpointHeader& then = restart.header;
  io::CheckpointHeader now = io::describe_problem(config);
  io::describe_operator(now, op);
  if (then.components != now.components) {
    throw io::CheckpointError(fmt::format("{}: the checkpoint's state has the components {}, this one {}: it cannot be converted",
                                          config.path.string(), then.components, now.components));
  }
  const std::vector<std::string> changes = differences(then, now);
  const bool other_mesh = then.mesh_digest != now.mesh_digest;
  const bool other_element =
      then.shape != now.shape || then.order != now.order || then.overintegration != now.overintegration || then.nodes != now.nodes;
  std::optional<mesh::Mesh> from;
  if (other_mesh) from = stored_mesh(then);
  if (from && from->dimension != op.element().dimension) {
    throw io::CheckpointError(fmt::format("{}: the checkpoint's mesh has {} dimension(s), this one {}", config.path.string(),
                                          from->dimension, op.element().dimension));
  }
  if (!changes.empty()) {
    warn(op.ranks(), fmt::format("not as in the checkpoint's run: {}; {}", fmt::join(changes, ", "),
                                 other_mesh      ? "the state is interpolated"
                                 : other_element ? "the state is projected on the new elements"
                                                 : device_note));
  }
  solver::StateTransfer transfer(op, {stored_element(then), from ? &*from : nullptr});
  for (std::size_t i = 0; i < restart.file->block_count(); ++i) transfer.take(restart.file->first_cell(i), restart.file->block(i));
  transfer.finish();
  check_state(op, restart);
  if (verbosity != Verbosity::quiet) warn(op.ranks(), fmt::format("goes on from step {}, t = {}", then.step, then.time));
}

}  // namespace dgsolve::cli
