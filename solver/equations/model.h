// An equation system parsed for one dimension and mode: formulas as syntax trees, variables with their storage. Nothing expanded yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/expression/syntax.h"
#include "solver/equations/faults.h"
#include "solver/equations/system.h"

namespace dgsolve::solver {

/// A formula as syntax tree; none if it could not be parsed (the fault is reported then).
struct ParsedFormula {
  std::shared_ptr<const codegen::expression::Syntax> syntax;
  Location where;
  std::string path;  ///< for messages, e.g. "flux.m[i]"
};

/// `target: formula`.
struct ParsedEntry {
  codegen::expression::Declaration target;
  ParsedFormula formula;
};

/// A declared variable and where its components are stored.
struct Variable {
  codegen::expression::Declaration declaration;
  std::vector<int> extents;
  std::vector<int> slots;  ///< per component, row-major: its place in the state; -1: zero in this mode
  Quantity quantity;
};

struct VariableList {
  std::vector<Variable> variables;
  int count = 0;  ///< stored components
  [[nodiscard]] const Variable* find(std::string_view name) const;
  /// "rho, m_x, m_y, E"
  [[nodiscard]] std::vector<std::string> component_names() const;
};

/// A parameter: a scalar (no extents) or a tensor, a formula for each component.
struct ParsedParameter {
  std::string name;
  std::vector<int> extents;
  std::vector<ParsedFormula> components;
  bool over_space = false;  ///< a vector with one component per space direction
};

/// A numerical flux or boundary condition.
struct ParsedList {
  std::string name;
  std::vector<ParsedEntry> definitions;
  std::vector<ParsedEntry> entries;
  std::vector<ParsedEntry> gradients;  ///< of a boundary condition: those that are not the inner ones
  Location where;
};

/// `name: values` of a configuration.
struct ParsedValues {
  std::string name;
  std::vector<ParsedFormula> components;
  Location where;
  std::string path;
};

/// What stands behind a boundary group.
struct ParsedBoundary {
  std::string group;
  std::string condition;
  std::vector<ParsedValues> values;
  Location where;
};

struct Model {
  std::string name;
  int dimension = 0;
  VariableList state;
  VariableList primitive;
  std::vector<ParsedParameter> parameters;
  std::vector<ParsedEntry> from_primitive;
  std::vector<ParsedEntry> definitions;   ///< those of the wave speeds included: slowest, fastest, max_wave_speed
  std::vector<ParsedEntry> flux;          ///< one per state variable, in their order
  VariableList gradients;                 ///< stored behind the state: slot state.count + its own
  std::vector<ParsedEntry> gradient_of;   ///< one per gradient: of what
  std::vector<ParsedEntry> viscous_flux;  ///< of the state variables that have one
  ParsedFormula diffusivity;
  std::vector<ParsedEntry> source;
  std::vector<ParsedEntry> admissible;
  std::vector<ParsedEntry> fields;
  std::vector<ParsedList> conditions;
  std::vector<ParsedList> fluxes;  ///< the generic ones included
  bool has_wave_speeds = false;
  std::vector<ParsedValues> initial;
  std::vector<ParsedValues> exact;
  std::vector<ParsedValues> added_source;
  std::vector<ParsedBoundary> boundaries;
  std::string chosen_flux;
  Location where;
  [[nodiscard]] bool viscous() const { return !gradients.variables.empty(); }
};

/// Parses everything; faults are collected, and what could be read is returned.
[[nodiscard]] Model parse_model(const Problem& problem, int dimension, EquationFaults& faults);

[[nodiscard]] ParsedFormula parse_part(const Formula& formula, std::string path, EquationFaults& faults);

}  // namespace dgsolve::solver
