// dgsolve equations: the built-in systems, or all about one of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "codegen/nearest.h"
#include "io/equation_file.h"
#include "solver/equations/files.h"
#include "solver/equations/system.h"

namespace dgsolve::cli {
namespace {

std::string system_name(const codegen::EmbeddedFile& file) { return std::string(file.name.substr(0, file.name.rfind('.'))); }

solver::EquationDefinition read_built_in(const codegen::EmbeddedFile& file) {
  return io::read_equation_text(file.content, std::string(file.name));
}

void list_systems() {
  for (const codegen::EmbeddedFile& file : solver::equation_files()) {
    const solver::EquationDefinition definition = read_built_in(file);
    fmt::print("{:<16} {} ({}D)\n", system_name(file), definition.description, fmt::join(definition.dimensions, "D, "));
  }
}

void print_row(std::string_view label, const std::string& text) {
  if (!text.empty()) fmt::print("{:<20} {}\n", label, text);
}

std::string parameter_text(const solver::ValueFormulas& parameter) {
  std::vector<std::string> values;
  for (const solver::Formula& component : parameter.components) values.push_back(component.text);
  return values.size() == 1 ? fmt::format("{}: {}", parameter.name, values.front())
                            : fmt::format("{}: [{}]", parameter.name, fmt::join(values, ", "));
}

void describe_system(const solver::EquationDefinition& definition) {
  std::vector<std::string> parameters;
  for (const auto& parameter : definition.parameters) parameters.push_back(parameter_text(parameter));
  std::vector<std::string> modes;
  for (const auto& mode : definition.modes) modes.push_back(fmt::format("{} ({}D)", mode.name, mode.dimension));
  std::vector<std::string> positive;
  for (const auto& entry : definition.admissible) positive.push_back(entry.target);
  std::vector<std::string> fields;
  for (const auto& entry : definition.fields) fields.push_back(entry.target);

  print_row("name", definition.name);
  print_row("description", definition.description);
  print_row("reference", definition.reference);
  print_row("dimensions", fmt::format("{}", fmt::join(definition.dimensions, ", ")));
  print_row("modes", fmt::format("{}", fmt::join(modes, ", ")));
  print_row("state", definition.state.text);
  print_row("primitive", definition.primitive ? definition.primitive->text : std::string());
  print_row("parameters", fmt::format("{}", fmt::join(parameters, ", ")));
  print_row("must stay positive", fmt::format("{}", fmt::join(positive, ", ")));
  print_row("fields", fmt::format("{}", fmt::join(fields, ", ")));
  print_row("numerical fluxes", fmt::format("{}", fmt::join(solver::flux_names(definition), ", ")));
  print_row("boundary conditions", fmt::format("{}", fmt::join(solver::condition_names(definition), ", ")));
}

int show_equations(const std::string& name) {
  if (name.empty()) {
    list_systems();
    return exit_status::done;
  }
  std::vector<std::string> known;
  for (const codegen::EmbeddedFile& file : solver::equation_files()) {
    if (system_name(file) == name) {
      describe_system(read_built_in(file));
      return exit_status::done;
    }
    known.push_back(system_name(file));
  }
  throw CommandLineError(
      fmt::format("there is no built-in system '{}': allowed are {}{}", name, fmt::join(known, ", "), codegen::did_you_mean(name, known)));
}

}  // namespace

void add_command_equations(CLI::App& program, Action& action) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("equations", "list the built-in systems, or all about one");
  command->add_option("NAME", *name, "name of a built-in system");
  command->callback([name, &action] { action = [name](const mesh::Communicator&) { return show_equations(*name); }; });
}

}  // namespace dgsolve::cli
