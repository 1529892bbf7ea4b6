// Splits a formula into tokens; every character that no formula has is a fault with its column.
#include "codegen/expression/lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "codegen/expression/syntax.h"

namespace dgsolve::codegen::expression {
namespace {

constexpr std::size_t longest_formula = 20000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
int column_of(std::size_t position) { return static_cast<int>(position) + 1; }

/// What a foreign character was probably meant to be.
std::string_view meant(std::string_view rest) {
  struct Row {
    std::string_view bytes, advice;
  };
  static constexpr std::array<Row, 12> rows{{{"\xC2\xB7", "for a product write *"},
                                             {"\xC3\x97", "for a product write *"},
                                             {"\xE2\x8B\x85", "for a product write *"},
                                             {"\xE2\x88\x92", "for a minus write -"},
                                             {"\xE2\x80\x93", "for a minus write -"},
                                             {"\xC2\xB2", "for a square write ^2"},
                                             {"\xC2\xB3", "for a cube write ^3"},
                                             {"\xCF\x80", "write pi"},
                                             {"\xE2\x88\x9A", "write sqrt(...)"},
                                             {"\xCF\x81", "write rho"},
                                             {"\xCE\xB3", "write gamma"},
                                             {"\xC2\xA0", "it is a no-break space; write a plain one"}}};
  for (const Row& row : rows) {
    if (rest.starts_with(row.bytes)) return row.advice;
  }
  return "formulas are written in ASCII letters, digits and + - * / ^ ( ) [ ] , < > = ! & |";
}

Token number_token(std::string_view text, std::size_t& position) {
  const std::size_t start = position;
  std::size_t end = start;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end < text.size() && text[end] == '.') ++end;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t after = end + 1;
    if (after < text.size() && (text[after] == '+' || text[after] == '-')) ++after;
    if (after < text.size() && is_digit(text[after])) {
      end = after;
      while (end < text.size() && is_digit(text[end])) ++end;
    }
  }
  Token token{TokenKind::number, std::string(text.substr(start, end - start)), 0, column_of(start)};
  const auto [stop, fault] = std::from_chars(text.data() + start, text.data() + end, token.number);
  if (fault == std::errc::result_out_of_range) {
    fail(text, token.column, fmt::format("number '{}' does not fit into double precision", token.text));
  }
  if (fault != std::errc() || stop != text.data() + end) fail(text, token.column, fmt::format("'{}' is not a number", token.text));
  if (end < text.size() && is_letter(text[end])) {
    fail(text, column_of(end), fmt::format("a name directly after the number '{}': write the product with *", token.text));
  }
  if (end < text.size() && text[end] == '.') fail(text, column_of(end), "a number has one decimal point");
  position = end;
  return token;
}

Token symbol_token(std::string_view text, std::size_t& position) {
  const std::string_view rest = text.substr(position);
  const int column = column_of(position);
  for (const std::string_view two : {"<=", ">=", "==", "!=", "&&", "||"}) {
    if (rest.starts_with(two)) {
      position += 2;
      return {TokenKind::symbol, std::string(two), 0, column};
    }
  }
  if (rest.starts_with("**")) fail(text, column, "for a power write ^, not **");
  const char c = rest.front();
  if (std::string_view("+-*/^()[],:<>!").find(c) != std::string_view::npos) {
    ++position;
    return {TokenKind::symbol, std::string(1, c), 0, column};
  }
  if (c == '=') fail(text, column, "a single '=': to compare write ==");
  if (c == '&' || c == '|') fail(text, column, fmt::format("a single '{0}': write {0}{0}", c));
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) {
    std::size_t length = 1;
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80) ++length;
    fail(text, column, fmt::format("character '{}' is not ASCII: {}", rest.substr(0, length), meant(rest)));
  }
  if (byte < 0x20 || byte == 0x7F) fail(text, column, fmt::format("control character 0x{:02X} in a formula", byte));
  fail(text, column, fmt::format("character '{}' has no meaning in a formula", c));
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  if (text.size() > longest_formula) {
    fail(text.substr(0, 60), 1, fmt::format("the formula has {} characters; at most {} are read", text.size(), longest_formula));
  }
  std::vector<Token> tokens;
  std::size_t position = 0;
  while (position < text.size()) {
    const char c = text[position];
    if (is_space(c)) {
      ++position;
    } else if (is_digit(c) || (c == '.' && position + 1 < text.size() && is_digit(text[position + 1]))) {
      tokens.push_back(number_token(text, position));
    } else if (is_letter(c)) {
      const std::size_t start = position;
      while (position < text.size() && (is_letter(text[position]) || is_digit(text[position]))) ++position;
      tokens.push_back({TokenKind::identifier, std::string(text.substr(start, position - start)), 0, column_of(start)});
    } else {
      tokens.push_back(symbol_token(text, position));
    }
  }
  tokens.push_back({TokenKind::end, "", 0, column_of(text.size())});
  return tokens;
}

}  // namespace dgsolve::codegen::expression
