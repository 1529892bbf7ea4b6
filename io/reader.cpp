// Typed look-ups with defaults from the schema.
#include "io/reader.h"

#include "io/schema.h"

namespace dgsolve::io {
namespace {

Node default_node(std::string_view path) {
  Node node;
  const SchemaRow* row = find_row(path);
  if (row != nullptr && !row->fallback.empty()) {
    node.kind = Node::Kind::scalar;
    node.text = row->fallback;
  }
  return node;
}

}  // namespace

solver::Location Reader::where(std::string_view path) const {
  while (!path.empty()) {
    if (const Node* node = find(path)) return node->where;
    const std::size_t dot = path.rfind('.');
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
  }
  return root_.where;
}

std::string Reader::text(std::string_view path) const {
  const Node* node = find(path);
  return node != nullptr && node->is_scalar() ? node->text : default_node(path).text;
}

double Reader::number(std::string_view path) const {
  if (const auto value = optional_number(path)) return *value;
  return to_number(default_node(path)).value_or(0.0);
}

int Reader::integer(std::string_view path) const { return static_cast<int>(number(path)); }

std::optional<double> Reader::optional_number(std::string_view path) const {
  const Node* node = find(path);
  return node == nullptr ? std::nullopt : to_number(*node);
}

std::optional<std::vector<double>> Reader::numbers(std::string_view path) const {
  const Node* node = find(path);
  if (node == nullptr) return std::nullopt;
  std::vector<double> values;
  if (node->is_scalar()) values.push_back(to_number(*node).value_or(0.0));
  for (const Node& item : node->items) values.push_back(to_number(item).value_or(0.0));
  return values;
}

std::vector<std::string> Reader::texts(std::string_view path) const {
  std::vector<std::string> values;
  const Node* node = find(path);
  if (node == nullptr) return values;
  if (node->is_scalar()) values.push_back(node->text);
  for (const Node& item : node->items) values.push_back(item.text);
  return values;
}

}  // namespace dgsolve::io
