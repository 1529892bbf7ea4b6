// Type and index checking of formulas; every fault points at its column.
#include "codegen/expression/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/nearest.h"

namespace dgsolve::codegen::expression {
namespace {

const IndexUse* find_index(const std::vector<IndexUse>& list, std::string_view letter) {
  const auto use = std::find_if(list.begin(), list.end(), [letter](const IndexUse& each) { return each.letter == letter; });
  return use == list.end() ? nullptr : &*use;
}

std::string list_indices(const std::vector<IndexUse>& list) {
  if (list.empty()) return "no free index";
  std::vector<std::string> letters;
  for (const IndexUse& use : list) letters.push_back(use.letter);
  std::sort(letters.begin(), letters.end());
  return fmt::format("the free {} {}", letters.size() == 1 ? "index" : "indices", fmt::join(letters, ", "));
}

bool same_indices(const std::vector<IndexUse>& a, const std::vector<IndexUse>& b) {
  return a.size() == b.size() &&
         std::all_of(a.begin(), a.end(), [&b](const IndexUse& use) { return find_index(b, use.letter) != nullptr; });
}

/// A factor that ends earlier is zero beyond: the sum stops there.
int product_extent(int a, int b) { return a == 0 ? b : (b == 0 ? a : std::min(a, b)); }

class Checker {
 public:
  Checker(const Syntax& formula, const Scope& scope) : formula_(formula), scope_(&scope), types_(formula.nodes.size()) {}

  std::vector<NodeType> run(std::span<const FreeIndex> free) {
    visit(formula_.root);
    const NodeType& root = type(formula_.root);
    if (root.logical) fault(formula_.root, "the formula is a comparison, not a number; use if(condition, a, b)");
    for (const IndexUse& use : root.free) {
      const auto same = [&use](const FreeIndex& index) { return index.letter == use.letter; };
      if (std::none_of(free.begin(), free.end(), same)) {
        const int column = first_column_of(use.letter);
        std::vector<std::string> letters;
        for (const FreeIndex& index : free) letters.push_back(index.letter);
        const std::string allowed = letters.empty() ? "none" : fmt::format("{}", fmt::join(letters, ", "));
        fail(formula_.text, column,
             fmt::format("index {} stands alone: it is neither summed (twice in a product) nor an index of the left side (free there: {})",
                         use.letter, allowed));
      }
    }
    for (const FreeIndex& index : free) {
      if (find_index(root.free, index.letter) == nullptr) {
        fault(formula_.root, fmt::format("the left side has the free index {}, the formula has {}", index.letter, list_indices(root.free)));
      }
    }
    return std::move(types_);
  }

 private:
  const SyntaxNode& node(int id) const { return formula_.nodes[static_cast<std::size_t>(id)]; }
  NodeType& type(int id) { return types_[static_cast<std::size_t>(id)]; }

  [[noreturn]] void fault(int id, std::string_view message) const { fail(formula_.text, node(id).column, message); }

  int first_column_of(std::string_view letter) const {
    int column = 0;
    for (const SyntaxNode& each : formula_.nodes) {
      for (const IndexSyntax& index : each.indices) {
        if (index.letter == letter && (column == 0 || index.column < column)) column = index.column;
      }
    }
    return std::max(column, 1);
  }

  void need_number(int id) {
    if (type(id).logical) fault(id, "a comparison is not a number; use if(condition, a, b)");
  }

  void visit(int id) {
    switch (node(id).kind) {
      case SyntaxKind::number:
        return;
      case SyntaxKind::name:
        return visit_name(id);
      case SyntaxKind::call:
        return visit_call(id);
      case SyntaxKind::sum:
        return visit_sum(id);
      case SyntaxKind::product:
        return visit_product(id);
      case SyntaxKind::negative:
        visit(node(id).children[0]);
        need_number(node(id).children[0]);
        type(id) = type(node(id).children[0]);
        type(id).contracted.clear();
        return;
      case SyntaxKind::power:
        return visit_power(id);
      default:
        return visit_logical(id);
    }
  }

  void visit_name(int id) {
    const SyntaxNode& name = node(id);
    const std::size_t rank = name.indices.size();
    const bool symbol = is_kronecker(name.name, rank) || is_permutation(name.name, rank);
    const auto found = symbol ? std::nullopt : scope_->find(name.name, rank);
    if (!symbol && !found) fault_unknown(id);
    NodeType& result = type(id);
    for (std::size_t k = 0; k < rank; ++k) {
      const IndexSyntax& index = name.indices[k];
      const int extent = found ? (*found->extents)[k] : (is_permutation(name.name, rank) ? 3 : 0);
      if (index.letter.empty()) {
        const int most = found && found->beyond == Beyond::fault ? extent : std::max(extent, 3);
        if (index.number > most) {
          fail(formula_.text, index.column, fmt::format("index {}: '{}' has the components 1 to {} here", index.number, name.name, most));
        }
        continue;
      }
      if (std::find(result.summed.begin(), result.summed.end(), index.letter) != result.summed.end())
        fault_thrice(index.letter, index.column);
      const IndexUse* known = find_index(result.free, index.letter);
      if (known == nullptr) {
        result.free.push_back({index.letter, extent});
      } else {
        result.contracted.push_back({index.letter, product_extent(known->extent, extent)});
        result.summed.push_back(index.letter);
        std::erase_if(result.free, [&index](const IndexUse& use) { return use.letter == index.letter; });
      }
    }
  }

  [[noreturn]] void fault_thrice(std::string_view letter, int column) const {
    fail(formula_.text, column,
         fmt::format("index {} is used more than twice in one term: a summed index stands exactly twice; rename one pair", letter));
  }

  [[noreturn]] void fault_unknown(int id) const {
    const SyntaxNode& name = node(id);
    const std::size_t rank = name.indices.size();
    const std::vector<std::size_t> ranks = scope_->ranks(name.name);
    if (!ranks.empty()) {
      const std::size_t right = ranks.front();
      if (rank == 0) fault(id, fmt::format("'{0}' has {1}: write {0}[{2}]", name.name, count(right), right == 1 ? "i" : "i,j"));
      if (right == 0) fault(id, fmt::format("'{}' is a scalar: it has no index", name.name));
      fault(id, fmt::format("'{}' has {}, not {}", name.name, count(right), rank));
    }
    if (name.name == "delta" || name.name == "epsilon") {
      fault(id, fmt::format("'{}' is delta[i,j] or epsilon[i,j,k], or a name that the equations declare", name.name));
    }
    if (scope_->inner() != nullptr && !scope_->inner()->ranks(name.name).empty()) {
      fault(id, fmt::format("'{0}' belongs to one side of the face: write inner({0}), outer({0}), mean({0}) or jump({0})", name.name));
    }
    if (const std::string* reason = scope_->explanation(name.name))
      fault(id, fmt::format("'{}' is not known here: {}", name.name, *reason));
    if (find_function(name.name) != nullptr) fault(id, fmt::format("'{0}' is a function: write {0}(...)", name.name));
    const std::vector<std::string> names = scope_->names();
    fault(id, fmt::format("unknown name '{}'{}; known here: {}", name.name, did_you_mean(name.name, names), fmt::join(names, ", ")));
  }

  static std::string count(std::size_t rank) {
    return rank == 1 ? "one index" : (rank == 2 ? "two indices" : fmt::format("{} indices", rank));
  }

  void visit_call(int id) {
    const SyntaxNode& call = node(id);
    const FunctionRow* row = find_function(call.name);
    if (row == nullptr) fault_unknown_function(id);
    const int given = static_cast<int>(call.children.size());
    if (given < row->least_arguments || given > row->most_arguments) {
      const std::string wanted = row->least_arguments == row->most_arguments
                                     ? fmt::format("{}", row->least_arguments)
                                     : fmt::format("{} to {}", row->least_arguments, row->most_arguments);
      fault(id, fmt::format("{}() takes {} argument{}, {} given", call.name, wanted, wanted == "1" ? "" : "s", given));
    }
    const Scope* const outside = scope_;
    if (is_two_state_operator(call.name)) {
      if (scope_->inner() == nullptr) {
        fault(id, fmt::format("{}() means a side of a face: it stands in numerical fluxes only, and not inside another such operator",
                              call.name));
      }
      scope_ = scope_->inner();
    }
    for (const int child : call.children) visit(child);
    scope_ = outside;
    merge_arguments(id);
  }

  void merge_arguments(int id) {
    const SyntaxNode& call = node(id);
    NodeType& result = type(id);
    const bool conditional = call.name == "if";
    if (conditional && !type(call.children[0]).logical) fault(call.children[0], "the first argument of if() is a condition, e.g. p > 0");
    for (std::size_t k = 0; k < call.children.size(); ++k) {
      const int child = call.children[k];
      if (!(conditional && k == 0)) need_number(child);
      const NodeType& argument = type(child);
      if (argument.free.empty()) continue;
      if (result.free.empty()) {
        result.free = argument.free;
        continue;
      }
      if (!same_indices(result.free, argument.free)) {
        fault(child, fmt::format("this argument of {}() has {}, another has {}", call.name, list_indices(argument.free),
                                 list_indices(result.free)));
      }
      for (IndexUse& use : result.free) use.extent = std::max(use.extent, find_index(argument.free, use.letter)->extent);
    }
  }

  [[noreturn]] void fault_unknown_function(int id) const {
    std::vector<std::string> names;
    for (const FunctionRow& row : functions()) names.emplace_back(row.name);
    const std::string& name = node(id).name;
    if (!scope_->ranks(name).empty()) fault(id, fmt::format("'{}' is not a function: write a product with *", name));
    if (name == "grad") fault(id, "grad() is not available here");
    fault(id, fmt::format("unknown function '{}'{}; known: {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
  }

  void visit_sum(int id) {
    NodeType& result = type(id);
    for (const int child : node(id).children) {
      visit(child);
      need_number(child);
      const NodeType& summand = type(child);
      if (child == node(id).children.front()) {
        result.free = summand.free;
      } else if (!same_indices(result.free, summand.free)) {
        fault(child, fmt::format("this summand has {}, the first one has {}", list_indices(summand.free), list_indices(result.free)));
      }
      for (IndexUse& use : result.free) use.extent = std::max(use.extent, find_index(summand.free, use.letter)->extent);
      for (const std::string& letter : summand.summed) {
        if (std::find(result.summed.begin(), result.summed.end(), letter) == result.summed.end()) result.summed.push_back(letter);
      }
    }
  }

  void visit_product(int id) {
    NodeType& result = type(id);
    const SyntaxNode& product = node(id);
    std::vector<std::string> divided;
    for (std::size_t k = 0; k < product.children.size(); ++k) {
      const int child = product.children[k];
      visit(child);
      need_number(child);
      for (const IndexUse& use : type(child).free) {
        if (std::find(result.summed.begin(), result.summed.end(), use.letter) != result.summed.end()) {
          fault_thrice(use.letter, column_within(child, use.letter));
        }
        const IndexUse* known = find_index(result.free, use.letter);
        if (known == nullptr) {
          result.free.push_back(use);
          if (product.inverse[k]) divided.push_back(use.letter);
          continue;
        }
        if (product.inverse[k] || std::find(divided.begin(), divided.end(), use.letter) != divided.end()) {
          fail(formula_.text, column_within(child, use.letter),
               fmt::format("index {} stands above and below a fraction line: a sum over it has no clear meaning; use a definition",
                           use.letter));
        }
        result.contracted.push_back({use.letter, product_extent(known->extent, use.extent)});
        result.summed.push_back(use.letter);
        std::erase_if(result.free, [&use](const IndexUse& each) { return each.letter == use.letter; });
      }
      for (const std::string& letter : type(child).summed) {
        const bool twice = std::find(result.summed.begin(), result.summed.end(), letter) != result.summed.end();
        if (twice || find_index(result.free, letter) != nullptr) fault_thrice(letter, column_within(child, letter));
        result.summed.push_back(letter);
      }
    }
  }

  /// Where the index stands first in the text of this node.
  int column_within(int id, std::string_view letter) const {
    for (const IndexSyntax& index : node(id).indices) {
      if (index.letter == letter) return index.column;
    }
    for (const int child : node(id).children) {
      const int column = column_within(child, letter);
      if (column > 0) return column;
    }
    return 0;
  }

  void visit_power(int id) {
    const SyntaxNode& power = node(id);
    for (const int child : power.children) {
      visit(child);
      need_number(child);
      if (type(child).free.empty()) continue;
      const std::string letter = type(child).free.front().letter;
      fault(child, fmt::format("a power of something with the free index {0}: for the sum of squares write v[{0}]*v[{0}]", letter));
    }
    type(id).summed = type(power.children[0]).summed;
  }

  void visit_logical(int id) {
    const SyntaxNode& operation = node(id);
    const bool comparison = operation.kind == SyntaxKind::comparison;
    for (const int child : operation.children) {
      visit(child);
      if (type(child).logical == comparison) {
        fault(child,
              comparison ? "a comparison of comparisons: join them with && or ||" : "a number where a condition belongs, e.g. a > 0");
      }
      if (!type(child).free.empty())
        fault(child, fmt::format("a condition has no free index; this has {}", list_indices(type(child).free)));
    }
    type(id).logical = true;
  }

  const Syntax& formula_;
  const Scope* scope_;
  std::vector<NodeType> types_;
};

}  // namespace

std::vector<NodeType> check(const Syntax& formula, std::span<const FreeIndex> free, const Scope& scope) {
  return Checker(formula, scope).run(free);
}

}  // namespace dgsolve::codegen::expression
