// An equation system as text, as an equation file states it: formulas with their places, nothing parsed yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dgsolve::solver {

/// Where a text stands, for messages. Line and column are 1-based; 0: unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A formula of the formula language (docs/formulas.md), not yet parsed.
struct Formula {
  std::string text;
  Location where;
};

/// `target: formula`, e.g. target "m[i]".
struct FormulaEntry {
  std::string target;
  Formula formula;
};

/// `name: value(s)`: a scalar has one component, a vector one per direction, a symmetric tensor its upper half in storage order.
struct ValueFormulas {
  std::string name;
  std::vector<Formula> components;
  Location where;
};

/// A named list of formulas: a boundary condition (targets: state or primitive names), or a numerical flux.
struct NamedFormulas {
  std::string name;
  std::vector<FormulaEntry> definitions;  ///< local names of a numerical flux, in order
  std::vector<FormulaEntry> entries;      ///< per state name; or one entry with target "" that holds for every state component
  Location where;
};

/// A variant of the system with fewer components, e.g. Maxwell "tm".
struct ModeDefinition {
  std::string name;
  int dimension = 0;
  std::vector<std::string> zero;  ///< components that vanish and are not stored, e.g. "E[1]"
};

struct EquationDefinition {
  std::string name;         ///< e.g. "euler": what `equations:` names
  std::string description;  ///< one line
  std::string reference;    ///< source of the formulas
  std::vector<int> dimensions;
  std::vector<ModeDefinition> modes;
  std::vector<ValueFormulas> parameters;     ///< defaults
  Formula state;                             ///< "rho, m[i], E": conserved variables in storage order
  std::optional<Formula> primitive;          ///< "rho, v[i], p"
  std::vector<FormulaEntry> from_primitive;  ///< state in terms of primitive names and parameters
  std::vector<FormulaEntry> definitions;
  std::vector<FormulaEntry> flux;          ///< j is the flux direction
  std::vector<FormulaEntry> gradients;     ///< target: a name whose last index is the derivative's; of what the gradient is taken
  std::vector<FormulaEntry> viscous_flux;  ///< j is the flux direction; of the state variables that have one
  std::optional<Formula> diffusivity;      ///< the largest diffusion coefficient
  std::vector<FormulaEntry> source;
  std::vector<FormulaEntry> wave_speeds;  ///< targets "slowest" and "fastest", or "largest" alone
  std::vector<FormulaEntry> admissible;   ///< each must stay positive; target = its name
  std::vector<FormulaEntry> fields;
  std::vector<NamedFormulas> boundary_conditions;
  std::vector<NamedFormulas> numerical_fluxes;
  Location where;
};

}  // namespace dgsolve::solver
