// Points of the output cells and values at them.
#include "io/output_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "io/vtk_cells.h"
#include "mesh/mapping.h"

namespace dgsolve::io {
namespace {

/// Reference coordinates of the output points in VTK's order.
std::vector<std::array<double, 3>> output_points(mesh::Shape shape, int order) {
  const auto lattice = mesh::lattice_points(shape, order);
  std::vector<std::array<double, 3>> points;
  for (const int index : vtk_point_order(shape, order)) points.push_back(lattice[static_cast<std::size_t>(index)]);
  return points;
}

void check_shapes(const mesh::Mesh& mesh, std::size_t cells, mesh::Shape shape) {
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (mesh.shapes[cell] != shape) {
      throw mesh::MeshError(fmt::format("cell {} is a {} among cells of shape {}: there is no output yet for mixed meshes",
                                        mesh.global_number[cell], mesh::shape_facts(mesh.shapes[cell]).name,
                                        mesh::shape_facts(shape).name));
    }
  }
}

std::vector<double> map_points(const mesh::Mesh& mesh, const OutputGrid& grid, const mesh::LatticeBasis& basis) {
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  std::vector<double> points(grid.point_count() * 3, 0.0);
  double* target = points.data();
  for (std::size_t cell = 0; cell < grid.cell_count; ++cell) {
    const double* lattice = mesh.points.data() + mesh.point_offset[cell] * dimension;
    for (std::size_t m = 0; m < grid.cell_points; ++m, target += 3) {
      const double* weights = basis.values.data() + m * basis.lattice;
      for (std::size_t l = 0; l < basis.lattice; ++l) {
        for (std::size_t k = 0; k < dimension; ++k) target[k] += weights[l] * lattice[l * dimension + k];
      }
    }
  }
  return points;
}

/// Where the upper half of a symmetric tensor goes in XX YY ZZ XY YZ XZ.
std::vector<int> tensor_sources(std::size_t count, int first) {
  switch (count) {
    case 1:
      return {first, -1, -1, -1, -1, -1};
    case 3:
      return {first, first + 2, -1, first + 1, -1, -1};
    default:
      return {first, first + 3, first + 5, first + 1, first + 4, first + 2};
  }
}

OutputField make_field(const solver::Quantity& quantity, int first) {
  OutputField field;
  field.name = quantity.name;
  const std::size_t count = quantity.component_names.size();
  switch (quantity.kind) {
    case solver::Quantity::Kind::vector:
      field.sources.assign(3, -1);
      for (std::size_t c = 0; c < count; ++c) field.sources.at(static_cast<std::size_t>(quantity.axes.at(c))) = first + static_cast<int>(c);
      break;
    case solver::Quantity::Kind::symmetric_tensor:
      field.sources = tensor_sources(count, first);
      break;
    default:
      field.sources.resize(count);
      std::iota(field.sources.begin(), field.sources.end(), first);
  }
  field.columns = field.sources.size();
  return field;
}

/// Interpolates fields of up to so many cells as PointInterpolation takes together.
template <class Value>
class FieldWriter {
 public:
  using Places = std::span<const mesh::GlobalRows::Place<Value>>;

  FieldWriter(const OutputGrid& grid, std::size_t components, std::span<const double> values)
      : grid_(grid), stride_(components * grid.interpolation.node_count()), values_(values) {
    assert(values.size() == grid.cell_count * stride_);
  }
  /// Fields before it have `before` values a cell.
  void write(Places places, const OutputField& field, std::size_t before) {
    const std::size_t nodes = grid_.interpolation.node_count(), width = grid_.cell_points * field.columns;
    for (std::size_t c = 0; c < field.columns; ++c) {
      const int source = field.sources[c];
      for (std::size_t i = 0; i < places.size(); ++i) {
        targets_[i] = places[i].part(before, width) + c;
        if (source >= 0) {
          sources_[i] = values_.data() + places[i].cell * stride_ + static_cast<std::size_t>(source) * nodes;
        } else {
          for (std::size_t point = 0; point < grid_.cell_points; ++point) targets_[i][point * field.columns] = 0;
        }
      }
      if (source >= 0) {
        grid_.interpolation.apply(std::span(std::as_const(sources_)).first(places.size()),
                                  std::span(std::as_const(targets_)).first(places.size()), field.columns, scratch_);
      }
    }
  }
  /// Asks for the values of cells: they are anywhere, so that the processor does not see ahead.
  void prefetch(Places places) const {
    constexpr std::size_t line = 8;
    for (const auto& place : places) {
      for (std::size_t i = 0; i < stride_; i += line) __builtin_prefetch(values_.data() + place.cell * stride_ + i, 0, 2);
    }
  }

 private:
  const OutputGrid& grid_;
  std::size_t stride_;
  std::span<const double> values_;
  PointInterpolation::Scratch scratch_;
  std::array<const double*, PointInterpolation::lanes> sources_{};
  std::array<Value*, PointInterpolation::lanes> targets_{};
};

}  // namespace

OutputGrid make_output_grid(const mesh::MeshPart& part, const solver::ReferenceElement& element, const mesh::Communicator& ranks) {
  const mesh::Mesh& mesh = part.mesh;
  check_shapes(mesh, part.owned, element.shape);
  OutputGrid grid{{}, 0, part.owned, 0, {}, {ranks, std::span(mesh.global_number).first(part.owned), part.cells}};
  try {
    grid.cell_type = vtk_cell_type(element.shape);
  } catch (const std::invalid_argument& error) {
    throw mesh::MeshError(error.what());
  }
  const auto reference = output_points(element.shape, element.order);
  grid.cell_points = reference.size();
  grid.points = map_points(mesh, grid, mesh::lattice_basis(element.shape, mesh.geometry_order, reference));
  grid.interpolation = PointInterpolation(element, vtk_point_order(element.shape, element.order));
  return grid;
}

std::vector<OutputField> make_output_fields(const std::vector<solver::Quantity>& quantities) {
  std::vector<OutputField> fields;
  int first = 0;
  for (const auto& quantity : quantities) {
    fields.push_back(make_field(quantity, first));
    first += static_cast<int>(quantity.component_names.size());
  }
  return fields;
}

template <class Value>
void fields_at_points(const OutputGrid& grid, std::span<const OutputField> fields, std::size_t components, std::span<const double> values,
                      std::span<const mesh::GlobalRows::Place<Value>> places) {
  FieldWriter<Value> writer(grid, components, values);
  for (auto rest = places; !rest.empty();) {
    const auto some = rest.first(std::min(PointInterpolation::lanes, rest.size()));
    rest = rest.subspan(some.size());
    writer.prefetch(rest.first(std::min(PointInterpolation::lanes, rest.size())));
    std::size_t before = 0;
    for (const OutputField& field : fields) {
      writer.write(some, field, before);
      before += grid.cell_points * field.columns;
    }
  }
}

template void fields_at_points(const OutputGrid&, std::span<const OutputField>, std::size_t, std::span<const double>,
                               std::span<const mesh::GlobalRows::Place<double>>);
template void fields_at_points(const OutputGrid&, std::span<const OutputField>, std::size_t, std::span<const double>,
                               std::span<const mesh::GlobalRows::Place<float>>);

}  // namespace dgsolve::io
