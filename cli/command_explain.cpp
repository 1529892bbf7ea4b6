// dgsolve explain: the documentation of a configuration key, from the schema that validates it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "io/explain.h"

namespace dgsolve::cli {
namespace {

int explain(const std::string& key) {
  fmt::print("{}", key.empty() ? io::explain_all() : io::explain_key(key));
  return exit_status::done;
}

}  // namespace

void add_command_explain(CLI::App& program, Action& action) {
  const auto key = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("explain", "documentation of a configuration key");
  command->add_option("KEY", *key, "path of a key, e.g. mesh.box.cells (default: all keys)");
  command->callback([key, &action] { action = [key] { return explain(*key); }; });
}

}  // namespace dgsolve::cli
