// Specs of the kernels besides the stage: initial state, step limit, fields, element sums, error norms, faults.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// What these kernels are specialised to.
struct PointwiseTraits {
  const ReferenceElement* element = nullptr;
  int variables = 0;
  int width = 1;
  codegen::Precision precision = codegen::Precision::double_precision;
  bool affine = true;

  [[nodiscard]] int group_size() const { return width > 1 ? 1 : 64; }
};

/// initial(node_points, clock, state, first_block): one group a block.
[[nodiscard]] codegen::KernelSpec initial_kernel_spec(const PointwiseTraits& traits, const std::string& physics);

/// rate(state, metric, [node_points], clock, rates, first_result, first_block, block_count): any number of groups, one result each.
/// `directions`: combinations of grad xi^d, see integrator.h. Results of rate_bad(precision) or more mark a fault.
struct RateOptions {
  std::string physics;
  std::vector<std::array<double, 3>> directions;
  bool node_position = false;
  bool admissible = false;
  double diffusion = 0;  ///< of second-order terms: diffusion_share() (integrator.h); 0: there are none
};
[[nodiscard]] codegen::KernelSpec rate_kernel_spec(const PointwiseTraits& traits, const RateOptions& options);
[[nodiscard]] double rate_bad(codegen::Precision precision);

/// advance(rates, rate_count, plan, progress, clock, rate_clock): one group, in double precision for states of either; see
/// DgOperator::run_batch. plan [limit, cfl, fixed step or 0, smallest step, stable constant], progress [t, last dt, steps, ended].
[[nodiscard]] codegen::KernelSpec advance_kernel_spec(codegen::Precision precision, int group_size);

/// fields(state, node_points, clock, fields, first_block): one group a block.
[[nodiscard]] codegen::KernelSpec fields_kernel_spec(const PointwiseTraits& traits, const std::string& physics, int components);

/// element_sums(fields, weights, [metric], sums, first_block, block_count): sums [block][component][integral, min, max][W].
[[nodiscard]] codegen::KernelSpec element_sums_kernel_spec(const PointwiseTraits& traits, int components);

/// error_norms(state, node_points, [metric], interpolation, weights, clock, norms, first_block): norms [block][l1, l2^2,
/// linf][variable][W].
[[nodiscard]] codegen::KernelSpec error_norms_kernel_spec(const PointwiseTraits& traits, const std::string& physics, int points);

/// faults(state, node_points, clock, bad_nodes, first_block, block_count): bad_nodes [block][W].
[[nodiscard]] codegen::KernelSpec faults_kernel_spec(const PointwiseTraits& traits, const std::string& physics, bool admissible);

}  // namespace dgsolve::solver
