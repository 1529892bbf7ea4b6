// dgsolve precompile: fills the cache for GPUs that are not there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"
#include "codegen/errors.h"
#include "codegen/nearest.h"
#include "codegen/offline_device.h"

namespace dgsolve::cli {
namespace {

struct PrecompileOptions {
  SessionOptions session;
  std::string architectures;  ///< "sm_80,sm_90"
};

/// Asks the operator for everything that a run of the configuration asks for, so that it builds the kernels of a run.
void ask_for_everything(solver::DgOperator& op, const io::Config& config) {
  const double time = config.time.start;
  op.set_initial(time);
  (void)op.fault(time);
  (void)op.stable_step(time);
  (void)op.evaluate(config.output_fields, time);
  for (const io::MonitorSpec& monitor : config.monitors) {
    if (monitor.kind == io::MonitorSpec::Kind::at) {
      (void)op.evaluate(monitor.fields, time);
    } else {
      (void)op.integrals(monitor.fields, time);
    }
  }
  (void)op.error_norms(time);
}

std::vector<std::string> split_architectures(const std::string& text) {
  const std::vector<std::string> known = codegen::offline_cuda_architectures();
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw CommandLineError(
          fmt::format("--arch: found '{}', allowed: {}{}", name, fmt::join(known, ", "), codegen::did_you_mean(name, known)));
    }
    names.push_back(std::move(name));
  }
  return names;
}

/// GPUs with shipped records of tuning: their kernels are those of the records.
struct GpuRow {
  std::string_view architecture, name;
};
constexpr std::array<GpuRow, 1> known_gpus{{{"sm_90", "NVIDIA H200"}}};

/// Devices whose kernels a run on the architecture may want: as the rules choose, as the records of known GPUs and of the given one do.
std::vector<codegen::Device> devices_of(const std::string& architecture, const std::string& gpu) {
  std::vector<codegen::Device> devices{codegen::make_offline_cuda_device(architecture)};
  for (const GpuRow& row : known_gpus) {
    if (row.architecture == architecture && row.name != gpu) devices.push_back(codegen::make_offline_cuda_device(architecture, row.name));
  }
  if (!gpu.empty()) devices.push_back(codegen::make_offline_cuda_device(architecture, gpu));
  return devices;
}

int precompile(const PrecompileOptions& options) {
  const std::vector<std::string> architectures = split_architectures(options.architectures);
  const io::Config config = load_config(options.session);
  std::string folder;
  for (const std::string& architecture : architectures) {
    codegen::CacheCounters counters;
    std::set<std::string> texts;
    for (codegen::Device& device : devices_of(architecture, options.session.device)) {
      Engine engine = make_engine(config, std::move(device), options.session.verbosity);
      folder = engine.cache->folder().string();
      if (folder.empty()) throw codegen::DeviceError("there is no kernel cache folder that can be used");
      const Discretisation discretisation = discretise(config, engine);
      ask_for_everything(*discretisation.op, config);
      for (const codegen::Kernel& kernel : discretisation.op->kernels()) texts.insert(kernel.text());
      const codegen::CacheCounters found = engine.cache->counters();
      if (found.write_failures > 0) throw codegen::DeviceError(engine.cache->warning());
      counters.compiles += found.compiles;
      counters.compile_milliseconds += found.compile_milliseconds;
    }
    fmt::print("{}: {} kernels, {} compiled in {:.2f} s, {} found\n", architecture, texts.size(), counters.compiles,
               counters.compile_milliseconds * 1e-3, static_cast<std::int64_t>(texts.size()) - counters.compiles);
  }
  if (options.session.verbosity != Verbosity::quiet) fmt::print(stderr, "dgsolve: kernels in {}\n", folder);
  return exit_status::done;
}

}  // namespace

void add_command_precompile(CLI::App& program, Action& action) {
  const auto options = std::make_shared<PrecompileOptions>();
  CLI::App* command =
      program.add_subcommand("precompile", "compile a configuration's kernels for CUDA architectures into the cache; needs no GPU");
  add_session_options(*command, options->session);
  command->get_option("--device")->description("the GPU's name as its driver says it, for records of tuning that go by it");
  command->add_option("--arch", options->architectures, "architectures, separated by commas: sm_80,sm_90")->required()->type_name("LIST");
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return precompile(*options); }; });
}

}  // namespace dgsolve::cli
