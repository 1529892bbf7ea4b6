// Time stepping: the launches of a step are recorded once, for each of the two states, and replayed as a graph.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "solver/dg_impl.h"

namespace dgsolve::solver {

codegen::KernelCost DgOperator::Impl::stage_cost(std::size_t group, int values_of_dof) const {
  const double dofs = static_cast<double>(layout.classes[group].element_count) * element.node_count * system.variable_count();
  const ClassData& data = classes[group];
  return {dofs * values_of_dof * static_cast<double>(real_bytes()) + static_cast<double>(data.geometry_bytes + data.link_bytes), 0};
}

void DgOperator::Impl::set_clock(double t, double dt) {
  if (t == clock_t && dt == clock_dt) return;
  clock_t = t;
  clock_dt = dt;
  // A slot of its own for every time: the host does not wait until the device has read it.
  codegen::PinnedBuffer slot = pinned.allocate(clock.bytes(), "clock");
  if (precision() == codegen::Precision::double_precision) {
    slot.items<double>()[0] = t;
    slot.items<double>()[1] = dt;
  } else {
    slot.items<float>()[0] = static_cast<float>(t);
    slot.items<float>()[1] = static_cast<float>(dt);
  }
  queue.write_async(clock, 0, slot, clock.bytes());
}

void DgOperator::Impl::launch_stage(const std::vector<StageKernel>& kernels, const UpdateCode& update, std::span<const double> scalars,
                                    double stage_time, int values_of_dof) {
  std::vector<NamedArgument> tail;
  std::vector<std::string> names;
  names.reserve(update.registers.size());
  for (const int r : update.registers) {
    names.push_back(fmt::format("r{}", r));
    tail.emplace_back(names.back(), &registers[static_cast<std::size_t>(r)]);
  }
  for (std::size_t i = 0; i < update.scalars.size(); ++i) tail.emplace_back(update.scalars[i], scalars[i]);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ElementClass& group = layout.classes[c];
    const ClassData& data = classes[c];
    const int per_group = width > 1 ? kernels[c].launch.blocks_per_group : kernels[c].launch.elements_per_group;
    const int items = width > 1 ? group.block_count : group.element_count;
    launch(kernels[c].kernel, static_cast<std::uint32_t>((items + per_group - 1) / per_group),
           {{"state", &state[current]},
            {"traces", &traces[current_traces]},
            {"new_traces", &traces[1 - current_traces]},
            {"links", &data.links},
            {"kinds", &data.kinds},
            {"points", &tables.points},
            {"faces", &data.faces},
            {"face_points", &data.face_points},
            {"metric", &data.metric},
            {"node_points", &data.node_points},
            {"operators", &tables.operators},
            {"clock", &clock},
            {"stage_time", stage_time},
            {"first_slot", group.first_slot(width)},
            {"element_count", group.element_count},
            {"first_block", group.first_block},
            {"block_count", group.block_count},
            {"next_state", &state[1 - current]}},
           tail, stage_cost(c, values_of_dof));
  }
}

void DgOperator::Impl::run_stages() {
  for (std::size_t s = 0; s < method.stages.size(); ++s) {
    const auto [u, index] = update_of_stage[s];
    launch_stage(stage_kernels[u], updates[u], updates[u].values[index], method.stages[s].time, values_moved(method.stages[s]));
    current = 1 - current;
    current_traces = 1 - current_traces;
  }
}

void DgOperator::Impl::step(double t, double dt) {
  set_clock(t, dt);
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

void DgOperator::Impl::launch_rates() {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ElementClass& group = layout.classes[c];
    launch(rate_kernels[c], rate_groups,
           {{"state", &state[current]},
            {"metric", &classes[c].metric},
            {"node_points", &classes[c].node_points},
            {"clock", &clock},
            {"rates", &rates},
            {"first_result", static_cast<std::int32_t>(c * rate_groups)},
            {"first_block", group.first_block},
            {"block_count", group.block_count}});
  }
}

double DgOperator::stable_step(double t) {
  Impl& im = *impl_;
  im.set_clock(t, im.clock_dt);
  codegen::Graph& graph = im.rate_graphs[static_cast<std::size_t>(im.current)];
  if (graph.command_count() == 0) graph = codegen::capture_graph(im.queue, [&] { im.launch_rates(); });
  graph.launch(im.queue);
  const auto values = download_reals(im.queue, im.rates, im.rate_groups * im.classes.size(), im.precision());
  const double largest = *std::max_element(values.begin(), values.end());
  if (largest >= rate_bad(im.precision()) * 0.99) return std::numeric_limits<double>::quiet_NaN();
  return largest > 0 ? im.stable_constant / largest : std::numeric_limits<double>::infinity();
}

std::vector<double> DgOperator::time_derivative(double t) {
  Impl& im = *impl_;
  const UpdateCode update = rate_only_update();
  if (im.rate_only_kernels.empty()) {
    const StagePlan plan = plan_stages(im.plan_input(), {update});
    const auto built = codegen::build_kernels(im.device, plan.specs, im.cache);
    for (std::size_t c = 0; c < built.size(); ++c) im.rate_only_kernels.push_back({built[c], plan.launches[c]});
  }
  im.set_clock(t, 0);
  im.launch_stage(im.rate_only_kernels, update, {}, 0, 2);
  return im.to_mesh_order(im.state[1 - im.current], im.system.variable_count());
}

}  // namespace dgsolve::solver
