// Symbolic derivatives, forward over the nodes that the root depends on.
#include "codegen/expression/differentiate.h"

#include <array>
#include <cmath>
#include <map>

namespace dgsolve::codegen::expression {
namespace {

/// d f(a) / da of a function of one argument; `f` is the node f(a).
NodeId slope(Graph& graph, Operation operation, NodeId f, NodeId a) {
  const auto one = graph.constant(1);
  const auto square = [&graph](NodeId x) { return graph.multiply(x, x); };
  switch (operation) {
    case Operation::square_root:
      return graph.divide(graph.constant(0.5), f);
    case Operation::exponential:
      return f;
    case Operation::logarithm:
      return graph.reciprocal(a);
    case Operation::logarithm10:
      return graph.multiply(graph.constant(1 / std::log(10.0)), graph.reciprocal(a));
    case Operation::sine:
      return graph.call(Operation::cosine, a);
    case Operation::cosine:
      return graph.negate(graph.call(Operation::sine, a));
    case Operation::tangent:
      return graph.add(one, square(f));
    case Operation::arc_sine:
      return graph.reciprocal(graph.call(Operation::square_root, graph.subtract(one, square(a))));
    case Operation::arc_cosine:
      return graph.negate(graph.reciprocal(graph.call(Operation::square_root, graph.subtract(one, square(a)))));
    case Operation::arc_tangent:
      return graph.reciprocal(graph.add(one, square(a)));
    case Operation::hyperbolic_sine:
      return graph.call(Operation::hyperbolic_cosine, a);
    case Operation::hyperbolic_cosine:
      return graph.call(Operation::hyperbolic_sine, a);
    case Operation::hyperbolic_tangent:
      return graph.subtract(one, square(f));
    case Operation::absolute:
      return graph.select(graph.compare(Operation::less, a, graph.constant(0)), graph.constant(-1), one);
    default:
      return graph.constant(0);
  }
}

/// d (a^b) = b a^(b-1) da + log(a) a^b db.
NodeId power_derivative(Graph& graph, NodeId f, NodeId a, NodeId b, NodeId da, NodeId db) {
  NodeId result = graph.constant(0);
  if (!graph.is_constant(da, 0)) {
    const NodeId lower = graph.power(a, graph.subtract(b, graph.constant(1)));
    result = graph.multiply(graph.multiply(b, lower), da);
  }
  if (!graph.is_constant(db, 0)) result = graph.add(result, graph.multiply(graph.multiply(graph.call(Operation::logarithm, a), f), db));
  return result;
}

NodeId derivative_of(Graph& graph, NodeId id, const Node& node, const std::array<NodeId, 3>& d) {
  const auto& a = node.arguments;
  switch (node.operation) {
    case Operation::add:
      return graph.add(d[0], d[1]);
    case Operation::subtract:
      return graph.subtract(d[0], d[1]);
    case Operation::multiply:
      return graph.add(graph.multiply(d[0], a[1]), graph.multiply(a[0], d[1]));
    case Operation::negate:
      return graph.negate(d[0]);
    case Operation::reciprocal:
      return graph.negate(graph.multiply(d[0], graph.multiply(id, id)));
    case Operation::power:
      return power_derivative(graph, id, a[0], a[1], d[0], d[1]);
    case Operation::arc_tangent2: {
      const NodeId square = graph.add(graph.multiply(a[0], a[0]), graph.multiply(a[1], a[1]));
      return graph.divide(graph.subtract(graph.multiply(d[0], a[1]), graph.multiply(a[0], d[1])), square);
    }
    case Operation::minimum:
      return graph.select(graph.compare(Operation::less, a[0], a[1]), d[0], d[1]);
    case Operation::maximum:
      return graph.select(graph.compare(Operation::less, a[1], a[0]), d[0], d[1]);
    case Operation::select:
      return graph.select(a[0], d[1], d[2]);
    default:
      if (is_logical(node.operation) || argument_count(node.operation) == 0 || graph.is_constant(d[0], 0)) return graph.constant(0);
      return graph.multiply(slope(graph, node.operation, id, a[0]), d[0]);
  }
}

}  // namespace

NodeId differentiate(Graph& graph, NodeId root, NodeId symbol) {
  const std::array<NodeId, 1> roots{root};
  std::map<NodeId, NodeId> derivative;
  for (const NodeId id : graph.reachable(roots)) {
    const Node node = graph.node(id);
    if (id == symbol) {
      derivative[id] = graph.constant(1);
      continue;
    }
    std::array<NodeId, 3> d{-1, -1, -1};
    for (std::size_t k = 0; k < 3; ++k) {
      if (node.arguments[k] >= 0) d[k] = derivative.at(node.arguments[k]);
    }
    derivative[id] = derivative_of(graph, id, node, d);
  }
  return derivative.at(root);
}

}  // namespace dgsolve::codegen::expression
