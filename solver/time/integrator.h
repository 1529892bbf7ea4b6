// Explicit Runge-Kutta methods as rows of register updates, and their stable steps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// new register m <- sum_n coefficient[n] * register n + rate * dt * L(u). Register 0 is u, the state L is evaluated at.
/// Registers 1.. are updated first (from old values), then u, which sees the NEW values of registers 1.. and the old u.
/// Example, low storage (Williamson): k <- A k + dt L(u);  u <- u + B k.
struct RegisterUpdate {
  bool active = false;               ///< false: the register keeps its value
  std::vector<double> coefficients;  ///< [registers]
  double rate = 0;
};

struct Stage {
  double time = 0;                      ///< c: L is evaluated at t + c dt
  std::vector<RegisterUpdate> updates;  ///< [registers], index 0 = u
};

struct Integrator {
  std::string name;       ///< "lsrk54"
  std::string reference;  ///< author, year, scheme
  int order = 0;
  int registers = 0;  ///< including u
  std::vector<Stage> stages;
};

/// Values that a stage must read and write at least, per degree of freedom: u both, another register where a coefficient needs it.
[[nodiscard]] int values_moved(const Stage& stage);

/// lsrk54 (Carpenter & Kennedy 1994), ssprk33 (Shu & Osher 1988), ssprk43 (Kraaijevanger 1991), ssprk104 (Ketcheson 2008), rk4 (Kutta
/// 1901).
[[nodiscard]] std::span<const Integrator> integrators();
/// Throws std::invalid_argument with the names allowed and the nearest.
[[nodiscard]] const Integrator& integrator(std::string_view name);

/// C in dt = cfl * C / max(rate): from the spectrum of the semi-discrete upwind advection operator of this element on uniform periodic
/// meshes (worst wave number and direction), scaled into the method's stability region; independent of the number of dimensions on tensor
/// shapes. The rate has the unit 1/time, is |lambda|/h for advection across the edge h of a cube or of one of the six tetrahedra it is cut
/// into, and is taken over all nodes i of all cells:
///   tensor shapes: sum over d of max_wave_speed(q_i, Ja^d/|Ja^d|) * |Ja^d| / (2 J)
///   simplices:     sum over faces f of max_wave_speed(q_i, N_f/|N_f|) * |N_f| / (4 J), N_f = sum_d face_normals[f][d] Ja^d of the node,
///   that is
///                  triangle:    N = -Ja^2, Ja^1 + Ja^2, -Ja^1
///                  tetrahedron: N = -Ja^3, -Ja^2, Ja^1 + Ja^2 + Ja^3, -Ja^1
/// with J and Ja^d of the node; affine cells store Ja^d / J, to be used as it is. (On tensor shapes the sum over faces gives the same.)
[[nodiscard]] double stable_step_constant(const Integrator& method, const ReferenceElement& element);

/// What diffusion adds to the rate of a node: this times diffusivity * sum over k of (sum over d or f of |m_k|)^2, m the vectors of the
/// sums above (|m| their lengths, times max_wave_speed). The second-order operator is the square of the derivative with central fluxes,
/// whose eigenvalues are imaginary: with r the largest (of any wave number, unit 1/time of the rate above), the limit is R/r^2, R the
/// method's interval of stability on the negative real axis, and this is stable_step_constant * r^2/R. Both limits together by their
/// harmonic sum.
[[nodiscard]] double diffusion_share(const Integrator& method, const ReferenceElement& element);

}  // namespace dgsolve::solver
