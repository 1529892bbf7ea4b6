// Specs of the pointwise kernels.
#include "solver/kernels/pointwise.h"

#include <fmt/format.h>

#include "solver/kernels/stage.h"

namespace dgsolve::solver {
namespace {

using codegen::ArgumentSpec;
using codegen::ArgumentType;
using codegen::Intent;
using codegen::KernelSpec;
using codegen::Precision;

ArgumentSpec reals(std::string name, std::string shape, Intent intent = Intent::in) {
  return {std::move(name), ArgumentType::real_buffer, intent, std::move(shape)};
}
ArgumentSpec number(std::string name, std::string meaning) {
  return {std::move(name), ArgumentType::int32, Intent::in, std::move(meaning)};
}
ArgumentSpec state_in() { return reals("state", "[block][variable][node][W]"); }
ArgumentSpec points_in() { return reals("node_points", "[block of class][k][node][W]"); }
ArgumentSpec metric_in() { return reals("metric", "[block of class][d][k][W] or [block of class][d, k; 1/J][node][W]"); }
ArgumentSpec clock_in() { return reals("clock", "[t, dt]"); }
ArgumentSpec first_block() { return number("first_block", "of the class in the state"); }
ArgumentSpec block_count() { return number("block_count", "of the class"); }

KernelSpec base(const PointwiseTraits& traits, const std::string& name, const std::string& physics) {
  KernelSpec spec;
  spec.name = name;
  spec.source_name = name + ".kernel.h";
  spec.source = kernel_file(spec.source_name);
  spec.precision = traits.precision;
  spec.vector_width = traits.width;
  spec.group_size = {traits.group_size(), 1, 1};
  if (!physics.empty()) {
    spec.includes = {{"physics", physics}};
    spec.constants = {{"NVAR", std::int64_t{traits.variables}}};
  }
  spec.constants["DIM"] = std::int64_t{traits.element->dimension};
  spec.constants["NP"] = std::int64_t{traits.element->node_count};
  spec.constants["GROUP_SIZE"] = std::int64_t{traits.group_size()};
  return spec;
}

std::size_t real_bytes(Precision precision) { return precision == Precision::double_precision ? 8 : 4; }

}  // namespace

double rate_bad(Precision precision) { return precision == Precision::double_precision ? 1e300 : 1e37; }

KernelSpec initial_kernel_spec(const PointwiseTraits& traits, const std::string& physics) {
  KernelSpec spec = base(traits, "initial", physics);
  spec.constants["INSET"] = traits.precision == Precision::double_precision ? 1e-12 : 1e-5;
  spec.arguments = {points_in(), clock_in(), reals("state", "[block][variable][node][W]", Intent::out), first_block()};
  return spec;
}

KernelSpec rate_kernel_spec(const PointwiseTraits& traits, const RateOptions& options) {
  KernelSpec spec = base(traits, "rate", options.physics);
  spec.constants["AFFINE"] = std::int64_t{traits.affine};
  spec.constants["NODE_POSITION"] = std::int64_t{options.node_position};
  spec.constants["ADMISSIBLE"] = std::int64_t{options.admissible};
  spec.constants["DIRECTION_COUNT"] = static_cast<std::int64_t>(options.directions.size());
  spec.constants["BAD"] = rate_bad(traits.precision);
  spec.constants["VISCOUS"] = std::int64_t{options.diffusion > 0};
  spec.constants["DIFFUSION"] = options.diffusion;
  std::string table;
  for (const auto& direction : options.directions) {
    for (int d = 0; d < traits.element->dimension; ++d) {
      table += fmt::format("{}REAL({:.17g})", table.empty() ? "" : ", ", direction[static_cast<std::size_t>(d)]);
    }
  }
  spec.includes["directions"] = fmt::format("CONSTANT real DIRECTIONS[DIRECTION_COUNT * DIM] = {{{}}};\n", table);
  spec.shared_bytes = static_cast<std::size_t>(traits.group_size()) * real_bytes(traits.precision);
  spec.arguments = {state_in(), metric_in()};
  if (options.node_position) spec.arguments.push_back(points_in());
  for (ArgumentSpec argument :
       {clock_in(), reals("rates", "[results]", Intent::out), number("first_result", "of this launch"), first_block(), block_count()}) {
    spec.arguments.push_back(std::move(argument));
  }
  return spec;
}

KernelSpec advance_kernel_spec(Precision precision, int group_size) {
  const std::string real = precision == Precision::double_precision ? "double" : "float";
  const auto typed = [](std::string name, const std::string& element, std::string shape, Intent intent) {
    return ArgumentSpec{std::move(name), ArgumentType::typed_buffer, intent, std::move(shape), element};
  };
  KernelSpec spec;
  spec.name = "advance";
  spec.source_name = "advance.kernel.h";
  spec.source = kernel_file(spec.source_name);
  spec.precision = Precision::double_precision;
  spec.group_size = {group_size, 1, 1};
  spec.shared_bytes = static_cast<std::size_t>(group_size) * sizeof(double);
  spec.constants = {{"GROUP_SIZE", std::int64_t{group_size}}, {"BAD", 0.99 * rate_bad(precision)}};
  spec.arguments = {typed("rates", real, "[results]", Intent::in),
                    number("rate_count", "results"),
                    typed("plan", "double", "[limit, cfl, step, smallest, stable constant]", Intent::in),
                    typed("progress", "double", "[t, dt, steps, ended]", Intent::in_out),
                    typed("clock", real, "[t, dt]", Intent::out),
                    typed("rate_clock", real, "[t, dt]", Intent::out)};
  return spec;
}

KernelSpec fields_kernel_spec(const PointwiseTraits& traits, const std::string& physics, int components) {
  KernelSpec spec = base(traits, "fields", physics);
  spec.constants["COMPONENTS"] = std::int64_t{components};
  spec.arguments = {state_in(), points_in(), clock_in(), reals("fields", "[block][component][node][W]", Intent::out)};
  spec.arguments.push_back(number("first_block", "of the launch in the state"));
  spec.arguments.push_back(number("first_output", "block of the launch in the fields"));
  return spec;
}

KernelSpec element_sums_kernel_spec(const PointwiseTraits& traits, int components) {
  KernelSpec spec = base(traits, "element_sums", "");
  spec.constants["COMPONENTS"] = std::int64_t{components};
  spec.constants["AFFINE"] = std::int64_t{traits.affine};
  spec.arguments = {reals("fields", "[block][component][node][W]"), reals("weights", "[node]")};
  if (!traits.affine) spec.arguments.push_back(metric_in());
  spec.arguments.push_back(reals("sums", "[block][component][integral, min, max][W]", Intent::out));
  spec.arguments.push_back(first_block());
  spec.arguments.push_back(block_count());
  return spec;
}

KernelSpec error_norms_kernel_spec(const PointwiseTraits& traits, const std::string& physics, int points) {
  KernelSpec spec = base(traits, "error_norms", physics);
  spec.constants["POINTS"] = std::int64_t{points};
  spec.constants["AFFINE"] = std::int64_t{traits.affine};
  spec.shared_bytes = static_cast<std::size_t>(traits.group_size() * 3 * traits.variables * traits.width) * real_bytes(traits.precision);
  spec.arguments = {state_in(), points_in()};
  if (!traits.affine) spec.arguments.push_back(metric_in());
  for (ArgumentSpec argument : {reals("interpolation", "[point][node]"), reals("weights", "[point]"), clock_in(),
                                reals("norms", "[block][l1, l2^2, linf][variable][W]", Intent::out), first_block()}) {
    spec.arguments.push_back(std::move(argument));
  }
  return spec;
}

KernelSpec faults_kernel_spec(const PointwiseTraits& traits, const std::string& physics, bool admissible) {
  KernelSpec spec = base(traits, "faults", physics);
  spec.constants["ADMISSIBLE"] = std::int64_t{admissible};
  spec.arguments = {state_in(),    points_in(),  clock_in(), {"bad_nodes", ArgumentType::int32_buffer, Intent::out, "[block][W]"},
                    first_block(), block_count()};
  return spec;
}

}  // namespace dgsolve::solver
