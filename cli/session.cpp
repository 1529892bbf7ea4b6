// From a configuration to a discretisation on a device.
#include "cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <thread>
#include <variant>

#include "cli/stage_timing.h"
#include "codegen/environment.h"
#include "codegen/profile.h"
#include "mesh/describe.h"
#include "mesh/part_transfer.h"
#include "mesh/refine.h"
#include "solver/kernels/stage.h"

namespace dgsolve::cli {
namespace {

/// Says what is new of the cache's warnings.
void warn_of_cache(Engine& engine) {
  const std::string warning = engine.cache->warning();
  if (warning == engine.warned || !engine.ranks.is_root()) return;
  fmt::print(stderr, "dgsolve: warning: {}\n", warning.substr(engine.warned.empty() ? 0 : engine.warned.size() + 1));
  engine.warned = warning;
}

/// Says what the choice of the exchange had to say, and (verbose) how it went.
void report_exchange(const solver::DgOperator& op, const Engine& engine) {
  if (!engine.ranks.is_root() || engine.ranks.alone()) return;
  for (const std::string& warning : op.exchange_warnings()) fmt::print(stderr, "dgsolve: warning: {}\n", warning);
  if (engine.verbosity == Verbosity::verbose) fmt::print(stderr, "dgsolve: exchange between ranks: {}\n", op.exchange());
}

/// The cache of a configuration: its folders, else those of the environment.
std::unique_ptr<codegen::Cache> make_cache(const io::Config& config) {
  codegen::CacheOptions options = codegen::Cache::default_options();
  if (!config.cache.folder.empty()) options.folder = config.cache.folder;
  if (!config.cache.shared.empty()) options.shared = config.cache.shared;
  options.most_bytes = config.cache.most_bytes;
  return std::make_unique<codegen::Cache>(std::move(options));
}

/// PoCL starts a thread for each core that it sees; ranks whom the launcher has not bound to cores of their own get their share.
void share_cores(const mesh::Communicator& ranks) {
  if (ranks.node_size() == 1) return;
  const auto all = static_cast<unsigned int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  const unsigned int allowed = std::max(1U, std::thread::hardware_concurrency());
  const unsigned int own = allowed < all ? allowed : std::max(1U, all / static_cast<unsigned int>(ranks.node_size()));
  codegen::set_environment_default("POCL_MAX_PTHREAD_COUNT", std::to_string(own));
}

/// The chosen device; where only its kind is chosen and there are several GPUs of it, the ranks of a node take them in turn.
codegen::Device device_of_rank(const io::Config& config, const mesh::Communicator& ranks) {
  codegen::Device device = codegen::select_device(config.device, config.cache.folder);
  if (ranks.node_size() == 1 || device.facts().backend != "cuda" || (config.device != "auto" && config.device != "cuda")) return device;
  std::vector<codegen::Device> gpus;
  for (const codegen::Device& found : codegen::discover_devices(config.cache.folder).devices) {
    if (found.facts().backend == "cuda") gpus.push_back(found);
  }
  return gpus[static_cast<std::size_t>(ranks.node_rank()) % gpus.size()];
}

}  // namespace

void add_session_options(CLI::App& command, SessionOptions& options) {
  command.add_option("CONFIG", options.config, "configuration file (YAML)")->required();
  command.add_option("--set", options.overrides, "override a value of the configuration: key.path=value (may be repeated)")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("--device", options.device, "auto, cuda, cuda:1, opencl, or part of a device's name (see: dgsolve devices)")
      ->type_name("NAME");
  auto* verbose = command.add_flag(
      "-v,--verbose", [&options](std::int64_t) { options.verbosity = Verbosity::verbose; }, "say more");
  command
      .add_flag(
          "--quiet", [&options](std::int64_t) { options.verbosity = Verbosity::quiet; }, "say nothing but results and errors")
      ->excludes(verbose);
}

void add_profile_option(CLI::App& command, SessionOptions& options) {
  command.add_flag("--profile", options.profile, "print a table of the kernels: calls, time, GB/s, share of the device's measured limits");
}

void print_profile(solver::DgOperator& op, Engine& engine) {
  const std::vector<codegen::ProfileRow> rows = codegen::stop_profile(op.queue());
  if (engine.ranks.is_root()) fmt::print("{}", codegen::profile_table(rows, codegen::device_limits(engine.device, *engine.cache)));
}

io::Config load_config(const SessionOptions& options) {
  io::Config config = io::read_config(options.config, options.overrides);
  if (!options.device.empty()) config.device = options.device;
  if (!options.output.empty()) config.output_directory = options.output;
  return config;
}

std::string describe_device(const codegen::DeviceFacts& facts) {
  const std::string architecture = facts.is_cpu || facts.architecture.empty() ? std::string() : fmt::format(", {}", facts.architecture);
  return fmt::format("{} ({}{})", facts.selector, facts.name, architecture);
}

std::string describe_cache(const codegen::Cache& cache) {
  const codegen::CacheCounters counters = cache.counters();
  return fmt::format(
      "kernel cache {}: {} found ({} in memory, {} in the folder, {} shared), {} compiled in {:.3g} s, {} damaged, {} removed for space",
      cache.folder().empty() ? std::string("in memory") : cache.folder().string(), counters.hits, counters.memory_hits, counters.user_hits,
      counters.shared_hits, counters.compiles, counters.compile_milliseconds * 1e-3, counters.corrupt, counters.evictions);
}

Engine make_engine(const io::Config& config, codegen::Device device, Verbosity verbosity, const mesh::Communicator& ranks) {
  auto cache = make_cache(config);
  auto records = std::make_unique<codegen::TuningRecords>(cache->folder().empty() ? cache->folder() : cache->folder() / "tuning",
                                                          solver::shipped_tuning_records());
  Engine engine{std::move(device), std::move(cache), std::move(records), ranks, ranks.is_root() ? verbosity : Verbosity::quiet};
  warn_of_cache(engine);
  return engine;
}

Engine make_engine(const io::Config& config, Verbosity verbosity, const mesh::Communicator& ranks) {
  share_cores(ranks);
  codegen::Device device = device_of_rank(config, ranks);
  if (verbosity != Verbosity::quiet && ranks.is_root()) {
    const std::string on = ranks.alone() ? std::string() : fmt::format(" on each of {} ranks", ranks.size());
    fmt::print(stderr, "dgsolve: device {}{}\n", describe_device(device.facts()), on);
  }
  return make_engine(config, std::move(device), verbosity, ranks);
}

mesh::MeshPart make_mesh(const io::Config& config, const mesh::Communicator& ranks, int refinements) {
  if (const auto* box = std::get_if<mesh::BoxOptions>(&config.mesh)) {
    mesh::BoxOptions refined = *box;
    for (std::size_t k = 0; k < static_cast<std::size_t>(refined.dimension); ++k) refined.cells[k] <<= refinements;
    return mesh::make_parts(ranks, [&] { return mesh::mesh_box_part(refined, ranks.rank(), ranks.size()); });
  }
  const auto& file = std::get<io::MeshFile>(config.mesh);
  return mesh::distribute_mesh(ranks, [&] {
    mesh::Mesh whole = mesh::read_gmsh(file.path, file.options);
    for (int i = 0; i < refinements; ++i) whole = mesh::refine_uniformly(whole);
    return whole;
  });
}

std::optional<solver::DgOperator::Tuned> tune_stages(solver::DgOperator& op, const io::Config& config, Engine& engine,
                                                     solver::DgOperator::TuneWhich which) {
  codegen::TuningOptions options;
  if (engine.verbosity != Verbosity::quiet)
    options.progress = [](const std::string& line) { fmt::print(stderr, "dgsolve: tuning: {}\n", line); };
  auto tuned = op.tune(config.time.start, first_step(op, config), stage_traffic(op).total(), options, which);
  if (tuned) engine.records->add(tuned->record);
  return tuned;
}

Discretisation discretise(const io::Config& config, Engine& engine, int refinements) {
  Discretisation result;
  result.part = std::make_unique<const mesh::MeshPart>(make_mesh(config, engine.ranks, refinements));
  codegen::TuningRecords* records = config.tune == "off" || config.tune == "force" ? nullptr : engine.records.get();
  result.op = std::make_unique<solver::DgOperator>(*result.part, config.problem, engine.device, engine.cache.get(), records, engine.ranks);
  warn_of_cache(engine);
  report_exchange(*result.op, engine);
  return result;
}

void set_initial_state(solver::DgOperator& op, const io::Config& config) {
  op.set_initial(config.time.start);
  const auto fault = op.fault(config.time.start);
  if (!fault) return;
  throw io::ConfigError(fmt::format("{}: initial: {} is {} ({:.6g}) at {} in element {}; the initial state must be finite and admissible",
                                    config.path.string(), fault->quantity, fault->what, fault->value,
                                    mesh::format_point(fault->position, op.mesh().dimension), fault->element));
}

void tune_if_asked(solver::DgOperator& op, const io::Config& config, Engine& engine) {
  using Which = solver::DgOperator::TuneWhich;
  if (config.tune == "on" || config.tune == "force") tune_stages(op, config, engine, config.tune == "on" ? Which::unrecorded : Which::all);
}

void report_variants(const solver::DgOperator& op, const Engine& engine) {
  if (engine.verbosity != Verbosity::verbose) return;
  fmt::print(stderr, "dgsolve: variants {} (by {})\n", codegen::describe(op.choices()), op.choice_origin());
}

}  // namespace dgsolve::cli
