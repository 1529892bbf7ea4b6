// From expanded tensors to stored state components, and from given values to states.
#include "solver/equations/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "codegen/expression/evaluate.h"
#include "solver/equations/scopes.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::NodeId;
using expression::Scope;
using expression::Tensor;

namespace {

/// A symmetric tensor's lower half repeats the upper one.
bool is_repeated(const Variable& variable, std::size_t component) {
  if (!variable.declaration.symmetric) return false;
  const auto extent = static_cast<std::size_t>(variable.extents[1]);
  return component / extent > component % extent;
}

}  // namespace

StateOutputs::StateOutputs(const Model& model, BuiltFunction& function) : model_(model), function_(function) {
  function.outputs.assign(static_cast<std::size_t>(model.state.count), function.graph.constant(0));
}

void StateOutputs::set(std::size_t place, const Tensor& value, const ParsedFormula& formula, EquationFaults& faults) {
  for (const int slot : model_.state.variables[place].slots) {
    if (slot >= 0) function_.outputs[static_cast<std::size_t>(slot)] = function_.graph.constant(0);
  }
  add(place, value, formula, faults);
}

void StateOutputs::add(std::size_t place, const Tensor& value, const ParsedFormula& formula, EquationFaults& faults) {
  const Variable& variable = model_.state.variables[place];
  for (std::size_t k = 0; k < variable.slots.size(); ++k) {
    if (is_repeated(variable, k)) {
      check_symmetric(variable, k, value, formula, faults);
      continue;
    }
    const int slot = variable.slots[k];
    if (slot >= 0) {
      NodeId& output = function_.outputs[static_cast<std::size_t>(slot)];
      output = function_.graph.add(output, value.components[k]);
    } else if (!function_.graph.is_constant(value.components[k], 0)) {
      faults.add(formula.where, formula.path,
                 fmt::format("component {} of '{}' is zero in this mode, but this formula changes it", k + 1, variable.declaration.name));
    }
  }
}

/// Both halves must be the same expression, or at least have the same value somewhere.
void StateOutputs::check_symmetric(const Variable& variable, std::size_t component, const Tensor& value, const ParsedFormula& formula,
                                   EquationFaults& faults) {
  const auto extent = static_cast<std::size_t>(variable.extents[1]);
  const std::array<NodeId, 2> pair{value.components[component], value.components[component % extent * extent + component / extent]};
  if (pair[0] == pair[1]) return;
  expression::SymbolValues values;
  for (int k = 0; k < function_.graph.symbol_count(); ++k) values[function_.graph.symbol_text(k)] = 1.1 + 0.37 * k + 0.013 * k * k;
  const std::vector<double> found = expression::evaluate(function_.graph, pair, values);
  if (std::abs(found[0] - found[1]) > 1e-9 * (std::abs(found[0]) + std::abs(found[1]))) {
    faults.add(formula.where, formula.path, fmt::format("'{}' is symmetric, but this formula is not", variable.declaration.name));
  }
}

namespace {

/// F_vj d_j of a formula for a state variable.
Tensor contracted_flux(const Model& model, const ParsedEntry& entry, std::size_t place, Scope& scope) {
  const expression::Syntax& formula = *entry.formula.syntax;
  const expression::SyntaxNode& root = formula.nodes[static_cast<std::size_t>(formula.root)];
  if (root.kind == expression::SyntaxKind::number && root.number == 0) {  // of every component in every direction
    const Variable& variable = model.state.variables[place];
    return {variable.extents, std::vector<NodeId>(variable.slots.size(), scope.graph().constant(0))};
  }
  std::vector<expression::FreeIndex> indices = free_indices(entry.target, model.state.variables[place].extents);
  for (const auto& index : entry.target.indices) {
    if (index.letter == "j")
      expression::fail(formula.text, 1, fmt::format("j is the direction of the flux: give '{}' another index letter", entry.target.name));
  }
  indices.push_back({"j", model.dimension});
  static_cast<void>(expression::expand(formula, indices, scope));
  indices.pop_back();
  return expression::expand(expression::contracted_with(formula, std::string(name_direction), "j"), indices, scope);
}

}  // namespace

Tensor flux_through(const Model& model, std::size_t place, Scope& scope) { return contracted_flux(model, model.flux[place], place, scope); }

std::optional<ViscousFlux> viscous_flux_through(const Model& model, const ParsedEntry& entry, Scope& scope, EquationFaults& faults) {
  const Variable* variable = model.state.find(entry.target.name);
  if (entry.formula.syntax == nullptr || variable == nullptr || variable->extents.size() != entry.target.indices.size())
    return std::nullopt;
  std::optional<ViscousFlux> result;
  guarded(model, entry.formula, faults, [&] {
    const auto place = static_cast<std::size_t>(variable - model.state.variables.data());
    result = ViscousFlux{place, contracted_flux(model, entry, place, scope)};
  });
  return result;
}

bool belongs_to(const VariableList& list, std::string_view name) {
  const std::vector<std::string> components = list.component_names();
  return list.find(name) != nullptr || std::find(components.begin(), components.end(), name) != components.end();
}

Tensor tensor_of(expression::Graph& graph, const Variable& variable, const ComponentValues& values) {
  Tensor result{variable.extents, {}};
  for (const int slot : variable.slots) result.components.push_back(slot < 0 ? graph.constant(0) : values.at(slot));
  return result;
}

namespace {

/// Where each given value of a variable goes: a slot, or -1 for a component that is zero in this mode.
std::optional<std::vector<int>> slots_of(const Variable& variable, std::size_t given) {
  std::vector<int> all;
  std::vector<int> stored;
  for (std::size_t k = 0; k < variable.slots.size(); ++k) {
    if (is_repeated(variable, k)) continue;
    all.push_back(variable.slots[k]);
    if (variable.slots[k] >= 0) stored.push_back(variable.slots[k]);
  }
  if (given == all.size()) return all;
  if (given == stored.size()) return stored;
  return std::nullopt;
}

std::optional<std::vector<int>> slots_of_name(const VariableList& list, const ParsedValues& values, EquationFaults& faults) {
  const std::size_t given = values.components.size();
  const Variable* variable = list.find(values.name);
  if (variable == nullptr) {
    const std::vector<std::string> names = list.component_names();
    const auto place = std::find(names.begin(), names.end(), values.name);
    if (place != names.end() && given == 1) return std::vector<int>{static_cast<int>(place - names.begin())};
    faults.add(values.where, values.path, fmt::format("the component '{}' takes one value, {} are given", values.name, given));
    return std::nullopt;
  }
  auto slots = slots_of(*variable, given);
  if (!slots) {
    const std::size_t wanted = variable->quantity.component_names.size();
    faults.add(values.where, values.path,
               fmt::format("'{}' has {} component{} here, {} given", values.name, wanted, wanted == 1 ? "" : "s", given));
  }
  return slots;
}

}  // namespace

std::optional<ComponentValues> component_values(const Model& model, const VariableList& list, const ParsedValues& values, Scope& scope,
                                                EquationFaults& faults) {
  const auto slots = slots_of_name(list, values, faults);
  if (!slots) return std::nullopt;
  ComponentValues result;
  for (std::size_t k = 0; k < slots->size(); ++k) {
    const ParsedFormula& formula = values.components[k];
    if (formula.syntax == nullptr) continue;
    guarded(model, formula, faults, [&] {
      const NodeId value = expression::expand(*formula.syntax, {}, scope).components.front();
      const int slot = (*slots)[k];
      if (slot >= 0) {
        result[slot] = value;
      } else if (!scope.graph().is_constant(value, 0)) {
        faults.add(formula.where, formula.path, fmt::format("component {} of '{}' is zero in this mode", k + 1, values.name));
      }
    });
  }
  const auto wanted = std::count_if(slots->begin(), slots->end(), [](int slot) { return slot >= 0; });
  if (static_cast<std::ptrdiff_t>(result.size()) < wanted) return std::nullopt;
  return result;
}

void set_from_primitive(const Model& model, const ComponentValues& primitive, Scope& data, StateOutputs& outputs, EquationFaults& faults) {
  Scope scope(data.graph(), model.dimension, &data);
  for (const Variable& variable : model.primitive.variables) {
    scope.bind(variable.declaration.name, tensor_of(data.graph(), variable, primitive));
  }
  for (std::size_t k = 0; k < model.from_primitive.size(); ++k) {
    const ParsedEntry& entry = model.from_primitive[k];
    if (entry.formula.syntax == nullptr) continue;
    guarded(model, entry.formula, faults, [&] {
      const auto indices = free_indices(entry.target, model.state.variables[k].extents);
      outputs.set(k, expression::expand(*entry.formula.syntax, indices, scope), entry.formula, faults);
    });
  }
}

}  // namespace dgsolve::solver
