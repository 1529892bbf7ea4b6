// Thread mappings of the stage kernels on triangles and tetrahedra.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "solver/kernels/stage_mapping.h"

namespace dgsolve::solver {
namespace {

using codegen::KernelSpec;

/// The number of teams of `nodes` threads that leaves the smallest share of a group's warps idle, among groups of 64 to 192 threads.
std::int64_t teams_that_fill_warps(std::int64_t nodes) {
  std::int64_t best = 1;
  double most = 0;
  for (std::int64_t teams = 1; teams == 1 || teams * nodes <= 192; ++teams) {
    const std::int64_t threads = teams * nodes;
    const double used = static_cast<double>(threads) / static_cast<double>((threads + 31) / 32 * 32);
    if (threads >= 64 && used > most) {
      most = used;
      best = teams;
    }
  }
  return best;
}

/// The choices of stage_simplex_matrix.kernel.h.
struct MatrixMapping {
  std::int64_t lane_elements = 1, pair_warps = 1, node_warps = 1;

  [[nodiscard]] std::int64_t elements() const { return 8 * lane_elements * pair_warps; }
  [[nodiscard]] std::int64_t threads() const { return 32 * pair_warps * node_warps; }
  [[nodiscard]] std::int64_t row_tiles(std::int64_t variables) const { return (variables * lane_elements + 1) / 2; }
};

std::int64_t node_tiles(const ReferenceElement& element) { return (element.node_count + 7) / 8; }

/// The kernel's SHARED_REALS.
std::int64_t shared_reals(const MatrixMapping& mapping, const Work& work, bool affine) {
  const ReferenceElement& element = work.element;
  const std::int64_t variables = work.traits.variables;
  const auto odd_multiple_of_8 = [](std::int64_t reals) { return reals + (24 - reals % 16) % 16; };
  const std::int64_t dim = element.dimension;
  const std::int64_t elements = mapping.elements();
  const std::int64_t state = elements * odd_multiple_of_8(variables * ((element.node_count + 1) / 2 * 2));
  const std::int64_t face_points = (element.face_count * element.face_node_count + 7) / 8 * 8;
  const std::int64_t fluxes = 8 * mapping.pair_warps * odd_multiple_of_8(mapping.row_tiles(variables) * face_points * 2);
  const std::int64_t geometry = affine ? dim * dim + element.face_count * (dim + 1) : 0;
  return state + std::max(state, fluxes) + elements * (geometry + element.face_count * 8 / work.real_bytes);
}

/// Tiles of eight nodes for a warp, as measured on an H200 (docs/performance.md): all of up to three in one warp where few variables leave
/// registers for them, else two, three where that leaves four warps.
std::int64_t tiles_of_warp(std::int64_t tiles, std::int64_t row_tiles, bool expensive) {
  if (tiles <= 3 && row_tiles <= 2) return tiles;
  if (tiles <= 3 || row_tiles > 3 || (expensive && row_tiles == 3 && tiles <= 6)) return 1;
  return tiles > 8 && tiles <= 12 ? 3 : 2;
}

MatrixMapping matrix_rule(const Work& work) {
  const std::int64_t variables = work.traits.variables;
  MatrixMapping mapping;
  mapping.lane_elements = variables == 1 ? 2 : 1;  // else half of a tile's rows would be empty
  const std::int64_t tiles = node_tiles(work.element);
  // The instruction does not compile with fewer than 96 registers a thread.
  const std::int64_t most = std::max<std::int64_t>(std::min<std::int64_t>(work.traits.max_group_size, 65536 / 96) / 32, 1);
  const std::int64_t wanted = work.traits.small ? 1 : tiles_of_warp(tiles, mapping.row_tiles(variables), has_expensive_flux(work));
  const std::int64_t share = std::max(wanted, (tiles + most - 1) / most);
  mapping.node_warps = (tiles + share - 1) / share;
  return mapping;
}

}  // namespace

bool use_simplex_matrix(const Work& work) {
  if (!work.element.dense() || work.traits.width > 1 || !work.traits.matrix_units || work.traits.reads_other_values()) return false;
  const MatrixMapping rule = matrix_rule(work);
  const std::int64_t bytes = shared_reals(rule, work, true) * work.real_bytes;
  return choice(work, "matrix_units", bytes <= static_cast<std::int64_t>(work.traits.shared_limit)) != 0;
}

void map_simplex_matrix(const Work& work, StageKernelSpec& kernel) {
  const ReferenceElement& element = work.element;
  const std::int64_t variables = work.traits.variables;
  const MatrixMapping rule = matrix_rule(work);
  const MatrixMapping mapping{choice(work, "lane_elements", rule.lane_elements), choice(work, "pair_warps", rule.pair_warps),
                              choice(work, "node_warps", rule.node_warps)};
  const std::int64_t threads = mapping.threads();
  if (threads > work.traits.max_group_size || mapping.node_warps > node_tiles(element)) {
    throw std::invalid_argument(
        fmt::format("node_warps: found {} (and {} pair_warps); there are {} tiles of nodes, a group has up to {} threads",
                    mapping.node_warps, mapping.pair_warps, node_tiles(element), work.traits.max_group_size));
  }
  const std::int64_t face_points = mapping.elements() * element.face_count * element.face_node_count;
  const std::int64_t turns = (face_points + threads - 1) / threads;
  const std::int64_t tiles = (node_tiles(element) + mapping.node_warps - 1) / mapping.node_warps;
  const std::int64_t sums = mapping.row_tiles(variables) * tiles;  // eight registers each
  // Five warps of few registers were better than fewer of 128 where fluxes are expensive (Euler, tetrahedra, p = 4: 44.8 and 42.5 GDOF/s).
  const std::int64_t few = has_expensive_flux(work) && mapping.node_warps >= 5 && sums <= 3 ? 104 : 128;
  const std::int64_t registers = sums > 8 && !has_expensive_flux(work) ? 224 : sums > 5 ? 168 : few;
  const std::int64_t shared = shared_reals(mapping, work, true) * work.real_bytes + 1024;  // the driver's own
  const std::int64_t resident = std::min<std::int64_t>(groups_for_registers(threads, registers),
                                                       (static_cast<std::int64_t>(work.traits.shared_limit) + 1024) / shared);
  KernelSpec& spec = kernel.spec;
  spec.constants["LANE_ELEMENTS"] = mapping.lane_elements;
  spec.constants["PAIR_WARPS"] = mapping.pair_warps;
  spec.constants["NODE_WARPS"] = mapping.node_warps;
  spec.constants["GATHER"] = choice(work, "gather", std::clamp<std::int64_t>((has_expensive_flux(work) ? 20 : 40) / variables, 1, turns));
  spec.shared_bytes = static_cast<std::size_t>(shared_reals(mapping, work, work.traits.group->affine) * work.real_bytes);
  spec.group_size = {static_cast<int>(threads), 1, 1};
  spec.min_groups_per_unit = static_cast<int>(choice(work, "min_groups", std::max<std::int64_t>(resident, 1)));
  kernel.elements_per_group = static_cast<int>(mapping.elements());
}

/// Nodes over threads, simplices: teams of Np threads, about 128 in a group. Expensive fluxes want more registers and full warps.
void map_simplex_nodes(const Work& work, StageKernelSpec& kernel) {
  const std::int64_t nodes = work.element.node_count;
  const std::int64_t columns = work.element.dimension * nodes + work.element.face_count * work.element.face_node_count;
  const std::int64_t limit = static_cast<std::int64_t>(work.traits.shared_limit) / work.real_bytes;
  const bool expensive = has_expensive_flux(work);
  const std::int64_t usual = std::max<std::int64_t>(1, 128 / nodes);
  std::int64_t teams = choice(work, "teams", expensive ? teams_that_fill_warps(nodes) : usual);
  std::int64_t per_thread = choice(work, "elements_per_thread", 1);
  if (teams * nodes > work.traits.max_group_size) {
    throw std::invalid_argument(
        fmt::format("teams: {} of {} threads are more than a group's {}", teams, nodes, work.traits.max_group_size));
  }
  const auto pitch = [&] { return (teams * per_thread * work.traits.variables + 1) / 2 * 2 + 2; };
  while (teams > 1 && columns * pitch() > limit / 4) --teams;
  if (columns * pitch() > limit) per_thread = 1;
  std::int64_t parts = 1;
  std::int64_t staged_columns = columns;
  if (columns * pitch() > limit) {
    parts = work.element.dimension + 1;
    staged_columns = std::max(nodes, columns - work.element.dimension * nodes);
  }
  KernelSpec& spec = kernel.spec;
  spec.constants["TEAMS"] = teams;
  spec.constants["ELEMENTS_PER_THREAD"] = per_thread;
  spec.constants["PITCH"] = pitch();
  spec.constants["UNROLL_COLUMNS"] = choice(work, "unroll_columns", 8);
  spec.constants["PARTS"] = parts;
  spec.constants["SHARED_REALS"] = staged_columns * pitch();
  spec.shared_bytes = static_cast<std::size_t>(staged_columns * pitch() * work.real_bytes);
  spec.group_size = {static_cast<int>(teams * nodes), 1, 1};
  std::int64_t registers = expensive ? 84 : 64;
  if (work.traits.reads_other_values()) registers = registers_for_values(work, 2 * work.traits.read_values() + work.traits.variables);
  spec.min_groups_per_unit = static_cast<int>(choice(work, "min_groups", groups_for_registers(teams * nodes, registers)));
  kernel.elements_per_group = static_cast<int>(teams * per_thread);
}

codegen::TuningSpace simplex_tuning_space(const Work& work) {
  const ReferenceElement& element = work.element;
  codegen::TuningSpace space;
  if (use_simplex_matrix(work)) {
    std::vector<std::int64_t> warps;
    for (std::int64_t count = 1; count <= std::min<std::int64_t>(node_tiles(element), 16); ++count) {
      // A share of the tiles that fewer warps have too is not worth trying.
      const std::int64_t tiles = (node_tiles(element) + count - 1) / count;
      if ((node_tiles(element) + tiles - 1) / tiles == count) warps.push_back(count);
    }
    space.parameters = {{"matrix_units", {1, 0}}, {"lane_elements", {1, 2}}, {"pair_warps", {1, 2}},
                        {"node_warps", warps},    {"gather", {3, 5, 10}},    {"min_groups", {1, 2, 3, 4, 5, 6, 8, 12, 16}}};
    space.allowed = [](const codegen::TuningPoint& point) {
      // Between 8 and 20 warps on a unit: 256 to 96 registers a thread.
      const std::int64_t resident = point.at("pair_warps") * point.at("node_warps") * point.at("min_groups");
      return point.at("matrix_units") == 1 && resident >= 8 && resident <= 20;
    };
    return space;
  }
  const std::int64_t nodes = std::min<std::int64_t>(element.node_count, 1024);
  const std::int64_t longest = std::min<std::int64_t>(work.traits.max_group_size, 512);
  std::vector<std::int64_t> teams;
  for (std::int64_t count = 1; count == 1 || count * nodes <= longest; count *= 2) teams.push_back(count);
  space.parameters = {
      {"teams", teams}, {"elements_per_thread", {1, 2}}, {"unroll_columns", {4, 8, 16}}, {"min_groups", tuned_residencies()}};
  space.allowed = [nodes](const codegen::TuningPoint& point) {
    return is_residency_worth_trying(point.at("teams") * nodes, point.at("min_groups"));
  };
  if (work.choices.contains("matrix_units")) space.parameters.insert(space.parameters.begin(), {"matrix_units", {0}});
  return space;
}

}  // namespace dgsolve::solver
