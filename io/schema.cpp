// Look-ups in the schema and what rows say in words.
#include "io/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/schema_rows.h"

namespace dgsolve::io {
namespace {

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

const SchemaRow* exact_row(std::string_view pattern) {
  for (const SchemaRow& row : schema()) {
    if (row.path == pattern) return &row;
  }
  return nullptr;
}

std::string number_range(const SchemaRow& row) {
  const bool has_low = row.low > -std::numeric_limits<double>::infinity();
  const bool has_high = row.high < std::numeric_limits<double>::infinity();
  if (has_low && has_high) return fmt::format(" from {} to {}", row.low, row.high);
  if (has_low) return fmt::format(" {} {}", row.above_low ? "above" : "from", row.low);
  if (has_high) return fmt::format(" up to {}", row.high);
  return "";
}

std::string form_text(const SchemaRow& row, ValueForm form) {
  switch (form) {
    case ValueForm::map:
      return "a map";
    case ValueForm::text:
      return row.allowed.empty() ? "a text" : fmt::format("{}", fmt::join(row.allowed, ", "));
    case ValueForm::integer:
      return "a whole number" + number_range(row);
    case ValueForm::number:
      return "a number" + number_range(row);
    case ValueForm::formula:
      return "a number or a formula";
    case ValueForm::components:
      return "a number, a formula or a list of them";
    case ValueForm::integers:
      return "a list of whole numbers" + number_range(row);
    case ValueForm::numbers:
      return "a list of numbers" + number_range(row);
    case ValueForm::texts:
      return row.allowed.empty() ? "a list of texts" : fmt::format("a list of {}", fmt::join(row.allowed, ", "));
    case ValueForm::component_list:
      return "a list of component names";
    case ValueForm::fields:
      return "a name, a formula, or a list of names and `name: formula`";
    case ValueForm::pairs:
      return "a list of pairs of group names";
  }
  return "";
}

}  // namespace

std::span<const SchemaRow> schema() {
  static const std::vector<SchemaRow> rows = [] {
    std::vector<SchemaRow> all = configuration_rows();
    const auto equations = equation_rows();
    all.insert(all.end(), equations.begin(), equations.end());
    return all;
  }();
  return rows;
}

const SchemaRow* find_row(std::string_view path) {
  if (const SchemaRow* row = exact_row(path)) return row;
  std::string pattern;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string prefix = pattern.empty() ? "" : pattern + '.';
    const std::string named = prefix + std::string(path.substr(begin, end - begin));
    pattern = exact_row(named) != nullptr ? named : prefix + '*';
    begin = end + 1;
  }
  return exact_row(pattern);
}

std::vector<const SchemaRow*> child_rows(std::string_view pattern) {
  std::vector<const SchemaRow*> children;
  for (const SchemaRow& row : schema()) {
    if (parent_of(row.path) == pattern) children.push_back(&row);
  }
  return children;
}

std::string_view row_key(const SchemaRow& row) {
  const std::size_t dot = row.path.rfind('.');
  return dot == std::string_view::npos ? row.path : row.path.substr(dot + 1);
}

std::string allowed_text(const SchemaRow& row) {
  std::string text;
  for (const ValueForm form : row.forms) {
    if (!text.empty()) text += ", or ";
    text += form_text(row, form);
  }
  return text;
}

}  // namespace dgsolve::io
