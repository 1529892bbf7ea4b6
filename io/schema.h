// The one schema of configurations and equation files: validation, `dgsolve explain`, the documentation page and the JSON Schema all come
// from it.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/faults.h"
#include "io/node.h"

namespace dgsolve::io {

/// What a value may look like.
enum class ValueForm {
  map,             ///< keys are rows of the schema
  text,            ///< one text
  integer,         ///< a whole number
  number,          ///< a number
  formula,         ///< a number or a formula
  components,      ///< a formula, or a list of one formula per component
  integers,        ///< a whole number, or a list of them
  numbers,         ///< a number, or a list of them
  texts,           ///< a text, or a list of them
  component_list,  ///< a text "a, b[1]" or a list of such names
  fields,          ///< a name or formula, a list of names and `name: formula`, or a map of `name: formula`
  pairs,           ///< a list of lists of two names
};

/// One key. In `path`, "*" stands for a name that the user chooses.
struct SchemaRow {
  std::string_view path;
  std::vector<ValueForm> forms;
  std::string_view documentation;
  std::string_view example;        ///< a YAML value or several lines of it
  std::string_view fallback = {};  ///< the default as YAML; empty: none
  bool required = false;
  std::vector<std::string_view> allowed = {};  ///< texts; empty: any
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;  ///< low itself is not allowed
  bool one_key = false;    ///< a map has exactly one of its keys
};

/// All rows, in the order of the documentation: parents before children. Paths that begin with "equations." are the keys of an equation
/// file.
[[nodiscard]] std::span<const SchemaRow> schema();
/// The row of a path of actual keys ("boundaries.wall") or of a pattern ("boundaries.*"); null if there is none.
[[nodiscard]] const SchemaRow* find_row(std::string_view path);
/// The rows directly below a pattern; "" gives the top level.
[[nodiscard]] std::vector<const SchemaRow*> child_rows(std::string_view pattern);
/// Last step of a row's path.
[[nodiscard]] std::string_view row_key(const SchemaRow& row);
/// "a whole number from 1 to 10", "lobatto or gauss": what a row accepts, in words.
[[nodiscard]] std::string allowed_text(const SchemaRow& row);

/// Checks a tree against the rows below `pattern` ("" for a configuration, "equations" for an equation file); `path` is what messages call
/// the tree.
void validate(const Node& node, std::string_view pattern, const std::string& path, Faults& faults);

/// The number in a scalar that is not quoted; nothing if it is none, or not finite.
[[nodiscard]] std::optional<double> to_number(const Node& node);
[[nodiscard]] std::optional<long long> to_integer(const Node& node);

}  // namespace dgsolve::io
