// Recursive-descent parser of the formula language (grammar in docs/formulas.md).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/errors.h"
#include "codegen/expression/lexer.h"
#include "codegen/expression/syntax.h"

namespace dgsolve::codegen::expression {

void fail(std::string_view formula, int column, std::string_view message) {
  std::string line(formula);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  // A caret counts characters, the column counts bytes.
  int width = 0;
  for (int k = 0; k < column - 1 && k < static_cast<int>(line.size()); ++k) {
    width += (static_cast<unsigned char>(line[static_cast<std::size_t>(k)]) & 0xC0) != 0x80;
  }
  throw FormulaError(fmt::format("{}\n    {}\n    {:>{}}", message, line, "^", width + 1), column);
}

namespace {

constexpr int deepest_nesting = 100;

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) { syntax_.text = std::string(text); }

  Syntax formula() {
    if (at_end()) fault(peek(), "the formula is empty");
    syntax_.root = logical_or();
    if (!at_end()) fault_after_end();
    return std::move(syntax_);
  }

  Declaration target() {
    Declaration result = declaration();
    if (!at_end()) fault(peek(), fmt::format("'{}' after the target '{}'", peek().text, result.name));
    return result;
  }

  std::vector<Declaration> declarations() {
    std::vector<Declaration> result;
    do {
      result.push_back(declaration());
    } while (accept(","));
    if (!at_end()) fault(peek(), fmt::format("'{}' where a comma or the end of the list belongs", peek().text));
    return result;
  }

 private:
  const Token& peek() const { return tokens_[next_]; }
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool at(std::string_view symbol) const { return peek().kind == TokenKind::symbol && peek().text == symbol; }
  bool accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    ++next_;
    return true;
  }
  [[noreturn]] void fault(const Token& token, std::string_view message) const { fail(syntax_.text, token.column, message); }

  [[noreturn]] void fault_after_end() const {
    const Token& token = peek();
    if (token.text == ")" || token.text == "]") fault(token, fmt::format("'{}' without an opening one before it", token.text));
    if (token.text == ",") fault(token, "a comma outside a function's arguments: one formula gives one value");
    if (token.text == "(") fault(token, "an opening parenthesis after a complete formula: write a product with *");
    fault(token, fmt::format("'{}' after the end of the formula: an operator is missing before it", token.text));
  }

  void expect_closing(std::string_view symbol, const Token& opened) {
    if (accept(symbol)) return;
    if (at_end()) {
      fault(opened, fmt::format("'{}' is never closed: the text ends before '{}'. If the formula stands inside {{}} or [] of YAML, "
                                "put it in quotes: there a comma or bracket ends the text",
                                opened.text, symbol));
    }
    fault(peek(), fmt::format("'{}' where '{}' belongs", peek().text, symbol));
  }

  int add(SyntaxNode node) {
    syntax_.nodes.push_back(std::move(node));
    return static_cast<int>(syntax_.nodes.size()) - 1;
  }

  int binary(SyntaxKind kind, const Token& token, int left, int right) {
    SyntaxNode node;
    node.kind = kind;
    node.column = token.column;
    node.name = token.text;
    node.children = {left, right};
    return add(std::move(node));
  }

  int logical_or() {
    const Nesting guard(*this);
    int left = logical_and();
    while (at("||")) {
      const Token token = tokens_[next_++];
      left = binary(SyntaxKind::logical_or, token, left, logical_and());
    }
    return left;
  }

  int logical_and() {
    int left = comparison();
    while (at("&&")) {
      const Token token = tokens_[next_++];
      left = binary(SyntaxKind::logical_and, token, left, comparison());
    }
    return left;
  }

  bool at_comparison() const {
    static constexpr std::string_view operators[] = {"<", "<=", ">", ">=", "==", "!="};
    return peek().kind == TokenKind::symbol && std::find(std::begin(operators), std::end(operators), peek().text) != std::end(operators);
  }

  int comparison() {
    const int left = sum();
    if (!at_comparison()) return left;
    const Token token = tokens_[next_++];
    const int result = binary(SyntaxKind::comparison, token, left, sum());
    if (at_comparison()) fault(peek(), "comparisons do not chain: write a < b && b < c");
    return result;
  }

  /// A list of operands of one level of precedence; a list of one is its operand.
  template <class Operand>
  int chain(SyntaxKind kind, std::string_view plain, std::string_view inverted, Operand operand) {
    SyntaxNode node;
    node.kind = kind;
    node.column = peek().column;
    node.children.push_back(operand());
    node.inverse.push_back(false);
    while (at(plain) || at(inverted)) {
      node.inverse.push_back(at(inverted));
      ++next_;
      node.children.push_back(operand());
    }
    return node.children.size() == 1 ? node.children.front() : add(std::move(node));
  }

  int sum() {
    return chain(SyntaxKind::sum, "+", "-", [this] { return product(); });
  }
  int product() {
    return chain(SyntaxKind::product, "*", "/", [this] { return unary(); });
  }

  int unary() {
    const Nesting guard(*this);
    const Token token = peek();
    if (accept("+")) return unary();
    if (!at("-") && !at("!")) return power();
    ++next_;
    SyntaxNode node;
    node.kind = token.text == "-" ? SyntaxKind::negative : SyntaxKind::logical_not;
    node.column = token.column;
    node.children = {unary()};
    return add(std::move(node));
  }

  int power() {
    const int base = primary();
    if (!at("^")) return base;
    const Token token = tokens_[next_++];
    return binary(SyntaxKind::power, token, base, unary());
  }

  int primary() {
    const Token token = peek();
    if (token.kind == TokenKind::number) {
      ++next_;
      SyntaxNode node;
      node.number = token.number;
      node.column = token.column;
      return add(std::move(node));
    }
    if (token.kind == TokenKind::identifier) {
      ++next_;
      return at("(") ? call(token) : name(token);
    }
    if (accept("(")) {
      const int inside = logical_or();
      expect_closing(")", token);
      syntax_.nodes[static_cast<std::size_t>(inside)].parenthesised = true;
      if (at("[")) fault(peek(), "an index stands directly after a name, not after a parenthesis");
      return inside;
    }
    if (token.kind == TokenKind::end) {
      fault(token,
            "the text ends where a number, a name or a parenthesis belongs; if the formula stands inside {} or [] of YAML, put it "
            "in quotes");
    }
    fault(token, fmt::format("'{}' where a number, a name or a parenthesis belongs", token.text));
  }

  int call(const Token& token) {
    SyntaxNode node;
    node.kind = SyntaxKind::call;
    node.column = token.column;
    node.name = token.text;
    const Token opened = tokens_[next_++];
    if (at(")")) fault(peek(), fmt::format("{}() has no argument", token.text));
    do {
      node.children.push_back(logical_or());
    } while (accept(","));
    expect_closing(")", opened);
    if (at("[")) fault(peek(), "an index stands directly after a name, not after a function's arguments");
    return add(std::move(node));
  }

  int name(const Token& token) {
    SyntaxNode node;
    node.kind = SyntaxKind::name;
    node.column = token.column;
    node.name = token.text;
    if (at("[")) {
      const Token opened = tokens_[next_++];
      do {
        node.indices.push_back(index());
      } while (accept(","));
      expect_closing("]", opened);
    }
    if (at("[")) fault(peek(), "two index lists: write v[i,j], not v[i][j]");
    return add(std::move(node));
  }

  IndexSyntax index() {
    const Token token = peek();
    if (token.kind == TokenKind::identifier) {
      ++next_;
      return {token.text, 0, token.column};
    }
    if (token.kind == TokenKind::number) {
      ++next_;
      if (token.number < 1 || token.number > 1000 || token.text.find_first_not_of("0123456789") != std::string::npos) {
        fault(token, fmt::format("index {}: a numeric index is a whole number counted from 1", token.text));
      }
      return {"", static_cast<int>(token.number), token.column};
    }
    if (token.kind == TokenKind::end)
      fault(token, "the text ends inside an index list; put the formula in quotes if it stands inside {} or []");
    fault(token, fmt::format("'{}' where an index belongs: a letter, or a number counted from 1", token.text));
  }

  Declaration declaration() {
    const Token token = peek();
    if (token.kind == TokenKind::end) fault(token, "a name is missing");
    if (token.kind != TokenKind::identifier) fault(token, fmt::format("'{}' where a name belongs", token.text));
    ++next_;
    Declaration result{token.text, {}, false, token.column};
    if (at("[")) {
      const Token opened = tokens_[next_++];
      do {
        result.indices.push_back(index_declaration());
      } while (accept(","));
      expect_closing("]", opened);
    }
    if (peek().kind == TokenKind::identifier && peek().text == "symmetric") {
      if (result.indices.size() != 2) fault(peek(), "only a quantity with two indices can be symmetric");
      result.symmetric = true;
      ++next_;
    }
    return result;
  }

  IndexDeclaration index_declaration() {
    const Token token = peek();
    if (token.kind != TokenKind::identifier) fault(token, fmt::format("'{}' where an index letter belongs", token.text));
    ++next_;
    IndexDeclaration result{token.text, 0, token.column};
    if (accept(":")) {
      const IndexSyntax extent = index();
      if (extent.number < 1 || extent.number > 32) fail(syntax_.text, extent.column, "an index runs over 1 to 32 values");
      result.extent = extent.number;
    }
    return result;
  }

  /// Counts open parentheses and signs, so that no text can exhaust the stack.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > 2 * deepest_nesting) {
        parser_.fault(parser_.peek(), fmt::format("nested more than {} deep: introduce definitions", deepest_nesting));
      }
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  Syntax syntax_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

Syntax parse_formula(std::string_view text) { return Parser(text).formula(); }
Declaration parse_target(std::string_view text) { return Parser(text).target(); }
std::vector<Declaration> parse_declarations(std::string_view text) { return Parser(text).declarations(); }

}  // namespace dgsolve::codegen::expression
