// Interning of nodes, and the simplifications of arithmetic that happen while nodes are made.
#include "codegen/expression/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dgsolve::codegen::expression {

std::size_t Graph::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.operation) + 0x9E3779B97F4A7C15U;
  const auto mix = [&hash](std::uint64_t word) {
    hash ^= word + 0x9E3779B97F4A7C15U + (hash << 6U) + (hash >> 2U);
    hash *= 0xFF51AFD7ED558CCDU;
    hash ^= hash >> 33U;
  };
  for (const NodeId id : key.arguments) mix(static_cast<std::uint32_t>(id));
  mix(key.bits);
  return hash;
}

NodeId Graph::intern(Operation operation, NodeId a, NodeId b, NodeId c, double number, int symbol) {
  const std::uint64_t bits =
      operation == Operation::symbol ? static_cast<std::uint64_t>(symbol) : std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
  const Key key{operation, {a, b, c}, bits};
  const auto [entry, is_new] = known_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back({operation, {a, b, c}, number == 0 ? 0.0 : number, symbol});
  return entry->second;
}

NodeId Graph::constant(double number) { return intern(Operation::constant, -1, -1, -1, number); }

NodeId Graph::symbol(std::string_view text, bool scalar) {
  const auto known = symbol_numbers_.find(text);
  if (known != symbol_numbers_.end()) return symbols_[static_cast<std::size_t>(known->second)].node;
  const int number = static_cast<int>(symbols_.size());
  const NodeId id = intern(Operation::symbol, -1, -1, -1, 0, number);
  symbols_.push_back({std::string(text), scalar, id});
  symbol_numbers_.emplace(std::string(text), number);
  return id;
}

/// A term is its scale, a constant, times what is left.
double Graph::scale(NodeId id) const {
  const bool has_constant = is(id, Operation::multiply) && is_constant(argument(id, 0));
  return has_constant ? value(argument(id, 0)) : 1;
}

NodeId Graph::unscaled(NodeId id) const { return is(id, Operation::multiply) && is_constant(argument(id, 0)) ? argument(id, 1) : id; }

NodeId Graph::negate(NodeId a) {
  if (is_constant(a)) return constant(-value(a));
  if (is(a, Operation::negate)) return argument(a, 0);
  if (is(a, Operation::subtract)) return subtract(argument(a, 1), argument(a, 0));
  return intern(Operation::negate, a);
}

NodeId Graph::add(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) + value(b));
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (unscaled(a) == unscaled(b)) return multiply(constant(scale(a) + scale(b)), unscaled(a));
  if (is(b, Operation::negate)) return subtract(a, argument(b, 0));
  if (is(a, Operation::negate)) return subtract(b, argument(a, 0));
  if (is_constant(a) && value(a) < 0) return subtract(b, constant(-value(a)));
  if (is_constant(b) && value(b) < 0) return subtract(a, constant(-value(b)));
  return intern(Operation::add, std::min(a, b), std::max(a, b));
}

NodeId Graph::subtract(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) - value(b));
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (unscaled(a) == unscaled(b)) return multiply(constant(scale(a) - scale(b)), unscaled(a));
  if (is(b, Operation::negate)) return add(a, argument(b, 0));
  if (is(a, Operation::negate)) return negate(add(argument(a, 0), b));
  if (is_constant(b) && value(b) < 0) return add(a, constant(-value(b)));
  return intern(Operation::subtract, a, b);
}

NodeId Graph::multiply(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) * value(b));
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    if (value(a) == 0) return a;
    if (value(a) == 1) return b;
    if (value(a) < 0) return negate(multiply(constant(-value(a)), b));
    if (is(b, Operation::negate)) return negate(multiply(a, argument(b, 0)));
    if (is(b, Operation::multiply) && is_constant(argument(b, 0))) {
      return multiply(constant(value(a) * value(argument(b, 0))), argument(b, 1));
    }
    return intern(Operation::multiply, a, b);
  }
  if (is(a, Operation::negate)) return negate(multiply(argument(a, 0), b));
  if (is(b, Operation::negate)) return negate(multiply(a, argument(b, 0)));
  if (is(a, Operation::reciprocal) && argument(a, 0) == b) return constant(1);
  if (is(b, Operation::reciprocal) && argument(b, 0) == a) return constant(1);
  if (a == b && is(a, Operation::square_root)) return argument(a, 0);
  return intern(Operation::multiply, std::min(a, b), std::max(a, b));
}

NodeId Graph::reciprocal(NodeId a) {
  if (is_constant(a)) return constant(1 / value(a));
  if (is(a, Operation::reciprocal)) return argument(a, 0);
  if (is(a, Operation::negate)) return negate(reciprocal(argument(a, 0)));
  if (is(a, Operation::multiply) && is_constant(argument(a, 0))) {
    return multiply(constant(1 / value(argument(a, 0))), reciprocal(argument(a, 1)));
  }
  return intern(Operation::reciprocal, a);
}

NodeId Graph::integer_power(NodeId base, int exponent) {
  if (exponent < 0) return reciprocal(integer_power(base, -exponent));
  NodeId result = constant(1);
  NodeId square = base;
  for (int rest = exponent; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = multiply(result, square);
    if (rest > 1) square = multiply(square, square);
  }
  return result;
}

NodeId Graph::power(NodeId base, NodeId exponent) {
  if (is_constant(base) && is_constant(exponent)) return constant(std::pow(value(base), value(exponent)));
  if (is_constant(exponent)) {
    const double e = value(exponent);
    if (e == std::floor(e) && std::abs(e) <= 64) return integer_power(base, static_cast<int>(e));
    const double twice = 2 * e;
    if (twice == std::floor(twice) && std::abs(e) <= 8) {
      const int whole = static_cast<int>(std::floor(std::abs(e)));
      const NodeId positive = multiply(integer_power(base, whole), call(Operation::square_root, base));
      return e < 0 ? reciprocal(positive) : positive;
    }
  }
  if (is_constant(base, 1)) return base;
  return intern(Operation::power, base, exponent);
}

NodeId Graph::call(Operation function, NodeId a) {
  if (is_constant(a)) return constant(apply(function, value(a), 0, 0));
  if (function == Operation::absolute) {
    if (is(a, Operation::negate)) return call(function, argument(a, 0));
    if (is(a, Operation::square_root) || is(a, Operation::absolute) || is(a, Operation::exponential)) return a;
    if (is(a, Operation::multiply) && is_constant(argument(a, 0))) {
      return multiply(argument(a, 0), call(function, argument(a, 1)));
    }
    if (is(a, Operation::multiply) && argument(a, 0) == argument(a, 1)) return a;
  }
  if (is(a, Operation::negate)) {
    const NodeId inside = argument(a, 0);
    if (function == Operation::cosine || function == Operation::hyperbolic_cosine) return call(function, inside);
    if (function == Operation::sine || function == Operation::tangent || function == Operation::arc_tangent ||
        function == Operation::hyperbolic_sine || function == Operation::hyperbolic_tangent) {
      return negate(call(function, inside));
    }
  }
  return intern(function, a);
}

/// max(|a - b|, |a + b|) = |a| + |b|, which the largest of two wave speeds around a mean needs.
NodeId Graph::maximum_or_minimum(Operation operation, NodeId a, NodeId b) {
  if (a == b) return a;
  if (operation == Operation::maximum && is(a, Operation::absolute) && is(b, Operation::absolute)) {
    NodeId difference = argument(a, 0);
    NodeId sum = argument(b, 0);
    if (is(difference, Operation::add)) std::swap(difference, sum);
    if (is(difference, Operation::subtract) && is(sum, Operation::add)) {
      const NodeId first = argument(difference, 0);
      const NodeId second = argument(difference, 1);
      if (argument(sum, 0) == std::min(first, second) && argument(sum, 1) == std::max(first, second)) {
        return add(call(Operation::absolute, first), call(Operation::absolute, second));
      }
    }
  }
  return intern(operation, a, b);
}

NodeId Graph::call(Operation function, NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(apply(function, value(a), value(b), 0));
  if (function == Operation::power) return power(a, b);
  if (function == Operation::maximum || function == Operation::minimum) return maximum_or_minimum(function, a, b);
  return intern(function, a, b);
}

NodeId Graph::compare(Operation comparison, NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b)) return constant(apply(comparison, value(a), value(b), 0));
  if (a == b) return constant(comparison == Operation::less_equal || comparison == Operation::equal ? 1 : 0);
  return intern(comparison, a, b);
}

NodeId Graph::logical(Operation operation, NodeId a, NodeId b) {
  const double neutral = operation == Operation::logical_and ? 1 : 0;
  if (is_constant(a)) return value(a) == neutral ? b : a;
  if (is_constant(b)) return value(b) == neutral ? a : b;
  return a == b ? a : intern(operation, a, b);
}

NodeId Graph::logical_not(NodeId a) {
  if (is_constant(a)) return constant(value(a) == 0 ? 1 : 0);
  return is(a, Operation::logical_not) ? argument(a, 0) : intern(Operation::logical_not, a);
}

NodeId Graph::select(NodeId condition, NodeId if_true, NodeId if_false) {
  if (is_constant(condition)) return value(condition) != 0 ? if_true : if_false;
  if (if_true == if_false) return if_true;
  return intern(Operation::select, condition, if_true, if_false);
}

void Graph::append_factors(NodeId product, std::vector<NodeId>& factors) const {
  std::vector<NodeId> open{product};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (is(id, Operation::multiply)) {
      open.push_back(argument(id, 1));
      open.push_back(argument(id, 0));
    } else {
      factors.push_back(id);
    }
  }
}

NodeId Graph::sum_of_products(std::span<const NodeId> terms) {
  struct Term {
    bool negative = false;
    std::vector<NodeId> factors;
  };
  std::vector<Term> parts;
  for (const NodeId term : terms) {
    if (is_constant(term, 0)) continue;
    Term part;
    part.negative = is(term, Operation::negate);
    append_factors(part.negative ? argument(term, 0) : term, part.factors);
    parts.push_back(std::move(part));
  }
  NodeId outside = constant(1);
  if (parts.size() > 1) {
    const std::vector<NodeId> candidates = parts.front().factors;
    for (const NodeId factor : candidates) {
      const auto has_it = [factor](const Term& part) {
        return std::find(part.factors.begin(), part.factors.end(), factor) != part.factors.end();
      };
      if (!std::all_of(parts.begin(), parts.end(), has_it)) continue;
      for (Term& part : parts) part.factors.erase(std::find(part.factors.begin(), part.factors.end(), factor));
      outside = multiply(outside, factor);
    }
  }
  NodeId inside = constant(0);
  if (is_constant(outside, 1)) {
    for (const NodeId term : terms) inside = add(inside, term);
    return inside;
  }
  for (const Term& part : parts) {
    NodeId product = constant(1);
    for (const NodeId factor : part.factors) product = multiply(product, factor);
    inside = part.negative ? subtract(inside, product) : add(inside, product);
  }
  return multiply(outside, inside);
}

std::vector<NodeId> Graph::reachable(std::span<const NodeId> roots) const {
  std::vector<bool> marked(nodes_.size(), false);
  for (const NodeId root : roots) marked[static_cast<std::size_t>(root)] = true;
  std::vector<NodeId> result;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    if (!marked[k]) continue;
    result.push_back(static_cast<NodeId>(k));
    for (const NodeId argument : nodes_[k].arguments) {
      if (argument >= 0) marked[static_cast<std::size_t>(argument)] = true;
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace dgsolve::codegen::expression
