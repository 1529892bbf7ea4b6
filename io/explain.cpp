// Texts for people from the schema's rows.
#include "io/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "io/config.h"
#include "io/schema.h"

namespace dgsolve::io {
namespace {

std::string first_sentence(std::string_view text) {
  std::size_t end = 0;
  while ((end = text.find(". ", end)) != std::string_view::npos) {
    const bool abbreviation = end >= 3 && (text.substr(end - 3, 3) == "e.g" || text.substr(end - 3, 3) == "i.e");
    if (!abbreviation) return std::string(text.substr(0, end + 1));
    ++end;
  }
  return std::string(text);
}

/// Breaks a text at spaces into lines of at most `width`, each after `indent`.
std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
  std::string result;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) result += indent + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (!line.empty() && line.size() + 1 + space > width) flush();
    line += (line.empty() ? "" : " ") + std::string(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  flush();
  return result;
}

std::string example_of(const SchemaRow& row) {
  const std::string key(row_key(row) == "*" ? "NAME" : row_key(row));
  return fmt::format("{}: {}", key, row.example);
}

std::vector<std::string> child_names(const SchemaRow& row) {
  std::vector<std::string> names;
  for (const SchemaRow* child : child_rows(row.path)) names.emplace_back(row_key(*child) == "*" ? "NAME" : row_key(*child));
  return names;
}

std::string shown_path(std::string_view path) {
  std::string shown;
  for (const char letter : path) shown += letter == '*' ? std::string("NAME") : std::string(1, letter);
  return shown;
}

/// Text that Markdown does not take for markup, in a table.
std::string cell(std::string_view text) {
  std::string escaped;
  bool code = false;
  for (const char letter : text) {
    if (letter == '`') code = !code;
    if (letter == '|' || (!code && (letter == '*' || letter == '_' || letter == '[' || letter == '<'))) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string table_of(std::string_view prefix, bool equations) {
  std::string page = "| key | value | default | meaning | example |\n|---|---|---|---|---|\n";
  for (const SchemaRow& row : schema()) {
    const bool of_equations = row.path.starts_with("equations.");
    if (of_equations != equations) continue;
    std::string_view path = row.path;
    path.remove_prefix(prefix.size());
    const std::string fallback = row.required ? "required" : row.fallback.empty() ? "" : fmt::format("`{}`", row.fallback);
    page += fmt::format("| `{}` | {} | {} | {} | `{}` |\n", shown_path(path), cell(allowed_text(row)), fallback, cell(row.documentation),
                        example_of(row));
  }
  return page;
}

constexpr std::string_view page_top = R"(# Configuration

This page is generated from the schema that validates configurations (`dgsolve explain --markdown`); `dgsolve explain KEY` prints
one entry of it. Editors that know JSON Schema complete and check configurations with `docs/dgsolve.schema.json`; put this on top:

```yaml
# yaml-language-server: $schema=../docs/dgsolve.schema.json
```

A configuration is a YAML file. All its faults are reported in one go, each with file, line, column and key; unknown keys are faults.
Any key can be set on the command line: `--set mesh.box.cells=[32,32] --set order=5`; the value is YAML.

NAME stands for a name of your choice. Formulas are texts of the formula language (docs/formulas.md). Inside `{}` and `[]` a bracket or a
comma ends a YAML text, so a formula that has them stands in block style or in quotes.

The results are named after the configuration: `vortex.yaml` writes `vortex.vtkhdf` (docs/output.md).

## Keys of a configuration

)";

constexpr std::string_view page_equations = R"(
## Keys of an equation file

The same keys stand below `equations:` when a system is given inline. docs/extending.md shows how to write one.

)";

}  // namespace

std::string explain_key(std::string_view key) {
  const SchemaRow* row = find_row(key);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const SchemaRow& candidate : schema()) names.emplace_back(candidate.path);
    for (const SchemaRow& candidate : schema()) {
      if (row_key(candidate) == key) {
        throw ConfigError(fmt::format("there is no key '{}'; did you mean '{}'?", key, shown_path(candidate.path)));
      }
    }
    throw ConfigError(fmt::format("there is no key '{}'{}; `dgsolve explain` lists all", key, codegen::did_you_mean(key, names)));
  }
  std::string text = shown_path(row->path) + '\n' + wrapped(row->documentation, 90, "  ");
  text += fmt::format("  Value:    {}\n", allowed_text(*row));
  if (row->required) text += "  Required.\n";
  if (!row->fallback.empty()) text += fmt::format("  Default:  {}\n", row->fallback);
  text += fmt::format("  Example:  {}\n", example_of(*row));
  const auto names = child_names(*row);
  if (!names.empty()) text += wrapped(fmt::format("Keys:     {}", fmt::join(names, ", ")), 90, "  ");
  return text;
}

std::string explain_all() {
  std::size_t width = 0;
  for (const SchemaRow& row : schema()) width = std::max(width, shown_path(row.path).size());
  std::string text;
  for (const SchemaRow& row : schema()) text += fmt::format("{:<{}}  {}\n", shown_path(row.path), width, first_sentence(row.documentation));
  return text;
}

std::string configuration_page() {
  return std::string(page_top) + table_of("", false) + std::string(page_equations) + table_of("equations.", true);
}

}  // namespace dgsolve::io
