// Every kernel that a problem needs on a kind of device: specs only, no device is touched.
#pragma once

#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "solver/kernels/stage.h"
#include "solver/kernels/update.h"
#include "solver/layout.h"
#include "solver/problem.h"
#include "solver/time/integrator.h"

namespace dgsolve::solver {

/// What the specs are made from; all references must outlive the call.
struct PlanInput {
  const Problem& problem;
  const EquationSystem& system;
  const ReferenceElement& element;
  const Integrator& method;
  const Layout& layout;
  const PhysicsText& physics;
  const PhysicsText& gradient_physics;  ///< of systems with second-order terms
  const codegen::DeviceFacts& facts;
  std::int64_t dofs = 0;  ///< of the whole problem; 0: any number
};

/// How a stage kernel is launched over its class.
struct StageLaunch {
  int elements_per_group = 1;  ///< W = 1
  int blocks_per_group = 1;    ///< W > 1
};

/// Stage kernels for a list of updates.
struct StagePlan {
  std::vector<codegen::KernelSpec> specs;  ///< [update][class]
  std::vector<StageLaunch> launches;       ///< likewise
  codegen::TuningPoint choices;            ///< what was pinned or chosen by rule, the same for all of them
};
/// What the stage kernels of a class are specialised to.
[[nodiscard]] StageTraits stage_traits(const PlanInput& input, const ElementClass& group);
/// Throws EquationError for a name in Problem::variant that the stage kernels of this problem and device have not, or a value beyond those
/// that tuning tries.
void check_pins(const PlanInput& input);
[[nodiscard]] StagePlan plan_stages(const PlanInput& input, const std::vector<UpdateCode>& updates);
/// The register updates of the method's stages, shared among stages as suits the device.
[[nodiscard]] std::vector<UpdateCode> stage_updates(const PlanInput& input);

/// The kernels that every run needs, in the order in which DgOperator takes them.
struct KernelPlan {
  std::vector<UpdateCode> updates;
  std::vector<StageLaunch> launches;           ///< [update][class]
  codegen::TuningPoint choices;                ///< of the stage kernels
  std::vector<StageLaunch> gradient_launches;  ///< [class]; none without second-order terms
  std::vector<codegen::KernelSpec> specs;      ///< stages [update][class]; gradients [class]; then per class: initial, rate; then advance
                                               ///< (devices with double precision), traces (Gauss nodes)
};
[[nodiscard]] KernelPlan plan_kernels(const PlanInput& input);

}  // namespace dgsolve::solver
