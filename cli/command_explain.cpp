// dgsolve explain: the documentation of a configuration key, from the schema that validates it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "codegen/nearest.h"
#include "io/schema.h"

namespace dgsolve::cli {
namespace {

/// First sentence of a documentation text.
std::string_view first_sentence(std::string_view text) { return text.substr(0, std::min(text.find(". "), text.size())); }

void list_keys(std::string_view pattern) {
  for (const io::SchemaRow* row : io::child_rows(pattern)) {
    fmt::print("  {:<28} {}{}\n", row->path, row->required ? "(required) " : "", first_sentence(row->documentation));
  }
}

void print_row(const io::SchemaRow& row) {
  fmt::print("{}\n  {}\n", row.path, row.documentation);
  fmt::print("  allowed: {}\n", io::allowed_text(row));
  if (row.required) fmt::print("  required\n");
  if (!row.fallback.empty()) fmt::print("  default: {}\n", row.fallback);
  if (!row.example.empty()) {
    fmt::print("  example:\n");
    for (std::string_view rest = row.example; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      fmt::print("    {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (!io::child_rows(row.path).empty()) fmt::print("  keys below it:\n");
  list_keys(row.path);
}

int explain(const std::string& key) {
  if (key.empty()) {
    fmt::print("Keys of a configuration (dgsolve explain KEY tells more):\n");
    list_keys("");
    return exit_status::done;
  }
  if (const io::SchemaRow* row = io::find_row(key)) {
    print_row(*row);
    return exit_status::done;
  }
  std::vector<std::string> known;
  for (const io::SchemaRow& row : io::schema()) known.emplace_back(row.path);
  throw CommandLineError(fmt::format("there is no key '{}'{}; dgsolve explain lists all", key, codegen::did_you_mean(key, known)));
}

}  // namespace

void add_command_explain(CLI::App& program, Action& action) {
  const auto key = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("explain", "documentation of a configuration key");
  command->add_option("KEY", *key, "path of a key, e.g. mesh.box.cells (default: all keys)");
  command->callback([key, &action] { action = [key] { return explain(*key); }; });
}

}  // namespace dgsolve::cli
