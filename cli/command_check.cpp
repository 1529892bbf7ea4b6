// dgsolve check: everything short of running, and what would run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/session.h"

namespace dgsolve::cli {
namespace {

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

void print_mesh(const mesh::Mesh& mesh) {
  std::map<mesh::Shape, std::size_t> counts;
  for (const mesh::Shape shape : mesh.shapes) ++counts[shape];
  std::vector<std::string> parts;
  for (const auto& [shape, count] : counts) parts.push_back(fmt::format("{} {}", count, mesh::shape_facts(shape).name));
  fmt::print("mesh        {}D, {} cells ({}), geometry of order {}\n", mesh.dimension, mesh.cell_count(), fmt::join(parts, ", "),
             mesh.geometry_order);
}

void print_boundaries(const io::Config& config) {
  std::vector<std::string> parts;
  for (const solver::BoundarySpec& row : config.problem.boundaries) parts.push_back(row.group + ": " + row.condition);
  fmt::print("boundaries  {}\n", parts.empty() ? std::string("none") : fmt::format("{}", fmt::join(parts, ", ")));
}

void print_kernel(const codegen::Kernel& kernel) {
  const auto [registers, spilled, shared, groups] = kernel.resources();
  const auto known = [](int value, std::string_view what) { return value < 0 ? std::string() : fmt::format(", {} {}", value, what); };
  const auto& group = kernel.spec().group_size;
  fmt::print("kernel      {} (group {}, vectors of {}{}{}{}{})\n", kernel.spec().name, group[0] * group[1] * group[2],
             kernel.spec().vector_width, known(registers, "registers"), known(spilled, "bytes spilled"), known(shared, "bytes shared"),
             known(groups, "groups at once on a unit"));
}

int check(const SessionOptions& options) {
  const io::Config config = load_config(options);
  Engine engine = make_engine(config, Verbosity::quiet);
  const Discretisation discretisation = discretise(config, engine);
  solver::DgOperator& op = *discretisation.op;
  set_initial_state(op, config);

  const solver::MemoryUse memory = op.memory();
  fmt::print("equations   {}: {}\n", op.system().name(), fmt::join(op.system().component_names(), ", "));
  print_mesh(op.mesh());
  print_boundaries(config);
  fmt::print("elements    order {}, {} DOF, flux {}, {} precision\n", config.problem.order, op.dof_count(), config.problem.flux,
             config.problem.precision == codegen::Precision::double_precision ? "double" : "single");
  const double step = config.time.step.value_or(config.time.cfl * op.stable_step(config.time.start));
  fmt::print("time        {} from {} to {}, first step {:.4g}\n", op.method().name, config.time.start, config.time.end, step);
  fmt::print("memory      {:.1f} MiB: state {:.1f}, geometry {:.1f}, connectivity {:.1f}, other {:.1f}\n",
             mebibytes(memory.state + memory.geometry + memory.connectivity + memory.other), mebibytes(memory.state),
             mebibytes(memory.geometry), mebibytes(memory.connectivity), mebibytes(memory.other));
  fmt::print("device      {}\n", describe_device(engine.device.facts()));
  fmt::print("variants    {} (by {})\n", codegen::describe(op.choices()), op.choice_origin());
  for (const codegen::Kernel& kernel : op.kernels()) print_kernel(kernel);
  if (options.verbosity == Verbosity::verbose) fmt::print("{}\n", describe_cache(*engine.cache));
  return exit_status::done;
}

}  // namespace

void add_command_check(CLI::App& program, Action& action) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App* command = program.add_subcommand("check", "everything short of running: configuration, mesh, kernels; prints what would run");
  add_session_options(*command, *options);
  command->callback([options, &action] { action = [options](const mesh::Communicator&) { return check(*options); }; });
}

}  // namespace dgsolve::cli
