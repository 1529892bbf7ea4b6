// Lists the specs of a problem's kernels.
#include "solver/kernel_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "solver/kernels/pointwise.h"
#include "solver/time/step_limit.h"

namespace dgsolve::solver {

namespace {

/// Up to here all elements of a problem are under way at once on a large GPU, and a stage takes as long as one thread does (H200:
/// docs/performance.md, small problems).
constexpr std::int64_t most_small_dofs = 100'000;

/// A state of so many bytes, the next one and a register fill the caches of a CPU, so storing it past them saves the reading of what is
/// overwritten (docs/performance.md: on 32 MB of cache 5 MB lost a seventh, 10 MB won as much).
constexpr std::int64_t least_streamed_bytes = std::int64_t{8} << 20;

}  // namespace

StageTraits stage_traits(const PlanInput& input, const ElementClass& group) {
  const int gradients = input.system.gradient_count();
  return {&input.element,
          &input.physics,
          &group,
          input.layout.mixed,
          input.dofs > 0 && input.dofs <= most_small_dofs,
          input.dofs * (input.problem.precision == codegen::Precision::double_precision ? 8 : 4) >= least_streamed_bytes,
          input.system.variable_count(),
          input.layout.width,
          input.problem.precision,
          input.facts.shared_bytes,
          input.facts.max_group_size,
          input.facts.has_matrix_double,
          input.problem.variant,
          gradients > 0 ? input.system.variable_count() : 0,
          gradients};
}

void check_pins(const PlanInput& input) {
  if (input.problem.variant.empty()) return;
  std::vector<codegen::TuningParameter> known = stage_tuning_space(stage_traits(input, input.layout.classes.front())).parameters;
  known.push_back({"width", {1, lane_count(input.facts, input.problem.precision)}});
  std::vector<std::string> names;
  for (const codegen::TuningParameter& parameter : known) names.push_back(parameter.name);
  for (const auto& [name, value] : input.problem.variant) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw EquationError(fmt::format("variant.{}: the stage kernels of this problem on {} have no such choice; they have: {}{}", name,
                                      input.facts.selector, fmt::join(names, ", "), codegen::did_you_mean(name, names)));
    }
    const auto [low, high] = std::ranges::minmax(known[static_cast<std::size_t>(found - names.begin())].values);
    if (value < low || value > high) throw EquationError(fmt::format("variant.{}: found {}, allowed are {} to {}", name, value, low, high));
  }
}

StagePlan plan_stages(const PlanInput& input, const std::vector<UpdateCode>& updates) {
  StagePlan plan;
  for (std::size_t u = 0; u < updates.size(); ++u) {
    for (const ElementClass& group : input.layout.classes) {
      StageKernelSpec kernel =
          stage_kernel_spec(stage_traits(input, group), updates[u],
                            fmt::format("stage{}_{}{}", u, group.affine ? "affine" : "curved", group.boundary ? "_boundary" : "_interior"));
      plan.launches.push_back({kernel.elements_per_group, kernel.blocks_per_group});
      plan.specs.push_back(std::move(kernel.spec));
      plan.choices = std::move(kernel.choices);
    }
  }
  return plan;
}

std::vector<UpdateCode> stage_updates(const PlanInput& input) {
  return plan_updates(input.method, input.layout.width > 1 ? UpdateSharing::merge : UpdateSharing::separate);
}

KernelPlan plan_kernels(const PlanInput& input) {
  KernelPlan plan;
  plan.updates = stage_updates(input);
  StagePlan stages = plan_stages(input, plan.updates);
  plan.launches = std::move(stages.launches);
  plan.choices = std::move(stages.choices);
  plan.specs = std::move(stages.specs);

  const int gradients = input.system.gradient_count();
  for (std::size_t c = 0; gradients > 0 && c < input.layout.classes.size(); ++c) {
    const ElementClass& group = input.layout.classes[c];
    StageTraits traits = stage_traits(input, group);
    traits.physics = &input.gradient_physics;
    traits.variables = gradients;
    traits.gradient_values = 0;
    traits.variant.clear();
    StageKernelSpec kernel =
        stage_kernel_spec(traits, rate_only_update(),
                          fmt::format("gradients_{}{}", group.affine ? "affine" : "curved", group.boundary ? "_boundary" : "_interior"));
    plan.gradient_launches.push_back({kernel.elements_per_group, kernel.blocks_per_group});
    plan.specs.push_back(std::move(kernel.spec));
  }

  const codegen::Precision precision = input.problem.precision;
  const PhysicsFunction initial = input.system.initial(precision);
  const PhysicsFunction speed = input.system.max_wave_speed(precision);
  RateOptions rate{speed.code, rate_directions(input.element), speed.uses_position, !input.system.admissible_names().empty(), 0};
  if (gradients > 0) {
    const PhysicsFunction diffusivity = input.system.diffusivity(precision);
    rate.physics += diffusivity.code;
    rate.node_position = rate.node_position || diffusivity.uses_position;
    rate.diffusion = diffusion_share(input.method, input.element);
  }
  if (rate.admissible) {
    const PhysicsFunction admissible = input.system.admissible(precision);
    rate.physics += admissible.code;
    rate.node_position = rate.node_position || admissible.uses_position;
  }
  for (const ElementClass& group : input.layout.classes) {
    const PointwiseTraits traits{&input.element, input.system.variable_count(), input.layout.width, precision, group.affine};
    plan.specs.push_back(initial_kernel_spec(traits, initial.code));
    plan.specs.push_back(rate_kernel_spec(traits, rate));
  }
  if (input.facts.has_double) plan.specs.push_back(advance_kernel_spec(precision, input.layout.width > 1 ? 1 : 128));
  if (input.element.tensor && !input.element.nodes_on_faces) {
    plan.specs.push_back(traces_kernel_spec(input.element, input.system.variable_count(), input.layout.width, precision));
  }
  return plan;
}

}  // namespace dgsolve::solver
