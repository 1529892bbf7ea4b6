// The names that formulas of an equation system see.
#include "solver/equations/scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::Graph;
using expression::Scope;
using expression::Tensor;

Tensor symbol_vector(Graph& graph, std::string_view array, int count) {
  Tensor result{{count}, {}};
  for (int k = 0; k < count; ++k) result.components.push_back(graph.symbol(fmt::format("{}[{}]", array, k)));
  return result;
}

std::vector<expression::FreeIndex> free_indices(const expression::Declaration& target, const std::vector<int>& extents) {
  std::vector<expression::FreeIndex> result;
  for (std::size_t k = 0; k < target.indices.size() && k < extents.size(); ++k) result.push_back({target.indices[k].letter, extents[k]});
  return result;
}

void report_broken(const Model& model, const expression::BrokenDefinition& broken, EquationFaults& faults) {
  for (const ParsedParameter& parameter : model.parameters) {
    if (parameter.name == broken.name()) {
      return faults.add(parameter.components.front().where, parameter.components.front().path, broken.what(), broken.column());
    }
  }
  for (const ParsedEntry& entry : model.definitions) {
    if (entry.target.name == broken.name()) return faults.add(entry.formula.where, entry.formula.path, broken.what(), broken.column());
  }
  for (const ParsedEntry& entry : model.gradient_of) {
    if (entry.target.name == broken.name()) return faults.add(entry.formula.where, entry.formula.path, broken.what(), broken.column());
  }
  for (const ParsedList& list : model.fluxes) {
    for (const ParsedEntry& entry : list.definitions) {
      if (entry.target.name == broken.name()) return faults.add(entry.formula.where, entry.formula.path, broken.what(), broken.column());
    }
  }
  faults.add({}, broken.name(), broken.what(), broken.column());
}

std::unique_ptr<Scope> make_data_scope(const Model& model, Graph& graph, std::string_view normal, EquationFaults& faults) {
  auto scope = std::make_unique<Scope>(graph, model.dimension);
  const Tensor position = symbol_vector(graph, symbol_position, model.dimension);
  static constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (k < position.components.size()) {
      scope->bind(axes[k], position.components[k]);
    } else {
      scope->explain(axes[k], fmt::format("the problem has {} space dimension{}", model.dimension, model.dimension == 1 ? "" : "s"));
    }
  }
  scope->bind("x", position, expression::Beyond::zero);
  scope->bind("t", graph.symbol(symbol_time, true));
  scope->bind("pi", graph.constant(std::numbers::pi));
  if (normal.empty()) {
    scope->explain("n", "n is the normal of a face: in wave speeds, boundary conditions and numerical fluxes only");
  } else {
    scope->bind("n", symbol_vector(graph, normal, model.dimension), expression::Beyond::zero);
  }
  scope->explain("flux", "it is known in the formulas of numerical fluxes for state components only");
  scope->explain("state", "it is known in the formulas of numerical fluxes for state components only");
  for (const ParsedParameter& parameter : model.parameters) {
    expression::Declaration declaration{parameter.name, {}, false, 1};
    if (parameter.extents.empty()) {
      const auto& formula = parameter.components.front();
      formula.syntax != nullptr ? scope->define(declaration, formula.syntax) : scope->define_broken(declaration);
      continue;
    }
    Tensor value{parameter.extents, {}};
    for (const ParsedFormula& formula : parameter.components) {
      value.components.push_back(graph.constant(1));
      if (formula.syntax == nullptr) continue;
      guarded(model, formula, faults,
              [&] { value.components.back() = expression::expand(*formula.syntax, {}, *scope).components.front(); });
    }
    scope->bind(parameter.name, std::move(value));
  }
  return scope;
}

std::unique_ptr<Scope> make_state_scope(const Model& model, Scope& data, std::string_view array, Gradients gradients) {
  auto scope = std::make_unique<Scope>(data.graph(), model.dimension, &data);
  Graph& graph = data.graph();
  for (const Variable& variable : model.state.variables) {
    Tensor value{variable.extents, {}};
    for (const int slot : variable.slots) {
      value.components.push_back(slot < 0 ? graph.constant(0) : graph.symbol(fmt::format("{}[{}]", array, slot)));
    }
    scope->bind(variable.declaration.name, std::move(value));
  }
  for (const Variable& variable : model.gradients.variables) {
    if (gradients == Gradients::unknown) {
      scope->explain(variable.declaration.name, "gradients are known in viscous fluxes and boundary conditions only");
      continue;
    }
    Tensor value{variable.extents, {}};
    for (const int slot : variable.slots) value.components.push_back(graph.symbol(fmt::format("{}[{}]", array, model.state.count + slot)));
    scope->bind(variable.declaration.name, std::move(value), expression::Beyond::zero);
  }
  for (const ParsedEntry& entry : model.definitions) {
    entry.formula.syntax != nullptr ? scope->define(entry.target, entry.formula.syntax) : scope->define_broken(entry.target);
  }
  return scope;
}

}  // namespace dgsolve::solver
