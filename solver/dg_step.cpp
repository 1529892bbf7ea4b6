// Time stepping: the launches of a step are recorded once, for each of the two states, and replayed as a graph.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/dg_impl.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;

/// An even number, so that a batch ends with the same of the two states current.
constexpr int batch_length = 16;
/// Up to these sizes the host's part of a step is worth saving.
constexpr std::size_t largest_batched_state_gpu = std::size_t{16} << 20, largest_batched_state_cpu = std::size_t{1} << 20;

}  // namespace

std::size_t DgOperator::Impl::geometry_bytes(std::size_t group) const {
  const auto& arguments = stage_kernels.front()[group].kernel.spec().arguments;
  const bool faces = std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) { return argument.name == "faces"; });
  return classes[group].geometry_bytes + (faces ? classes[group].faces.bytes() : 0);
}

codegen::KernelCost DgOperator::Impl::stage_cost(std::size_t group, int values_of_dof) const {
  const double dofs = static_cast<double>(layout.classes[group].element_count) * element.node_count * system.variable_count();
  const ClassData& data = classes[group];
  return {dofs * values_of_dof * static_cast<double>(real_bytes()) + static_cast<double>(geometry_bytes(group) + data.link_bytes), 0};
}

template <class Real>
void DgOperator::Impl::send(Buffer& target, std::span<const double> values) {
  // A slot of its own for every call: the host does not wait until the device has read it.
  codegen::PinnedBuffer slot = pinned.allocate(target.bytes(), "values under way");
  std::transform(values.begin(), values.end(), slot.items<Real>().begin(), [](double value) { return static_cast<Real>(value); });
  queue.write_async(target, 0, slot, values.size() * sizeof(Real));
}

void DgOperator::Impl::set_clock(double t, double dt) {
  if (t == clock_t && dt == clock_dt) return;
  clock_t = t;
  clock_dt = dt;
  const std::array<double, 2> values{t, dt};
  if (precision() == codegen::Precision::double_precision) {
    send<double>(clock, values);
  } else {
    send<float>(clock, values);
  }
}

void DgOperator::Impl::launch_stage(const std::vector<StageKernel>& kernels, const UpdateCode& update, std::span<const double> scalars,
                                    double stage_time, int values_of_dof, const std::function<bool(const ElementClass&)>& of_class) {
  std::vector<NamedArgument> tail;
  std::vector<std::string> names;
  names.reserve(update.registers.size());
  for (const int r : update.registers) {
    names.push_back(fmt::format("r{}", r));
    tail.emplace_back(names.back(), &registers[static_cast<std::size_t>(r)]);
  }
  for (std::size_t i = 0; i < update.scalars.size(); ++i) tail.emplace_back(update.scalars[i], scalars[i]);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (of_class && !of_class(layout.classes[c])) continue;
    launch_over_class(kernels[c], c, stage_time, state[1 - current], traces[1 - current_traces], tail, stage_cost(c, values_of_dof));
  }
}

void DgOperator::Impl::launch_over_class(const StageKernel& kernel, std::size_t c, double stage_time, Buffer& next, Buffer& new_traces,
                                         std::span<const NamedArgument> more, codegen::KernelCost cost) {
  const ElementClass& group = layout.classes[c];
  const ClassData& data = classes[c];
  const int per_group = width > 1 ? kernel.launch.blocks_per_group : kernel.launch.elements_per_group;
  const int items = width > 1 ? group.block_count : group.element_count;
  launch(kernel.kernel, static_cast<std::uint32_t>((items + per_group - 1) / per_group),
         {{"state", &state[current]},
          {"traces", &traces[current_traces]},
          {"gradients", &gradients},
          {"gradient_traces", &gradient_traces},
          {"new_traces", &new_traces},
          {"links", &data.links},
          {"kinds", &data.kinds},
          {"points", &tables.points},
          {"faces", &data.faces},
          {"face_points", &data.face_points},
          {"metric", &data.metric},
          {"node_points", &data.node_points},
          {"operators", &tables.operators},
          {"fragments", &tables.fragments},
          {"clock", &clock},
          {"stage_time", stage_time},
          {"first_slot", group.first_slot(width)},
          {"element_count", group.element_count},
          {"first_block", group.first_block},
          {"block_count", group.block_count},
          {"next_state", &next}},
         more, cost);
}

void DgOperator::Impl::refresh_gradients(double stage_time) {
  if (gradient_kernels.empty()) return;
  const int values = system.variable_count() + system.gradient_count();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double bytes =
        static_cast<double>(layout.classes[c].element_count) * element.node_count * values * static_cast<double>(real_bytes());
    launch_over_class(gradient_kernels[c], c, stage_time, gradients, gradient_traces, {},
                      {bytes + static_cast<double>(geometry_bytes(c) + classes[c].link_bytes), 0});
  }
  if (!gradient_halo || !exchanges) return;
  codegen::Buffer& sent = gauss() ? gradient_traces : gradients;
  gradient_halo->begin(queue, sent);
  gradient_halo->finish(queue, sent);
}

void DgOperator::Impl::clear_registers() {
  // A first stage may multiply what is there by zero, which does not take a NaN away.
  for (std::size_t r = 1; r < registers.size(); ++r) queue.fill_zero(registers[r]);
}

void DgOperator::Impl::run_stages() {
  for (std::size_t s = 0; s < method.stages.size(); ++s) {
    const auto [u, index] = update_of_stage[s];
    refresh_gradients(method.stages[s].time);
    const auto launch_those = [&, u = u, index = index](const std::function<bool(const ElementClass&)>& of_class) {
      launch_stage(stage_kernels[u], updates[u], updates[u].values[index], method.stages[s].time, values_moved(method.stages[s]), of_class);
    };
    if (halo) {
      // What others need comes first, and travels while the rest is computed.
      codegen::Buffer& next = gauss() ? traces[1 - current_traces] : state[1 - current];
      launch_those([&](const ElementClass& group) { return group.shared || !layout.apart; });
      if (exchanges) halo->begin(queue, next);
      if (layout.apart) launch_those([](const ElementClass& group) { return !group.shared; });
      if (exchanges) halo->finish(queue, next);
    } else {
      launch_those({});
    }
    current = 1 - current;
    current_traces = 1 - current_traces;
  }
}

void DgOperator::Impl::step(double t, double dt) {
  set_clock(t, dt);
  if (halo) return run_stages();  // messages are no part of a graph
  codegen::Graph& graph = step_graphs[static_cast<std::size_t>(current)];
  if (graph.command_count() == 0) {
    graph = codegen::capture_graph(queue, [&] { run_stages(); });
  } else if (method.stages.size() % 2 == 1) {
    current = 1 - current;
    current_traces = 1 - current_traces;
  }
  graph.launch(queue);
}

void DgOperator::step(double t, double dt) { impl_->step(t, dt); }

DgOperator::ExchangeCost DgOperator::measure_exchange(double t, double dt, std::int64_t steps) {
  Impl& im = *impl_;
  if (!im.halo) return {};
  ExchangeCost cost{im.halo->bytes_sent(), im.halo->neighbours(), 0, 0};
  const auto timed = [&](std::int64_t times, const std::function<void()>& act) {
    im.queue.finish();
    im.ranks.barrier();
    im.halo->start_timing();
    for (std::int64_t i = 0; i < times; ++i) act();
    return im.halo->stop_timing();
  };
  cost.alone_s = timed(steps * static_cast<std::int64_t>(im.method.stages.size()), [&] { im.exchange_halo(); });
  cost.exposed_s = timed(steps, [&] {
    im.step(t, dt);
    t += dt;
  });
  return cost;
}

void DgOperator::Impl::launch_rates(const Buffer& at) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ElementClass& group = layout.classes[c];
    launch(rate_kernels[c], rate_groups,
           {{"state", &state[current]},
            {"metric", &classes[c].metric},
            {"node_points", &classes[c].node_points},
            {"clock", &at},
            {"rates", &rates},
            {"first_result", static_cast<std::int32_t>(c * rate_groups)},
            {"first_block", group.first_block},
            {"block_count", group.block_count}});
  }
}

double DgOperator::Impl::stable_from_rates(double* request) {
  const auto values = download_reals(queue, rates, rate_groups * classes.size(), precision());
  double largest = 0;
  for (const double value : values) largest = std::max(largest, value);
  std::array<double, 2> agreed{largest, request == nullptr ? 0.0 : *request};
  ranks.max(agreed);
  largest = agreed[0];
  if (request != nullptr) *request = agreed[1];
  if (largest >= 0.99 * rate_bad(precision())) return std::numeric_limits<double>::quiet_NaN();
  return largest > 0 ? stable_constant / largest : std::numeric_limits<double>::infinity();
}

double DgOperator::stable_step(double t, double* request) {
  Impl& im = *impl_;
  im.set_clock(t, im.clock_dt);
  codegen::Graph& graph = im.rate_graphs[static_cast<std::size_t>(im.current)];
  if (graph.command_count() == 0) graph = codegen::capture_graph(im.queue, [&] { im.launch_rates(im.clock); });
  graph.launch(im.queue);
  return im.stable_from_rates(request);
}

int DgOperator::batch_steps() const {
  const std::size_t largest = device().facts().is_cpu ? largest_batched_state_cpu : largest_batched_state_gpu;
  return ranks().alone() && device().facts().has_double && impl_->state[0].bytes() <= largest ? batch_length : 0;
}

void DgOperator::Impl::launch_batch() {
  for (int step = 0; step < batch_length; ++step) {
    launch(advance_kernel, 1,
           {{"rates", &rates},
            {"rate_count", static_cast<std::int32_t>(rate_groups * classes.size())},
            {"plan", &batch_plan},
            {"progress", &batch_progress},
            {"clock", &clock},
            {"rate_clock", &batch_rate_clock}});
    run_stages();
    launch_rates(batch_rate_clock);
  }
}

DgOperator::Batch DgOperator::run_batch(double t, const StepPlan& plan) {
  Impl& im = *impl_;
  if (im.batch_plan.bytes() == 0) {
    im.batch_plan = im.device.allocate(5 * sizeof(double), "batch: plan");
    im.batch_progress = im.device.allocate(4 * sizeof(double), "batch: progress");
    im.batch_rate_clock = im.device.allocate(im.clock.bytes(), "batch: clock of the rates");
    im.batch_start = im.device.allocate(im.state[0].bytes(), "batch: state at the start");
  }
  codegen::Graph& graph = im.batch_graphs[static_cast<std::size_t>(im.current)];
  if (graph.command_count() == 0) graph = codegen::capture_graph(im.queue, [&] { im.launch_batch(); });
  im.send<double>(im.batch_plan, std::array{plan.limit, plan.cfl, plan.step.value_or(0), plan.smallest, im.stable_constant});
  im.send<double>(im.batch_progress, std::array{t, 0.0, 0.0, 0.0});
  im.queue.copy(im.state[im.current], im.batch_start, im.batch_start.bytes());
  graph.launch(im.queue);
  std::array<double, 4> progress{};
  im.queue.download(im.batch_progress, std::span<double>(progress));
  im.clock_t = Impl::unknown_clock;
  Batch batch{progress[0], progress[1], std::llround(progress[2]), im.stable_from_rates(), true};
  if (!std::isnan(batch.stable)) return batch;
  im.queue.copy(im.batch_start, im.state[im.current], im.batch_start.bytes());
  im.clear_registers();
  im.refresh_traces();
  return {t, 0, 0, batch.stable, false};
}

std::vector<double> DgOperator::time_derivative(double t) {
  Impl& im = *impl_;
  const UpdateCode update = rate_only_update();
  if (!im.rate_only_kernels) {
    const StagePlan plan = plan_stages(im.plan_input(), {update});
    const auto built = im.build(plan.specs);
    im.rate_only_kernels.emplace();
    for (std::size_t c = 0; c < built.size(); ++c) im.rate_only_kernels->push_back({built[c], plan.launches[c]});
  }
  im.set_clock(t, 0);
  im.refresh_gradients(0);
  im.launch_stage(*im.rate_only_kernels, update, {}, 0, 2);
  return im.ranks.gather(im.to_mesh_order(im.state[1 - im.current], im.system.variable_count()));
}

}  // namespace dgsolve::solver
