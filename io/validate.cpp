// Checks a tree against the schema: unknown and missing keys, kinds of values, ranges, choices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "codegen/nearest.h"
#include "io/schema.h"

namespace dgsolve::io {
namespace {

constexpr std::array reserved_keys{"nonconservative", "viscous_flux", "gradients", "volume_fluxes", "entropy", "coefficients"};
constexpr std::string_view quote_hint = "inside {} and [] a bracket or a comma ends a YAML text: put the formula in quotes";

bool balanced(std::string_view text) {
  int round = 0;
  int square = 0;
  for (const char letter : text) {
    round += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    square += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    if (round < 0 || square < 0) return false;
  }
  return round == 0 && square == 0;
}

class Validator {
 public:
  explicit Validator(Faults& faults) : faults_(faults) {}

  /// The keys of a map against the rows below `pattern`.
  void check_map(const Node& node, std::string_view pattern, const std::string& path) {
    const auto rows = child_rows(pattern);
    for (const Entry& entry : node.entries) {
      const std::string child = path.empty() ? entry.key : path + '.' + entry.key;
      if (entry.value.in_flow && !balanced(entry.key)) {
        faults_.add(entry.where, child, fmt::format("a torn text ('{}'); {}", entry.key, quote_hint));
        continue;
      }
      if (const SchemaRow* row = row_for(rows, entry.key)) {
        check(entry.value, *row, child);
      } else {
        report_unknown(entry, rows, child, pattern == "equations");
      }
    }
    for (const SchemaRow* row : rows) {
      if (row->required && node.find(row_key(*row)) == nullptr) {
        const std::string missing = path.empty() ? std::string(row_key(*row)) : fmt::format("{}.{}", path, row_key(*row));
        faults_.add(node.where, missing, fmt::format("missing; it is {}, e.g. {}", allowed_text(*row), row->example));
      }
    }
  }

 private:
  static const SchemaRow* row_for(const std::vector<const SchemaRow*>& rows, std::string_view key) {
    const SchemaRow* any = nullptr;
    for (const SchemaRow* row : rows) {
      if (row_key(*row) == key) return row;
      if (row_key(*row) == "*") any = row;
    }
    return any;
  }

  void report_unknown(const Entry& entry, const std::vector<const SchemaRow*>& rows, const std::string& path, bool in_equations) {
    if (in_equations && std::find(reserved_keys.begin(), reserved_keys.end(), entry.key) != reserved_keys.end()) {
      faults_.add(entry.where, path, "a key that is reserved and not yet supported");
      return;
    }
    std::vector<std::string> names;
    for (const SchemaRow* row : rows) names.emplace_back(row_key(*row));
    if (names.empty()) {
      faults_.add(entry.where, path, "unknown key; no keys are allowed here");
      return;
    }
    faults_.add(entry.where, path,
                fmt::format("unknown key; allowed: {}{}", fmt::join(names, ", "), codegen::did_you_mean(entry.key, names)));
  }

  static bool accepts_kind(ValueForm form, Node::Kind kind) {
    switch (form) {
      case ValueForm::map:
        return kind == Node::Kind::map;
      case ValueForm::text:
      case ValueForm::integer:
      case ValueForm::number:
      case ValueForm::formula:
        return kind == Node::Kind::scalar;
      case ValueForm::pairs:
        return kind == Node::Kind::sequence;
      case ValueForm::fields:
        return kind != Node::Kind::empty;
      default:
        return kind == Node::Kind::scalar || kind == Node::Kind::sequence;
    }
  }

  void wrong(const Node& node, const SchemaRow& row, const std::string& path) {
    faults_.add(node.where, path, fmt::format("found {}, allowed: {}", node.describe(), allowed_text(row)));
  }

  void check(const Node& node, const SchemaRow& row, const std::string& path) {
    for (const ValueForm form : row.forms) {
      if (accepts_kind(form, node.kind)) return check_form(node, form, row, path);
    }
    wrong(node, row, path);
  }

  void check_form(const Node& node, ValueForm form, const SchemaRow& row, const std::string& path) {
    switch (form) {
      case ValueForm::map:
        if (row.one_key && node.entries.size() != 1) {
          std::vector<std::string_view> names;
          for (const SchemaRow* child : child_rows(row.path)) names.push_back(row_key(*child));
          faults_.add(node.where, path, fmt::format("found {} keys, allowed: one of {}", node.entries.size(), fmt::join(names, ", ")));
        }
        return check_map(node, row.path, path);
      case ValueForm::integer:
      case ValueForm::integers:
        return each(node, row, path, [&](const Node& item) { check_integer(item, row, path); });
      case ValueForm::number:
      case ValueForm::numbers:
        return each(node, row, path, [&](const Node& item) { check_number(item, row, path); });
      case ValueForm::text:
      case ValueForm::texts:
      case ValueForm::component_list:
        return each(node, row, path, [&](const Node& item) { check_text(item, row, path); });
      case ValueForm::formula:
      case ValueForm::components:
        if (node.is_sequence() && node.items.empty()) wrong(node, row, path);
        return each(node, row, path, [&](const Node& item) { check_formula(item, path); });
      case ValueForm::fields:
        return check_fields(node, row, path);
      case ValueForm::pairs:
        return check_pairs(node, row, path);
    }
  }

  /// Applies a check to a scalar, or to the items of a list of scalars.
  template <class Check>
  void each(const Node& node, const SchemaRow& row, const std::string& path, Check check_one) {
    if (!node.is_sequence()) return check_one(node);
    for (const Node& item : node.items) {
      if (item.is_scalar()) {
        check_one(item);
      } else {
        wrong(item, row, path);
      }
    }
  }

  void check_integer(const Node& node, const SchemaRow& row, const std::string& path) {
    const auto value = to_integer(node);
    if (!value || static_cast<double>(*value) < row.low || static_cast<double>(*value) > row.high) wrong(node, row, path);
  }

  void check_number(const Node& node, const SchemaRow& row, const std::string& path) {
    const auto value = to_number(node);
    if (!value || *value < row.low || *value > row.high || (row.above_low && *value <= row.low)) wrong(node, row, path);
  }

  void check_text(const Node& node, const SchemaRow& row, const std::string& path) {
    if (node.text.empty()) return wrong(node, row, path);
    if (row.allowed.empty() || std::find(row.allowed.begin(), row.allowed.end(), node.text) != row.allowed.end()) return;
    const std::vector<std::string> names(row.allowed.begin(), row.allowed.end());
    faults_.add(node.where, path,
                fmt::format("found {}, allowed: {}{}", node.describe(), fmt::join(names, ", "), codegen::did_you_mean(node.text, names)));
  }

  void check_formula(const Node& node, const std::string& path) {
    if (node.text.find_first_not_of(" \t\n") == std::string::npos) {
      faults_.add(node.where, path, "found an empty text, allowed: a number or a formula");
    } else if (node.in_flow && !node.quoted && !balanced(node.text)) {
      faults_.add(node.where, path, fmt::format("a torn formula ('{}'); {}", node.text, quote_hint));
    }
  }

  void check_components(const Node& node, const SchemaRow& row, const std::string& path) {
    if (node.is_map() || node.is_empty() || (node.is_sequence() && node.items.empty())) return wrong(node, row, path);
    each(node, row, path, [&](const Node& item) { check_formula(item, path); });
  }

  void check_fields(const Node& node, const SchemaRow& row, const std::string& path) {
    if (node.is_scalar()) return check_formula(node, path);
    if (node.is_map()) {
      for (const Entry& entry : node.entries) check_components(entry.value, row, path + '.' + entry.key);
      return;
    }
    for (const Node& item : node.items) {
      if (item.is_scalar() || item.is_map()) {
        check_fields(item, row, path);
      } else {
        wrong(item, row, path);
      }
    }
  }

  void check_pairs(const Node& node, const SchemaRow& row, const std::string& path) {
    for (const Node& item : node.items) {
      const bool pair = item.is_sequence() && item.items.size() == 2 && item.items[0].is_scalar() && item.items[1].is_scalar();
      if (!pair)
        faults_.add(item.where, path, fmt::format("found {}, allowed: {}, e.g. {}", item.describe(), allowed_text(row), row.example));
    }
  }

  Faults& faults_;
};

}  // namespace

void validate(const Node& node, std::string_view pattern, const std::string& path, Faults& faults) {
  if (!node.is_map()) {
    faults.add(node.where, path, fmt::format("found {}, allowed: a map of keys (`key: value` lines)", node.describe()));
    return;
  }
  Validator(faults).check_map(node, pattern, path);
}

std::optional<double> to_number(const Node& node) {
  if (!node.is_scalar() || node.quoted || node.text.empty()) return std::nullopt;
  std::string_view text = node.text;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> to_integer(const Node& node) {
  const auto value = to_number(node);
  if (!value || std::abs(*value) > 9.0e15 || *value != std::floor(*value)) return std::nullopt;
  if (node.text.find_first_of(".eE") != std::string::npos && node.text.find_first_of("eE") == std::string::npos) return std::nullopt;
  return static_cast<long long>(*value);
}

}  // namespace dgsolve::io
