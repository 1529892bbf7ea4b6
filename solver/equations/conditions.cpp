// States from given values, and outer states at boundaries.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "solver/equations/generic.h"
#include "solver/equations/physics.h"
#include "solver/equations/scopes.h"
#include "solver/equations/storage.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::Scope;

namespace {

/// The list that all names belong to: the state, else the primitive variables. Names that fit neither, and mixtures, are faults.
const VariableList* list_of(const Model& model, const std::vector<ParsedValues>& values, EquationFaults& faults) {
  bool all_state = true;
  bool all_primitive = true;
  bool known = true;
  for (const ParsedValues& value : values) {
    const bool in_state = belongs_to(model.state, value.name);
    const bool in_primitive = belongs_to(model.primitive, value.name);
    all_state = all_state && in_state;
    all_primitive = all_primitive && in_primitive;
    if (in_state || in_primitive) continue;
    known = false;
    std::vector<std::string> names;
    for (const VariableList* list : {&model.state, &model.primitive}) {
      for (const Variable& variable : list->variables) names.push_back(variable.declaration.name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    faults.add(value.where, value.path,
               fmt::format("'{}' is not a variable of '{}'{}; its variables: {}", value.name, model.name,
                           codegen::did_you_mean(value.name, names), fmt::join(names, ", ")));
  }
  if (!known) return nullptr;
  if (all_state) return &model.state;
  if (all_primitive) return &model.primitive;
  faults.add(values.front().where, values.front().path,
             fmt::format("conserved and primitive variables are mixed: give all of {} or all of {}",
                         fmt::join(model.state.component_names(), ", "), fmt::join(model.primitive.component_names(), ", ")));
  return nullptr;
}

/// Expands the values in `scope` and sets all outputs.
void set_values(const Model& model, const std::vector<ParsedValues>& values, const Location& where, const std::string& path, Scope& data,
                Scope& scope, StateOutputs& outputs, BuiltFunction& function, EquationFaults& faults) {
  const VariableList* list = list_of(model, values, faults);
  if (list == nullptr) return;
  ComponentValues all;
  bool complete = true;
  for (const ParsedValues& value : values) {
    const auto components = component_values(model, *list, value, scope, faults);
    complete = complete && components.has_value();
    if (!components) continue;
    for (const auto& [slot, node] : *components) {
      if (!all.emplace(slot, node).second) faults.add(value.where, value.path, "given twice");
    }
  }
  if (!complete) return;
  const std::vector<std::string> names = list->component_names();
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!all.contains(static_cast<int>(k))) missing.push_back(names[k]);
  }
  if (!missing.empty()) {
    faults.add(values.empty() ? where : values.front().where, path, fmt::format("no value for {}", fmt::join(missing, ", ")));
    return;
  }
  if (list == &model.primitive) return set_from_primitive(model, all, data, outputs, faults);
  for (const auto& [slot, node] : all) function.outputs[static_cast<std::size_t>(slot)] = node;
}

}  // namespace

BuiltFunction build_values(const Model& model, const std::vector<ParsedValues>& values, const std::string& path, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  StateOutputs outputs(model, result);
  set_values(model, values, {}, path, *data, *data, outputs, result, faults);
  return result;
}

namespace {

/// The outer gradients behind the outer state: the inner ones.
void add_inner_gradients(const Model& model, BuiltFunction& function) {
  for (int k = 0; k < model.gradients.count; ++k)
    function.outputs.push_back(function.graph.symbol(fmt::format("q[{}]", model.state.count + k)));
}

/// Those that the condition states.
void set_gradients(const Model& model, const ParsedList& condition, Scope& state, BuiltFunction& function, EquationFaults& faults) {
  for (const ParsedEntry& entry : condition.gradients) {
    const Variable* variable = model.gradients.find(entry.target.name);
    if (entry.formula.syntax == nullptr || variable == nullptr || variable->extents.size() != entry.target.indices.size()) continue;
    guarded(model, entry.formula, faults, [&] {
      const auto value = expression::expand(*entry.formula.syntax, free_indices(entry.target, variable->extents), state);
      for (std::size_t c = 0; c < value.components.size(); ++c)
        function.outputs[static_cast<std::size_t>(model.state.count + variable->slots[c])] = value.components[c];
    });
  }
}

}  // namespace

BuiltFunction build_condition(const Model& model, const ParsedList& condition, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "n", faults);
  const auto state = make_state_scope(model, *data, "q", Gradients::known);
  StateOutputs outputs(model, result);
  const bool conserved = std::all_of(condition.entries.begin(), condition.entries.end(),
                                     [&model](const ParsedEntry& entry) { return model.state.find(entry.target.name) != nullptr; });
  const VariableList& list = conserved ? model.state : model.primitive;
  ComponentValues primitive;
  for (std::size_t k = 0; k < list.variables.size() && k < condition.entries.size(); ++k) {
    const ParsedEntry& entry = condition.entries[k];
    if (entry.formula.syntax == nullptr) continue;
    guarded(model, entry.formula, faults, [&] {
      const auto value = expression::expand(*entry.formula.syntax, free_indices(entry.target, list.variables[k].extents), *state);
      if (conserved) return outputs.set(k, value, entry.formula, faults);
      for (std::size_t c = 0; c < value.components.size(); ++c) {
        const int slot = list.variables[k].slots[c];
        if (slot >= 0) primitive.emplace(slot, value.components[c]);
      }
    });
  }
  if (!conserved && static_cast<int>(primitive.size()) == list.count) set_from_primitive(model, primitive, *data, outputs, faults);
  add_inner_gradients(model, result);
  set_gradients(model, condition, *state, result, faults);
  return result;
}

BuiltFunction build_boundary(const Model& model, const ParsedBoundary& boundary, EquationFaults& faults) {
  const std::string path = "boundaries." + boundary.group;
  const auto own = std::find_if(model.conditions.begin(), model.conditions.end(),
                                [&boundary](const ParsedList& each) { return each.name == boundary.condition; });
  if (own != model.conditions.end()) return build_condition(model, *own, faults);
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "n", faults);
  const auto state = make_state_scope(model, *data, "q");
  StateOutputs outputs(model, result);
  if (boundary.condition == "outflow") {
    for (std::size_t k = 0; k < model.state.variables.size(); ++k) {
      const Variable& variable = model.state.variables[k];
      outputs.set(k, state->value(variable.declaration.name, variable.extents.size()), {}, faults);
    }
  } else if (boundary.condition == "dirichlet" || boundary.condition == "inflow") {
    set_values(model, boundary.values, boundary.where, path, *data, *state, outputs, result, faults);
  } else if (boundary.condition == "exact") {
    if (model.exact.empty()) {
      faults.add(boundary.where, path, "condition 'exact' needs the exact solution: the section `exact` is missing");
    } else {
      set_values(model, model.exact, boundary.where, "exact", *data, *data, outputs, result, faults);
    }
  } else {
    std::vector<std::string> names;
    for (const ParsedList& each : model.conditions) names.push_back(each.name);
    for (const std::string_view each : generic_conditions()) names.emplace_back(each);
    faults.add(boundary.where, path,
               fmt::format("'{}' has no boundary condition '{}'{}; allowed: {}", model.name, boundary.condition,
                           codegen::did_you_mean(boundary.condition, names), fmt::join(names, ", ")));
  }
  add_inner_gradients(model, result);
  return result;
}

}  // namespace dgsolve::solver
