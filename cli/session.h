// What the commands that take a configuration share: its options, and the way from a configuration to a discretisation on a device.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cache.h"
#include "codegen/device.h"
#include "io/config.h"
#include "mesh/communicator.h"
#include "mesh/distribution.h"
#include "solver/dg_operator.h"

namespace CLI {
class App;
}

namespace dgsolve::cli {

enum class Verbosity { quiet, normal, verbose };

/// Options of every command that takes a configuration.
struct SessionOptions {
  std::filesystem::path config;
  std::vector<std::string> overrides;  ///< "key.path=value"
  std::string device;                  ///< empty: the configuration's choice
  std::filesystem::path output;        ///< empty: the configuration's directory
  bool profile = false;                ///< of run and bench
  Verbosity verbosity = Verbosity::normal;
};

/// CONFIG, --set, --device, -v and --quiet. `options` must outlive the parsing.
void add_session_options(CLI::App& command, SessionOptions& options);

/// --profile, of the commands that have it.
void add_profile_option(CLI::App& command, SessionOptions& options);

/// The configuration with --set, --device and --output applied, in this order. Throws io::ConfigError.
[[nodiscard]] io::Config load_config(const SessionOptions& options);

/// The device of one run of the program and its kernel cache.
struct Engine {
  codegen::Device device;
  std::unique_ptr<codegen::Cache> cache;
  std::unique_ptr<codegen::TuningRecords> records;  ///< in the folder `tuning` of the cache, and the shipped ones
  mesh::Communicator ranks;
  Verbosity verbosity = Verbosity::normal;  ///< quiet on all ranks but the first
  std::string warned = {};                  ///< what was said of the cache
};

/// Ends the profile of the operator's queue and prints its table: calls, times, rates and shares of the device's measured limits.
void print_profile(solver::DgOperator& op, Engine& engine);

/// Throws codegen::DeviceError. Says on standard error which device was taken, and if the cache folder cannot be used.
/// Several ranks on a node take its GPUs in turn, or share its cores.
[[nodiscard]] Engine make_engine(const io::Config& config, Verbosity verbosity, const mesh::Communicator& ranks = {});
/// With a device that is chosen already.
[[nodiscard]] Engine make_engine(const io::Config& config, codegen::Device device, Verbosity verbosity,
                                 const mesh::Communicator& ranks = {});

/// This rank's part of the mesh of a configuration, every cell cut in half `refinements` times in each direction. By all ranks together.
/// Throws mesh::MeshError.
[[nodiscard]] mesh::MeshPart make_mesh(const io::Config& config, const mesh::Communicator& ranks, int refinements = 0);

/// A part of a mesh and the operator on it (which refers to the part).
struct Discretisation {
  std::unique_ptr<const mesh::MeshPart> part;
  std::unique_ptr<solver::DgOperator> op;
};

/// Takes kernels as a record says, unless `tune` is off or force. Throws mesh::MeshError, solver::EquationError, codegen::DeviceError.
[[nodiscard]] Discretisation discretise(const io::Config& config, Engine& engine, int refinements = 0);

/// Measures variants of the stage kernels from the present state, goes on with the fastest and keeps a record of it. Lines on standard
/// error say what is going on, unless quiet. By all ranks; the result is on those that measured, which write the record.
std::optional<solver::DgOperator::Tuned> tune_stages(solver::DgOperator& op, const io::Config& config, Engine& engine,
                                                     solver::DgOperator::TuneWhich which = solver::DgOperator::TuneWhich::all);

/// With `tune: force`, and with `tune: on` if there was no record. The initial state must be set; it is kept. By all ranks.
void tune_if_asked(solver::DgOperator& op, const io::Config& config, Engine& engine);

/// Verbose: which variants of the stage kernels run, and why these.
void report_variants(const solver::DgOperator& op, const Engine& engine);

/// Sets the initial state. Throws io::ConfigError if it is not finite or not admissible: names quantity, value, element and coordinates.
void set_initial_state(solver::DgOperator& op, const io::Config& config);

/// "kernel cache /home/u/.cache/dgsolve: 12 found (2 in memory, 10 in the folder, 0 shared), 3 compiled in 0.4 s, ..."
[[nodiscard]] std::string describe_cache(const codegen::Cache& cache);

/// "cuda:0 (NVIDIA H200, sm_90)"
[[nodiscard]] std::string describe_device(const codegen::DeviceFacts& facts);

}  // namespace dgsolve::cli
