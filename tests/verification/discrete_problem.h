// A configuration, given as text, on a device: what the verification tests run.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "codegen/cache.h"
#include "io/config.h"
#include "mesh/box.h"
#include "mesh/gmsh.h"
#include "solver/dg_operator.h"
#include "solver/simulation.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::verification {

/// The kernel cache of this process: on disk where DGSOLVE_CACHE_DIR says, so that tests share what they compile.
inline codegen::Cache& kernel_cache() {
  static codegen::Cache cache(codegen::Cache::default_folder());
  return cache;
}

/// Reads a configuration from its text; relative paths start in configs/.
inline io::Config read_text(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("dgsolve-verification-{}.yaml", ::getpid());
  std::ofstream(file) << text;
  io::Config config = io::read_config(file);
  std::filesystem::remove(file);
  return config;
}

/// A problem ready to run: its mesh, its operator, the initial state set.
struct DiscreteProblem {
  io::Config config;
  std::unique_ptr<const mesh::Mesh> mesh;
  std::unique_ptr<solver::DgOperator> op;

  DiscreteProblem(const std::string& text, const codegen::Device& device) : config(read_text(text)) {
    if (const auto* box = std::get_if<mesh::BoxOptions>(&config.mesh)) {
      mesh = std::make_unique<const mesh::Mesh>(mesh::mesh_box(*box));
    } else {
      const auto& file = std::get<io::MeshFile>(config.mesh);
      mesh = std::make_unique<const mesh::Mesh>(mesh::read_gmsh(file.path, file.options));
    }
    op = std::make_unique<solver::DgOperator>(*mesh, config.problem, device, &kernel_cache());
    op->set_initial(config.time.start);
  }

  /// `count` steps of the stable size times cfl; the time reached.
  double take_steps(int count, double start = 0, double cfl = 0.9) {
    double time = start;
    for (int step = 0; step < count; ++step) {
      const double dt = cfl * op->stable_step(time);
      op->step(time, dt);
      time += dt;
    }
    return time;
  }

  void run_to_end() { solver::run_simulation(*op, config.time, {}); }

  [[nodiscard]] std::vector<double> integrals(const std::vector<std::string>& fields, double time = 0) {
    std::vector<solver::FieldSpec> specs;
    for (const std::string& name : fields) specs.push_back({name, {}, {}});
    return op->integrals(specs, time);
  }
};

/// Largest |a - b| of two states [cells][variable][node], of each variable relative to its largest |b|.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b, const solver::DgOperator& op) {
  const auto variables = static_cast<std::size_t>(op.system().variable_count());
  const auto nodes = static_cast<std::size_t>(op.element().node_count);
  std::vector<double> difference(variables), size(variables);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::size_t v = i / nodes % variables;
    difference[v] = std::max(difference[v], std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : INFINITY);
    size[v] = std::max(size[v], std::abs(b[i]));
  }
  double largest = 0;
  for (std::size_t v = 0; v < variables; ++v) largest = std::max(largest, size[v] > 0 ? difference[v] / size[v] : difference[v]);
  return largest;
}

/// "[4, 4]": the same number in every direction.
inline std::string same_in_each_direction(const std::string& value, int dimension) {
  std::string list = value;
  for (int d = 1; d < dimension; ++d) list += ", " + value;
  return "[" + list + "]";
}

}  // namespace dgsolve::verification
