// The directions in which the step limit samples wave speeds; see stable_step_constant() in integrator.h.
#pragma once

#include <array>
#include <vector>

#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// Combinations c of grad xi^d: the rate at a node is sum_c max_wave_speed(q, m_c/|m_c|) |m_c|, m_c = sum_d c_d grad xi^d.
/// Tensor shapes: grad xi^d / 2 (the inverse width in direction d). Simplices: for every face (scaled reference normal)/4, so that the sum
/// is |lambda|/h for advection along the edge h of a square or cube that is cut into simplices. The constants of stable_step_constant() are
/// normalised by these same directions.
[[nodiscard]] std::vector<std::array<double, 3>> rate_directions(const ReferenceElement& element);

}  // namespace dgsolve::solver
