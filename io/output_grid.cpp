// Points of the output cells and values at them.
#include "io/output_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

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
  Eigen::MatrixXd coordinates(static_cast<Eigen::Index>(reference.size()), element.dimension);
  for (Eigen::Index m = 0; m < coordinates.rows(); ++m) {
    for (Eigen::Index k = 0; k < coordinates.cols(); ++k) {
      coordinates(m, k) = reference[static_cast<std::size_t>(m)][static_cast<std::size_t>(k)];
    }
  }
  grid.interpolation = element.interpolation_to(coordinates);
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

std::vector<double> field_at_points(const OutputGrid& grid, const OutputField& field, std::size_t components,
                                    const std::vector<double>& values) {
  const Eigen::Index nodes = grid.interpolation.cols();
  const Eigen::Index cell_points = grid.interpolation.rows();
  const auto columns = static_cast<Eigen::Index>(field.columns);
  if (values.size() != grid.cell_count * components * static_cast<std::size_t>(nodes)) {
    throw std::invalid_argument("field_at_points: values do not fit the grid");
  }
  std::vector<double> result(grid.point_count() * field.columns, 0.0);
  using Strided = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>>;
  for (std::size_t cell = 0; cell < grid.cell_count; ++cell) {
    const double* source = values.data() + cell * components * static_cast<std::size_t>(nodes);
    double* target = result.data() + cell * grid.cell_points * field.columns;
    for (Eigen::Index c = 0; c < columns; ++c) {
      const int component = field.sources[static_cast<std::size_t>(c)];
      if (component < 0) continue;
      Strided(target + c, cell_points, Eigen::InnerStride<>(columns)) =
          grid.interpolation * Eigen::Map<const Eigen::VectorXd>(source + component * nodes, nodes);
    }
  }
  return result;
}

}  // namespace dgsolve::io
