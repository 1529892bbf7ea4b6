// Reading of a template: the cursor, messages with file, line and column, the names that are known, expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/template.h"

namespace dgsolve::codegen {

/// "a truth", "an integer", ...
[[nodiscard]] std::string_view kind_of(const TemplateValue& value);

/// Evaluates expressions while it reads them. While `dry_` > 0 they are read for their names alone, and their values mean nothing.
class TemplateReader {
 protected:
  using Value = TemplateValue;
  using List = TemplateValue::List;

  struct Source {
    std::string_view name, text;
  };
  struct Name {
    std::string name;
    Value value;
    std::optional<std::size_t> let_at;  ///< where a `let` made it
    bool is_used;
  };

  [[nodiscard]] int line_of(std::size_t place) const;
  [[nodiscard]] std::size_t line_start(std::size_t place) const;
  [[noreturn]] void fail(std::size_t place, std::string_view message) const;
  /// One more of `nesting_`, unless it is too many.
  void nest();

  /// The next character that is not blank, the cursor at it; 0 at the end.
  char peek();
  bool accept(std::string_view sign);
  void expect(std::string_view sign);
  /// Letters, digits and underscores at the cursor.
  [[nodiscard]] std::string_view word_ahead();
  bool accept_word(std::string_view word);
  [[nodiscard]] std::string new_name();
  [[nodiscard]] std::string quoted();
  /// An expression of operators of this level and the tighter ones.
  [[nodiscard]] Value expression(std::size_t level = 0);
  [[nodiscard]] bool truth_of(const Value& value) const;

  Source source_{};
  std::size_t at_ = 0;       ///< the cursor
  int dry_ = 0;              ///< > 0: read, but neither written nor evaluated
  int nesting_ = 0;          ///< of blocks and expressions
  std::vector<Name> names_;  ///< the given values, then those of the open blocks

 private:
  std::string_view accept_operator(std::size_t level);
  [[nodiscard]] Value apply(std::string_view sign, const Value& left, const Value& right, std::size_t place) const;
  [[nodiscard]] std::int64_t integer_arithmetic(char sign, std::int64_t a, std::int64_t b, std::size_t place) const;
  [[nodiscard]] Value factor();
  [[nodiscard]] Value primary();
  [[nodiscard]] Value number();
  [[nodiscard]] List list_until(std::string_view end);
  [[nodiscard]] Value range(std::size_t place);
  [[nodiscard]] Value lookup(std::string_view word, std::size_t place);
};

}  // namespace dgsolve::codegen
