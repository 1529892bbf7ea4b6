// Formulas from nodes.
#include "io/formulas.h"

#include <algorithm>
#include <cctype>

namespace dgsolve::io {
namespace {

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto part = [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), part);
}

}  // namespace

solver::Formula to_formula(const Node& node) { return {node.text, node.where}; }

std::vector<solver::Formula> to_components(const Node& node) {
  std::vector<solver::Formula> components;
  if (node.is_scalar()) components.push_back(to_formula(node));
  for (const Node& item : node.items) components.push_back(to_formula(item));
  return components;
}

std::vector<solver::ValueFormulas> to_values(const Node* node) {
  std::vector<solver::ValueFormulas> values;
  if (node == nullptr) return values;
  for (const Entry& entry : node->entries) values.push_back({entry.key, to_components(entry.value), entry.where});
  return values;
}

std::vector<solver::FormulaEntry> to_entries(const Node* node) {
  std::vector<solver::FormulaEntry> entries;
  if (node == nullptr) return entries;
  for (const Entry& entry : node->entries) {
    if (entry.value.is_scalar()) entries.push_back({entry.key, to_formula(entry.value)});
  }
  return entries;
}

std::vector<solver::FieldSpec> to_fields(const Node& node, const std::string& fallback_name) {
  std::vector<solver::FieldSpec> fields;
  if (node.is_scalar()) {
    if (is_name(node.text)) {
      fields.push_back({node.text, {}, node.where});
    } else {
      fields.push_back({fallback_name, {to_formula(node)}, node.where});
    }
  }
  for (const Entry& entry : node.entries) fields.push_back({entry.key, to_components(entry.value), entry.where});
  for (const Node& item : node.items) {
    const auto inner = to_fields(item, item.text);
    fields.insert(fields.end(), inner.begin(), inner.end());
  }
  return fields;
}

}  // namespace dgsolve::io
