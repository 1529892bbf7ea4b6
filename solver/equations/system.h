// An equation system compiled for one dimension and mode, and the pointwise physics functions generated from it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "solver/equations/definition.h"
#include "solver/problem.h"

namespace dgsolve::solver {

/// A fault in an equation file or a configuration's formula (exit status 2). what() names file, line, column, formula with a caret, what is
/// allowed, the nearest name.
class EquationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A named quantity with its components, in storage order.
struct Quantity {
  std::string name;  ///< "m"
  enum class Kind { scalar, vector, symmetric_tensor, array } kind = Kind::scalar;
  std::vector<std::string> component_names;  ///< "m_x", "m_y"; symmetric tensors "s_xx", "s_xy", ...; a scalar its own name
  std::vector<int> axes;                     ///< vector: the space axis (0..2) of each stored component (modes may drop some)
};

/// One generated C function of the dialect. All arrays are private (register) arrays of realv.
struct PhysicsFunction {
  std::string name;  ///< fixed name, see EquationSystem
  std::string code;  ///< the whole function definition, INLINE
  bool uses_position = false;
  bool uses_time = false;
  int outputs = 0;
  int operations = 0;  ///< floating-point operations of one call; of a boundary function, of its costliest condition
};

/// Immutable once compiled. The generated functions have fixed names and argument lists (NVAR state components, DIM space directions):
///   void  physics_flux_along(const realv* q, const realv* a, const realv* x, real t, realv* f)        f[v] = sum_j F_vj a_j, a not
///   normalised void  physics_numerical_flux(const realv* qm, const realv* qp, const realv* n, const realv* x, real t, realv* f)   n unit,
///   from m to p realv physics_max_wave_speed(const realv* q, const realv* n, const realv* x, real t)              n unit; max |eigenvalue|
///   void  physics_source(const realv* q, const realv* x, real t, realv* s)                            equation's source + the problem's
///   void  physics_boundary_state(int condition, const realv* q, const realv* n, const realv* x, real t, realv* qp)  n outward; condition:
///   index in Problem::boundaries void  physics_initial(const realv* x, real t, realv* q)     physics_exact(const realv* x, real t, realv*
///   q)     conserved state realv physics_admissible(const realv* q, const realv* x, real t)   smallest of the quantities that must be
///   positive void  physics_fields(const realv* q, const realv* x, real t, realv* out)   all components of the requested fields in order
/// x has DIM entries and is the position; functions that do not use x, t may be given anything.
class EquationSystem {
 public:
  /// Parses, checks types and indices, and expands every formula of the definition and the problem. Throws EquationError with ALL faults
  /// found, one per paragraph.
  EquationSystem(const Problem& problem, int dimension);
  ~EquationSystem();
  EquationSystem(EquationSystem&&) noexcept;
  EquationSystem& operator=(EquationSystem&&) noexcept;

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] int dimension() const;
  [[nodiscard]] int variable_count() const;  ///< NVAR
  [[nodiscard]] const std::vector<Quantity>& state() const;
  [[nodiscard]] const std::vector<Quantity>& primitive() const;     ///< empty if there is none
  [[nodiscard]] std::vector<std::string> component_names() const;   ///< of the state, [NVAR]
  [[nodiscard]] std::vector<std::string> admissible_names() const;  ///< empty: nothing to check
  [[nodiscard]] bool has_source() const;
  [[nodiscard]] bool has_exact() const;

  [[nodiscard]] PhysicsFunction flux_along(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction numerical_flux(codegen::Precision precision) const;
  /// Values behind the state in the arrays q, qm, qp of flux_along, numerical_flux and boundary_state; 0: no second-order terms.
  [[nodiscard]] int gradient_count() const;
  /// realv physics_diffusivity(const realv* q, const realv* x, real t); q without gradients, as in the next three.
  [[nodiscard]] PhysicsFunction diffusivity(codegen::Precision precision) const;
  /// Functions of the same names that make the gradients the rates of a stage: their outputs are gradient_count() values.
  [[nodiscard]] PhysicsFunction gradient_flux_along(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction gradient_numerical_flux(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction gradient_boundary_state(codegen::Precision precision) const;  ///< the outer state alone
  [[nodiscard]] PhysicsFunction max_wave_speed(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction source(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction boundary_state(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction initial(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction exact(codegen::Precision precision) const;
  [[nodiscard]] PhysicsFunction admissible(codegen::Precision precision) const;
  /// Resolves the fields (throws EquationError with nearest names), and generates physics_fields.
  [[nodiscard]] std::vector<Quantity> resolve_fields(const std::vector<FieldSpec>& fields) const;
  [[nodiscard]] PhysicsFunction fields(const std::vector<FieldSpec>& fields, codegen::Precision precision) const;
  /// Floating-point operations of one call (add, multiply, fma = 2, divide, sqrt ... 1 each), for reports.
  [[nodiscard]] int operation_count(const PhysicsFunction& function) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  [[nodiscard]] PhysicsFunction print_boundary(int count, codegen::Precision precision) const;
};

/// What `dgsolve equations NAME` prints of a definition: names of fluxes and conditions incl. the generic ones (central, rusanov, hll;
/// dirichlet, exact, outflow).
[[nodiscard]] std::vector<std::string> flux_names(const EquationDefinition& definition);
[[nodiscard]] std::vector<std::string> condition_names(const EquationDefinition& definition);

}  // namespace dgsolve::solver
