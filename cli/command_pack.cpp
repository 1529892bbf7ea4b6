// dgsolve pack: the results of a run in one file that can be moved alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "io/vtkhdf.h"

namespace dgsolve::cli {
namespace {

struct PackOptions {
  std::filesystem::path series;
  std::filesystem::path target;  ///< empty: NAME-packed.vtkhdf beside the series
};

int pack(const PackOptions& options) {
  std::filesystem::path target = options.target;
  if (target.empty()) {
    target = options.series;
    target.replace_filename(options.series.stem().string() + "-packed" + options.series.extension().string());
  }
  if (!std::filesystem::is_regular_file(options.series))
    throw CommandLineError(fmt::format("{}: there is no such file", options.series.string()));
  io::pack_series(options.series, target);
  fmt::print("{}\n", target.string());
  return exit_status::done;
}

}  // namespace

void add_command_pack(CLI::App& program, Action& action) {
  const auto options = std::make_shared<PackOptions>();
  CLI::App* command = program.add_subcommand("pack", "put the results of a run into one self-contained file");
  command->add_option("FILE", options->series, "main file of the results, e.g. out/vortex.vtkhdf")->required();
  command->add_option("--to", options->target, "file to write (default: NAME-packed.vtkhdf beside FILE)")->type_name("FILE");
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return pack(*options); }; });
}

}  // namespace dgsolve::cli
