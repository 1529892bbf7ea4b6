// Scalar expressions as a hash-consed graph: equal expressions are one node, so common sub-expressions are shared by construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dgsolve::codegen::expression {

enum class Operation : std::uint8_t {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  negate,
  reciprocal,
  power,
  square_root,
  exponential,
  logarithm,
  logarithm10,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  arc_tangent2,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  absolute,
  floor,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select,  ///< condition, value if true, value if false
};

[[nodiscard]] int argument_count(Operation operation);
/// Comparisons and logical operations: their value is a truth, usable in select and logical operations only.
[[nodiscard]] bool is_logical(Operation operation);

/// A node's number; arguments have lower numbers than the node.
using NodeId = std::int32_t;

struct Node {
  Operation operation = Operation::constant;
  std::array<NodeId, 3> arguments{-1, -1, -1};
  double value = 0;  ///< of a constant
  int symbol = -1;   ///< number of a symbol
};

/// Makes nodes and simplifies while it makes them. Rules (docs/formulas.md): constants fold; x*0 = 0, x*1 = x, x+0 = x, x-x = 0, x/x = 1;
/// signs move outward; x/y is x times the reciprocal of y, so that divisions by one denominator share it; division by a constant
/// multiplies.
class Graph {
 public:
  NodeId constant(double value);
  /// A leaf. `text` is what a printer writes, e.g. "q[0]"; `scalar` says that it is not a vector even where reals are.
  NodeId symbol(std::string_view text, bool scalar = false);

  NodeId add(NodeId a, NodeId b);
  NodeId subtract(NodeId a, NodeId b);
  NodeId multiply(NodeId a, NodeId b);
  NodeId negate(NodeId a);
  NodeId reciprocal(NodeId a);
  NodeId divide(NodeId a, NodeId b) { return multiply(a, reciprocal(b)); }
  NodeId power(NodeId base, NodeId exponent);
  NodeId integer_power(NodeId base, int exponent);
  NodeId call(Operation function, NodeId a);
  NodeId call(Operation function, NodeId a, NodeId b);
  NodeId compare(Operation comparison, NodeId a, NodeId b);
  NodeId logical(Operation operation, NodeId a, NodeId b);
  NodeId logical_not(NodeId a);
  NodeId select(NodeId condition, NodeId if_true, NodeId if_false);
  /// The sum of the terms, factors that all of them have taken out: r*a + r*b = r*(a + b). Order of the terms kept.
  NodeId sum_of_products(std::span<const NodeId> terms);

  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_constant(NodeId id) const { return node(id).operation == Operation::constant; }
  [[nodiscard]] bool is_constant(NodeId id, double value) const { return is_constant(id) && node(id).value == value; }
  [[nodiscard]] const std::string& symbol_text(int symbol) const { return symbols_[static_cast<std::size_t>(symbol)].text; }
  [[nodiscard]] bool symbol_is_scalar(int symbol) const { return symbols_[static_cast<std::size_t>(symbol)].scalar; }
  [[nodiscard]] int symbol_count() const { return static_cast<int>(symbols_.size()); }

  /// Nodes that the roots depend on, themselves included, in ascending order: arguments before users.
  [[nodiscard]] std::vector<NodeId> reachable(std::span<const NodeId> roots) const;

 private:
  struct Symbol {
    std::string text;
    bool scalar;
    NodeId node;
  };
  struct Key {
    Operation operation;
    std::array<NodeId, 3> arguments;
    std::uint64_t bits;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  NodeId intern(Operation operation, NodeId a = -1, NodeId b = -1, NodeId c = -1, double value = 0, int symbol = -1);
  [[nodiscard]] bool is(NodeId id, Operation operation) const { return node(id).operation == operation; }
  [[nodiscard]] NodeId argument(NodeId id, std::size_t k) const { return node(id).arguments[k]; }
  [[nodiscard]] double value(NodeId id) const { return node(id).value; }
  [[nodiscard]] double scale(NodeId id) const;
  [[nodiscard]] NodeId unscaled(NodeId id) const;
  void append_factors(NodeId product, std::vector<NodeId>& factors) const;
  NodeId maximum_or_minimum(Operation operation, NodeId a, NodeId b);

  std::vector<Node> nodes_;
  std::vector<Symbol> symbols_;
  std::map<std::string, int, std::less<>> symbol_numbers_;
  std::unordered_map<Key, NodeId, KeyHash> known_;
};

/// Host value of an operation. Truths are 1 and 0.
[[nodiscard]] double apply(Operation operation, double a, double b, double c);

}  // namespace dgsolve::codegen::expression
