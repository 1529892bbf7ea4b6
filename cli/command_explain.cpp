// dgsolve explain: the documentation of configurations, from the schema that validates them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "io/explain.h"

namespace dgsolve::cli {
namespace {

struct ExplainOptions {
  std::string key;
  bool markdown = false;
  bool json_schema = false;
};

int explain(const ExplainOptions& options) {
  if (options.markdown) {
    fmt::print("{}", io::configuration_page());
  } else if (options.json_schema) {
    fmt::print("{}", io::json_schema());
  } else {
    fmt::print("{}", options.key.empty() ? io::explain_all() : io::explain_key(options.key));
  }
  return exit_status::done;
}

}  // namespace

void add_command_explain(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = program.add_subcommand("explain", "documentation of a configuration key");
  auto* key = command->add_option("KEY", options->key, "path of a key, e.g. mesh.box.cells (default: all keys)");
  auto* markdown = command->add_flag("--markdown", options->markdown, "the page docs/configuration.md")->excludes(key);
  command->add_flag("--json-schema", options->json_schema, "the JSON Schema for editors, docs/dgsolve.schema.json")
      ->excludes(key)
      ->excludes(markdown);
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return explain(*options); }; });
}

}  // namespace dgsolve::cli
