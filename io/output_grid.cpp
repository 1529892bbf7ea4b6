// Points of the output cells and values at them.
#include "io/output_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

/// Cells that are interpolated together: the sums of each have one order, whatever cells are beside it.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

/// Asks for what the next cells have of a component: the other components lie between, so that the processor does not see ahead.
void prefetch_cells(const double* source, std::size_t cells, std::size_t stride, std::size_t nodes) {
  constexpr std::size_t line = 8;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (std::size_t node = 0; node < nodes; node += line) __builtin_prefetch(source + cell * stride + node);
  }
}

/// The weights of a matrix that are not zero but for rounding. Points on faces and edges need the nodes there alone.
class SparseRows {
 public:
  explicit SparseRows(const Eigen::MatrixXd& matrix) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
        constexpr double rounding = 1e-13;
        if (std::abs(matrix(row, column)) > rounding) entries_.push_back({static_cast<std::size_t>(column), matrix(row, column)});
      }
      ends_.push_back(entries_.size());
    }
  }
  [[nodiscard]] Lanes times(std::size_t row, const std::vector<Lanes>& values) const {
    Lanes sum{};
    for (std::size_t i = row == 0 ? 0 : ends_[row - 1]; i < ends_[row]; ++i) {
      const Lanes& value = values[entries_[i].column];
      for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += entries_[i].weight * value[lane];
    }
    return sum;
  }

 private:
  struct Entry {
    std::size_t column = 0;
    double weight = 0;
  };
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;  ///< of the rows
};

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
                                    const std::vector<double>& values, std::vector<double> memory) {
  const Eigen::Index nodes = grid.interpolation.cols();
  if (values.size() != grid.cell_count * components * static_cast<std::size_t>(nodes)) {
    throw std::invalid_argument("field_at_points: values do not fit the grid");
  }
  std::vector<double> result = std::move(memory);
  result.resize(grid.point_count() * field.columns);
  for (std::size_t c = 0; c < field.columns; ++c) {
    for (std::size_t i = c; field.sources[c] < 0 && i < result.size(); i += field.columns) result[i] = 0;
  }
  const SparseRows rows(grid.interpolation);
  const auto of_node = static_cast<std::size_t>(nodes);
  std::vector<Lanes> group(of_node);
  for (std::size_t cell = 0; cell < grid.cell_count; cell += lanes) {
    const std::size_t used = std::min(lanes, grid.cell_count - cell);
    for (std::size_t c = 0; c < field.columns; ++c) {
      if (field.sources[c] < 0) continue;
      const std::size_t stride = components * of_node;
      const double* source = values.data() + cell * stride + static_cast<std::size_t>(field.sources[c]) * of_node;
      if (cell + 2 * lanes <= grid.cell_count) prefetch_cells(source + lanes * stride, lanes, stride, of_node);
      for (std::size_t lane = 0; lane < used; ++lane) {
        for (std::size_t node = 0; node < of_node; ++node) group[node][lane] = source[lane * stride + node];
      }
      double* target = result.data() + cell * grid.cell_points * field.columns + c;
      for (std::size_t point = 0; point < grid.cell_points; ++point) {
        const Lanes sum = rows.times(point, group);
        for (std::size_t lane = 0; lane < used; ++lane) target[(lane * grid.cell_points + point) * field.columns] = sum[lane];
      }
    }
  }
  return result;
}

}  // namespace dgsolve::io
