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
  int registers = 0;      ///< including u
  std::vector<Stage> stages;
};

/// lsrk54 (Carpenter & Kennedy 1994), ssprk33 (Shu & Osher 1988), rk4 (Kutta 1901).
[[nodiscard]] std::span<const Integrator> integrators();
/// Throws std::invalid_argument with the names allowed and the nearest.
[[nodiscard]] const Integrator& integrator(std::string_view name);

/// C in dt = cfl * C / max(sum over directions of |lambda|/h): from the spectrum of the semi-discrete upwind advection operator of this
/// element on a uniform periodic mesh (worst wave number and direction), scaled into the method's stability region. The rate a kernel computes is:
/// tensor shapes: sum_d max_wave_speed(q, Ja^d/|Ja^d|) |Ja^d|/(2 J)   (1/h = |grad xi^d|/2);
/// simplices:     0.5 * sum over faces f of max_wave_speed(q, n_f) |N_f|/J * R, with the reference factor R such that the sum is |lambda|/h for a regular cell.
[[nodiscard]] double stable_step_constant(const Integrator& method, const ReferenceElement& element);

}  // namespace dgsolve::solver
