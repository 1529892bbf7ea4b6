// The names that formulas of an equation system see: data (position, time, parameters), one state, or the two states of a face.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "codegen/errors.h"
#include "codegen/expression/expand.h"
#include "codegen/expression/scope.h"
#include "solver/equations/model.h"

namespace dgsolve::solver {

/// Symbols of the generated functions' arguments.
inline constexpr std::string_view symbol_position = "x";
inline constexpr std::string_view symbol_time = "t";
/// A name that no formula can contain: the vector that a flux is contracted with.
inline constexpr std::string_view name_direction = "<direction>";

/// x, y, z, x[i], t, pi and the parameters; n[i], symbols of `normal`, if that is not empty.
[[nodiscard]] std::unique_ptr<codegen::expression::Scope> make_data_scope(const Model& model, codegen::expression::Graph& graph,
                                                                          std::string_view normal, EquationFaults& faults);

/// The state, symbols of `array`, and the definitions, on top of `data`; the gradients, which follow the state in `array`, if asked for.
enum class Gradients { unknown, known };
[[nodiscard]] std::unique_ptr<codegen::expression::Scope> make_state_scope(const Model& model, codegen::expression::Scope& data,
                                                                           std::string_view array,
                                                                           Gradients gradients = Gradients::unknown);

/// A vector of symbols array[0], array[1], ...
[[nodiscard]] codegen::expression::Tensor symbol_vector(codegen::expression::Graph& graph, std::string_view array, int count);

/// Indices of the target with the extents of the variable.
[[nodiscard]] std::vector<codegen::expression::FreeIndex> free_indices(const codegen::expression::Declaration& target,
                                                                       const std::vector<int>& extents);

/// Reports a fault in the definition or parameter that a formula uses.
void report_broken(const Model& model, const codegen::expression::BrokenDefinition& broken, EquationFaults& faults);

/// Runs `body`; a fault of the formula or of what it uses goes to `faults`.
template <class Body>
void guarded(const Model& model, const ParsedFormula& formula, EquationFaults& faults, Body body) {
  try {
    body();
  } catch (const codegen::FormulaError& fault) {
    faults.add(formula.where, formula.path, fault.what(), fault.column());
  } catch (const codegen::expression::BrokenDefinition& broken) {
    report_broken(model, broken, faults);
  }
}

}  // namespace dgsolve::solver
