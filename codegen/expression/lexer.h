// Splits a formula into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dgsolve::codegen::expression {

enum class TokenKind { number, identifier, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;  ///< identifier, or symbol such as "<="
  double number = 0;
  int column = 1;  ///< 1-based
};

/// The last token is `end`. Throws FormulaError for characters and numbers that no formula has.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

}  // namespace dgsolve::codegen::expression
