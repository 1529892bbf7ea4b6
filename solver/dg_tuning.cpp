// Tuning of a discretisation's stage kernels on the problem and the device at hand.
#include <fmt/format.h>

#include <cmath>

#include "codegen/errors.h"
#include "mesh/shape.h"
#include "solver/dg_impl.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::TuningPoint;

/// "euler hexahedron p=3 lobatto double lsrk54, 4.4e+06 DOF"
std::string describe_problem(const DgOperator& op, const Problem& problem) {
  const std::string_view nodes = !op.element().tensor ? "" : op.element().nodes_on_faces ? " lobatto" : " gauss";
  return fmt::format("{} {} p={}{} {} {}, {:.2g} DOF", op.system().name(), mesh::shape_facts(op.element().shape).name, problem.order, nodes,
                     problem.precision == codegen::Precision::double_precision ? "double" : "single", problem.integrator,
                     static_cast<double>(op.dof_count()));
}

}  // namespace

/// Buffers and launches of one tuning; the operator's own state is saved first and restored at the end.
class DgOperator::StageTuning {
 public:
  StageTuning(DgOperator::Impl& impl, double t, double dt) : im_(impl), t_(t), dt_(dt) {
    const std::size_t bytes = im_.state[0].bytes();
    start_ = im_.device.allocate(bytes, "tuning: start");
    expected_ = im_.device.allocate(bytes, "tuning: expected");
    im_.queue.copy(im_.state[im_.current], start_, bytes);
  }

  std::vector<codegen::KernelSpec> specs(const TuningPoint& point) {
    Problem problem = im_.problem;
    problem.variant = point;
    PlanInput input = im_.plan_input();
    StagePlan plan =
        plan_stages({problem, input.system, input.element, input.method, input.layout, input.physics, input.facts}, im_.updates);
    launches_[point] = std::move(plan.launches);
    return std::move(plan.specs);
  }

  void step(const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    im_.use_stages(kernels, launches_.at(point));
    for (std::size_t s = 0; s < im_.method.stages.size(); ++s) im_.run_stage(s, t_, dt_);
  }

  /// One step from the start; the largest difference from the first result given, as a fraction of its largest value.
  double difference(const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    reset();
    step(point, kernels);
    Buffer& found = im_.state[im_.current];
    if (!has_expected_) im_.queue.copy(found, expected_, found.bytes());
    has_expected_ = true;
    return compare(found);
  }

  void reset() {
    im_.queue.copy(start_, im_.state[im_.current], start_.bytes());
    for (std::size_t r = 1; r < im_.registers.size(); ++r) im_.queue.fill_zero(im_.registers[r]);
    im_.refresh_traces();
  }

 private:
  [[nodiscard]] double compare(const Buffer& found) {
    const std::size_t count = im_.layout.state_size();
    const std::vector<double> a = download_reals(im_.queue, expected_, count, im_.precision());
    const std::vector<double> b = download_reals(im_.queue, found, count, im_.precision());
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(b[i])) return std::nan("");
      largest = std::max(largest, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(a[i]));
    }
    return size > 0 ? largest / size : largest;
  }

  DgOperator::Impl& im_;
  double t_, dt_;
  Buffer start_, expected_;
  bool has_expected_ = false;
  std::map<TuningPoint, std::vector<StageLaunch>> launches_;
};

DgOperator::Tuned DgOperator::tune(double t, double dt, double bytes_per_dof, const codegen::TuningOptions& options) {
  Impl& im = *impl_;
  StageTuning tuning(im, t, dt);
  Tuned tuned;
  codegen::TuningTask& task = tuned.task;
  task.name = "stage: " + describe_problem(*this, im.problem);
  task.space = stage_tuning_space(stage_traits(im.plan_input(), im.layout.classes.front()));
  for (codegen::TuningParameter& parameter : task.space.parameters) {
    if (const auto pin = im.pins.find(parameter.name); pin != im.pins.end()) parameter.values = {pin->second};
  }
  // The reference is what rules and pins decide, not what an older record does.
  Problem plain = im.problem;
  plain.variant = im.pins;
  const PlanInput input = im.plan_input();
  task.reference =
      plan_stages({plain, input.system, input.element, input.method, input.layout, input.physics, input.facts}, im.updates).choices;
  task.specs = [&](const TuningPoint& point) { return tuning.specs(point); };
  task.run = [&](codegen::Queue&, const TuningPoint& point, std::span<const codegen::Kernel> kernels) { tuning.step(point, kernels); };
  task.difference = [&](codegen::Queue&, const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    return tuning.difference(point, kernels);
  };
  task.tolerance = im.precision() == codegen::Precision::double_precision ? 1e-12 : 1e-4;
  task.bytes = bytes_per_dof * static_cast<double>(dof_count()) * static_cast<double>(im.method.stages.size());
  tuned.result = codegen::tune(im.device, im.queue, task, im.cache, options);

  const std::vector<codegen::KernelSpec> best = tuning.specs(tuned.result.best);
  im.problem.variant = tuned.result.best;
  im.use_stages(codegen::build_kernels(im.device, best, im.cache), plan_stages(im.plan_input(), im.updates).launches);
  im.choices = tuned.result.best;
  im.choice_origin = "record";
  im.rate_only_kernels.clear();
  tuning.reset();
  im.queue.finish();
  tuned.record = {codegen::device_class(im.device.facts()),
                  im.tuning_key,
                  "stage",
                  describe_problem(*this, im.problem),
                  tuned.result.best,
                  tuned.result.reference_seconds,
                  tuned.result.best_seconds};
  task.specs = nullptr;  // what they refer to ends here
  task.run = nullptr;
  task.difference = nullptr;
  return tuned;
}

}  // namespace dgsolve::solver
