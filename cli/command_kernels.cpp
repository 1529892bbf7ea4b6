// dgsolve kernels: the generated kernels as a person can read them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "io/atomic_file.h"

namespace dgsolve::cli {
namespace {

struct KernelsOptions {
  SessionOptions session;
  std::filesystem::path folder;  ///< empty: standard output
};

/// File names by kernel; kernels of one name (one for each element class) are numbered.
std::vector<std::string> file_names(const std::vector<codegen::Kernel>& kernels, const std::string& suffix) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const codegen::Kernel& kernel : kernels) {
    const std::string& name = kernel.spec().name;
    const int number = ++seen[name];
    names.push_back(number == 1 ? name + suffix : fmt::format("{}_{}{}", name, number, suffix));
  }
  return names;
}

int write_kernels(const KernelsOptions& options) {
  const io::Config config = load_config(options.session);
  Engine engine = make_engine(config, options.session.verbosity);
  const Discretisation discretisation = discretise(config, engine);
  const std::vector<codegen::Kernel> kernels = discretisation.op->kernels();
  const auto names = file_names(kernels, engine.device.facts().backend == "cuda" ? ".cu" : ".cl");
  if (!options.folder.empty()) io::make_folder(options.folder);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (options.folder.empty()) {
      fmt::print("// ---- {}\n{}\n", names[i], kernels[i].text());
    } else {
      io::write_file_atomically(options.folder / names[i], kernels[i].text());
      fmt::print("{}\n", (options.folder / names[i]).string());
    }
  }
  return exit_status::done;
}

}  // namespace

void add_command_kernels(CLI::App& program, Action& action) {
  const auto options = std::make_shared<KernelsOptions>();
  CLI::App* command = program.add_subcommand("kernels", "write the generated kernels, readable, with what they were made from on top");
  add_session_options(*command, options->session);
  command->add_option("--to", options->folder, "one file per kernel in this folder (default: standard output)")->type_name("DIR");
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return write_kernels(*options); }; });
}

}  // namespace dgsolve::cli
