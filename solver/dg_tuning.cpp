// Tuning of a discretisation's stage kernels on the problem and the device at hand.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>

#include "codegen/arrays/reduction.h"
#include "codegen/collective_word.h"
#include "mesh/shape.h"
#include "solver/dg_impl.h"
#include "solver/kernel_ranks.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::TuningPoint;

/// "euler hexahedron p=3 lobatto double lsrk54, 4.4e+06 DOF"
std::string describe_problem(const DgOperator& op, const Problem& problem) {
  const std::string_view nodes = !op.element().tensor ? "" : op.element().nodes_on_faces ? " lobatto" : " gauss";
  const std::string order =
      fmt::format("{}{}", problem.order, problem.overintegration > 0 ? fmt::format("+{}", problem.overintegration) : "");
  return fmt::format("{} {} p={}{} {} {}, {:.2g} DOF", op.system().name(), mesh::shape_facts(op.element().shape).name, order, nodes,
                     problem.precision == codegen::Precision::double_precision ? "double" : "single", problem.integrator,
                     static_cast<double>(op.dof_count()));
}

/// The largest difference of states, as a fraction of the largest value; on the device.
class StateComparison {
 public:
  virtual ~StateComparison() = default;
  /// Keeps the first state given; later ones are compared with it. NaN if a value is not finite.
  virtual double from_first(codegen::Queue& queue, Buffer& state) = 0;
};

template <class Real>
class TypedComparison : public StateComparison {
 public:
  TypedComparison(const codegen::Context& context, std::int64_t count)
      : count_(count),
        expected_(context, count, "tuning: expected state"),
        found_(context, count, "tuning: found state"),
        kernel_(context, arguments(), {result("fabs(found[i] - expected[i])"), result("fabs(expected[i])")}, {.name = "state_difference"}) {
  }

  double from_first(codegen::Queue& queue, Buffer& state) override {
    queue.copy(state, has_first_ ? found_.buffer() : expected_.buffer(), state.bytes());
    if (!has_first_) queue.copy(state, found_.buffer(), state.bytes());
    has_first_ = true;
    queue.finish();
    const codegen::Array<Real> difference(found_.context(), 1, "tuning: difference"), size(found_.context(), 1, "tuning: size");
    const std::array<codegen::CustomArgument, 2> given{found_, expected_}, results{difference, size};
    kernel_.enqueue(given, count_, results);
    const double largest = difference.to_host().front();
    const double scale = size.to_host().front();
    return scale > 0 ? largest / scale : largest;
  }

 private:
  static std::string type() { return std::is_same_v<Real, double> ? "double" : "float"; }
  static std::string arguments() { return fmt::format("const {0}* found, const {0}* expected", type()); }
  /// A maximum that keeps NaN.
  static codegen::Reduction result(std::string map) { return {type(), std::move(map), "a < b || b != b ? b : a", "0"}; }

  std::int64_t count_;
  bool has_first_ = false;
  codegen::Array<Real> expected_, found_;
  codegen::ReductionKernel kernel_;
};

std::unique_ptr<StateComparison> make_comparison(const codegen::Context& context, std::int64_t count, codegen::Precision precision) {
  if (precision == codegen::Precision::double_precision) return std::make_unique<TypedComparison<double>>(context, count);
  return std::make_unique<TypedComparison<float>>(context, count);
}

}  // namespace

/// Buffers and launches of one tuning; the operator's own state is saved first and restored at the end.
class DgOperator::StageTuning {
 public:
  StageTuning(DgOperator::Impl& impl, const Layout& whole, double t, double dt)
      : im_(impl),
        whole_(whole),
        t_(t),
        dt_(dt),
        start_(im_.device.allocate(im_.state[0].bytes(), "tuning: start")),
        comparison_(
            make_comparison(codegen::Context(im_.device, im_.cache), static_cast<std::int64_t>(im_.layout.state_size()), im_.precision())) {
    im_.queue.copy(im_.state[im_.current], start_, start_.bytes());
    if (im_.gauss() && !im_.ranks.alone()) {
      const Buffer& traces = im_.traces[im_.current_traces];
      start_traces_ = im_.device.allocate(traces.bytes(), "tuning: start");
      im_.queue.copy(traces, start_traces_, traces.bytes());
    }
  }

  /// Those of this rank's classes, then those of classes that only others have: what they cannot build is no candidate.
  std::vector<codegen::KernelSpec> specs(const TuningPoint& point) {
    Problem problem = im_.problem;
    problem.variant = point;
    StagePlan plan = plan_stages(im_.plan_input(problem, im_.layout), im_.updates);
    launches_[point] = std::move(plan.launches);
    if (im_.ranks.alone()) return std::move(plan.specs);
    Layout others = whole_;
    std::erase_if(others.classes, [this](const ElementClass& group) {
      const auto same = [&](const ElementClass& own) { return own.affine == group.affine && own.boundary == group.boundary; };
      return std::any_of(im_.layout.classes.begin(), im_.layout.classes.end(), same);
    });
    StagePlan more = plan_stages(im_.plan_input(problem, others), im_.updates);
    std::move(more.specs.begin(), more.specs.end(), std::back_inserter(plan.specs));
    return std::move(plan.specs);
  }

  /// As runs do: by way of a graph on one rank.
  void step(const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    im_.use_stages(kernels, launches_.at(point));
    im_.step_graphs = graphs_[point];
    im_.step(t_, dt_);
    graphs_[point] = im_.step_graphs;
  }

  /// One step from the start; the largest difference from the first result given, as a fraction of its largest value.
  double difference(const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    reset();
    step(point, kernels);
    return comparison_->from_first(im_.queue, im_.state[im_.current]);
  }

  void reset() {
    im_.queue.copy(start_, im_.state[im_.current], start_.bytes());
    im_.clear_registers();
    if (im_.ranks.alone()) return im_.refresh_traces();
    // Nobody sends what the ghosts are after a stage: those of the start stay in both buffers.
    im_.queue.copy(start_, im_.state[1 - im_.current], start_.bytes());
    if (!im_.gauss()) return;
    for (Buffer& traces : im_.traces) im_.queue.copy(start_traces_, traces, traces.bytes());
  }

 private:
  DgOperator::Impl& im_;
  const Layout& whole_;
  double t_, dt_;
  Buffer start_, start_traces_;
  std::unique_ptr<StateComparison> comparison_;
  std::map<TuningPoint, std::vector<StageLaunch>> launches_;
  std::map<TuningPoint, std::array<codegen::Graph, 2>> graphs_;
};

/// On one rank, without the others.
DgOperator::Tuned DgOperator::Impl::measure_stages(DgOperator& op, const Layout& of_whole, double t, double dt, double bytes_per_dof,
                                                   const codegen::TuningOptions& options) {
  StageTuning tuning(*this, of_whole, t, dt);
  Tuned tuned;
  codegen::TuningTask& task = tuned.task;
  task.name = "stage: " + describe_problem(op, problem);
  task.space = stage_tuning_space(stage_traits(plan_input(problem, of_whole), of_whole.classes.front()));
  for (codegen::TuningParameter& parameter : task.space.parameters) {
    if (const auto pin = pins.find(parameter.name); pin != pins.end()) parameter.values = {pin->second};
  }
  // The reference is what rules and pins decide, not what an older record does.
  Problem plain = problem;
  plain.variant = pins;
  task.reference = plan_stages(plan_input(plain, of_whole), updates).choices;
  task.specs = [&](const TuningPoint& point) { return tuning.specs(point); };
  task.run = [&](codegen::Queue&, const TuningPoint& point, std::span<const codegen::Kernel> kernels) { tuning.step(point, kernels); };
  task.difference = [&](codegen::Queue&, const TuningPoint& point, std::span<const codegen::Kernel> kernels) {
    return tuning.difference(point, kernels);
  };
  task.tolerance = precision() == codegen::Precision::double_precision ? 1e-12 : 1e-4;
  task.bytes = bytes_per_dof * static_cast<double>(op.own_dof_count()) * static_cast<double>(method.stages.size());
  tuned.result = codegen::tune(device, queue, task, cache, options);
  tuning.reset();
  queue.finish();
  tuned.record = {codegen::device_class(device.facts()),
                  tuning_key,
                  "stage",
                  describe_problem(op, problem),
                  tuned.result.best,
                  tuned.result.reference_seconds,
                  tuned.result.best_seconds};
  task.specs = nullptr;  // what they refer to ends here
  task.run = nullptr;
  task.difference = nullptr;
  return tuned;
}

/// By all ranks; empty: what they have already.
void DgOperator::Impl::take_choice(const TuningPoint& choice) {
  if (!choice.empty()) {
    problem.variant = choices = choice;
    choice_origin = pins.empty() ? "record" : "record and pins";
  }
  const StagePlan plan = plan_stages(plan_input(), updates);
  use_stages(build(plan.specs), plan.launches);
  rate_only_kernels.reset();
}

std::optional<DgOperator::Tuned> DgOperator::tune(double t, double dt, double bytes_per_dof, const codegen::TuningOptions& options,
                                                  TuneWhich which) {
  Impl& im = *impl_;
  const bool wanted = which == TuneWhich::all || !im.choice_origin.starts_with("record");
  if (im.ranks.max(wanted ? 1 : 0) == 0) return std::nullopt;
  const Layout of_whole = im.layout_of_whole();
  std::optional<Tuned> tuned;
  std::exception_ptr fault;
  if (wanted && im.leads_class() && im.owned() > 0) {  // the leader has no cells: nor have the others of its class
    im.exchanges = false;
    try {
      tuned = im.measure_stages(*this, of_whole, t, dt, bytes_per_dof, options);
    } catch (...) {
      fault = std::current_exception();
    }
    im.exchanges = true;
  }
  im.ranks.rest();
  KernelRanks all(im.ranks);
  (void)codegen::do_together(all, [&] {
    if (fault) std::rethrow_exception(fault);
    return std::string();
  });
  im.take_choice(im.of_class_leader(tuned ? tuned->result.best : TuningPoint{}));
  im.refresh_traces();
  im.queue.finish();
  return tuned;
}

}  // namespace dgsolve::solver
