// Look-ups and changes in the tree of a document.
#include "io/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace dgsolve::io {
namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string line = text.substr(0, std::min(text.find('\n'), longest));
  return line.size() < text.size() ? line + "..." : line;
}

/// The first step of a path and what follows it.
std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

Node& item_of(Node& list, std::string_view step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size() || index >= list.items.size()) {
    throw std::invalid_argument(fmt::format("'{}' names no item of a list of {} (the first is 0)", std::string(step), list.items.size()));
  }
  return list.items[index];
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

const Node* Node::find_path(std::string_view path) const {
  const auto [step, rest] = split_path(path);
  const Node* child = find(step);
  if (child == nullptr || rest.empty()) return child;
  return child->find_path(rest);
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::map:
      return "a map";
    case Kind::sequence:
      return fmt::format("a list of {}", items.size());
    case Kind::scalar:
      return fmt::format("{}'{}'", quoted ? "the text " : "", shortened(text));
    case Kind::empty:
      break;
  }
  return "nothing";
}

void set_path(Node& root, std::string_view path, Node value) {
  const auto [step, rest] = split_path(path);
  if (step.empty()) throw std::invalid_argument("an empty step in the path");
  Node* child = nullptr;
  if (root.is_sequence()) {
    child = &item_of(root, step);
  } else {
    if (root.is_scalar()) throw std::invalid_argument(fmt::format("{} has no key '{}'", root.describe(), std::string(step)));
    root.kind = Node::Kind::map;
    auto found = std::find_if(root.entries.begin(), root.entries.end(), [&](const Entry& entry) { return entry.key == step; });
    if (found == root.entries.end()) {
      root.entries.push_back({.key = std::string(step), .where = value.where, .value = {}});
      found = root.entries.end() - 1;
      found->value.where = value.where;
    }
    child = &found->value;
  }
  if (rest.empty()) {
    *child = std::move(value);
  } else {
    set_path(*child, rest, std::move(value));
  }
}

}  // namespace dgsolve::io
