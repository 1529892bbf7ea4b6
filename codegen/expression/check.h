// Types of a formula's nodes: which indices are free, which are summed and over how many values, what is a number and what a truth.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expression/expand.h"

namespace dgsolve::codegen::expression {

/// An index in use. Extent 0: nothing restricts it.
struct IndexUse {
  std::string letter;
  int extent = 0;
};

struct NodeType {
  std::vector<IndexUse> free;        ///< in order of appearance
  std::vector<IndexUse> contracted;  ///< summed at this node
  std::vector<std::string> summed;   ///< summed in or below this node within the same term
  bool logical = false;
};

/// Functions of numbers.
struct FunctionRow {
  std::string_view name;
  int least_arguments;
  int most_arguments;
  std::optional<Operation> operation;  ///< none: made of others by the expansion
};
[[nodiscard]] std::span<const FunctionRow> functions();
[[nodiscard]] const FunctionRow* find_function(std::string_view name);
/// inner, outer, mean, jump, logmean.
[[nodiscard]] bool is_two_state_operator(std::string_view name);

/// delta[i,j] and epsilon[i,j,k] are known in every formula.
[[nodiscard]] bool is_kronecker(std::string_view name, std::size_t rank);
[[nodiscard]] bool is_permutation(std::string_view name, std::size_t rank);

/// Types of all nodes, [formula.nodes]. Throws FormulaError.
[[nodiscard]] std::vector<NodeType> check(const Syntax& formula, std::span<const FreeIndex> free, const Scope& scope);

}  // namespace dgsolve::codegen::expression
