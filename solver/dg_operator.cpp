// Construction of the discontinuous Galerkin operator.
#include "solver/dg_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "codegen/collective_build.h"
#include "codegen/errors.h"
#include "codegen/nearest.h"
#include "solver/dg_impl.h"
#include "solver/kernel_ranks.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;

mesh::Shape single_shape(const mesh::MeshPart& part) {
  if (part.cells == 0) throw mesh::MeshError("the mesh has no cells");
  if (part.shapes.size() > 1) {
    std::set<std::string_view> names;
    for (const mesh::Shape shape : part.shapes) names.insert(mesh::shape_facts(shape).name);
    throw mesh::MeshError(fmt::format("meshes of several shapes ({}) are not yet supported: use one shape", fmt::join(names, ", ")));
  }
  const mesh::Shape shape = part.shapes.front();
  if (shape == mesh::Shape::prism || shape == mesh::Shape::pyramid) {
    throw mesh::MeshError(fmt::format("cells of shape {} are not yet supported", mesh::shape_facts(shape).name));
  }
  return shape;
}

ReferenceElement problem_element(mesh::Shape shape, const Problem& problem) {
  const std::string_view cells = mesh::shape_facts(shape).name;
  const bool simplex = shape == mesh::Shape::triangle || shape == mesh::Shape::tetrahedron;
  const int nodes = problem.order + problem.overintegration;
  const bool over = problem.overintegration > 0;
  const bool dense_hexahedron = over && shape == mesh::Shape::hexahedron;  // a group has a thread for each of 8^3 nodes, not of 9^3 or more
  const int highest = simplex ? 8 : dense_hexahedron ? 7 : 10;
  if (over && !simplex && problem.nodes == NodeFamily::gauss) {
    throw mesh::MeshError(
        fmt::format("overintegration: found {} with nodes: gauss on {} cells; it needs nodes: lobatto (Gauss nodes integrate "
                    "products two degrees higher by themselves)",
                    problem.overintegration, cells));
  }
  if (nodes > highest) {
    throw mesh::MeshError(fmt::format("order: found {}{} on {} cells, allowed are 1 to {}", problem.order,
                                      over ? fmt::format(" + {} (overintegration)", problem.overintegration) : "", cells, highest));
  }
  ReferenceElement element = make_reference_element(shape, nodes, problem.nodes);
  return over ? over_integrated(std::move(element), problem.order) : element;
}

/// W: that of the device, or 1, the GPUs' mappings, if the problem pins it.
int chosen_width(const Problem& problem, const codegen::DeviceFacts& facts) {
  const int lanes = lane_count(facts, problem.precision);
  const auto pin = problem.variant.find("width");
  if (pin == problem.variant.end()) return lanes;
  if (pin->second != 1 && pin->second != lanes)
    throw EquationError(fmt::format("variant.width: found {}, allowed are 1 or {}", pin->second, lanes));
  return static_cast<int>(pin->second);
}

/// The element's projection (over-integration) of every element of values [cells][variables][nodes], in place.
void project(const Eigen::MatrixXd& projection, std::vector<double>& values) {
  const Eigen::Index nodes = projection.rows();
  Eigen::Map<Eigen::MatrixXd> columns(values.data(), nodes, static_cast<Eigen::Index>(values.size()) / nodes);
  columns = (projection * columns).eval();
}

}  // namespace

DgOperator::Impl::Impl(const mesh::MeshPart* part_in, mesh::MeshPart whole_in, const Problem& problem_in, const codegen::Device& device_in,
                       codegen::Cache* cache_in, codegen::TuningRecords* records, const mesh::Communicator& ranks_in)
    : ranks(ranks_in),
      whole(std::move(whole_in)),
      part(part_in != nullptr ? *part_in : whole),
      mesh(part.mesh),
      problem(problem_in),
      device(device_in),
      cache(cache_in),
      queue(device.make_queue()),
      pool(device, queue),
      pinned(device),
      system(problem, mesh.dimension),
      element(problem_element(single_shape(part), problem)),
      method(integrator(problem.integrator)),
      width(chosen_width(problem, device.facts())) {
  if (precision() == codegen::Precision::double_precision && !device.facts().has_double) {
    throw codegen::DeviceError(fmt::format("device '{}' has no double precision: use precision: single", device.facts().name));
  }
  std::vector<int> condition_of_boundary;
  check_boundaries(condition_of_boundary);
  // On CPUs ranks share memory and cores: messages take little, and blocks of lanes should stay whole.
  const bool apart = !ranks.alone() && width == 1;
  layout = make_layout(mesh, affine_cells(mesh), system.variable_count(), element.node_count, width, owned(), apart);
  const Layout of_whole = layout_of_whole();
  layout.mixed = of_whole.mixed;
  physics = stage_physics(system, static_cast<int>(problem.boundaries.size()), precision());
  if (system.gradient_count() > 0)
    gradient_physics = solver::gradient_physics(system, static_cast<int>(problem.boundaries.size()), precision());
  tables = make_element_tables(device, queue, element, width, precision());
  for (const ElementClass& group : layout.classes) {
    classes.push_back(make_class_data(device, queue, mesh, element, layout, group, condition_of_boundary, precision(),
                                      {physics.node_position, physics.face_position}));
  }
  stable_constant = stable_step_constant(method, element);
  look_up(records, of_whole);
  build_kernels();
  allocate();
}

void DgOperator::Impl::check_boundaries(std::vector<int>& condition_of_boundary) const {
  std::string faults;
  std::vector<std::string> groups = mesh.boundary_names;
  for (const std::string& name : mesh.boundary_names) {
    const auto found =
        std::find_if(problem.boundaries.begin(), problem.boundaries.end(), [&](const BoundarySpec& spec) { return spec.group == name; });
    condition_of_boundary.push_back(static_cast<int>(found - problem.boundaries.begin()));
    if (found == problem.boundaries.end()) {
      faults += fmt::format("{}boundaries: the mesh has a boundary group '{}' without a condition; allowed for {} are: {}",
                            faults.empty() ? "" : "\n", name, problem.equations.name, fmt::join(condition_names(problem.equations), ", "));
    }
  }
  for (const BoundarySpec& spec : problem.boundaries) {
    if (std::find(groups.begin(), groups.end(), spec.group) != groups.end()) continue;
    faults += fmt::format("{}{}:{}:{}: boundaries.{}: the mesh has no such boundary group; it has: {}{}", faults.empty() ? "" : "\n",
                          spec.where.file, spec.where.line, spec.where.column, spec.group,
                          groups.empty() ? "none" : fmt::format("{}", fmt::join(groups, ", ")), codegen::did_you_mean(spec.group, groups));
  }
  if (!faults.empty()) throw mesh::MeshError(faults);
}

Layout DgOperator::Impl::layout_of_whole() const {
  std::array<double, 4> present{};
  const auto at = [](bool affine, bool boundary) { return (affine ? 0U : 2U) + (boundary ? 1U : 0U); };
  for (const ElementClass& group : layout.classes) present[at(group.affine, group.boundary)] = 1;
  ranks.max(present);
  Layout result;
  result.width = width;
  result.variables = layout.variables;
  result.nodes = layout.nodes;
  for (const bool affine : {true, false}) {
    for (const bool boundary : {false, true}) {
      if (present[at(affine, boundary)] > 0) result.classes.push_back({affine, boundary, false, 0, 0, 0, {}});
    }
  }
  result.mixed = present[0] + present[1] > 0 && present[2] + present[3] > 0;
  return result;
}

void DgOperator::Impl::look_up(codegen::TuningRecords* records, const Layout& of_whole) {
  // The choice is the whole problem's, never that of a rank's part, since variants need not have the same bits.
  const PlanInput input = plan_input(problem, of_whole);
  check_pins(input);
  pins = problem.variant;
  problem.variant.clear();
  const std::vector<codegen::KernelSpec> stages = plan_stages(input, stage_updates(input)).specs;
  tuning_key = codegen::tuning_key("stage", stages, static_cast<double>(dof_count()));
  find_class_leader();
  // Of the class's leader alone: files may change or differ while others read them.
  std::optional<codegen::TuningRecord> record;
  if (problem.continued_variant.empty() && records != nullptr && leads_class())
    record = records->find(codegen::device_class(device.facts()), tuning_key);
  problem.variant = of_class_leader(record ? record->point : problem.continued_variant);
  if (!problem.variant.empty()) choice_origin = problem.continued_variant.empty() ? "record" : "checkpoint";
  for (const auto& [name, value] : pins) problem.variant[name] = value;
  if (!pins.empty()) choice_origin += " and pins";
}

void DgOperator::Impl::find_class_leader() {
  if (ranks.alone()) return;
  const std::string own = codegen::device_class(device.facts());
  const std::vector<std::string> all = ranks.all_gather(own);
  class_leader = static_cast<int>(std::find(all.begin(), all.end(), own) - all.begin());
}

codegen::TuningPoint DgOperator::Impl::of_class_leader(const codegen::TuningPoint& choice) const {
  if (ranks.alone()) return choice;
  std::string text;
  if (leads_class()) {
    for (const auto& [name, value] : choice) text += fmt::format("{} {} ", name, value);
  }
  std::istringstream words(ranks.all_gather(text)[static_cast<std::size_t>(class_leader)]);
  codegen::TuningPoint result;
  std::string name;
  for (std::int64_t value = 0; words >> name >> value;) result[name] = value;
  return result;
}

std::vector<codegen::Kernel> DgOperator::Impl::build(std::span<const codegen::KernelSpec> specs) const {
  if (ranks.alone()) return codegen::build_kernels(device, specs, cache);
  KernelRanks all(ranks);
  return codegen::build_kernels_collectively(device, specs, cache, all);
}

void DgOperator::Impl::forget_graphs() {
  step_graphs = {};
  rate_graphs = {};
  batch_graphs = {};
}

void DgOperator::Impl::exchange_halo() {
  if (!halo || !exchanges) return;
  codegen::Buffer& values = gauss() ? traces[current_traces] : state[current];
  halo->begin(queue, values);
  halo->finish(queue, values);
}

void DgOperator::Impl::use_stages(std::span<const codegen::Kernel> kernels, const std::vector<StageLaunch>& launches) {
  stage_kernels.assign(updates.size(), {});
  forget_graphs();
  for (std::size_t i = 0; i < launches.size(); ++i) stage_kernels[i / layout.classes.size()].push_back({kernels[i], launches[i]});
}

void DgOperator::Impl::build_kernels() {
  KernelPlan plan = plan_kernels(plan_input());
  updates = std::move(plan.updates);
  choices = std::move(plan.choices);
  update_of_stage.resize(method.stages.size());
  for (std::size_t u = 0; u < updates.size(); ++u) {
    for (std::size_t i = 0; i < updates[u].stages.size(); ++i) update_of_stage[static_cast<std::size_t>(updates[u].stages[i])] = {u, i};
  }
  const std::vector<codegen::Kernel> built = build(plan.specs);
  use_stages(built, plan.launches);
  std::size_t next = plan.launches.size();
  for (const StageLaunch& gradient_launch : plan.gradient_launches) gradient_kernels.push_back({built[next++], gradient_launch});
  for (std::size_t c = 0; c < layout.classes.size(); ++c) {
    initial_kernels.push_back(built[next++]);
    rate_kernels.push_back(built[next++]);
  }
  if (device.facts().has_double) advance_kernel = built[next++];
  if (gauss()) traces_kernel = built[next++];
}

void DgOperator::Impl::allocate() {
  const std::size_t bytes = layout.state_size() * real_bytes();
  for (int i = 0; i < 2; ++i) {
    state[i] = device.allocate(bytes, "state");
    queue.fill_zero(state[i]);
  }
  registers.resize(static_cast<std::size_t>(method.registers));
  for (std::size_t r = 1; r < registers.size(); ++r) {
    registers[r] = device.allocate(bytes, fmt::format("Runge-Kutta register {}", r));
    queue.fill_zero(registers[r]);
  }
  if (gauss()) {
    const std::size_t points = static_cast<std::size_t>(element.face_count * element.face_node_count);
    const std::size_t trace_bytes = bytes / static_cast<std::size_t>(element.node_count) * points;
    for (auto& buffer : traces) buffer = device.allocate(trace_bytes, "traces");
  }
  if (!gradient_kernels.empty()) {
    const std::size_t gradient_bytes =
        bytes / static_cast<std::size_t>(layout.variables) * static_cast<std::size_t>(system.gradient_count());
    gradients = device.allocate(gradient_bytes, "gradients");
    queue.fill_zero(gradients);
    if (gauss()) {
      const auto points = static_cast<std::size_t>(element.face_count * element.face_node_count);
      gradient_traces = device.allocate(gradient_bytes / static_cast<std::size_t>(element.node_count) * points, "traces of gradients");
    }
  }
  clock = device.allocate(2 * real_bytes(), "clock");
  rate_groups = width > 1 ? static_cast<std::uint32_t>(std::max(1, device.facts().compute_units)) * 4 : 1024;
  rates = device.allocate(rate_groups * layout.classes.size() * real_bytes(), "rates");
  if (ranks.alone()) return;
  const std::vector<codegen::Kernel> movers = build(Halo::specs(precision(), width));
  halo.emplace(ranks, part, layout, element, device, queue, precision(), ExchangeKernels(movers), problem.exchange);
  if (gradient_kernels.empty()) return;
  Layout of_gradients = layout;
  of_gradients.variables = system.gradient_count();
  gradient_halo.emplace(ranks, part, of_gradients, element, device, queue, precision(), ExchangeKernels(movers), problem.exchange);
}

void DgOperator::Impl::launch(const codegen::Kernel& kernel, std::uint32_t groups, std::initializer_list<NamedArgument> named,
                              std::span<const NamedArgument> more, codegen::KernelCost cost) {
  std::vector<KernelArgument> arguments;
  arguments.reserve(kernel.spec().arguments.size());
  for (const codegen::ArgumentSpec& wanted : kernel.spec().arguments) {
    const auto matches = [&](const NamedArgument& argument) { return argument.first == wanted.name; };
    auto found = std::find_if(named.begin(), named.end(), matches);
    if (found != named.end()) {
      arguments.push_back(found->second);
      continue;
    }
    const auto also = std::find_if(more.begin(), more.end(), matches);
    if (also == more.end()) throw std::logic_error(fmt::format("kernel '{}': no argument '{}'", kernel.spec().name, wanted.name));
    arguments.push_back(also->second);
  }
  kernel.launch(queue, {groups, 1, 1}, arguments, cost);
}

void DgOperator::Impl::refresh_traces() {
  if (gauss())
    launch(traces_kernel, static_cast<std::uint32_t>(layout.block_count),
           {{"state", &state[current]}, {"operators", &tables.operators}, {"new_traces", &traces[current_traces]}});
  exchange_halo();
}

void DgOperator::Impl::with_node_points(std::size_t group, const std::function<void(const Buffer&, std::int32_t, std::int32_t)>& act) {
  const ElementClass& whole_class = layout.classes[group];
  if (physics.node_position) {
    act(classes[group].node_points, whole_class.first_block, whole_class.block_count);
    queue.finish();
    return;
  }
  constexpr std::size_t piece_bytes = std::size_t{16} << 20;
  const std::size_t block_bytes = sizeof(double) * static_cast<std::size_t>(element.dimension * element.node_count * width);
  const auto most = static_cast<std::int32_t>(std::max<std::size_t>(1, piece_bytes / block_bytes));
  for (std::int32_t first = 0; first < whole_class.block_count; first += most) {
    ElementClass piece{whole_class.affine, whole_class.boundary, whole_class.shared, whole_class.first_block + first, 0, 0, {}};
    piece.block_count = std::min(most, whole_class.block_count - first);
    piece.element_count = std::min(piece.block_count * width, whole_class.element_count - first * width);
    const Buffer points = upload_node_points(device, queue, element, layout, piece, classes[group].geometry, precision(),
                                             static_cast<std::size_t>(first) * static_cast<std::size_t>(width));
    act(points, piece.first_block, piece.block_count);
    queue.finish();
  }
}

const Buffer& DgOperator::Impl::node_points(std::size_t group, Buffer& temporary) {
  if (physics.node_position) return classes[group].node_points;
  temporary = upload_node_points(device, queue, element, layout, layout.classes[group], classes[group].geometry, precision());
  return temporary;
}

DgOperator::DgOperator(const mesh::MeshPart& part, const Problem& problem, const codegen::Device& device, codegen::Cache* cache,
                       codegen::TuningRecords* records, const mesh::Communicator& ranks)
    : impl_(std::make_unique<Impl>(&part, mesh::MeshPart{}, problem, device, cache, records, ranks)) {}
DgOperator::DgOperator(mesh::Mesh mesh, const Problem& problem, const codegen::Device& device, codegen::Cache* cache,
                       codegen::TuningRecords* records)
    : impl_(std::make_unique<Impl>(nullptr, mesh::whole_part(std::move(mesh)), problem, device, cache, records, mesh::Communicator())) {}
DgOperator::~DgOperator() = default;

const EquationSystem& DgOperator::system() const { return impl_->system; }
const ReferenceElement& DgOperator::element() const { return impl_->element; }
const mesh::Mesh& DgOperator::mesh() const { return impl_->mesh; }
const mesh::MeshPart& DgOperator::part() const { return impl_->part; }
std::int64_t DgOperator::cell_count() const { return impl_->part.cells; }
const mesh::Communicator& DgOperator::ranks() const { return impl_->ranks; }
std::string DgOperator::exchange() const { return impl_->halo ? impl_->halo->exchange() : "none"; }
std::vector<std::string> DgOperator::exchange_warnings() const {
  return impl_->halo ? impl_->halo->warnings() : std::vector<std::string>();
}
std::span<const std::int64_t> DgOperator::owned_numbers() const { return std::span(impl_->mesh.global_number).first(impl_->owned()); }

std::vector<double> DgOperator::owned_node_points() const {
  const std::size_t of_cell = static_cast<std::size_t>(impl_->element.node_count) * static_cast<std::size_t>(impl_->element.dimension);
  std::vector<double> points(impl_->owned() * of_cell);
  for (std::size_t c = 0; c < impl_->classes.size(); ++c) {
    const auto& cells = impl_->layout.classes[c].cells;
    for (std::size_t e = 0; e < cells.size(); ++e) {
      const auto first = impl_->classes[c].geometry.coordinates.begin() + static_cast<std::ptrdiff_t>(e * of_cell);
      std::copy_n(first, of_cell, points.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cells[e]) * of_cell));
    }
  }
  return points;
}

const Integrator& DgOperator::method() const { return impl_->method; }
const codegen::Device& DgOperator::device() const { return impl_->device; }
codegen::Queue& DgOperator::queue() { return impl_->queue; }
codegen::Precision DgOperator::precision() const { return impl_->precision(); }
const codegen::TuningPoint& DgOperator::choices() const { return impl_->choices; }
const std::string& DgOperator::choice_origin() const { return impl_->choice_origin; }

std::int64_t DgOperator::dof_count() const { return impl_->dof_count(); }
std::int64_t DgOperator::own_dof_count() const {
  return static_cast<std::int64_t>(impl_->owned()) * impl_->element.node_count * impl_->system.variable_count();
}

MemoryUse DgOperator::memory() const {
  MemoryUse use;
  for (const auto& buffer : impl_->state) use.state += buffer.bytes();
  for (std::size_t r = 1; r < impl_->registers.size(); ++r) use.state += impl_->registers[r].bytes();
  if (impl_->gauss()) use.state += 2 * impl_->traces[0].bytes();
  for (std::size_t c = 0; c < impl_->classes.size(); ++c) {
    use.geometry += impl_->geometry_bytes(c);
    use.connectivity += impl_->classes[c].link_bytes;
  }
  use.other = impl_->gradients.bytes() + impl_->gradient_traces.bytes() + impl_->tables.operators.bytes() +
              impl_->tables.fragments.bytes() + impl_->tables.points.bytes() + impl_->rates.bytes() + impl_->clock.bytes();
  return use;
}

std::vector<codegen::Kernel> DgOperator::kernels() const {
  std::vector<codegen::Kernel> list;
  for (const auto& row : impl_->stage_kernels) {
    for (const auto& kernel : row) list.push_back(kernel.kernel);
  }
  for (const auto& kernel : impl_->gradient_kernels) list.push_back(kernel.kernel);
  for (const auto* group : {&impl_->initial_kernels, &impl_->rate_kernels}) list.insert(list.end(), group->begin(), group->end());
  for (const auto* group : {&impl_->fault_kernels, &impl_->norm_kernels}) {
    if (*group) list.insert(list.end(), (*group)->begin(), (*group)->end());
  }
  if (device().facts().has_double) list.push_back(impl_->advance_kernel);
  if (impl_->gauss()) list.push_back(impl_->traces_kernel);
  for (const auto& [description, group] : impl_->other_kernels) list.insert(list.end(), group.begin(), group.end());
  return list;
}

void DgOperator::set_initial(double time) {
  Impl& im = *impl_;
  im.clear_registers();
  im.set_clock(time, 0);
  for (std::size_t c = 0; c < im.classes.size(); ++c) {
    im.with_node_points(c, [&](const Buffer& points, std::int32_t first_block, std::int32_t blocks) {
      im.launch(im.initial_kernels[c], static_cast<std::uint32_t>(blocks),
                {{"node_points", &points}, {"clock", &im.clock}, {"state", &im.state[im.current]}, {"first_block", first_block}});
    });
  }
  im.refresh_traces();
  if (im.element.projection.size() == 0) return;
  std::vector<double> values = im.own_state();
  project(im.element.projection, values);
  im.set_own_state(values);
}

void DgOperator::set_own_state(std::span<const double> values) { impl_->set_own_state(values); }

std::vector<double> DgOperator::own_state() { return impl_->own_state(); }

}  // namespace dgsolve::solver
