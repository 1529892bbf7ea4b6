// Specs of the fused stage kernels: arguments, constants, what a tuner may vary; generated physics.
#include "solver/kernels/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "solver/class_data.h"
#include "solver/kernels/files.h"
#include "solver/kernels/stage_mapping.h"

namespace dgsolve::solver {
namespace {

using codegen::ArgumentSpec;
using codegen::ArgumentType;
using codegen::Intent;
using codegen::KernelSpec;

/// Arguments of every stage kernel, in launch order (DgOperator passes them in the same order).
std::vector<ArgumentSpec> stage_arguments(const Work& work, const UpdateCode& update, bool lines, bool matrix) {
  const PhysicsText& physics = *work.traits.physics;
  std::vector<ArgumentSpec> list{{"state", ArgumentType::real_buffer, Intent::in, "[block][variable][node][W]"}};
  if (work.traits.gradient_values > 0) {
    list.push_back({"gradients", ArgumentType::real_buffer, Intent::in, "[block][value][node][W]"});
    if (work.gauss) list.push_back({"gradient_traces", ArgumentType::real_buffer, Intent::in, "[block][value][face point][W]"});
  }
  if (work.gauss) {
    list.push_back({"traces", ArgumentType::real_buffer, Intent::in, "[block][variable][face point][W]"});
    list.push_back({"new_traces", ArgumentType::real_buffer, Intent::out, "[block][variable][face point][W]"});
  }
  list.push_back({"links", ArgumentType::int32_buffer, Intent::in, "[block][face][slot, code][W]"});
  if (work.traits.width > 1) list.push_back({"kinds", ArgumentType::int32_buffer, Intent::in, "[block][face][kind, A]"});
  if (work.traits.width > 1 || work.element.dense()) list.push_back({"points", ArgumentType::int32_buffer, Intent::in, "[face][8][m]"});
  if (!lines || work.traits.group->affine) {  // else from the metric terms
    list.push_back({"faces", ArgumentType::real_buffer, Intent::in, "[block][face][normal, signed scale][m or 1][W]"});
  }
  if (physics.face_position || work.traits.group->boundary) {
    list.push_back({"face_points", ArgumentType::real_buffer, Intent::in, "[block][face][k][m][W]"});
  }
  list.push_back({"metric", ArgumentType::real_buffer, Intent::in, "[block][d][k][W] or [block][d, k; 1/J][node][W]"});
  if (physics.node_position) list.push_back({"node_points", ArgumentType::real_buffer, Intent::in, "[block][k][node][W]"});
  if (matrix) {
    list.push_back({"fragments", ArgumentType::typed_buffer, Intent::in, "see class_data.h", "double"});
  } else {
    list.push_back({"operators", ArgumentType::real_buffer, Intent::in, "see class_data.h"});
  }
  list.push_back({"clock", ArgumentType::real_buffer, Intent::in, "[t, dt]"});
  list.push_back({"stage_time", ArgumentType::real, Intent::in, "c of the stage"});
  list.push_back({work.traits.width > 1 ? "first_block" : "first_slot", ArgumentType::int32, Intent::in, "of the class in the state"});
  list.push_back({work.traits.width > 1 ? "block_count" : "element_count", ArgumentType::int32, Intent::in, "of the class"});
  const auto tail = update.arguments();
  list.insert(list.end(), tail.begin(), tail.end());
  return list;
}

/// `same`: the kernel knows no other values than those that it computes.
void common_constants(const Work& work, KernelSpec& spec, bool same) {
  const PhysicsText& physics = *work.traits.physics;
  const StageTraits& traits = work.traits;
  spec.constants["NVAR"] = std::int64_t{traits.read_values()};
  if (!same) {
    spec.constants["NSTATE"] = std::int64_t{traits.reads_other_values() ? traits.state_values : traits.variables};
    spec.constants["NOUT"] = std::int64_t{traits.variables};
  }
  spec.constants["DIM"] = std::int64_t{work.element.dimension};
  spec.constants["NP"] = std::int64_t{work.element.node_count};
  spec.constants["NFP"] = std::int64_t{work.element.face_node_count};
  spec.constants["AFFINE"] = std::int64_t{work.traits.group->affine};
  spec.constants["BOUNDARY"] = std::int64_t{work.traits.group->boundary};
  spec.constants["SOURCE"] = std::int64_t{physics.source};
  spec.constants["NODE_POSITION"] = std::int64_t{physics.node_position};
  spec.constants["FACE_POSITION"] = std::int64_t{physics.face_position || work.traits.group->boundary};
  if (work.element.dense()) {
    spec.constants["NFACE"] = std::int64_t{work.element.face_count};
  } else {
    spec.constants["N"] = std::int64_t{work.element.order + 1};
    spec.constants["GAUSS"] = std::int64_t{work.gauss};
  }
}

Work work_of(const StageTraits& traits, codegen::TuningPoint& choices) {
  return {traits, choices, *traits.element, traits.element->tensor && !traits.element->nodes_on_faces,
          traits.precision == codegen::Precision::double_precision ? 8 : 4};
}

/// Nodes over threads, tensor shapes: one thread a node (fewer where a group would be too large), groups of about 64 threads.
void map_tensor_nodes(const Work& work, StageKernelSpec& kernel) {
  const std::int64_t nodes = work.element.node_count;
  const std::int64_t variables = work.traits.variables;
  const std::int64_t limit = static_cast<std::int64_t>(work.traits.shared_limit) / work.real_bytes;
  const std::int64_t n = work.element.order + 1;
  std::int64_t chunks = 1;
  while ((nodes + chunks - 1) / chunks > std::min(work.traits.max_group_size, 1024)) ++chunks;
  const std::int64_t threads = (nodes + chunks - 1) / chunks;
  std::int64_t elements = choice(work, "elements", std::max<std::int64_t>(1, 64 / threads));
  std::int64_t directions = choice(work, "staged_directions", work.element.dimension);
  const bool expensive = has_expensive_flux(work);
  std::int64_t staged_variables = variables;
  bool staged_faces = work.gauss || choice(work, "staged_faces", expensive) != 0;
  if (elements * threads > work.traits.max_group_size) {
    throw std::invalid_argument(
        fmt::format("elements: {} of {} threads are more than a group's {}", elements, threads, work.traits.max_group_size));
  }
  const auto stage_reals = [&] {
    const std::int64_t faces = staged_faces ? variables * work.element.face_count * work.element.face_node_count : 0;
    return directions * staged_variables * nodes + faces;
  };
  const auto fits = [&] { return n * n + elements * stage_reals() <= limit; };
  while (elements > 1 && !fits()) --elements;
  while (directions > 1 && !fits()) --directions;
  while (staged_variables > 1 && !fits()) --staged_variables;
  KernelSpec& spec = kernel.spec;
  spec.constants["ELEMENTS"] = elements;
  spec.constants["THREADS"] = threads;
  spec.constants["STAGED_DIRECTIONS"] = directions;
  spec.constants["STAGED_VARIABLES"] = staged_variables;
  spec.constants["STAGED_FACES"] = std::int64_t{staged_faces};
  spec.constants["STAGE_REALS"] = stage_reals();
  spec.constants["SHARED_REALS"] = n * n + elements * stage_reals();
  spec.shared_bytes = static_cast<std::size_t>((n * n + elements * stage_reals()) * work.real_bytes);
  spec.group_size = {static_cast<int>(elements * threads), 1, 1};
  std::int64_t registers = expensive ? 72 : 48;
  if (work.traits.reads_other_values())
    registers = registers_for_values(work, work.traits.read_values() + variables * (work.element.dimension + 1));
  spec.min_groups_per_unit = static_cast<int>(choice(work, "min_groups", groups_for_registers(elements * threads, registers)));
  kernel.elements_per_group = static_cast<int>(elements);
}

/// Elements as lanes: a group is one work-item that advances enough blocks to hide the cost of a group.
void map_lanes(const Work& work, StageKernelSpec& kernel) {
  const int values = work.element.node_count * work.traits.variables;
  kernel.blocks_per_group = static_cast<int>(choice(work, "blocks", std::max(1, 512 / values)));
  kernel.spec.constants["BLOCKS"] = std::int64_t{kernel.blocks_per_group};
  kernel.spec.constants["STREAM"] = choice(work, "stream", work.traits.large ? 1 : 0);
  kernel.spec.constants["CONDITIONS"] = std::int64_t{work.traits.physics->conditions};
  if (work.element.dense()) kernel.spec.constants["ROWS"] = std::int64_t{simplex_rows};
}

}  // namespace

std::int64_t choice(const Work& work, const std::string& name, std::int64_t by_rule) {
  const auto found = work.traits.variant.find(name);
  return work.choices[name] = found == work.traits.variant.end() ? by_rule : found->second;
}

int groups_for_registers(std::int64_t group_threads, std::int64_t registers) {
  const double warps = static_cast<double>((group_threads + 31) / 32);
  return std::clamp(static_cast<int>(65536.0 / (static_cast<double>(registers) * 32 * warps) + 0.4), 1, 32);
}

std::vector<std::int64_t> tuned_residencies() { return {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32}; }

bool is_residency_worth_trying(std::int64_t group_threads, std::int64_t groups) {
  const std::int64_t threads = (group_threads + 31) / 32 * 32;
  const std::int64_t resident = threads * groups;
  return threads <= 1024 && resident <= 2048 && resident * 168 >= 65536;
}

std::vector<std::string> stage_variant_names() {
  return {"lines",
          "in_order",
          "rolled",
          "elements",
          "min_groups",
          "staged_faces",
          "staged_directions",
          "teams",
          "elements_per_thread",
          "unroll_columns",
          "matrix_units",
          "lane_elements",
          "pair_warps",
          "node_warps",
          "gather",
          "blocks",
          "stream"};
}

codegen::TuningSpace stage_tuning_space(const StageTraits& traits) {
  const ReferenceElement& element = *traits.element;
  codegen::TuningSpace space;
  if (traits.width > 1) {
    space.parameters = {{"blocks", {1, 2, 4, 8, 16, 32, 64}}, {"stream", {0, 1}}};
    return space;
  }
  codegen::TuningPoint choices;
  const Work work = work_of(traits, choices);
  if (element.dense()) return simplex_tuning_space(work);
  const bool by_lines = can_map_tensor_lines(work);
  const std::int64_t nodes = std::min<std::int64_t>(element.node_count, 1024);
  const std::int64_t lines = by_lines ? element.node_count / (element.order + 1) : nodes;
  const std::int64_t longest = std::min<std::int64_t>(traits.max_group_size, 512);
  std::vector<std::int64_t> together, directions;
  for (std::int64_t count = 1; count == 1 || count * lines <= longest; count *= 2) together.push_back(count);
  if (by_lines) together.push_back(elements_for_lines(work));
  std::sort(together.begin(), together.end());
  together.erase(std::unique(together.begin(), together.end()), together.end());
  for (std::int64_t d = element.dimension; d >= 1; d -= 2) directions.push_back(d);
  const std::vector<std::int64_t> both{0, 1}, one{1}, none{0};
  space.parameters = {{"lines", by_lines ? both : none},         {"in_order", by_lines ? both : none},
                      {"rolled", by_lines ? both : none},        {"elements", together},
                      {"staged_faces", work.gauss ? one : both}, {"staged_directions", directions},
                      {"min_groups", tuned_residencies()}};
  const bool power_of_two = ((element.order + 1) & element.order) == 0;
  const std::int64_t dimension = element.dimension;
  space.allowed = [=](const codegen::TuningPoint& point) {
    const std::int64_t elements = point.at("elements"), groups = point.at("min_groups");
    if (point.at("lines") != 0) {
      // What only the other mapping knows stays at one value; between 96 and 255 registers a thread.
      const std::int64_t threads = (elements * lines + 31) / 32 * 32;
      return point.at("staged_faces") == 1 && point.at("staged_directions") == dimension && threads <= 512 &&
             (point.at("in_order") == 0 || !power_of_two) && threads * groups >= 256 && threads * groups * 96 <= 65536;
    }
    return point.at("in_order") == 0 && point.at("rolled") == 0 && is_residency_worth_trying(elements * nodes, groups);
  };
  return space;
}

std::string kernel_file(std::string_view name) {
  for (const codegen::EmbeddedFile& file : kernel_files()) {
    if (file.name == name) return std::string(file.content);
  }
  throw std::logic_error(fmt::format("no embedded kernel file '{}'", name));
}

PhysicsText stage_physics(const EquationSystem& system, int conditions, codegen::Precision precision) {
  PhysicsText physics;
  physics.conditions = conditions;
  physics.source = system.has_source();
  const auto add = [&](const PhysicsFunction& function) {
    physics.text += function.code;
    physics.text += "\n";
    return function.uses_position;
  };
  physics.node_position = add(system.flux_along(precision));
  const PhysicsFunction numerical_flux = system.numerical_flux(precision);
  physics.face_position = add(numerical_flux);
  physics.flux_operations = system.operation_count(numerical_flux);
  if (physics.source) physics.node_position = add(system.source(precision)) || physics.node_position;
  add(system.boundary_state(precision));
  // The step limit reads the same coordinates.
  physics.node_position = physics.node_position || system.max_wave_speed(precision).uses_position;
  if (!system.admissible_names().empty()) physics.node_position = physics.node_position || system.admissible(precision).uses_position;
  if (system.gradient_count() > 0) {
    physics.node_position =
        physics.node_position || system.diffusivity(precision).uses_position || system.gradient_flux_along(precision).uses_position;
    physics.face_position = physics.face_position || system.gradient_numerical_flux(precision).uses_position;
  }
  return physics;
}

PhysicsText gradient_physics(const EquationSystem& system, int conditions, codegen::Precision precision) {
  const PhysicsFunction along = system.gradient_flux_along(precision), flux = system.gradient_numerical_flux(precision);
  PhysicsText physics;
  physics.conditions = conditions;
  physics.node_position = along.uses_position;
  physics.face_position = flux.uses_position;
  physics.flux_operations = system.operation_count(flux);
  physics.text = along.code + "\n" + flux.code + "\n" + system.gradient_boundary_state(precision).code + "\n";
  return physics;
}

StageKernelSpec stage_kernel_spec(const StageTraits& traits, const UpdateCode& update, const std::string& name) {
  StageKernelSpec kernel;
  const Work work = work_of(traits, kernel.choices);
  KernelSpec& spec = kernel.spec;
  spec.name = name;
  const bool lines = traits.width == 1 && can_map_tensor_lines(work) && choice(work, "lines", traits.small ? 0 : 1) != 0;
  const bool matrix = use_simplex_matrix(work);
  spec.source_name = fmt::format("stage_{}_{}.kernel.h", work.element.dense() ? "simplex" : "tensor",
                                 traits.width > 1 ? "lanes"
                                 : lines          ? "lines"
                                 : matrix         ? "matrix"
                                                  : "nodes");
  spec.source = kernel_file(spec.source_name);
  spec.precision = traits.precision;
  spec.rough_division = traits.precision == codegen::Precision::single_precision;
  spec.vector_width = traits.width;
  spec.arguments = stage_arguments(work, update, lines, matrix);
  spec.includes = {{"physics", traits.physics->text}, {"update", update.text}, {"trace.kernel.h", kernel_file("trace.kernel.h")}};
  common_constants(work, spec, lines || matrix);
  if (matrix) {
    spec.includes["update"] = update.split_text;
    spec.includes["simplex_matrix_layout.kernel.h"] = kernel_file("simplex_matrix_layout.kernel.h");
  }
  if (traits.width > 1) {
    spec.includes["lanes.kernel.h"] = kernel_file("lanes.kernel.h");
    map_lanes(work, kernel);
  } else if (!work.element.dense()) {
    spec.includes["tensor_faces.kernel.h"] = kernel_file("tensor_faces.kernel.h");
    if (lines) {
      map_tensor_lines(work, kernel);
    } else {
      map_tensor_nodes(work, kernel);
    }
  } else if (matrix) {
    map_simplex_matrix(work, kernel);
  } else {
    map_simplex_nodes(work, kernel);
  }
  return kernel;
}

codegen::KernelSpec traces_kernel_spec(const ReferenceElement& element, int variables, int width, codegen::Precision precision) {
  KernelSpec spec;
  spec.name = "traces";
  spec.source_name = "traces.kernel.h";
  spec.source = kernel_file(spec.source_name);
  spec.precision = precision;
  spec.vector_width = width;
  spec.group_size = {width > 1 ? 1 : 32, 1, 1};
  spec.constants = {{"NVAR", std::int64_t{variables}},           {"N", std::int64_t{element.order + 1}},
                    {"NP", std::int64_t{element.node_count}},    {"NFP", std::int64_t{element.face_node_count}},
                    {"NFACE", std::int64_t{element.face_count}}, {"GROUP_SIZE", std::int64_t{width > 1 ? 1 : 32}}};
  spec.arguments = {{"state", ArgumentType::real_buffer, Intent::in, "[block][variable][node][W]"},
                    {"operators", ArgumentType::real_buffer, Intent::in, "see class_data.h"},
                    {"new_traces", ArgumentType::real_buffer, Intent::out, "[block][variable][face point][W]"}};
  return spec;
}

}  // namespace dgsolve::solver
