// Internal to the specs of stage kernels: what a mapping of the work to threads is chosen from, and the mapping of stage_tensor_lines.
#pragma once

#include <cstdint>
#include <string>

#include "solver/kernels/stage.h"

namespace dgsolve::solver {

struct Work {
  const StageTraits& traits;
  codegen::TuningPoint& choices;
  const ReferenceElement& element;
  bool gauss;
  std::int64_t real_bytes;
};

/// The pinned choice, or the rule's.
[[nodiscard]] std::int64_t choice(const Work& work, const std::string& name, std::int64_t by_rule);

/// Launch bounds that leave about `registers` registers to a thread (an SM of all architectures since 7.0 has 65536).
[[nodiscard]] int groups_for_registers(std::int64_t group_threads, std::int64_t registers);

/// Operations of a numerical flux from which on it is expensive (measured on an H200 between acoustics, 40, and Euler with Rusanov's flux,
/// 110; docs/performance.md).
inline constexpr int expensive_flux = 70;

/// Whether stage_tensor_lines can do it: quadrilaterals and hexahedra with nodes on their faces, one of which fits into shared memory.
[[nodiscard]] bool can_map_tensor_lines(const Work& work);

/// Elements of a group of stage_tensor_lines, by rule.
[[nodiscard]] std::int64_t elements_for_lines(const Work& work);

/// Lines of nodes over threads.
void map_tensor_lines(const Work& work, StageKernelSpec& kernel);

}  // namespace dgsolve::solver
