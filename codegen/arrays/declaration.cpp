// Reader of C-like argument lists, and the table of plain item types.
#include "codegen/arrays/declaration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "codegen/nearest.h"

namespace dgsolve::codegen {
namespace {

struct PlainType {
  std::string_view name;
  std::size_t bytes;
  ElementKind kind;
};

constexpr std::array<PlainType, 9> plain_types{{{"float", 4, ElementKind::real},
                                                {"double", 8, ElementKind::real},
                                                {"int", 4, ElementKind::integer},
                                                {"int64", 8, ElementKind::integer},
                                                {"uint32", 4, ElementKind::unsigned_integer},
                                                {"uint64", 8, ElementKind::unsigned_integer},
                                                {"byte", 1, ElementKind::unsigned_integer},
                                                {"complex64", 8, ElementKind::complex},
                                                {"complex128", 16, ElementKind::complex}}};

std::vector<std::string> known_names(std::span<const ElementType> structures) {
  std::vector<std::string> names;
  for (const PlainType& type : plain_types) names.emplace_back(type.name);
  for (const ElementType& type : structures) names.push_back(type.name);
  return names;
}

bool is_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
}

/// Reads one list from left to right.
class DeclarationReader {
 public:
  DeclarationReader(std::string_view text, std::span<const ElementType> structures) : text_(text), structures_(structures) {}

  std::vector<DeclaredArgument> run() {
    std::vector<DeclaredArgument> list;
    skip_space();
    while (at_ < text_.size()) {
      list.push_back(argument());
      if (!names_.insert(list.back().spec.name).second) refuse(fmt::format("a second argument '{}'", list.back().spec.name));
      if (at_ == text_.size()) break;
      if (text_[at_] != ',') refuse("',' is missing");
      ++at_;
      skip_space();
      if (at_ == text_.size()) refuse("an argument is missing after ','");
    }
    return list;
  }

 private:
  DeclaredArgument argument() {
    std::string type = word("a type");
    const bool constant = type == "const";
    if (constant) type = word("a type");
    const ElementType element = find_type(type);
    const bool pointer = at_ < text_.size() && text_[at_] == '*';
    if (pointer) {
      ++at_;
      skip_space();
    }
    std::string name = word("a name");
    if (!pointer) return {value_argument(std::move(name), element), element};
    return {array_argument(std::move(name), element, constant ? Intent::in : Intent::in_out), element};
  }

  ElementType find_type(const std::string& name) {
    for (const ElementType& type : structures_) {
      if (type.name == name) return type;
    }
    const auto known = known_names(structures_);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(fmt::format("unknown type '{}'{}; known: {}", name, did_you_mean(name, known), fmt::join(known, ", ")));
    }
    return element_type_named(name);
  }

  std::string word(std::string_view what) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string found(text_.substr(begin, at_ - begin));
    if (found.empty() || (found[0] >= '0' && found[0] <= '9')) {
      at_ = begin;
      refuse(fmt::format("{} is missing", what));
    }
    skip_space();
    return found;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw std::invalid_argument(fmt::format("arguments \"{}\", column {}: {}", text_, at_ + 1, reason));
  }

  std::string_view text_;
  std::span<const ElementType> structures_;
  std::size_t at_ = 0;
  std::set<std::string> names_;
};

}  // namespace

ElementType element_type_named(std::string_view name) {
  for (const PlainType& type : plain_types) {
    if (type.name == name) return {std::string(name), type.bytes, type.kind, ""};
  }
  const auto names = known_names({});
  throw std::invalid_argument(
      fmt::format("unknown element type '{}'{}; known: {}", name, did_you_mean(std::string(name), names), fmt::join(names, ", ")));
}

std::vector<DeclaredArgument> parse_declaration(std::string_view text, std::span<const ElementType> structures) {
  return DeclarationReader(text, structures).run();
}

ArgumentSpec array_argument(std::string name, const ElementType& element, Intent intent, std::string shape) {
  return {std::move(name), ArgumentType::typed_buffer, intent, std::move(shape), element.name, element.bytes};
}

ArgumentSpec value_argument(std::string name, const ElementType& element) {
  return {std::move(name), ArgumentType::typed_value, Intent::in, "", element.name, element.bytes};
}

}  // namespace dgsolve::codegen
