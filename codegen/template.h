// Text templates: loops, conditions, includes and expressions in kernel sources, expanded with a map back to the lines a person edits.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dgsolve::codegen {

/// A typed value of a template: true or false, an integer, a real, a text, or a list of values.
struct TemplateValue {
  using List = std::vector<TemplateValue>;

  // None of them is inline: GCC 12 warns of uninitialised members when it inlines the variant.
  TemplateValue(bool given);
  TemplateValue(std::int64_t given);
  TemplateValue(double given);
  TemplateValue(const char* given);
  TemplateValue(std::string given);
  TemplateValue(List given);
  template <std::integral T>
  TemplateValue(T given) : TemplateValue(static_cast<std::int64_t>(given)) {}
  TemplateValue(const TemplateValue& other);
  TemplateValue(TemplateValue&& other) noexcept;
  TemplateValue& operator=(const TemplateValue& other);
  TemplateValue& operator=(TemplateValue&& other) noexcept;
  ~TemplateValue();

  std::variant<bool, std::int64_t, double, std::string, List> value;
};

using TemplateValues = std::map<std::string, TemplateValue>;

/// Expands `text`; the same input gives the same bytes. `name` is its file name in messages. The language (docs/codegen.md):
///
///     {{ expression }}                                   prints a number, truth (1 or 0) or text; negative numbers in parentheses
///     {% for NAME in LIST %} ... {% endfor %}            LIST: an expression, e.g. range(0, n), which is 0, ..., n - 1
///     {% if CONDITION %} ... {% elif CONDITION %} ... {% else %} ... {% endif %}
///     {% let NAME = expression %}                        known to the end of the block
///     {% include "name" %}                               a text of `includes`, which sees the names known here
///
/// A tag alone on its line leaves no line. `#line` marks keep the compiler's messages at the file and line of the template, in every
/// round of a loop; `${...}` is left for `render`. Branches that are not taken and loops without rounds are checked for their names too.
/// Throws std::invalid_argument, "file:line:column: ...": for faults of the language, types, undefined names (with the nearest), names
/// that are defined twice, and for values, includes and `let` names that nothing uses.
[[nodiscard]] std::string expand_template(std::string_view name, std::string_view text, const TemplateValues& values,
                                          const std::map<std::string, std::string>& includes = {});

}  // namespace dgsolve::codegen
