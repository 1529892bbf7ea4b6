// Expansion of index notation: sums are written out, factors that do not depend on the summed index stay outside.
#include "codegen/expression/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "codegen/expression/check.h"

namespace dgsolve::codegen::expression {

Syntax contracted_with(const Syntax& formula, std::string name, std::string letter) {
  Syntax result = formula;
  SyntaxNode direction;
  direction.kind = SyntaxKind::name;
  direction.name = std::move(name);
  direction.indices = {{std::move(letter), 0, 1}};
  result.nodes.push_back(direction);
  SyntaxNode product;
  product.kind = SyntaxKind::product;
  product.children = {formula.root, static_cast<int>(result.nodes.size()) - 1};
  product.inverse = {false, false};
  result.nodes.push_back(product);
  result.root = static_cast<int>(result.nodes.size()) - 1;
  return result;
}

namespace {

class Expander {
 public:
  Expander(const Syntax& formula, std::vector<NodeType> types, Scope& scope)
      : formula_(formula), types_(std::move(types)), scope_(&scope), graph_(scope.graph()) {}

  NodeId run(const std::map<std::string, int>& indices) {
    indices_ = indices;
    return value(formula_.root);
  }

 private:
  struct Factor {
    int id;
    bool inverse;
  };

  const SyntaxNode& node(int id) const { return formula_.nodes[static_cast<std::size_t>(id)]; }
  const NodeType& type(int id) const { return types_[static_cast<std::size_t>(id)]; }
  bool has_index(int id, std::string_view letter) const {
    return std::any_of(type(id).free.begin(), type(id).free.end(), [letter](const IndexUse& use) { return use.letter == letter; });
  }
  [[noreturn]] void fault(int id, std::string_view message) const { fail(formula_.text, node(id).column, message); }

  NodeId value(int id) {
    const NodeId result = raw_value(id);
    if (graph_.is_constant(result) && !std::isfinite(graph_.node(result).value)) {
      fault(id, fmt::format("this is a constant with the value {}", graph_.node(result).value));
    }
    return result;
  }

  NodeId raw_value(int id) {
    const SyntaxNode& it = node(id);
    const auto child = [this, &it](std::size_t k) { return value(it.children[k]); };
    switch (it.kind) {
      case SyntaxKind::number:
        return graph_.constant(it.number);
      case SyntaxKind::name:
        return summed(id, [this, id] { return component(id); });
      case SyntaxKind::call:
        return call(id);
      case SyntaxKind::negative:
        return graph_.negate(child(0));
      case SyntaxKind::sum:
        return sum(id);
      case SyntaxKind::product:
        return product(id);
      case SyntaxKind::power:
        return power(id);
      case SyntaxKind::comparison:
        return comparison(it.name, child(0), child(1));
      case SyntaxKind::logical_and:
        return graph_.logical(Operation::logical_and, child(0), child(1));
      case SyntaxKind::logical_or:
        return graph_.logical(Operation::logical_or, child(0), child(1));
      case SyntaxKind::logical_not:
        return graph_.logical_not(child(0));
    }
    return graph_.constant(0);
  }

  /// The sum over the indices that a name repeats, e.g. s[i,i].
  template <class Term>
  NodeId summed(int id, Term term) {
    const std::vector<IndexUse>& contracted = type(id).contracted;
    if (contracted.empty()) return term();
    std::vector<NodeId> terms;
    for_each(contracted, 0, [&] { terms.push_back(term()); });
    return graph_.sum_of_products(terms);
  }

  template <class Body>
  void for_each(const std::vector<IndexUse>& list, std::size_t first, Body body) {
    if (first == list.size()) return body();
    const KeptIndex kept(indices_, list[first].letter);
    for (int k = 0; k < extent(list[first]); ++k) {
      indices_[list[first].letter] = k;
      for_each(list, first + 1, body);
    }
  }

  /// A summed index hides one of the same letter outside (around a function's argument) until its sum is done.
  class KeptIndex {
   public:
    KeptIndex(std::map<std::string, int>& indices, const std::string& letter) : value_(indices[letter]), old_(value_) {}
    ~KeptIndex() { value_ = old_; }
    KeptIndex(const KeptIndex&) = delete;
    KeptIndex& operator=(const KeptIndex&) = delete;

   private:
    int& value_;
    int old_;
  };

  int extent(const IndexUse& use) const { return use.extent > 0 ? use.extent : scope_->dimension(); }

  NodeId component(int id) {
    const SyntaxNode& name = node(id);
    const std::size_t rank = name.indices.size();
    std::vector<int> at;
    for (const IndexSyntax& index : name.indices) at.push_back(index.letter.empty() ? index.number - 1 : indices_.at(index.letter));
    if (is_kronecker(name.name, rank)) return graph_.constant(at[0] == at[1] ? 1 : 0);
    if (is_permutation(name.name, rank)) return graph_.constant((at[0] - at[1]) * (at[1] - at[2]) * (at[2] - at[0]) / 2);
    const auto found = *scope_->find(name.name, rank);
    std::size_t offset = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      const int limit = (*found.extents)[k];
      if (at[k] >= limit) {
        if (found.beyond == Beyond::zero) return graph_.constant(0);
        const std::string index = name.indices[k].letter.empty() ? "the index" : "index " + name.indices[k].letter;
        fail(formula_.text, name.indices[k].column,
             fmt::format("{} reaches {}, but '{}' has {} component{} here; declare it as {}[{}:3] to have three in every dimension", index,
                         at[k] + 1, name.name, limit, limit == 1 ? "" : "s", name.name, index.back()));
      }
      offset = offset * static_cast<std::size_t>(limit) + static_cast<std::size_t>(at[k]);
    }
    return scope_->value(name.name, rank).components[offset];
  }

  NodeId sum(int id) {
    const SyntaxNode& it = node(id);
    NodeId result = graph_.constant(0);
    for (std::size_t k = 0; k < it.children.size(); ++k) {
      const NodeId summand = value(it.children[k]);
      result = it.inverse[k] ? graph_.subtract(result, summand) : graph_.add(result, summand);
    }
    return result;
  }

  NodeId product(int id) {
    std::vector<Factor> factors;
    std::vector<IndexUse> summed_indices;
    splice(id, factors, summed_indices);
    return contract(factors, summed_indices);
  }

  /// The factors of a product, those of products within it included.
  void splice(int id, std::vector<Factor>& factors, std::vector<IndexUse>& summed_indices) {
    const SyntaxNode& it = node(id);
    if (it.kind != SyntaxKind::product) {
      factors.push_back({id, false});
      return;
    }
    summed_indices.insert(summed_indices.end(), type(id).contracted.begin(), type(id).contracted.end());
    for (std::size_t k = 0; k < it.children.size(); ++k) {
      if (it.inverse[k]) {
        factors.push_back({it.children[k], true});
      } else {
        splice(it.children[k], factors, summed_indices);
      }
    }
  }

  NodeId factor_value(const Factor& factor) {
    const NodeId result = value(factor.id);
    if (!factor.inverse) return result;
    if (graph_.is_constant(result, 0)) fault(factor.id, "division by zero: this denominator is the constant 0");
    return graph_.reciprocal(result);
  }

  /// The product of the factors, summed over the indices: factors that share no summed index are summed apart.
  NodeId contract(const std::vector<Factor>& factors, const std::vector<IndexUse>& summed_indices) {
    std::vector<bool> done(factors.size(), false);
    NodeId result = graph_.constant(1);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (done[k]) continue;
      std::vector<Factor> group;
      const std::vector<IndexUse> shared = connected(factors, summed_indices, k, done, group);
      result = graph_.multiply(result, shared.empty() ? factor_value(group.front()) : contract_group(group, shared));
    }
    return result;
  }

  /// The factors that are tied to the first one by summed indices, in order, and those indices.
  std::vector<IndexUse> connected(const std::vector<Factor>& factors, const std::vector<IndexUse>& summed_indices, std::size_t first,
                                  std::vector<bool>& done, std::vector<Factor>& group) const {
    std::vector<bool> inside(factors.size(), false);
    inside[first] = true;
    std::vector<IndexUse> shared;
    for (bool grown = true; grown;) {
      grown = false;
      for (const IndexUse& use : summed_indices) {
        const bool known = std::any_of(shared.begin(), shared.end(), [&use](const IndexUse& each) { return each.letter == use.letter; });
        bool touches = false;
        for (std::size_t k = 0; k < factors.size(); ++k) touches = touches || (inside[k] && has_index(factors[k].id, use.letter));
        if (known || !touches) continue;
        shared.push_back(use);
        grown = true;
        for (std::size_t k = 0; k < factors.size(); ++k) inside[k] = inside[k] || has_index(factors[k].id, use.letter);
      }
    }
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (!inside[k]) continue;
      done[k] = true;
      group.push_back(factors[k]);
    }
    return shared;
  }

  NodeId contract_group(const std::vector<Factor>& group, std::vector<IndexUse> shared) {
    if (const std::size_t place = distributable(group, shared.front().letter); place < group.size()) {
      return distribute(group, shared, place);
    }
    const IndexUse first = shared.front();
    shared.erase(shared.begin());
    const KeptIndex kept(indices_, first.letter);
    std::vector<NodeId> terms;
    for (int k = 0; k < extent(first); ++k) {
      indices_[first.letter] = k;
      terms.push_back(contract(group, shared));
    }
    return graph_.sum_of_products(terms);
  }

  /// The one sum (or negative) with the index whose only partner is simple: (a[j] + b delta[i,j]) n[j]. Else the group's size.
  std::size_t distributable(const std::vector<Factor>& group, std::string_view letter) const {
    std::size_t place = group.size();
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (!has_index(group[k].id, letter)) continue;
      const SyntaxKind kind = node(group[k].id).kind;
      if ((kind == SyntaxKind::sum || kind == SyntaxKind::negative) && !group[k].inverse) {
        if (place < group.size()) return group.size();
        place = k;
      }
    }
    return place;
  }

  NodeId distribute(const std::vector<Factor>& group, const std::vector<IndexUse>& shared, std::size_t place) {
    const SyntaxNode& it = node(group[place].id);
    NodeId result = graph_.constant(0);
    for (std::size_t k = 0; k < it.children.size(); ++k) {
      std::vector<Factor> factors(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(place));
      std::vector<IndexUse> indices = shared;
      splice(it.children[k], factors, indices);
      factors.insert(factors.end(), group.begin() + static_cast<std::ptrdiff_t>(place) + 1, group.end());
      const NodeId summand = contract(factors, indices);
      const bool minus = it.kind == SyntaxKind::negative || it.inverse[k];
      result = minus ? graph_.subtract(result, summand) : graph_.add(result, summand);
    }
    return result;
  }

  NodeId power(int id) {
    const NodeId base = value(node(id).children[0]);
    const NodeId exponent = value(node(id).children[1]);
    if (graph_.is_constant(base, 0) && graph_.is_constant(exponent) && graph_.node(exponent).value < 0) {
      fault(id, "division by zero: a negative power of the constant 0");
    }
    return graph_.power(base, exponent);
  }

  NodeId comparison(std::string_view name, NodeId a, NodeId b) {
    if (name == "<") return graph_.compare(Operation::less, a, b);
    if (name == "<=") return graph_.compare(Operation::less_equal, a, b);
    if (name == ">") return graph_.compare(Operation::less, b, a);
    if (name == ">=") return graph_.compare(Operation::less_equal, b, a);
    return graph_.compare(name == "==" ? Operation::equal : Operation::not_equal, a, b);
  }

  NodeId value_in(Scope& scope, int id) {
    Scope* const outside = scope_;
    scope_ = &scope;
    const NodeId result = value(id);
    scope_ = outside;
    return result;
  }

  NodeId call(int id) {
    const SyntaxNode& it = node(id);
    if (is_two_state_operator(it.name)) return two_state(it);
    if (it.name == "if") return conditional(it);
    std::vector<NodeId> arguments;
    for (const int child : it.children) arguments.push_back(value(child));
    if (it.name == "sign") {
      const NodeId zero = graph_.constant(0);
      const NodeId negative = graph_.select(graph_.compare(Operation::less, arguments[0], zero), graph_.constant(-1), zero);
      return graph_.select(graph_.compare(Operation::less, zero, arguments[0]), graph_.constant(1), negative);
    }
    if (it.name == "mod") return remainder(it, arguments[0], arguments[1]);
    const Operation operation = *find_function(it.name)->operation;
    if (arguments.size() == 1) return graph_.call(operation, arguments[0]);
    NodeId result = arguments[0];
    for (std::size_t k = 1; k < arguments.size(); ++k) result = graph_.call(operation, result, arguments[k]);
    return result;
  }

  /// With a constant condition only the branch that holds is expanded: the other may divide by zero.
  NodeId conditional(const SyntaxNode& it) {
    const NodeId condition = value(it.children[0]);
    if (graph_.is_constant(condition)) return value(it.children[graph_.node(condition).value != 0 ? 1 : 2]);
    const NodeId if_true = value(it.children[1]);
    return graph_.select(condition, if_true, value(it.children[2]));
  }

  /// a - b floor(a/b): for positive b the remainder in [0, b).
  NodeId remainder(const SyntaxNode& it, NodeId a, NodeId b) {
    if (graph_.is_constant(b, 0)) fault(it.children[1], "division by zero: the second argument of mod() is the constant 0");
    return graph_.subtract(a, graph_.multiply(b, graph_.call(Operation::floor, graph_.divide(a, b))));
  }

  NodeId two_state(const SyntaxNode& it) {
    if (it.name == "inner") return value_in(*scope_->inner(), it.children[0]);
    if (it.name == "outer") return value_in(*scope_->outer(), it.children[0]);
    const NodeId inner = value_in(*scope_->inner(), it.children[0]);
    const NodeId outer = value_in(*scope_->outer(), it.children[0]);
    if (it.name == "mean") return graph_.multiply(graph_.constant(0.5), graph_.sum_of_products(std::array{inner, outer}));
    if (it.name == "jump") return graph_.sum_of_products(std::array{outer, graph_.negate(inner)});
    return logarithmic_mean(inner, outer);
  }

  /// (b - a)/log(b/a), by its series where a and b are close: Ismail and Roe (2009), appendix B, doi:10.1016/j.jcp.2009.04.021.
  NodeId logarithmic_mean(NodeId a, NodeId b) {
    if (a == b) return a;
    const NodeId sum = graph_.add(a, b);
    const NodeId f = graph_.divide(graph_.subtract(b, a), sum);
    const NodeId u = graph_.multiply(f, f);
    NodeId series = graph_.constant(1.0 / 9);
    for (const double coefficient : {1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0}) {
      series = graph_.add(graph_.multiply(series, u), graph_.constant(coefficient));
    }
    const NodeId logarithm = graph_.call(Operation::logarithm, graph_.divide(b, a));
    const NodeId exact = graph_.divide(logarithm, graph_.multiply(graph_.constant(2), f));
    const NodeId close = graph_.compare(Operation::less, u, graph_.constant(1e-3));
    return graph_.divide(sum, graph_.multiply(graph_.constant(2), graph_.select(close, series, exact)));
  }

  const Syntax& formula_;
  std::vector<NodeType> types_;
  Scope* scope_;
  Graph& graph_;
  std::map<std::string, int> indices_;
};

}  // namespace

Tensor expand(const Syntax& formula, std::span<const FreeIndex> free, Scope& scope) {
  Expander expander(formula, check(formula, free, scope), scope);
  Tensor result;
  std::size_t count = 1;
  for (const FreeIndex& index : free) {
    result.extents.push_back(index.extent);
    count *= static_cast<std::size_t>(index.extent);
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::map<std::string, int> indices;
    std::size_t rest = k;
    for (std::size_t i = free.size(); i-- > 0;) {
      indices[free[i].letter] = static_cast<int>(rest % static_cast<std::size_t>(free[i].extent));
      rest /= static_cast<std::size_t>(free[i].extent);
    }
    result.components.push_back(expander.run(indices));
  }
  return result;
}

}  // namespace dgsolve::codegen::expression
