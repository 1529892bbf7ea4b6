// Builds the expressions of the generated physics functions from a parsed equation system.
#pragma once

#include <string>
#include <vector>

#include "codegen/expression/graph.h"
#include "solver/equations/model.h"

namespace dgsolve::solver {

/// One function before it is printed. Each has its own graph, so that its text depends on nothing but its own formulas.
struct BuiltFunction {
  codegen::expression::Graph graph;
  std::vector<codegen::expression::NodeId> outputs;
};

/// Expands every definition and parameter once, so that faults in unused ones are found too.
void check_definitions(const Model& model, EquationFaults& faults);

/// f[v] = (F_vj - viscous F_vj) a_j, symbols q (with the gradients), a, x, t.
[[nodiscard]] BuiltFunction build_flux_along(const Model& model, EquationFaults& faults);
/// Less the mean of both sides' viscous fluxes (Bassi and Rebay 1997, equation 21). Symbols qm, qp (with the gradients), n, x, t.
[[nodiscard]] BuiltFunction build_numerical_flux(const Model& model, const ParsedList& flux, EquationFaults& faults);
/// One output; symbols q, n, x, t.
[[nodiscard]] BuiltFunction build_max_wave_speed(const Model& model, EquationFaults& faults);
/// One output, the largest diffusion coefficient; symbols q (and gradients), x, t.
[[nodiscard]] BuiltFunction build_diffusivity(const Model& model, EquationFaults& faults);
/// Of the gradients, as the rates of a conservation law: rate of gradient (g, d) = dg/dx_d. f[(g, d)] = -g a_d, symbols q, a, x, t.
[[nodiscard]] BuiltFunction build_gradient_flux_along(const Model& model, EquationFaults& faults);
/// -(g- + g+)/2 n_d (Bassi and Rebay 1997, J. Comput. Phys. 131, equation 20); symbols qm, qp, n, x, t.
[[nodiscard]] BuiltFunction build_gradient_numerical_flux(const Model& model, EquationFaults& faults);
/// Symbols q, x, t.
[[nodiscard]] BuiltFunction build_source(const Model& model, EquationFaults& faults);
/// One output, the smallest of what must stay positive; symbols q, x, t.
[[nodiscard]] BuiltFunction build_admissible(const Model& model, EquationFaults& faults);
/// The conserved state from given values; symbols x, t.
[[nodiscard]] BuiltFunction build_values(const Model& model, const std::vector<ParsedValues>& values, const std::string& path,
                                         EquationFaults& faults);
/// The outer state at a boundary, then the outer gradients; symbols q (with the gradients), n, x, t.
[[nodiscard]] BuiltFunction build_condition(const Model& model, const ParsedList& condition, EquationFaults& faults);
[[nodiscard]] BuiltFunction build_boundary(const Model& model, const ParsedBoundary& boundary, EquationFaults& faults);
/// All components of the fields in order, described in `quantities`; symbols q, x, t.
[[nodiscard]] BuiltFunction build_fields(const Model& model, const std::vector<FieldSpec>& fields, std::vector<Quantity>& quantities,
                                         EquationFaults& faults);

}  // namespace dgsolve::solver
