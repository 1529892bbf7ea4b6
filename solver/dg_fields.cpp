// What is read out of a discontinuous Galerkin operator: state, norms, integrals, fields, faults, point values, checksum.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "solver/dg_impl.h"
#include "solver/digest_sum.h"
#include "solver/exact_sum.h"
#include "solver/point_location.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::KernelSpec;
using std::size_t;

size_t sz(std::int64_t value) { return static_cast<size_t>(value); }

/// The sums of all ranks, on every rank.
std::vector<double> total(const mesh::Communicator& ranks, std::span<ExactSum> sums) {
  constexpr size_t length = std::tuple_size_v<ExactSum::Parts>;
  std::vector<std::int64_t> parts;
  for (ExactSum& sum : sums) {
    const ExactSum::Parts& own = sum.carried_parts();
    parts.insert(parts.end(), own.begin(), own.end());
  }
  ranks.sum(parts);
  std::vector<double> values;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i].set_parts(std::span(parts).subspan(i * length, length));
    values.push_back(sums[i].value());
  }
  return values;
}

/// NaN wins, so that the order of the values does not count.
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b); }
double larger(double a, double b) { return -smaller(-a, -b); }

/// Jacobian of an affine class's element; curved classes have it inside the kernels' sums.
double element_factor(const ClassData& data, size_t element) {
  return data.geometry.affine ? 1.0 / data.geometry.inverse_jacobian[element] : 1.0;
}

double element_measure(const ReferenceElement& element, const Quadrature& rule, const ClassData& data, size_t e) {
  if (data.geometry.affine) return rule.weights.sum() / data.geometry.inverse_jacobian[e];
  const size_t nodes = sz(element.node_count);
  double measure = 0;
  for (size_t i = 0; i < nodes; ++i)
    measure += element.weights(static_cast<Eigen::Index>(i)) / data.geometry.inverse_jacobian[e * nodes + i];
  return measure;
}

std::string describe(const std::vector<FieldSpec>& fields) {
  std::string text;
  for (const FieldSpec& field : fields) {
    text += field.name + "{";
    for (const Formula& formula : field.components) text += formula.text + ";";
    text += "}";
  }
  return text;
}

int component_count(const std::vector<Quantity>& quantities) {
  int count = 0;
  for (const Quantity& quantity : quantities) count += static_cast<int>(quantity.component_names.size());
  return count;
}

}  // namespace

std::vector<double> DgOperator::Impl::to_mesh_order(const Buffer& buffer, int components) {
  const size_t per_element = sz(components) * sz(element.node_count);
  const auto packed = download_reals(queue, buffer, sz(layout.block_count) * sz(width) * per_element, precision());
  std::vector<double> values(owned() * per_element);
  for (size_t cell = 0; cell < owned(); ++cell) {
    const double* source = packed.data() + layout.at(layout.slot_of_cell[cell], 0, 0, components);
    for (size_t i = 0; i < per_element; ++i) values[cell * per_element + i] = source[i * sz(width)];
  }
  return values;
}

const std::vector<codegen::Kernel>& DgOperator::Impl::other(const std::string& description, std::vector<KernelSpec> specs) {
  auto found = other_kernels.find(description);
  if (found == other_kernels.end()) found = other_kernels.emplace(description, build(specs)).first;
  return found->second;
}

const std::vector<codegen::Kernel>& DgOperator::Impl::fields_kernels(const std::vector<FieldSpec>& fields, int& components) {
  components = component_count(system.resolve_fields(fields));
  const std::string description = "fields " + describe(fields);
  std::vector<KernelSpec> specs;
  if (!other_kernels.contains(description)) {
    const PhysicsFunction function = system.fields(fields, precision());
    for (const ElementClass& group : layout.classes) specs.push_back(fields_kernel_spec(pointwise(group), function.code, components));
  }
  return other(description, std::move(specs));
}

Buffer DgOperator::Impl::evaluate_fields(const std::vector<FieldSpec>& fields, double t, int& components) {
  const auto& kernels = fields_kernels(fields, components);
  Buffer result = pool.allocate(layout.state_size() / sz(layout.variables) * sz(components) * real_bytes(), "fields");
  set_clock(t, clock_dt);
  for (size_t c = 0; c < classes.size(); ++c) {
    with_node_points(c, [&](const Buffer& points, std::int32_t first_block, std::int32_t blocks) {
      launch(kernels[c], static_cast<std::uint32_t>(blocks),
             {{"state", &state[current]},
              {"node_points", &points},
              {"clock", &clock},
              {"fields", &result},
              {"first_block", first_block},
              {"first_output", first_block}});
    });
  }
  return result;
}

std::vector<double> DgOperator::Impl::element_sums(const std::vector<FieldSpec>& fields, double t, int& components) {
  const Buffer values = evaluate_fields(fields, t, components);
  std::vector<KernelSpec> specs;
  for (const ElementClass& group : layout.classes) specs.push_back(element_sums_kernel_spec(pointwise(group), components));
  const auto& kernels = other(fmt::format("sums {}", components), std::move(specs));
  const std::vector<double> weights(element.weights.data(), element.weights.data() + element.weights.size());
  const Buffer weight_buffer = upload_reals(device, queue, weights, precision(), "quadrature weights");
  const size_t count = sz(layout.block_count) * sz(width) * sz(components) * 3;
  Buffer sums = pool.allocate(count * real_bytes(), "element sums");
  for (size_t c = 0; c < classes.size(); ++c) {
    launch(kernels[c], block_groups(layout.classes[c]),
           {{"fields", &values},
            {"weights", &weight_buffer},
            {"metric", &classes[c].metric},
            {"sums", &sums},
            {"first_block", layout.classes[c].first_block},
            {"block_count", layout.classes[c].block_count}});
  }
  const auto packed = download_reals(queue, sums, count, precision());
  std::vector<double> result(owned() * sz(components) * 3);
  for (size_t c = 0; c < classes.size(); ++c) {
    const ElementClass& group = layout.classes[c];
    for (size_t e = 0; e < group.cells.size(); ++e) {
      const size_t slot = sz(group.first_slot(width)) + e;
      for (size_t i = 0; i < sz(components) * 3; ++i) {
        const double value = packed[(slot / sz(width) * sz(components) * 3 + i) * sz(width) + slot % sz(width)];
        result[sz(group.cells[e]) * sz(components) * 3 + i] = i % 3 == 0 ? value * element_factor(classes[c], e) : value;
      }
    }
  }
  return result;
}

std::vector<double> DgOperator::state() { return impl_->ranks.gather(impl_->own_state()); }

void DgOperator::set_state(std::span<const double> values) {
  const size_t per_element = sz(impl_->system.variable_count()) * sz(impl_->element.node_count);
  impl_->set_own_state(values.subspan(sz(impl_->part.first) * per_element, impl_->owned() * per_element));
}

void DgOperator::Impl::set_own_state(std::span<const double> values) {
  clear_registers();
  const int variables = system.variable_count();
  const int nodes = element.node_count;
  std::vector<double> packed(layout.state_size());
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(layout.cell_of_slot.size()); ++slot) {
    const size_t cell = sz(layout.cell_of_slot[sz(slot)]);
    if (cell >= owned()) continue;
    for (int v = 0; v < variables; ++v) {
      for (int node = 0; node < nodes; ++node) {
        packed[layout.at(slot, v, node, variables)] = values[(cell * sz(variables) + sz(v)) * sz(nodes) + sz(node)];
      }
    }
  }
  state[current] = upload_reals(device, queue, packed, precision(), "state");
  forget_graphs();  // of the buffer that was the state
  refresh_traces();
}

std::vector<double> DgOperator::evaluate_owned(const std::vector<FieldSpec>& fields, double t) {
  int components = 0;
  const Buffer values = impl_->evaluate_fields(fields, t, components);
  return impl_->to_mesh_order(values, components);
}

std::vector<double> DgOperator::evaluate(const std::vector<FieldSpec>& fields, double t) {
  return impl_->ranks.gather(evaluate_owned(fields, t));
}

std::vector<double> DgOperator::integrals(const std::vector<FieldSpec>& fields, double t) {
  int components = 0;
  const auto sums = impl_->element_sums(fields, t, components);
  std::vector<ExactSum> totals(sz(components));
  for (size_t i = 0; i < sums.size() / 3; ++i) totals[i % totals.size()].add(sums[3 * i]);
  return total(impl_->ranks, totals);
}

std::vector<std::array<double, 2>> DgOperator::extrema(const std::vector<FieldSpec>& fields, double t) {
  int components = 0;
  const auto sums = impl_->element_sums(fields, t, components);
  const size_t count = sz(components);
  const auto fold = [count](const std::vector<double>& pairs) {
    std::vector<double> result(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), 2 * count)));
    for (size_t i = result.size(); i < pairs.size(); ++i) {
      double& own = result[i % (2 * count)];
      own = i % 2 == 0 ? smaller(own, pairs[i]) : larger(own, pairs[i]);
    }
    return result;
  };
  std::vector<double> pairs(2 * sums.size() / 3);
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = sums[i / 2 * 3 + 1 + i % 2];
  pairs = fold(impl_->ranks.all_gather(fold(pairs)));
  std::vector<std::array<double, 2>> result(count);
  for (size_t c = 0; c < count; ++c) result[c] = {pairs[2 * c], pairs[2 * c + 1]};
  return result;
}

std::vector<ErrorNorms> DgOperator::error_norms(double t) {
  Impl& im = *impl_;
  if (!im.system.has_exact()) return {};
  const Quadrature rule = make_quadrature(im.element.shape, 2 * im.element.order + 3);
  const auto points = static_cast<size_t>(rule.weights.size());
  if (!im.norm_kernels) {
    const PhysicsFunction exact = im.system.exact(im.precision());
    std::vector<KernelSpec> specs;
    for (const ElementClass& group : im.layout.classes) {
      specs.push_back(error_norms_kernel_spec(im.pointwise(group), exact.code, static_cast<int>(points)));
    }
    im.norm_kernels = im.build(specs);
  }
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> interpolation = im.element.interpolation_to(rule.points);
  const std::vector<double> weights(rule.weights.data(), rule.weights.data() + points);
  const Buffer matrix =
      upload_reals(im.device, im.queue, {interpolation.data(), static_cast<size_t>(interpolation.size())}, im.precision(), "interpolation");
  const Buffer weight_buffer = upload_reals(im.device, im.queue, weights, im.precision(), "quadrature weights");
  const size_t variables = sz(im.system.variable_count());
  const size_t count = sz(im.layout.block_count) * sz(im.width) * 3 * variables;
  Buffer norms = im.pool.allocate(count * im.real_bytes(), "error norms");
  im.set_clock(t, im.clock_dt);
  for (size_t c = 0; c < im.classes.size(); ++c) {
    Buffer temporary;
    const Buffer& node_points = im.node_points(c, temporary);
    im.launch((*im.norm_kernels)[c], static_cast<std::uint32_t>(im.layout.classes[c].block_count),
              {{"state", &im.state[im.current]},
               {"node_points", &node_points},
               {"metric", &im.classes[c].metric},
               {"interpolation", &matrix},
               {"weights", &weight_buffer},
               {"clock", &im.clock},
               {"norms", &norms},
               {"first_block", im.layout.classes[c].first_block}});
    im.queue.finish();
  }
  const auto packed = download_reals(im.queue, norms, count, im.precision());
  std::vector<ExactSum> sums(1 + 2 * variables);  // measure, then l1 and l2^2 of every variable
  std::vector<double> largest(variables, 0.0);
  for (size_t c = 0; c < im.classes.size(); ++c) {
    const ClassData& data = im.classes[c];
    for (size_t e = 0; e < im.layout.classes[c].cells.size(); ++e) {
      sums[0].add(element_measure(im.element, rule, data, e));
      const size_t slot = sz(im.layout.classes[c].first_slot(im.width)) + e;
      const auto value = [&](size_t i) { return packed[(slot / sz(im.width) * 3 * variables + i) * sz(im.width) + slot % sz(im.width)]; };
      for (size_t i = 0; i < 2 * variables; ++i) sums[1 + i].add(value(i) * element_factor(data, e));
      for (size_t v = 0; v < variables; ++v) largest[v] = larger(largest[v], value(2 * variables + v));
    }
  }
  const std::vector<double> totals = total(im.ranks, sums);
  const std::vector<double> of_ranks = im.ranks.all_gather(largest);
  for (size_t i = 0; i < of_ranks.size(); ++i) largest[i % variables] = larger(largest[i % variables], of_ranks[i]);
  const auto names = im.system.component_names();
  std::vector<ErrorNorms> result;
  for (size_t v = 0; v < variables; ++v)
    result.push_back({names[v], totals[1 + v] / totals[0], std::sqrt(totals[1 + variables + v] / totals[0]), largest[v]});
  return result;
}

StateFault DgOperator::Impl::describe_fault(std::optional<size_t> cell, int node, double t) {
  const size_t nodes = sz(element.node_count);
  // Numbers of the one rank that has the cell, [number, position, values of the variables, values that must be positive].
  std::vector<double> numbers;
  if (cell) {
    numbers.push_back(static_cast<double>(mesh.global_number[*cell]));
    const std::array<double, 3> position = node_position(*cell, node);
    numbers.insert(numbers.end(), position.begin(), position.end());
    numbers.push_back(ranks.rank());
  }
  const auto add = [&](const std::vector<double>& values, int components) {
    for (int c = 0; cell && c < components; ++c) numbers.push_back(values[(*cell * sz(components) + sz(c)) * nodes + sz(node)]);
  };
  add(own_state(), system.variable_count());
  for (const FormulaEntry& entry : problem.equations.admissible) {
    int components = 0;
    const Buffer field = evaluate_fields({{entry.target + "_admissible", {entry.formula}, entry.formula.where}}, t, components);
    add(to_mesh_order(field, components), 1);
  }
  numbers = ranks.all_gather(std::move(numbers));
  StateFault found;
  found.element = std::llround(numbers[0]);
  std::copy_n(numbers.begin() + 1, 3, found.position.begin());
  found.rank = static_cast<int>(std::lround(numbers[4]));
  const auto names = system.component_names();
  size_t next = 5;
  for (const std::string& name : names) {
    found = {"non-finite", name, numbers[next++], found.element, found.position, found.rank};
    if (!std::isfinite(found.value)) return found;
  }
  for (const FormulaEntry& entry : problem.equations.admissible) {
    found = {"not positive", entry.target, numbers[next++], found.element, found.position, found.rank};
    if (!(found.value > 0)) return found;
  }
  return found;
}

std::array<double, 3> DgOperator::Impl::node_position(size_t cell, int node) const {
  std::array<double, 3> position{0, 0, 0};
  const size_t dim = sz(element.dimension);
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto& cells = layout.classes[c].cells;
    const auto at = std::find(cells.begin(), cells.end(), static_cast<std::int32_t>(cell));
    if (at == cells.end()) continue;
    const size_t first = (sz(at - cells.begin()) * sz(element.node_count) + sz(node)) * dim;
    std::copy_n(classes[c].geometry.coordinates.begin() + static_cast<std::ptrdiff_t>(first), dim, position.begin());
  }
  return position;
}

std::optional<StateFault> DgOperator::fault(double t) {
  Impl& im = *impl_;
  if (!im.fault_kernels) {
    const bool admissible = !im.system.admissible_names().empty();
    const std::string physics = admissible ? im.system.admissible(im.precision()).code : "/* nothing to check */\n";
    std::vector<KernelSpec> specs;
    for (const ElementClass& group : im.layout.classes) specs.push_back(faults_kernel_spec(im.pointwise(group), physics, admissible));
    im.fault_kernels = im.build(specs);
  }
  const size_t slots = im.layout.cell_of_slot.size();
  Buffer bad = im.pool.allocate(slots * sizeof(std::int32_t), "faults");
  im.set_clock(t, im.clock_dt);
  for (size_t c = 0; c < im.classes.size(); ++c) {
    im.with_node_points(c, [&](const Buffer& points, std::int32_t first_block, std::int32_t blocks) {
      im.launch((*im.fault_kernels)[c], im.block_groups(blocks),
                {{"state", &im.state[im.current]},
                 {"node_points", &points},
                 {"clock", &im.clock},
                 {"bad_nodes", &bad},
                 {"first_block", first_block},
                 {"block_count", blocks}});
    });
  }
  std::vector<std::int32_t> nodes(slots);
  im.queue.download(bad, std::span<std::int32_t>(nodes));
  std::optional<size_t> first;
  for (size_t cell = 0; cell < im.owned(); ++cell) {
    if (nodes[sz(im.layout.slot_of_cell[cell])] < 0) continue;
    if (!first || im.mesh.global_number[cell] < im.mesh.global_number[*first]) first = cell;
  }
  // The largest of the negated numbers is the first fault of all ranks.
  constexpr double none = -std::numeric_limits<double>::infinity();
  const double own = first ? -static_cast<double>(im.mesh.global_number[*first]) : none;
  const double found = im.ranks.max(own);
  if (found == none) return std::nullopt;
  const int node = first ? nodes[sz(im.layout.slot_of_cell[*first])] : 0;
  return im.describe_fault(own == found ? first : std::nullopt, node, t);
}

std::optional<DgOperator::PointLocation> DgOperator::locate(std::array<double, 3> point) {
  const Impl& im = *impl_;
  const auto found = locate_point(im.mesh, im.owned(), point);
  // The largest of the negated numbers is the lowest number of all ranks.
  constexpr double none = -std::numeric_limits<double>::infinity();
  const double own = found ? -static_cast<double>(im.mesh.global_number[sz(found->cell)]) : none;
  const double best = im.ranks.max(own);
  if (best == none) return std::nullopt;
  std::vector<double> numbers;  // of the one rank that has the cell: its place, the weights
  if (own == best) {
    Eigen::MatrixXd reference(1, im.element.dimension);
    for (int d = 0; d < im.element.dimension; ++d) reference(0, d) = found->reference[sz(d)];
    const Eigen::MatrixXd row = im.element.interpolation_to(reference);
    numbers.push_back(static_cast<double>(im.part.first + found->cell));
    numbers.insert(numbers.end(), row.data(), row.data() + row.size());
  }
  numbers = im.ranks.all_gather(std::move(numbers));
  return PointLocation{std::llround(numbers[0]), std::vector<double>(numbers.begin() + 1, numbers.end())};
}

std::vector<double> DgOperator::evaluate_at(const PointLocation& point, const std::vector<FieldSpec>& fields, double t) {
  Impl& im = *impl_;
  int components = 0;
  const auto& kernels = im.fields_kernels(fields, components);
  const std::int64_t own_cell = point.cell - im.part.first;
  if (own_cell < 0 || own_cell >= static_cast<std::int64_t>(im.owned())) return im.ranks.all_gather(std::vector<double>());
  const std::int32_t slot = im.layout.slot_of_cell[sz(own_cell)];
  const std::int32_t block = slot / im.width;
  size_t c = 0;
  while (block >= im.layout.classes[c].first_block + im.layout.classes[c].block_count) ++c;
  // The block as a class of its own.
  ElementClass own = im.layout.classes[c];
  const std::int32_t first_element = (block - own.first_block) * im.width;
  own.block_count = 1;
  own.element_count = std::min(own.element_count - first_element, im.width);
  const Buffer points =
      upload_node_points(im.device, im.queue, im.element, im.layout, own, im.classes[c].geometry, im.precision(), sz(first_element));
  const size_t nodes = sz(im.element.node_count);
  const size_t count = sz(components) * nodes * sz(im.width);
  Buffer values = im.pool.allocate(count * im.real_bytes(), "fields of a block");
  im.set_clock(t, im.clock_dt);
  im.launch(kernels[c], 1,
            {{"state", &im.state[im.current]},
             {"node_points", &points},
             {"clock", &im.clock},
             {"fields", &values},
             {"first_block", block},
             {"first_output", std::int32_t{0}}});
  const auto packed = download_reals(im.queue, values, count, im.precision());
  std::vector<double> result(sz(components), 0.0);
  for (int v = 0; v < components; ++v) {
    for (size_t m = 0; m < nodes; ++m)
      result[sz(v)] += point.weights[m] * packed[im.layout.at(slot % im.width, v, static_cast<int>(m), components)];
  }
  return im.ranks.all_gather(std::move(result));
}

std::string DgOperator::checksum() {
  const auto values = impl_->own_state();
  const size_t per_element = sz(impl_->system.variable_count()) * sz(impl_->element.node_count);
  DigestSum sum;
  for (size_t cell = 0; cell < impl_->owned(); ++cell) {
    std::string bytes;
    append_bytes(bytes, std::span(&impl_->mesh.global_number[cell], 1));
    append_bytes(bytes, std::span(values).subspan(cell * per_element, per_element));
    sum.add(bytes);
  }
  return sum.total(impl_->ranks);
}

std::string DgOperator::mesh_digest() const { return solver::mesh_digest(impl_->mesh, impl_->owned(), impl_->ranks); }

}  // namespace dgsolve::solver
