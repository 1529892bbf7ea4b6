// A whole problem as typed, validated options: what `io` makes of a configuration and the solver is built from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "solver/equations/definition.h"

namespace dgsolve::solver {

/// Node sets: on tensor shapes Gauss-Lobatto or Gauss; simplices always use warp-and-blend nodes and ignore the choice between the two.
enum class NodeFamily { lobatto, gauss };

/// What carries values between ranks: the best that is there, or one of solver/exchange/transport.h.
enum class ExchangeChoice { automatic, staged, device, ipc };

/// What stands behind a boundary group: `condition` is one of the equation file's, `dirichlet` or `inflow` (values given), `exact`,
/// `outflow`.
struct BoundarySpec {
  std::string group;
  std::string condition;
  std::vector<ValueFormulas> values;  ///< dirichlet and inflow only: conserved or primitive names
  Location where;
};

/// An output field: a state name, a primitive name, a field of the equation file (formula empty), or an expression of its own.
struct FieldSpec {
  std::string name;
  std::vector<Formula> components;  ///< empty: `name` is a known field
  Location where;
};

struct Problem {
  EquationDefinition equations;
  std::string mode;                       ///< "" : the first mode of the mesh's dimension
  std::vector<ValueFormulas> parameters;  ///< overrides; may depend on x, y, z, t
  std::vector<ValueFormulas> initial;     ///< all conserved or all primitive names
  std::vector<ValueFormulas> exact;       ///< empty: none
  std::vector<ValueFormulas> source;      ///< additions to the equation's source
  std::vector<BoundarySpec> boundaries;
  int order = 1;
  int overintegration = 0;  ///< nodes of degree order + overintegration carry the flux, the solution stays of degree order
  NodeFamily nodes = NodeFamily::lobatto;
  std::string flux = "rusanov";
  codegen::Precision precision = codegen::Precision::double_precision;
  std::string integrator = "lsrk54";
  ExchangeChoice exchange = ExchangeChoice::automatic;  ///< of no meaning on one rank
  std::map<std::string, std::int64_t> variant;          ///< pinned choices of the stage kernels (kernels/stage.h); empty: by rule
  /// Choices of the run that is continued, whose bits depend on them: stronger than rules and records, weaker than `variant`.
  std::map<std::string, std::int64_t> continued_variant = {};
};

}  // namespace dgsolve::solver
