// A YAML document as a plain tree, every text with its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "solver/equations/definition.h"

namespace dgsolve::io {

struct Entry;

/// A value of a document. Scalars keep their text as written; what it means (number, formula, name) is decided by who reads it.
struct Node {
  enum class Kind { empty, scalar, sequence, map };
  Kind kind = Kind::empty;
  std::string text;            ///< scalars
  bool quoted = false;         ///< scalars in quotes or block style: never a number
  bool in_flow = false;        ///< stands inside {} or []
  solver::Location where;      ///< first character of the value (of a quoted or block text: of the text itself)
  std::vector<Node> items;     ///< sequences
  std::vector<Entry> entries;  ///< maps, in file order, keys unique

  [[nodiscard]] bool is_empty() const { return kind == Kind::empty; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }
  /// The value of a key of a map; null if there is none, or if this is no map.
  [[nodiscard]] const Node* find(std::string_view key) const;
  /// The value at "key.path"; null if there is none.
  [[nodiscard]] const Node* find_path(std::string_view path) const;
  /// "a map", "a list", "the text 'x'", "nothing": for messages.
  [[nodiscard]] std::string describe() const;
};

/// `key: value` of a map.
struct Entry {
  std::string key;
  solver::Location where;  ///< of the key
  Node value;
};

/// Sets the value at "key.path", making maps on the way and replacing what stands there; a number addresses an item of a list.
/// Throws std::invalid_argument if the path leads through a scalar or outside a list.
void set_path(Node& root, std::string_view path, Node value);

}  // namespace dgsolve::io
