// Host evaluation of expression graphs: each node once, arguments before users.
#include "codegen/expression/evaluate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dgsolve::codegen::expression {

int argument_count(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::symbol:
      return 0;
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::power:
    case Operation::arc_tangent2:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::less:
    case Operation::less_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::logical_and:
    case Operation::logical_or:
      return 2;
    case Operation::select:
      return 3;
    default:
      return 1;
  }
}

bool is_logical(Operation operation) { return operation >= Operation::less && operation <= Operation::logical_not; }

double apply(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::constant:
    case Operation::symbol:
      break;
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::negate:
      return -a;
    case Operation::reciprocal:
      return 1 / a;
    case Operation::power:
      return std::pow(a, b);
    case Operation::square_root:
      return std::sqrt(a);
    case Operation::exponential:
      return std::exp(a);
    case Operation::logarithm:
      return std::log(a);
    case Operation::logarithm10:
      return std::log10(a);
    case Operation::sine:
      return std::sin(a);
    case Operation::cosine:
      return std::cos(a);
    case Operation::tangent:
      return std::tan(a);
    case Operation::arc_sine:
      return std::asin(a);
    case Operation::arc_cosine:
      return std::acos(a);
    case Operation::arc_tangent:
      return std::atan(a);
    case Operation::arc_tangent2:
      return std::atan2(a, b);
    case Operation::hyperbolic_sine:
      return std::sinh(a);
    case Operation::hyperbolic_cosine:
      return std::cosh(a);
    case Operation::hyperbolic_tangent:
      return std::tanh(a);
    case Operation::absolute:
      return std::abs(a);
    case Operation::floor:
      return std::floor(a);
    case Operation::minimum:
      return a < b ? a : b;
    case Operation::maximum:
      return a > b ? a : b;
    case Operation::less:
      return a < b ? 1 : 0;
    case Operation::less_equal:
      return a <= b ? 1 : 0;
    case Operation::equal:
      return a == b ? 1 : 0;
    case Operation::not_equal:
      return a != b ? 1 : 0;
    case Operation::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Operation::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Operation::logical_not:
      return a == 0 ? 1 : 0;
    case Operation::select:
      return a != 0 ? b : c;
  }
  return 0;
}

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots, const SymbolValues& values) {
  std::vector<double> known(graph.size(), 0);
  const auto at = [&known](NodeId id) { return id < 0 ? 0 : known[static_cast<std::size_t>(id)]; };
  for (const NodeId id : graph.reachable(roots)) {
    const Node& node = graph.node(id);
    double& value = known[static_cast<std::size_t>(id)];
    if (node.operation == Operation::constant) {
      value = node.value;
    } else if (node.operation == Operation::symbol) {
      const auto entry = values.find(graph.symbol_text(node.symbol));
      if (entry == values.end()) throw std::out_of_range("no value for the symbol " + graph.symbol_text(node.symbol));
      value = entry->second;
    } else {
      value = apply(node.operation, at(node.arguments[0]), at(node.arguments[1]), at(node.arguments[2]));
    }
  }
  std::vector<double> result;
  std::transform(roots.begin(), roots.end(), std::back_inserter(result), at);
  return result;
}

}  // namespace dgsolve::codegen::expression
