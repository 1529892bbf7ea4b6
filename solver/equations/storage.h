// From expanded tensors to stored state components.
#pragma once

#include <map>
#include <optional>

#include "codegen/expression/scope.h"
#include "solver/equations/physics.h"

namespace dgsolve::solver {

/// Fills a function's outputs, one per stored state component, from tensors of state variables.
class StateOutputs {
 public:
  /// All outputs are zero to start with.
  StateOutputs(const Model& model, BuiltFunction& function);
  /// Components that the mode does not store must vanish; one that does not is a fault.
  void set(std::size_t variable, const codegen::expression::Tensor& value, const ParsedFormula& formula, EquationFaults& faults);
  void add(std::size_t variable, const codegen::expression::Tensor& value, const ParsedFormula& formula, EquationFaults& faults);

 private:
  void check_symmetric(const Variable& variable, std::size_t component, const codegen::expression::Tensor& value,
                       const ParsedFormula& formula, EquationFaults& faults);

  const Model& model_;
  BuiltFunction& function_;
};

/// F_vj d_j of the state variable with this number, d the scope's name_direction. The formula is checked with its own indices first.
[[nodiscard]] codegen::expression::Tensor flux_through(const Model& model, std::size_t variable, codegen::expression::Scope& scope);
/// The same of an entry of viscous_flux, and the number of its state variable; none: not a good one, which was reported.
struct ViscousFlux {
  std::size_t variable = 0;
  codegen::expression::Tensor value;
};
[[nodiscard]] std::optional<ViscousFlux> viscous_flux_through(const Model& model, const ParsedEntry& entry,
                                                              codegen::expression::Scope& scope, EquationFaults& faults);

/// Values by stored component of a variable list.
using ComponentValues = std::map<int, codegen::expression::NodeId>;

/// Components of `values`, which names a variable or component of the list. Wrong counts and formulas are faults (nothing is returned
/// then).
[[nodiscard]] std::optional<ComponentValues> component_values(const Model& model, const VariableList& list, const ParsedValues& values,
                                                              codegen::expression::Scope& scope, EquationFaults& faults);

/// The tensor of a variable from values of its stored components.
[[nodiscard]] codegen::expression::Tensor tensor_of(codegen::expression::Graph& graph, const Variable& variable,
                                                    const ComponentValues& values);

/// The conserved state from values of all primitive components; `data` has the parameters.
void set_from_primitive(const Model& model, const ComponentValues& primitive, codegen::expression::Scope& data, StateOutputs& outputs,
                        EquationFaults& faults);

/// True if the name is a variable or a component of the list.
[[nodiscard]] bool belongs_to(const VariableList& list, std::string_view name);

}  // namespace dgsolve::solver
