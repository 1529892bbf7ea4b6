// Thread mappings of the stage kernels, by shape: what stage.cpp, stage_lines.cpp and stage_simplex.cpp share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/kernels/stage.h"

namespace dgsolve::solver {

/// A mapping in the making.
struct Work {
  const StageTraits& traits;
  codegen::TuningPoint& choices;  ///< what was pinned or chosen by rule so far
  const ReferenceElement& element;
  bool gauss;
  std::int64_t real_bytes;
};

/// The pinned choice, or the rule's; noted in `choices`.
[[nodiscard]] std::int64_t choice(const Work& work, const std::string& name, std::int64_t by_rule);

/// Launch bounds that leave about `registers` registers to a thread (an SM of all architectures since 7.0 has 65536).
[[nodiscard]] int groups_for_registers(std::int64_t group_threads, std::int64_t registers);

/// Whether the numerical flux costs so much that it pays to spread the face points evenly over the threads (measured on an H200 between
/// acoustics, 40 operations, and Euler with Rusanov's flux, 110; docs/performance.md).
[[nodiscard]] inline bool has_expensive_flux(const Work& work) { return work.traits.physics->flux_operations > 70; }

/// Registers of a thread that holds so many values at once beside what every thread holds: with gradients there are many, and those that
/// the compiler cannot keep go through memory (H200, Navier-Stokes, hexahedra p = 3: twice the time; docs/performance.md).
[[nodiscard]] inline std::int64_t registers_for_values(const Work& work, std::int64_t values) {
  return std::min<std::int64_t>(84 + values * work.real_bytes / 4, 160);
}

/// Whether stage_tensor_lines can do it: quadrilaterals and hexahedra with nodes on their faces, one of which fits into shared memory.
/// It takes normals of curved elements from their metric terms; those of affine neighbours would differ in the last bit, so it cannot in
/// meshes of both.
[[nodiscard]] bool can_map_tensor_lines(const Work& work);

/// Elements of a group of stage_tensor_lines, by rule.
[[nodiscard]] std::int64_t elements_for_lines(const Work& work);

/// Lines of nodes over threads.
void map_tensor_lines(const Work& work, StageKernelSpec& kernel);

/// Groups on a compute unit that the tuner tries, and whether so many of so many threads leave 32 to 168 registers to a thread and enough
/// threads to hide latency.
[[nodiscard]] std::vector<std::int64_t> tuned_residencies();
[[nodiscard]] bool is_residency_worth_trying(std::int64_t group_threads, std::int64_t groups);

/// Whether a simplex is mapped on matrix units: where the device has them, a group fits, and no pin says otherwise.
[[nodiscard]] bool use_simplex_matrix(const Work& work);
/// Simplices on matrix units: warps with 8 or 16 elements each (stage_simplex_matrix.kernel.h).
void map_simplex_matrix(const Work& work, StageKernelSpec& kernel);
/// Simplices, nodes over threads.
void map_simplex_nodes(const Work& work, StageKernelSpec& kernel);
[[nodiscard]] codegen::TuningSpace simplex_tuning_space(const Work& work);

}  // namespace dgsolve::solver
