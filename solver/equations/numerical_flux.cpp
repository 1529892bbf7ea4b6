// Numerical fluxes: formulas of two states.
#include "solver/equations/physics.h"
#include "solver/equations/scopes.h"
#include "solver/equations/storage.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::Scope;
using expression::Tensor;

namespace {

/// One side of a face: its names, and the physical flux through the face of every state variable.
struct Side {
  std::unique_ptr<Scope> scope;
  std::vector<Tensor> state;
  std::vector<Tensor> flux;
};

Side make_side(const Model& model, Scope& data, std::string_view array, EquationFaults& faults) {
  Side side{make_state_scope(model, data, array, Gradients::known), {}, {}};
  side.scope->bind(name_direction, data.value("n", 1), expression::Beyond::zero);
  for (std::size_t k = 0; k < model.state.variables.size(); ++k) {
    const Variable& variable = model.state.variables[k];
    side.state.push_back(side.scope->value(variable.declaration.name, variable.extents.size()));
    side.flux.push_back({variable.extents, std::vector<expression::NodeId>(variable.slots.size(), data.graph().constant(0))});
    const ParsedFormula& formula = model.flux[k].formula;
    if (formula.syntax == nullptr) continue;
    guarded(model, formula, faults, [&] { side.flux.back() = flux_through(model, k, *side.scope); });
  }
  return side;
}

/// Names of a formula for some variable: `flux` and `state` of each side are the variable's, or one component of it.
class FormulaOfState {
 public:
  FormulaOfState(Scope& both, Side& inner, Side& outer)
      : inner_(both.graph(), both.dimension(), inner.scope.get()),
        outer_(both.graph(), both.dimension(), outer.scope.get()),
        both_(both.graph(), both.dimension(), &both) {
    both_.set_sides(inner_, outer_);
  }
  void bind(Tensor inner_state, Tensor inner_flux, Tensor outer_state, Tensor outer_flux) {
    inner_.bind("state", std::move(inner_state));
    inner_.bind("flux", std::move(inner_flux));
    outer_.bind("state", std::move(outer_state));
    outer_.bind("flux", std::move(outer_flux));
  }
  Scope& scope() { return both_; }

 private:
  Scope inner_;
  Scope outer_;
  Scope both_;
};

Tensor component_of(const Tensor& tensor, std::size_t k) { return {{}, {tensor.components[k]}}; }

}  // namespace

BuiltFunction build_numerical_flux(const Model& model, const ParsedList& flux, EquationFaults& faults) {
  BuiltFunction result;
  const auto both = make_data_scope(model, result.graph, "n", faults);
  Side inner = make_side(model, *both, "qm", faults);
  Side outer = make_side(model, *both, "qp", faults);
  // The data are in `both`; the sides see them through it, and formulas of two states see the sides.
  Scope local(result.graph, model.dimension, both.get());
  local.set_sides(*inner.scope, *outer.scope);
  for (const ParsedEntry& entry : flux.definitions) {
    entry.formula.syntax != nullptr ? local.define(entry.target, entry.formula.syntax) : local.define_broken(entry.target);
  }
  StateOutputs outputs(model, result);
  const bool for_all = flux.entries.size() == 1 && flux.entries.front().target.name.empty();
  for (std::size_t v = 0; v < model.state.variables.size(); ++v) {
    const Variable& variable = model.state.variables[v];
    const ParsedEntry& entry = flux.entries[for_all ? 0 : v];
    if (entry.formula.syntax == nullptr) continue;
    FormulaOfState formula(local, inner, outer);
    guarded(model, entry.formula, faults, [&] {
      Tensor value{variable.extents, {}};
      if (for_all) {
        for (std::size_t k = 0; k < variable.slots.size(); ++k) {
          formula.bind(component_of(inner.state[v], k), component_of(inner.flux[v], k), component_of(outer.state[v], k),
                       component_of(outer.flux[v], k));
          value.components.push_back(expression::expand(*entry.formula.syntax, {}, formula.scope()).components.front());
        }
      } else {
        formula.bind(inner.state[v], inner.flux[v], outer.state[v], outer.flux[v]);
        value = expression::expand(*entry.formula.syntax, free_indices(entry.target, variable.extents), formula.scope());
      }
      outputs.set(v, value, entry.formula, faults);
    });
  }
  for (const ParsedEntry& entry : model.viscous_flux) {
    const auto inside = viscous_flux_through(model, entry, *inner.scope, faults);
    const auto outside = viscous_flux_through(model, entry, *outer.scope, faults);
    if (!inside || !outside) continue;
    Tensor mean = inside->value;
    for (std::size_t k = 0; k < mean.components.size(); ++k) {
      const expression::NodeId sum = result.graph.add(inside->value.components[k], outside->value.components[k]);
      mean.components[k] = result.graph.multiply(result.graph.constant(-0.5), sum);
    }
    outputs.add(inside->variable, mean, entry.formula, faults);
  }
  return result;
}

}  // namespace dgsolve::solver
