// Expressions of templates: recursive descent over levels of operators, evaluated at once.
#include "codegen/template_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

#include "codegen/nearest.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t longest_range = 1 << 20;
constexpr int deepest_nesting = 200;
/// Operators from the loosest to the tightest; longer signs before their beginnings.
const std::array<std::vector<std::string_view>, 5> levels{
    {{"or"}, {"and"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};
constexpr std::size_t comparisons = 2;

template <class T>
const T* get(const TemplateValue& value) {
  return std::get_if<T>(&value.value);
}

/// Integers and reals as a real.
std::optional<double> real_of(const TemplateValue& value) {
  if (const auto* integer = get<std::int64_t>(value)) return static_cast<double>(*integer);
  if (const auto* real = get<double>(value)) return *real;
  return std::nullopt;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class T>
std::optional<bool> compare(std::string_view sign, const T& a, const T& b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  return std::nullopt;
}

}  // namespace

TemplateValue::TemplateValue(bool given) : value(given) {}
TemplateValue::TemplateValue(std::int64_t given) : value(given) {}
TemplateValue::TemplateValue(double given) : value(given) {}
TemplateValue::TemplateValue(const char* given) : value(std::string(given)) {}
TemplateValue::TemplateValue(std::string given) : value(std::move(given)) {}
TemplateValue::TemplateValue(List given) : value(std::move(given)) {}
TemplateValue::TemplateValue(const TemplateValue& other) = default;
TemplateValue::TemplateValue(TemplateValue&& other) noexcept = default;
TemplateValue& TemplateValue::operator=(const TemplateValue& other) = default;
TemplateValue& TemplateValue::operator=(TemplateValue&& other) noexcept = default;
TemplateValue::~TemplateValue() = default;

std::string_view kind_of(const TemplateValue& value) {
  constexpr std::array<std::string_view, 5> names{"a truth", "an integer", "a real", "a text", "a list"};
  return names[value.value.index()];
}

int TemplateReader::line_of(std::size_t place) const {
  return 1 + static_cast<int>(std::count(source_.text.begin(), source_.text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

std::size_t TemplateReader::line_start(std::size_t place) const { return place == 0 ? 0 : source_.text.rfind('\n', place - 1) + 1; }

void TemplateReader::fail(std::size_t place, std::string_view message) const {
  place = std::min(place, source_.text.size());
  throw std::invalid_argument(fmt::format("{}:{}:{}: {}", source_.name, line_of(place), place - line_start(place) + 1, message));
}

void TemplateReader::nest() {
  if (++nesting_ > deepest_nesting) fail(at_, "blocks or expressions nest too deeply");
}

char TemplateReader::peek() {
  at_ = std::min(source_.text.find_first_not_of(" \t\r\n", at_), source_.text.size());
  return at_ < source_.text.size() ? source_.text[at_] : '\0';
}

bool TemplateReader::accept(std::string_view sign) {
  peek();
  if (!source_.text.substr(at_).starts_with(sign)) return false;
  at_ += sign.size();
  return true;
}

void TemplateReader::expect(std::string_view sign) {
  if (!accept(sign)) fail(at_, fmt::format("'{}' is expected here", sign));
}

std::string_view TemplateReader::word_ahead() {
  if (!is_letter(peek())) return {};
  std::size_t end = at_;
  while (end < source_.text.size() && (is_letter(source_.text[end]) || is_digit(source_.text[end]))) ++end;
  return source_.text.substr(at_, end - at_);
}

bool TemplateReader::accept_word(std::string_view word) {
  if (word_ahead() != word) return false;
  at_ += word.size();
  return true;
}

std::string TemplateReader::new_name() {
  const std::string name(word_ahead());
  const std::set<std::string_view> reserved{"and", "or", "not", "in", "true", "false", "range"};
  if (name.empty() || reserved.contains(name)) fail(at_, "a name is expected here");
  for (const Name& known : names_) {
    if (known.name == name) fail(at_, fmt::format("'{}' is defined already", name));
  }
  at_ += name.size();
  return name;
}

std::string TemplateReader::quoted() {
  if (peek() != '"') fail(at_, "a \"text\" is expected here");
  const std::size_t begin = at_ + 1, end = source_.text.find_first_of("\"\n", begin);
  if (end == std::string_view::npos || source_.text[end] == '\n') fail(at_, "the text has no end");
  at_ = end + 1;
  return std::string(source_.text.substr(begin, end - begin));
}

bool TemplateReader::truth_of(const Value& value) const {
  if (dry_ > 0) return false;
  if (const auto* is_true = get<bool>(value)) return *is_true;
  if (const auto* integer = get<std::int64_t>(value)) return *integer != 0;
  fail(at_, fmt::format("a condition is a truth or an integer, this is {}", kind_of(value)));
}

std::string_view TemplateReader::accept_operator(std::size_t level) {
  for (const std::string_view sign : levels[level]) {
    if (is_letter(sign[0]) ? accept_word(sign) : !source_.text.substr(at_).starts_with("%}") && accept(sign)) return sign;
  }
  return {};
}

TemplateReader::Value TemplateReader::expression(std::size_t level) {
  if (level == levels.size()) return factor();
  if (level == comparisons && accept_word("not")) {
    nest();
    const bool operand = truth_of(expression(comparisons));
    --nesting_;
    return !operand;
  }
  Value left = expression(level + 1);
  while (true) {
    peek();
    const std::size_t place = at_;
    const std::string_view sign = accept_operator(level);
    if (sign.empty()) return left;
    if (level >= comparisons) {
      left = apply(sign, left, expression(level + 1), place);
      continue;
    }
    const bool decisive = sign == "or", is_decided = truth_of(left) == decisive;  // then the right operand does not count
    dry_ += is_decided ? 1 : 0;
    const bool right = truth_of(expression(level + 1));
    dry_ -= is_decided ? 1 : 0;
    left = is_decided ? decisive : right;
  }
}

TemplateReader::Value TemplateReader::apply(std::string_view sign, const Value& left, const Value& right, std::size_t place) const {
  if (dry_ > 0) return 0;
  if (const auto* a = get<std::int64_t>(left), *b = get<std::int64_t>(right); a != nullptr && b != nullptr) {
    if (const auto truth = compare(sign, *a, *b)) return *truth;
    return integer_arithmetic(sign[0], *a, *b, place);
  }
  if (const auto* a = get<std::string>(left), *b = get<std::string>(right); a != nullptr && b != nullptr) {
    if (const auto truth = compare(sign, *a, *b)) return *truth;
    if (sign == "+") return *a + *b;
  }
  if (const auto* a = get<bool>(left), *b = get<bool>(right); a != nullptr && b != nullptr && (sign == "==" || sign == "!=")) {
    return (*a == *b) == (sign == "==");
  }
  if (const auto a = real_of(left), b = real_of(right); a && b && sign != "%") {
    if (const auto truth = compare(sign, *a, *b)) return *truth;
    return sign == "+" ? *a + *b : sign == "-" ? *a - *b : sign == "*" ? *a * *b : *a / *b;
  }
  fail(place, fmt::format("'{}' of {} and {}", sign, kind_of(left), kind_of(right)));
}

std::int64_t TemplateReader::integer_arithmetic(char sign, std::int64_t a, std::int64_t b, std::size_t place) const {
  std::int64_t result = 0;
  bool overflows = false;
  if (sign == '+') overflows = __builtin_add_overflow(a, b, &result);
  if (sign == '-') overflows = __builtin_sub_overflow(a, b, &result);
  if (sign == '*') overflows = __builtin_mul_overflow(a, b, &result);
  if (sign == '/' || sign == '%') {
    if (b == 0) fail(place, "division by zero");
    overflows = a == INT64_MIN && b == -1;
    if (!overflows) result = sign == '/' ? a / b : a % b;
  }
  if (overflows) fail(place, fmt::format("{} {} {} is beyond 64 bits", a, sign, b));
  return result;
}

TemplateReader::Value TemplateReader::factor() {
  peek();
  const std::size_t place = at_;
  nest();
  Value value = accept("-") ? apply("-", 0, factor(), place) : primary();
  while (accept("[")) {
    const std::size_t index_place = at_;
    const Value index = expression();
    expect("]");
    if (dry_ > 0) continue;
    const auto* items = get<List>(value);
    const auto* number = get<std::int64_t>(index);
    if (items == nullptr || number == nullptr) fail(index_place, fmt::format("[{}] of {}", kind_of(index), kind_of(value)));
    if (*number < 0 || *number >= static_cast<std::int64_t>(items->size()))
      fail(index_place, fmt::format("item {} of a list of {}", *number, items->size()));
    value = Value((*items)[static_cast<std::size_t>(*number)]);
  }
  --nesting_;
  return value;
}

TemplateReader::Value TemplateReader::primary() {
  const char next = peek();
  if (next == '"') return quoted();
  if (is_digit(next)) return number();
  if (accept("(")) {
    Value value = expression();
    expect(")");
    return value;
  }
  if (accept("[")) return list_until("]");
  const std::string_view word = word_ahead();
  const std::size_t place = at_;
  if (word.empty()) fail(at_, "an expression is expected here");
  at_ += word.size();
  if (word == "true" || word == "false") return word == "true";
  if (word == "range") return range(place);
  return lookup(word, place);
}

TemplateReader::Value TemplateReader::number() {
  const char* begin = source_.text.data() + at_;
  const char* end = source_.text.data() + source_.text.size();
  std::int64_t integer = 0;
  double real = 0;
  const auto as_integer = std::from_chars(begin, end, integer);
  const auto as_real = std::from_chars(begin, end, real);
  const bool is_integer = as_integer.ptr == as_real.ptr;
  if ((is_integer ? as_integer.ec : as_real.ec) != std::errc()) fail(at_, "the number is too large");
  at_ += static_cast<std::size_t>(as_real.ptr - begin);
  return is_integer ? Value(integer) : Value(real);
}

TemplateReader::List TemplateReader::list_until(std::string_view end) {
  List items;
  if (accept(end)) return items;
  do items.push_back(expression());
  while (accept(","));
  expect(end);
  return items;
}

TemplateReader::Value TemplateReader::range(std::size_t place) {
  expect("(");
  const List given = list_until(")");
  if (given.size() != 2) fail(place, "range has a begin and an end");
  if (dry_ > 0) return 0;
  const auto *begin = get<std::int64_t>(given[0]), *end = get<std::int64_t>(given[1]);
  if (begin == nullptr || end == nullptr) fail(place, fmt::format("range of {} and {}", kind_of(given[0]), kind_of(given[1])));
  List items;
  for (std::int64_t i = *begin; i < *end; ++i) {
    if (items.size() == longest_range) fail(place, "the range is too long");
    items.push_back(i);
  }
  return items;
}

TemplateReader::Value TemplateReader::lookup(std::string_view word, std::size_t place) {
  std::vector<std::string> known;
  for (Name& name : names_) {
    if (name.name == word) {
      name.is_used = true;
      return name.value;
    }
    known.push_back(name.name);
  }
  fail(place, fmt::format("undefined name '{}'{}", word, did_you_mean(word, known)));
}

}  // namespace dgsolve::codegen
