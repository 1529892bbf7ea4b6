// The shipped equation systems, and their physics functions evaluated on the host from the expressions (not from printed code).
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codegen/expression/evaluate.h"
#include "io/equation_file.h"
#include "solver/equations/files.h"
#include "solver/equations/physics.h"
#include "solver/equations/system.h"

namespace dgsolve::io {

using Vector = Eigen::VectorXd;

inline solver::EquationDefinition shipped_definition(const std::string& name) {
  for (const codegen::EmbeddedFile& file : solver::equation_files()) {
    if (file.name == name + ".yaml") return read_equation_text(file.content, std::string(file.name));
  }
  const std::string path = DGSOLVE_SOURCE_DIR "/configs/equations/" + name + ".yaml";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no system " + name);
  return read_equation_text(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

/// A system in one dimension and mode.
struct SystemCase {
  std::string name;
  int dimension;
  std::string mode;
};

inline void PrintTo(const SystemCase& it, std::ostream* out) { *out << it.name << " " << it.dimension << "D " << it.mode; }

inline std::string case_name(const testing::TestParamInfo<SystemCase>& info) {
  return info.param.name + "_" + std::to_string(info.param.dimension) + "d" + (info.param.mode.empty() ? "" : "_" + info.param.mode);
}

/// Every shipped system in every dimension and mode that its file states, and those of the examples.
inline std::vector<SystemCase> every_system() {
  std::vector<SystemCase> cases;
  for (const codegen::EmbeddedFile& file : solver::equation_files()) {
    const solver::EquationDefinition definition = read_equation_text(file.content, std::string(file.name));
    for (const solver::ModeDefinition& mode : definition.modes) cases.push_back({definition.name, mode.dimension, mode.name});
    if (!definition.modes.empty()) continue;
    for (const int dimension : definition.dimensions) cases.push_back({definition.name, dimension, ""});
  }
  cases.push_back({"traffic", 1, ""});
  for (const int dimension : {1, 2, 3}) cases.push_back({"three_wave", dimension, ""});
  return cases;
}

/// Parameters away from their defaults, so that a forgotten one shows.
inline std::vector<solver::ValueFormulas> unusual_parameters(const SystemCase& it) {
  const auto number = [](const std::string& name, const std::string& text) { return solver::ValueFormulas{name, {{text, {}}}, {}}; };
  const auto vector = [&it](const std::string& name) {
    solver::ValueFormulas result{name, {}, {}};
    for (const char* text : {"0.7", "-1.3", "0.4"}) {
      if (static_cast<int>(result.components.size()) < it.dimension) result.components.push_back({text, {}});
    }
    return result;
  };
  if (it.name == "advection") return {vector("a")};
  if (it.name == "burgers") return {vector("direction")};
  if (it.name == "acoustics") return {number("rho0", "1.3"), number("c0", "2.1")};
  if (it.name == "maxwell") return {number("epsilon", "2.25"), number("mu", "1.7")};
  if (it.name == "euler") return {number("gamma", "1.6")};
  if (it.name == "navier_stokes")
    return {number("gamma", "1.6"), number("mu", "0.3"), number("Pr", "0.6"), number("viscosity_law", "2"), number("T_ref", "1.2")};
  if (it.name == "advection_diffusion") return {vector("a"), number("nu", "0.3")};
  if (it.name == "viscous_burgers") return {vector("direction"), number("nu", "0.3")};
  if (it.name == "heat") return {number("kappa", "0.3")};
  if (it.name == "shallow_water") return {number("g", "3.7")};
  if (it.name == "traffic") return {number("p_ref", "1.3"), number("exponent", "1.5")};
  if (it.name == "elasticity") return {number("rho", "1.4"), number("lambda", "2.2"), number("mu", "0.8"), number("damping", "0.6")};
  return {};
}

inline solver::Problem problem_of(const SystemCase& it, const std::string& flux = "central") {
  solver::Problem problem;
  problem.equations = shipped_definition(it.name);
  problem.mode = it.mode;
  problem.flux = flux;
  problem.parameters = unusual_parameters(it);
  for (const solver::NamedFormulas& condition : problem.equations.boundary_conditions) {
    problem.boundaries.push_back({condition.name, condition.name, {}, {}});
  }
  problem.boundaries.push_back({"outflow", "outflow", {}, {}});
  return problem;
}

/// A built function with fast evaluation: symbols are array[index].
class HostFunction {
 public:
  explicit HostFunction(solver::BuiltFunction built) : built_(std::move(built)), order_(built_.graph.reachable(built_.outputs)) {
    values_.resize(built_.graph.size());
    for (const auto id : order_) {
      const auto& node = built_.graph.node(id);
      if (node.operation != codegen::expression::Operation::symbol) continue;
      const std::string& text = built_.graph.symbol_text(node.symbol);
      const std::size_t bracket = text.find('[');
      symbols_[id] = {text.substr(0, bracket), bracket == std::string::npos ? 0 : std::stol(text.substr(bracket + 1))};
    }
  }

  Vector operator()(const std::map<std::string, Vector>& arrays) {
    const auto at = [this](codegen::expression::NodeId id) { return id < 0 ? 0 : values_[static_cast<std::size_t>(id)]; };
    for (const auto id : order_) {
      const auto& node = built_.graph.node(id);
      double& value = values_[static_cast<std::size_t>(id)];
      if (node.operation == codegen::expression::Operation::constant) {
        value = node.value;
      } else if (node.operation == codegen::expression::Operation::symbol) {
        const auto& [array, index] = symbols_.at(id);
        value = arrays.at(array)(index);
      } else {
        value = codegen::expression::apply(node.operation, at(node.arguments[0]), at(node.arguments[1]), at(node.arguments[2]));
      }
    }
    Vector result(static_cast<Eigen::Index>(built_.outputs.size()));
    for (std::size_t k = 0; k < built_.outputs.size(); ++k) result(static_cast<Eigen::Index>(k)) = at(built_.outputs[k]);
    return result;
  }

 private:
  solver::BuiltFunction built_;
  std::vector<codegen::expression::NodeId> order_;
  std::vector<double> values_;
  std::map<codegen::expression::NodeId, std::pair<std::string, long>> symbols_;
};

/// A parsed system with the functions that tests need.
class HostSystem {
 public:
  explicit HostSystem(const solver::Problem& problem, int dimension) : model(solver::parse_model(problem, dimension, faults_)) {}
  explicit HostSystem(const SystemCase& it) : HostSystem(problem_of(it), it.dimension) {}

  HostFunction flux_along() { return checked(solver::build_flux_along(model, faults_)); }
  HostFunction max_wave_speed() { return checked(solver::build_max_wave_speed(model, faults_)); }
  HostFunction numerical_flux(const std::string& name) {
    const auto flux = std::find_if(model.fluxes.begin(), model.fluxes.end(), [&name](const auto& each) { return each.name == name; });
    return checked(solver::build_numerical_flux(model, *flux, faults_));
  }
  HostFunction boundary(const std::string& condition) {
    const auto it =
        std::find_if(model.boundaries.begin(), model.boundaries.end(), [&](const auto& each) { return each.condition == condition; });
    return checked(solver::build_boundary(model, *it, faults_));
  }

 private:
  HostFunction checked(solver::BuiltFunction built) {
    faults_.throw_if_any();
    return HostFunction(std::move(built));
  }
  solver::EquationFaults faults_;

 public:
  solver::Model model;
};

/// Random states that every system admits, and unit vectors.
class RandomStates {
 public:
  explicit RandomStates(const SystemCase& it, unsigned seed = 1) : case_(it), random_(seed) {}

  Vector state(int count) {
    Vector q(count);
    for (Eigen::Index k = 0; k < count; ++k) q(k) = uniform(-1, 1);
    if (case_.name == "shallow_water" || is_gas()) q(0) = uniform(0.5, 2);
    if (case_.name == "traffic") q << uniform(0.2, 0.9), uniform(0.5, 2);
    if (is_gas()) {
      const double kinetic = 0.5 * q.segment(1, case_.dimension).squaredNorm() / q(0);
      q(count - 1) = kinetic + uniform(0.5, 4);
    }
    return q;
  }
  /// The state, then `gradients` random values.
  Vector with_gradients(const Vector& state, int gradients) {
    Vector values(state.size() + gradients);
    values.head(state.size()) = state;
    for (int k = 0; k < gradients; ++k) values(state.size() + k) = uniform(-1, 1);
    return values;
  }
  Vector unit() {
    Vector n(case_.dimension);
    do {
      for (Eigen::Index k = 0; k < n.size(); ++k) n(k) = uniform(-1, 1);
    } while (n.norm() < 0.2);
    return n / n.norm();
  }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

 private:
  [[nodiscard]] bool is_gas() const { return case_.name == "euler" || case_.name == "navier_stokes"; }
  SystemCase case_;
  std::mt19937_64 random_;
};

}  // namespace dgsolve::io
