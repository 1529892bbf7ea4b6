// dgsolve converge: errors and observed orders on a family of meshes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/convergence.h"
#include "cli/exit_status.h"
#include "cli/json_report.h"
#include "io/atomic_file.h"

namespace dgsolve::cli {
namespace {

struct ConvergeOptions {
  SessionOptions session;
  int meshes = 3;
  std::vector<int> orders;  ///< empty: the configuration's
  std::filesystem::path json;
};

std::string order_text(const std::optional<double>& order) { return order ? fmt::format("{:6.2f}", *order) : std::string("     -"); }

void print_table(std::span<const ConvergenceRow> rows) {
  std::size_t width = 9;
  for (const solver::ErrorNorms& error : rows.front().errors) width = std::max(width, error.component.size());
  fmt::print("order {}\n{:>10} {:>10}  {:{}} {:>11} {:>6} {:>11} {:>6} {:>11} {:>6}\n", rows.front().order, "cells", "h", "component",
             width, "L1", "order", "L2", "order", "Linf", "order");
  for (const ConvergenceRow& row : rows) {
    for (std::size_t c = 0; c < row.errors.size(); ++c) {
      const std::string place = c == 0 ? fmt::format("{:10} {:10.3e}", row.cells, row.h) : std::string(21, ' ');
      const solver::ErrorNorms& error = row.errors[c];
      fmt::print("{}  {:{}} {:11.4e} {} {:11.4e} {} {:11.4e} {}\n", place, error.component, width, error.l1, order_text(row.observed[c].l1),
                 error.l2, order_text(row.observed[c].l2), error.linf, order_text(row.observed[c].linf));
    }
  }
  std::fflush(stdout);
}

int converge(const ConvergeOptions& options) {
  std::vector<int> orders = options.orders;
  if (orders.empty()) orders.push_back(load_config(options.session).problem.order);
  std::vector<io::Config> configs;
  for (const int order : orders) {  // all are read before the first runs
    SessionOptions session = options.session;
    session.overrides.push_back(fmt::format("order={}", order));
    configs.push_back(load_config(session));
  }
  Engine engine = make_engine(configs.front(), options.session.verbosity);
  std::vector<ConvergenceRow> all;
  for (const io::Config& config : configs) {
    const auto rows = measure_convergence(config, engine, options.meshes, options.session.verbosity);
    print_table(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  if (!options.json.empty()) io::write_file_atomically(options.json, json_of_convergence(all).text());
  return exit_status::done;
}

}  // namespace

void add_command_converge(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ConvergeOptions>();
  CLI::App* command = program.add_subcommand("converge", "errors and observed orders on meshes of halved cells");
  add_session_options(*command, options->session);
  command->add_option("--refine", options->meshes, "number of meshes, the given one first, each with cells of half the size")
      ->type_name("N")
      ->check(CLI::Range(1, 12))
      ->capture_default_str();
  command->add_option("--orders", options->orders, "polynomial orders, e.g. 1,2,3,4 (default: the configuration's)")
      ->type_name("LIST")
      ->delimiter(',');
  command->add_option("--json", options->json, "also write the table as JSON")->type_name("FILE");
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return converge(*options); }; });
}

}  // namespace dgsolve::cli
