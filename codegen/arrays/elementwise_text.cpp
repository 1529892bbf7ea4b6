// Words of an element-wise operation: where its arrays stand.
#include "codegen/arrays/elementwise_text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace dgsolve::codegen {
namespace {

/// A word or a sign, and where it is in the text.
struct Piece {
  std::string_view text;
  std::size_t begin = 0;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Comments, literals of text and preprocessor lines are not understood.
bool is_plain(std::string_view text) {
  return text.find_first_of("\"'#\\") == text.npos && text.find("//") == text.npos && text.find("/*") == text.npos;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_letter(text[at])) {
      while (end < text.size() && is_letter(text[end])) ++end;
    } else if (text.substr(at, 2) == "==" || text.substr(at, 2) == "->") {
      end = at + 2;
    }
    if (std::string_view(" \t\n\r").find(text[at]) == std::string_view::npos) pieces.push_back({text.substr(at, end - at), at});
    at = end;
  }
  return pieces;
}

/// Whether piece k is the array `name`, not a member of something.
bool is_array(std::span<const Piece> pieces, std::size_t k, std::string_view name) {
  return pieces[k].text == name && (k == 0 || (pieces[k - 1].text != "." && pieces[k - 1].text != "->"));
}

bool is_item(std::span<const Piece> pieces, std::size_t k) {
  return k + 3 < pieces.size() && pieces[k + 1].text == "[" && pieces[k + 2].text == "i" && pieces[k + 3].text == "]";
}

/// Every statement is executed, in the order of the text.
bool is_straight(std::span<const Piece> pieces) {
  constexpr std::array<std::string_view, 10> turns{"if", "for", "while", "do", "switch", "goto", "return", "?", "&", "|"};
  return std::none_of(pieces.begin(), pieces.end(),
                      [&](const Piece& piece) { return std::find(turns.begin(), turns.end(), piece.text) != turns.end(); });
}

}  // namespace

ArrayUse array_use(std::string_view operation, std::string_view name) {
  const std::vector<Piece> pieces = pieces_of(operation);
  ArrayUse use{is_plain(operation), is_plain(operation) && is_straight(pieces)};
  bool found = false;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (!is_array(pieces, k, name)) continue;
    use.only_items = use.only_items && is_item(pieces, k);
    if (found) continue;
    found = true;
    const std::string_view before = k == 0 ? ";" : pieces[k - 1].text;
    const bool begins = before == ";" || before == "{" || before == "}";
    use.first_written = use.first_written && begins && is_item(pieces, k) && k + 4 < pieces.size() && pieces[k + 4].text == "=";
    for (std::size_t j = k + 1; use.first_written && j < pieces.size() && pieces[j].text != ";"; ++j) {
      use.first_written = !is_array(pieces, j, name);
    }
  }
  use.first_written = use.first_written && found;
  return use;
}

std::string with_items(std::string_view operation, std::span<const DeclaredArgument> arguments) {
  const std::vector<Piece> pieces = pieces_of(operation);
  std::string text;
  std::size_t copied = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    for (const DeclaredArgument& argument : arguments) {
      const std::string& name = argument.spec.name;
      if (!argument.is_array() || !is_array(pieces, k, name)) continue;
      text += operation.substr(copied, pieces[k].begin - copied);
      text += argument.spec.intent == Intent::in ? name + "_item_" : "(*" + name + "_item_)";
      copied = pieces[k + 3].begin + 1;
    }
  }
  text += operation.substr(copied);
  return text;
}

}  // namespace dgsolve::codegen
