// A whole configuration file, typed and validated.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "codegen/cache.h"
#include "mesh/box.h"
#include "mesh/gmsh.h"
#include "solver/problem.h"
#include "solver/simulation.h"

namespace dgsolve::io {

/// All faults of a configuration in one message (exit status 2): each with file, line, column, key path, found, allowed, nearest.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MeshFile {
  std::filesystem::path path;  ///< resolved against the configuration's folder
  mesh::GmshOptions options;
};

struct MonitorSpec {
  std::string name;
  enum class Kind { integral, max, min, at } kind = Kind::integral;
  std::vector<solver::FieldSpec> fields;
  std::array<double, 3> point{0, 0, 0};  ///< `at`
  std::optional<double> every;           ///< seconds of simulated time; none: every step
  std::string boundary;                  ///< reserved for surface integrals
  solver::Location where;
};

/// Of what the checkpoints are so many apart: seconds of wall clock, steps, or simulated time.
struct CheckpointInterval {
  enum class Unit { wall_time, steps, simulated_time } unit = Unit::wall_time;
  double value = 0;
};

struct CheckpointOptions {
  std::optional<CheckpointInterval> every;  ///< none: only when the run is asked to stop
  int keep = 2;
};

struct ErrorBound {
  std::string component;
  std::string norm;  ///< "L1", "L2", "Linf"
  double bound = 0;
};

struct Config {
  std::string name;  ///< stem of the file: names the outputs
  std::filesystem::path path;
  std::string text;  ///< as read, with --set applied noted below it
  solver::Problem problem;
  std::variant<mesh::BoxOptions, MeshFile> mesh;
  solver::TimeOptions time;
  std::optional<double> wall_time;  ///< seconds after which the run stops with a checkpoint
  CheckpointOptions checkpoint;
  std::filesystem::path output_directory = "out";
  std::optional<double> output_every;  ///< none: only the last time
  std::vector<solver::FieldSpec> output_fields;
  std::vector<MonitorSpec> monitors;
  std::string device = "auto";
  std::string tune = "lookup";  ///< off, lookup, on, force
  codegen::CacheOptions cache;  ///< empty folders: those of the environment
  std::vector<ErrorBound> verify_errors;
  std::optional<double> verify_order;
};

/// `overrides`: "key.path=value" texts of --set. Throws ConfigError.
[[nodiscard]] Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

}  // namespace dgsolve::io
