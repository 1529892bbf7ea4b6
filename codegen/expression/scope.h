// What the names of a formula mean: tensors of graph nodes, bound directly or defined by formulas that are expanded when first used.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expression/graph.h"
#include "codegen/expression/syntax.h"

namespace dgsolve::codegen::expression {

/// Components of a scalar (no extents), vector or tensor.
struct Tensor {
  std::vector<int> extents;
  std::vector<NodeId> components;  ///< row-major: the last index runs fastest
};

/// What a component beyond the extent of an index is: a fault, or zero (normals and positions).
enum class Beyond { fault, zero };

/// Thrown to the user of a definition whose own formula is wrong; the message is that of the definition's FormulaError.
class BrokenDefinition : public std::exception {
 public:
  BrokenDefinition(std::string name, std::string message, int column)
      : name_(std::move(name)), message_(std::move(message)), column_(column) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int column() const { return column_; }

 private:
  std::string name_;
  std::string message_;
  int column_;
};

/// A set of names, on top of those of a parent. The same name may stand for a scalar and, indexed, for a tensor (x and x[i]).
class Scope {
 public:
  /// `dimension`: of space, the default extent of an index.
  Scope(Graph& graph, int dimension, Scope* parent = nullptr) : graph_(&graph), dimension_(dimension), parent_(parent) {}

  void bind(std::string_view name, Tensor value, Beyond beyond = Beyond::fault);
  void bind(std::string_view name, NodeId value) { bind(name, Tensor{{}, {value}}); }
  /// `target = formula`, expanded in this scope when first used.
  void define(const Declaration& target, std::shared_ptr<const Syntax> formula);
  /// A definition whose formula could not even be parsed: using it throws BrokenDefinition with an empty message.
  void define_broken(const Declaration& target);
  /// Makes inner(), outer(), mean(), jump(), logmean() known: their arguments have the names of these scopes.
  void set_sides(Scope& inner, Scope& outer) {
    inner_ = &inner;
    outer_ = &outer;
    inner.is_side_ = outer.is_side_ = true;
  }
  /// The message for a name that exists elsewhere but not here.
  void explain(std::string_view name, std::string message) { explanations_[std::string(name)] = std::move(message); }

  struct Found {
    const std::vector<int>* extents;
    Beyond beyond;
  };
  /// The shape of `name` with so many indices.
  [[nodiscard]] std::optional<Found> find(std::string_view name, std::size_t rank) const;
  /// The value of a name that `find` found. Throws BrokenDefinition.
  [[nodiscard]] const Tensor& value(std::string_view name, std::size_t rank);
  /// Numbers of indices that the name may have.
  [[nodiscard]] std::vector<std::size_t> ranks(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::string* explanation(std::string_view name) const;

  [[nodiscard]] Graph& graph() const { return *graph_; }
  [[nodiscard]] int dimension() const { return dimension_; }
  /// The sides of the face; none in a scope that is a side itself.
  [[nodiscard]] Scope* inner() const { return inner_ != nullptr || parent_ == nullptr || is_side_ ? inner_ : parent_->inner(); }
  [[nodiscard]] Scope* outer() const { return outer_ != nullptr || parent_ == nullptr || is_side_ ? outer_ : parent_->outer(); }

 private:
  enum class State { ready, pending, running, broken };
  struct Entry {
    Tensor tensor;
    Beyond beyond = Beyond::fault;
    State state = State::ready;
    Declaration target;
    std::shared_ptr<const Syntax> formula;
    std::string message;
    int column = 0;
  };
  using Key = std::pair<std::string, std::size_t>;

  void expand_entry(Entry& entry);
  [[nodiscard]] Scope& root() { return parent_ != nullptr ? parent_->root() : *this; }

  Graph* graph_;
  int dimension_;
  Scope* parent_;
  Scope* inner_ = nullptr;
  Scope* outer_ = nullptr;
  bool is_side_ = false;
  std::vector<std::string> running_;  ///< of the root: definitions being expanded, outermost first
  std::map<Key, Entry> entries_;
  std::map<std::string, std::string, std::less<>> explanations_;
};

/// Extents of a declaration's indices in `dimension` directions.
[[nodiscard]] std::vector<int> extents_of(const Declaration& declaration, int dimension);

}  // namespace dgsolve::codegen::expression
