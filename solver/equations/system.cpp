// The compiled equation system: checks everything once, then prints the physics functions.
#include "solver/equations/system.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/expression/print.h"
#include "codegen/nearest.h"
#include "solver/equations/physics.h"
#include "solver/equations/scopes.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using codegen::Precision;

struct EquationSystem::State {
  Model model;
  std::vector<Quantity> state;
  std::vector<Quantity> primitive;
  BuiltFunction flux_along;
  BuiltFunction numerical_flux;
  BuiltFunction max_wave_speed;
  BuiltFunction diffusivity, gradient_flux_along, gradient_numerical_flux;
  BuiltFunction source;
  BuiltFunction admissible;
  BuiltFunction initial;
  BuiltFunction exact;
  std::vector<BuiltFunction> boundaries;
};

namespace {

std::vector<Quantity> quantities_of(const VariableList& list) {
  std::vector<Quantity> result;
  for (const Variable& variable : list.variables) {
    if (!variable.quantity.component_names.empty()) result.push_back(variable.quantity);
  }
  return result;
}

/// Builds what the problem does not use too, so that every fault of the equation file is found.
void check_unused(const Model& model, EquationFaults& faults) {
  check_definitions(model, faults);
  for (const ParsedList& flux : model.fluxes) static_cast<void>(build_numerical_flux(model, flux, faults));
  for (const ParsedList& condition : model.conditions) static_cast<void>(build_condition(model, condition, faults));
  std::vector<FieldSpec> fields;
  for (const ParsedEntry& entry : model.fields) fields.push_back({entry.target.name, {}, {}});
  std::vector<Quantity> ignored;
  static_cast<void>(build_fields(model, fields, ignored, faults));
}

const ParsedList* chosen_flux(const Model& model, EquationFaults& faults) {
  std::vector<std::string> names;
  for (const ParsedList& flux : model.fluxes) {
    if (flux.name == model.chosen_flux) return &flux;
    names.push_back(flux.name);
  }
  faults.add({}, "flux",
             fmt::format("'{}' has no numerical flux '{}'{}; allowed: {}", model.name, model.chosen_flux,
                         codegen::did_you_mean(model.chosen_flux, names), fmt::join(names, ", ")));
  return nullptr;
}

/// Printed text of one or several functions' bodies, with what they depend on.
struct Body {
  std::string text;
  int operations = 0;
  bool uses_position = false;
  bool uses_time = false;
};

void find_uses(const BuiltFunction& built, Body& body) {
  for (const expression::NodeId id : built.graph.reachable(built.outputs)) {
    const expression::Node& node = built.graph.node(id);
    if (node.operation != expression::Operation::symbol) continue;
    const std::string& text = built.graph.symbol_text(node.symbol);
    body.uses_time = body.uses_time || text == symbol_time;
    body.uses_position = body.uses_position || text.starts_with(fmt::format("{}[", symbol_position));
  }
}

/// `count`: of the outputs, from the first on.
Body print_body(const BuiltFunction& built, std::string_view output, Precision precision, const std::string& indent, std::size_t count) {
  std::vector<expression::Assignment> assignments;
  for (std::size_t k = 0; k < count; ++k) assignments.push_back({fmt::format("{}[{}]", output, k), built.outputs[k]});
  expression::PrintedCode code = expression::print_statements(built.graph, assignments, {.precision = precision, .indent = indent});
  Body body{std::move(code.text), code.operations, false, false};
  find_uses(built, body);
  return body;
}

PhysicsFunction make_function(std::string name, std::string_view result, std::string_view arguments, const Body& body, int outputs) {
  PhysicsFunction function;
  function.code = fmt::format("INLINE {} {}({}) {{\n{}}}\n", result, name, arguments, body.text);
  function.name = std::move(name);
  function.uses_position = body.uses_position;
  function.uses_time = body.uses_time;
  function.outputs = outputs;
  function.operations = body.operations;
  return function;
}

PhysicsFunction print_array_function(const BuiltFunction& built, std::string name, std::string_view arguments, std::string_view output,
                                     Precision precision) {
  return make_function(std::move(name), "void", arguments, print_body(built, output, precision, "  ", built.outputs.size()),
                       static_cast<int>(built.outputs.size()));
}

PhysicsFunction print_scalar_function(const BuiltFunction& built, std::string name, std::string_view arguments, Precision precision) {
  const std::vector<expression::Assignment> assignments{{"const realv result", built.outputs.front()}};
  expression::PrintedCode code = expression::print_statements(built.graph, assignments, {.precision = precision});
  Body body{code.text + "  return result;\n", code.operations, false, false};
  find_uses(built, body);
  return make_function(std::move(name), "realv", arguments, body, 1);
}

}  // namespace

EquationSystem::EquationSystem(const Problem& problem, int dimension) : state_(std::make_unique<State>()) {
  EquationFaults faults;
  State& it = *state_;
  it.model = parse_model(problem, dimension, faults);
  check_unused(it.model, faults);
  it.state = quantities_of(it.model.state);
  it.primitive = quantities_of(it.model.primitive);
  it.flux_along = build_flux_along(it.model, faults);
  if (const ParsedList* flux = chosen_flux(it.model, faults)) it.numerical_flux = build_numerical_flux(it.model, *flux, faults);
  it.max_wave_speed = build_max_wave_speed(it.model, faults);
  if (it.model.viscous()) {
    it.diffusivity = build_diffusivity(it.model, faults);
    it.gradient_flux_along = build_gradient_flux_along(it.model, faults);
    it.gradient_numerical_flux = build_gradient_numerical_flux(it.model, faults);
  }
  it.source = build_source(it.model, faults);
  it.admissible = build_admissible(it.model, faults);
  if (!it.model.initial.empty()) it.initial = build_values(it.model, it.model.initial, "initial", faults);
  if (!it.model.exact.empty()) it.exact = build_values(it.model, it.model.exact, "exact", faults);
  for (const ParsedBoundary& boundary : it.model.boundaries) it.boundaries.push_back(build_boundary(it.model, boundary, faults));
  faults.throw_if_any();
}

EquationSystem::~EquationSystem() = default;
EquationSystem::EquationSystem(EquationSystem&&) noexcept = default;
EquationSystem& EquationSystem::operator=(EquationSystem&&) noexcept = default;

const std::string& EquationSystem::name() const { return state_->model.name; }
int EquationSystem::dimension() const { return state_->model.dimension; }
int EquationSystem::variable_count() const { return state_->model.state.count; }
const std::vector<Quantity>& EquationSystem::state() const { return state_->state; }
const std::vector<Quantity>& EquationSystem::primitive() const { return state_->primitive; }
std::vector<std::string> EquationSystem::component_names() const { return state_->model.state.component_names(); }

std::vector<std::string> EquationSystem::admissible_names() const {
  std::vector<std::string> names;
  for (const ParsedEntry& entry : state_->model.admissible) names.push_back(entry.target.name);
  return names;
}

bool EquationSystem::has_source() const {
  const BuiltFunction& source = state_->source;
  return std::any_of(source.outputs.begin(), source.outputs.end(), [&source](auto id) { return !source.graph.is_constant(id, 0); });
}

bool EquationSystem::has_exact() const { return !state_->exact.outputs.empty(); }

PhysicsFunction EquationSystem::flux_along(Precision precision) const {
  return print_array_function(state_->flux_along, "physics_flux_along", "const realv* q, const realv* a, const realv* x, real t, realv* f",
                              "f", precision);
}

PhysicsFunction EquationSystem::numerical_flux(Precision precision) const {
  return print_array_function(state_->numerical_flux, "physics_numerical_flux",
                              "const realv* qm, const realv* qp, const realv* n, const realv* x, real t, realv* f", "f", precision);
}

PhysicsFunction EquationSystem::max_wave_speed(Precision precision) const {
  return print_scalar_function(state_->max_wave_speed, "physics_max_wave_speed", "const realv* q, const realv* n, const realv* x, real t",
                               precision);
}

PhysicsFunction EquationSystem::source(Precision precision) const {
  return print_array_function(state_->source, "physics_source", "const realv* q, const realv* x, real t, realv* s", "s", precision);
}

PhysicsFunction EquationSystem::initial(Precision precision) const {
  return print_array_function(state_->initial, "physics_initial", "const realv* x, real t, realv* q", "q", precision);
}

PhysicsFunction EquationSystem::exact(Precision precision) const {
  return print_array_function(state_->exact, "physics_exact", "const realv* x, real t, realv* q", "q", precision);
}

PhysicsFunction EquationSystem::admissible(Precision precision) const {
  return print_scalar_function(state_->admissible, "physics_admissible", "const realv* q, const realv* x, real t", precision);
}

int EquationSystem::gradient_count() const { return state_->model.gradients.count; }

PhysicsFunction EquationSystem::diffusivity(Precision precision) const {
  return print_scalar_function(state_->diffusivity, "physics_diffusivity", "const realv* q, const realv* x, real t", precision);
}

PhysicsFunction EquationSystem::gradient_flux_along(Precision precision) const {
  return print_array_function(state_->gradient_flux_along, "physics_flux_along",
                              "const realv* q, const realv* a, const realv* x, real t, realv* f", "f", precision);
}

PhysicsFunction EquationSystem::gradient_numerical_flux(Precision precision) const {
  return print_array_function(state_->gradient_numerical_flux, "physics_numerical_flux",
                              "const realv* qm, const realv* qp, const realv* n, const realv* x, real t, realv* f", "f", precision);
}

PhysicsFunction EquationSystem::boundary_state(Precision precision) const {
  return print_boundary(variable_count() + gradient_count(), precision);
}

PhysicsFunction EquationSystem::gradient_boundary_state(Precision precision) const { return print_boundary(variable_count(), precision); }

PhysicsFunction EquationSystem::print_boundary(int count, Precision precision) const {
  Body all;
  all.text = "  switch (condition) {\n";
  for (std::size_t k = 0; k < state_->boundaries.size(); ++k) {
    const Body one = print_body(state_->boundaries[k], "qp", precision, "      ", static_cast<std::size_t>(count));
    all.text += fmt::format("    case {}: {{\n{}      break;\n    }}\n", k, one.text);
    all.operations = std::max(all.operations, one.operations);
    all.uses_position = all.uses_position || one.uses_position;
    all.uses_time = all.uses_time || one.uses_time;
  }
  all.text += "    default: {\n";
  for (int v = 0; v < count; ++v) all.text += fmt::format("      qp[{0}] = q[{0}];\n", v);
  all.text += "      break;\n    }\n  }\n";
  return make_function("physics_boundary_state", "void", "int condition, const realv* q, const realv* n, const realv* x, real t, realv* qp",
                       all, count);
}

std::vector<Quantity> EquationSystem::resolve_fields(const std::vector<FieldSpec>& fields) const {
  EquationFaults faults;
  std::vector<Quantity> quantities;
  static_cast<void>(build_fields(state_->model, fields, quantities, faults));
  faults.throw_if_any();
  return quantities;
}

PhysicsFunction EquationSystem::fields(const std::vector<FieldSpec>& fields, Precision precision) const {
  EquationFaults faults;
  std::vector<Quantity> quantities;
  const BuiltFunction built = build_fields(state_->model, fields, quantities, faults);
  faults.throw_if_any();
  return print_array_function(built, "physics_fields", "const realv* q, const realv* x, real t, realv* out", "out", precision);
}

int EquationSystem::operation_count(const PhysicsFunction& function) const { return function.operations; }

}  // namespace dgsolve::solver
