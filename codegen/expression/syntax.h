// The syntax tree of a formula: what was typed and at which column, nothing resolved yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dgsolve::codegen::expression {

enum class SyntaxKind { number, name, call, negative, sum, product, power, comparison, logical_and, logical_or, logical_not };

/// One index of a bracketed list: a letter, or a number counted from 1.
struct IndexSyntax {
  std::string letter;  ///< empty: numeric
  int number = 0;
  int column = 0;
};

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::number;
  int column = 1;
  double number = 0;
  std::string name;                  ///< of a name or call; the operator of a comparison
  std::vector<IndexSyntax> indices;  ///< of a name
  bool parenthesised = false;
  std::vector<int> children;  ///< node numbers, in the order of the text
  std::vector<bool> inverse;  ///< per child of a sum: subtracted; of a product: divided
};

/// A parsed formula. Children have lower numbers than their parents.
struct Syntax {
  std::string text;
  std::vector<SyntaxNode> nodes;
  int root = -1;
};

/// An index of a declaration or target: `a`, or `a:3` with its own extent (0: the space dimension).
struct IndexDeclaration {
  std::string letter;
  int extent = 0;
  int column = 0;
};

/// `m[i]`, `B[a:3]`, `s[i,j] symmetric`: a name that a system declares or a formula gives a value to.
struct Declaration {
  std::string name;
  std::vector<IndexDeclaration> indices;
  bool symmetric = false;
  int column = 1;
};

/// Parses a formula. Throws FormulaError.
[[nodiscard]] Syntax parse_formula(std::string_view text);

/// Parses the target of `target: formula`. Throws FormulaError.
[[nodiscard]] Declaration parse_target(std::string_view text);

/// Parses a comma-separated list of declarations, e.g. "rho, m[i], E". Throws FormulaError.
[[nodiscard]] std::vector<Declaration> parse_declarations(std::string_view text);

/// Throws FormulaError: the message, the formula and a caret under the 1-based column.
[[noreturn]] void fail(std::string_view formula, int column, std::string_view message);

}  // namespace dgsolve::codegen::expression
