// Specs of the fused stage kernels: which source, which constants, which thread mapping.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "codegen/embedded.h"
#include "codegen/kernel.h"
#include "codegen/tuning/tuner.h"
#include "solver/elements/reference_element.h"
#include "solver/equations/system.h"
#include "solver/kernels/update.h"
#include "solver/layout.h"

namespace dgsolve::solver {

/// The generated physics of a problem, as one text, and what it reads.
struct PhysicsText {
  std::string text;
  bool source = false;
  bool node_position = false;  ///< flux or source reads coordinates
  bool face_position = false;  ///< numerical flux reads coordinates
  int conditions = 0;          ///< number of boundary conditions
  int flux_operations = 0;     ///< of one numerical flux
};
[[nodiscard]] PhysicsText stage_physics(const EquationSystem& system, int conditions, codegen::Precision precision);
/// Of the kernel that makes the gradients of a system with second-order terms, whose rates they are.
[[nodiscard]] PhysicsText gradient_physics(const EquationSystem& system, int conditions, codegen::Precision precision);

/// Everything a stage kernel is specialised to.
struct StageTraits {
  const ReferenceElement* element = nullptr;
  const PhysicsText* physics = nullptr;
  const ElementClass* group = nullptr;
  bool mixed = false;  ///< Layout::mixed
  bool small = false;  ///< so few elements that latency binds: threads should have little to do each
  bool large = false;  ///< so many that the new state has left the caches when it is read
  int variables = 0;
  int width = 1;
  codegen::Precision precision = codegen::Precision::double_precision;
  std::size_t shared_limit = 49152;
  int max_group_size = 1024;
  bool matrix_units = false;     ///< the device has MATRIX_STEP
  codegen::TuningPoint variant;  ///< pinned choices, see stage_variant_names(); others are chosen by rule
  /// Values of a node that the physics reads, if they are others than the `variables` that it computes: of the state, and of gradients.
  int state_values = 0, gradient_values = 0;

  [[nodiscard]] bool reads_other_values() const { return state_values > 0; }
  [[nodiscard]] int read_values() const { return reads_other_values() ? state_values + gradient_values : variables; }
};

/// Choices of the thread mapping on GPUs: lines (1: stage_tensor_lines where it can), elements, min_groups, then in_order, rolled for lines
/// and staged_faces, staged_directions for nodes (tensor shapes); matrix_units, and with it lane_elements, pair_warps, node_warps, gather,
/// min_groups, without it teams, elements_per_thread, unroll_columns, min_groups (simplices). On CPUs: blocks, and stream (1: for
/// states larger than the caches: what comes next is announced, the new state stored past them). width, only as a pin: lanes
/// of the layout; 1 gives a CPU the mappings of GPUs.
[[nodiscard]] std::vector<std::string> stage_variant_names();

/// A stage kernel and how it is launched over a class.
struct StageKernelSpec {
  codegen::KernelSpec spec;
  codegen::TuningPoint choices;  ///< every choice of this mapping that is open to tuning, as it was made
  int elements_per_group = 1;    ///< width 1
  int blocks_per_group = 1;      ///< width > 1
};
[[nodiscard]] StageKernelSpec stage_kernel_spec(const StageTraits& traits, const UpdateCode& update, const std::string& name);

/// The choices worth trying for a problem: what the rules above decide, over the range in which it has ever been seen to matter.
[[nodiscard]] codegen::TuningSpace stage_tuning_space(const StageTraits& traits);

/// Records of tuned problems that come with the program (solver/tuning/*.jsonl).
[[nodiscard]] std::span<const codegen::EmbeddedFile> shipped_tuning_records();

/// Traces of Gauss elements from the state, one group a block.
[[nodiscard]] codegen::KernelSpec traces_kernel_spec(const ReferenceElement& element, int variables, int width,
                                                     codegen::Precision precision);

/// Content of an embedded kernel file.
[[nodiscard]] std::string kernel_file(std::string_view name);

}  // namespace dgsolve::solver
