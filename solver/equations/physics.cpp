// Physics of one state: flux, wave speed, source, admissibility.
#include "solver/equations/physics.h"

#include <fmt/format.h>

#include "solver/equations/scopes.h"
#include "solver/equations/storage.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::NodeId;
using expression::Scope;
using expression::Tensor;

void check_definitions(const Model& model, EquationFaults& faults) {
  expression::Graph graph;
  const auto data = make_data_scope(model, graph, "n", faults);
  const auto state = make_state_scope(model, *data, "q", Gradients::known);
  const auto check = [&](std::string_view name, std::size_t rank) {
    try {
      static_cast<void>(state->value(name, rank));
    } catch (const expression::BrokenDefinition& broken) {
      report_broken(model, broken, faults);
    }
  };
  for (const ParsedParameter& parameter : model.parameters) check(parameter.name, parameter.extents.size());
  for (const ParsedEntry& entry : model.definitions) check(entry.target.name, entry.target.indices.size());
  for (const Variable& variable : model.primitive.variables) {
    const std::string& name = variable.declaration.name;
    const auto found = state->find(name, variable.extents.size());
    if (!found) {
      faults.add(model.where, "primitive",
                 fmt::format("'{}' is neither a state variable nor a definition with {} ind{}", name, variable.extents.size(),
                             variable.extents.size() == 1 ? "ex" : "ices"));
    } else if (*found->extents != variable.extents) {
      faults.add(model.where, "primitive", fmt::format("'{}' has other components in the primitive list than in its definition", name));
    }
  }
}

BuiltFunction build_flux_along(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  const auto state = make_state_scope(model, *data, "q", Gradients::known);
  state->bind(name_direction, symbol_vector(result.graph, "a", model.dimension), expression::Beyond::zero);
  StateOutputs outputs(model, result);
  for (std::size_t k = 0; k < model.flux.size(); ++k) {
    const ParsedEntry& entry = model.flux[k];
    if (entry.formula.syntax == nullptr) continue;
    guarded(model, entry.formula, faults, [&] { outputs.set(k, flux_through(model, k, *state), entry.formula, faults); });
  }
  for (const ParsedEntry& entry : model.viscous_flux) {
    auto flux = viscous_flux_through(model, entry, *state, faults);
    if (!flux) continue;
    for (NodeId& component : flux->value.components) component = result.graph.negate(component);
    outputs.add(flux->variable, flux->value, entry.formula, faults);
  }
  return result;
}

namespace {

/// The values whose gradients are taken, in the order of the gradients, each with as many components as its gradient has directions less.
std::vector<NodeId> gradient_values(const Model& model, Scope& state, EquationFaults& faults) {
  std::vector<NodeId> values;
  for (std::size_t g = 0; g < model.gradient_of.size(); ++g) {
    const ParsedEntry& entry = model.gradient_of[g];
    std::vector<int> extents = model.gradients.variables[g].extents;
    extents.pop_back();
    std::size_t count = 1;
    for (const int extent : extents) count *= static_cast<std::size_t>(extent);
    Tensor value{extents, std::vector<NodeId>(count, state.graph().constant(0))};
    if (entry.formula.syntax != nullptr) {
      guarded(model, entry.formula, faults,
              [&] { value = expression::expand(*entry.formula.syntax, free_indices(entry.target, extents), state); });
    }
    values.insert(values.end(), value.components.begin(), value.components.end());
  }
  return values;
}

}  // namespace

BuiltFunction build_gradient_flux_along(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  const auto state = make_state_scope(model, *data, "q");
  const Tensor along = symbol_vector(result.graph, "a", model.dimension);
  for (const NodeId value : gradient_values(model, *state, faults)) {
    for (const NodeId direction : along.components) result.outputs.push_back(result.graph.negate(result.graph.multiply(value, direction)));
  }
  return result;
}

BuiltFunction build_gradient_numerical_flux(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "n", faults);
  const auto inner = make_state_scope(model, *data, "qm"), outer = make_state_scope(model, *data, "qp");
  const std::vector<NodeId> inside = gradient_values(model, *inner, faults), outside = gradient_values(model, *outer, faults);
  const Tensor normal = data->value("n", 1);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const NodeId mean = result.graph.multiply(result.graph.constant(-0.5), result.graph.add(inside[k], outside[k]));
    for (const NodeId direction : normal.components) result.outputs.push_back(result.graph.multiply(mean, direction));
  }
  return result;
}

BuiltFunction build_diffusivity(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  const auto state = make_state_scope(model, *data, "q");
  result.outputs.assign(1, result.graph.constant(0));
  if (model.diffusivity.syntax == nullptr) return result;
  guarded(model, model.diffusivity, faults,
          [&] { result.outputs[0] = expression::expand(*model.diffusivity.syntax, {}, *state).components.front(); });
  return result;
}

BuiltFunction build_max_wave_speed(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "n", faults);
  const auto state = make_state_scope(model, *data, "q");
  result.outputs.assign(1, result.graph.constant(0));
  if (!model.has_wave_speeds) return result;
  try {
    result.outputs[0] = state->value("max_wave_speed", 0).components.front();
  } catch (const expression::BrokenDefinition& broken) {
    report_broken(model, broken, faults);
  }
  return result;
}

BuiltFunction build_source(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  const auto state = make_state_scope(model, *data, "q");
  StateOutputs outputs(model, result);
  for (const ParsedEntry& entry : model.source) {
    const Variable* variable = model.state.find(entry.target.name);
    if (entry.formula.syntax == nullptr || variable == nullptr || variable->extents.size() != entry.target.indices.size()) continue;
    const auto place = static_cast<std::size_t>(variable - model.state.variables.data());
    guarded(model, entry.formula, faults, [&] {
      outputs.add(place, expression::expand(*entry.formula.syntax, free_indices(entry.target, variable->extents), *state), entry.formula,
                  faults);
    });
  }
  for (const ParsedValues& values : model.added_source) {
    const auto components = component_values(model, model.state, values, *state, faults);
    if (!components) continue;
    for (const auto& [slot, node] : *components) {
      NodeId& output = result.outputs[static_cast<std::size_t>(slot)];
      output = result.graph.add(output, node);
    }
  }
  return result;
}

BuiltFunction build_admissible(const Model& model, EquationFaults& faults) {
  BuiltFunction result;
  const auto data = make_data_scope(model, result.graph, "", faults);
  const auto state = make_state_scope(model, *data, "q");
  result.outputs.assign(1, result.graph.constant(1));
  bool first = true;
  for (const ParsedEntry& entry : model.admissible) {
    if (entry.formula.syntax == nullptr) continue;
    guarded(model, entry.formula, faults, [&] {
      const NodeId value = expression::expand(*entry.formula.syntax, {}, *state).components.front();
      result.outputs[0] = first ? value : result.graph.call(expression::Operation::minimum, result.outputs[0], value);
      first = false;
    });
  }
  return result;
}

}  // namespace dgsolve::solver
