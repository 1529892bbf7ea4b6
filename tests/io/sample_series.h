// Meshes, elements and nodal values to write series of, without a device.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "io/vtkhdf.h"
#include "mesh/box.h"
#include "mesh/mapping.h"

namespace dgsolve::io {

/// A box of a shape, straight or warped, and the element of an order on it.
struct SampleProblem {
  mesh::Mesh mesh;
  solver::ReferenceElement element;
};

inline SampleProblem make_sample(mesh::Shape shape, int order, double warp, std::int64_t cells = 2) {
  mesh::BoxOptions box;
  box.dimension = mesh::shape_facts(shape).dimension;
  box.cells = {cells, cells, cells};
  box.upper = {1.0, 1.5, 2.0};
  box.shape = shape;
  box.warp = warp;
  box.geometry_order = warp == 0 ? 1 : 2;
  return {mesh::mesh_box(box), solver::make_reference_element(shape, order, solver::NodeFamily::lobatto)};
}

/// Coordinates of the nodes: [cells in mesh order][Np][3].
inline std::vector<std::array<double, 3>> node_positions(const SampleProblem& sample) {
  const auto dimension = static_cast<std::size_t>(sample.mesh.dimension);
  std::vector<std::array<double, 3>> reference(static_cast<std::size_t>(sample.element.node_count));
  for (std::size_t m = 0; m < reference.size(); ++m) {
    for (std::size_t k = 0; k < dimension; ++k) {
      reference[m][k] = sample.element.nodes(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(k));
    }
  }
  const auto basis = mesh::lattice_basis(sample.element.shape, sample.mesh.geometry_order, reference);
  std::vector<std::array<double, 3>> positions;
  for (std::size_t cell = 0; cell < sample.mesh.cell_count(); ++cell) {
    for (std::size_t m = 0; m < reference.size(); ++m) {
      std::array<double, 3> position{0, 0, 0};
      for (std::size_t l = 0; l < basis.lattice; ++l) {
        for (std::size_t k = 0; k < dimension; ++k) {
          position[k] += basis.values[m * basis.lattice + l] * sample.mesh.points[(sample.mesh.point_offset[cell] + l) * dimension + k];
        }
      }
      positions.push_back(position);
    }
  }
  return positions;
}

/// A polynomial of total degree `degree` in position, different for every component and time.
inline double sample_value(const std::array<double, 3>& x, int degree, std::size_t component, double time) {
  const double linear = 0.3 + 0.7 * x[0] - 0.4 * x[1] + 0.25 * x[2] + 0.1 * static_cast<double>(component);
  return std::pow(linear, degree) + time;
}

/// [cells in mesh order][components][Np]. The degree is the most that the elements hold: their order, or 1 on cells curved to second order.
inline std::vector<double> sample_values(const SampleProblem& sample, std::size_t components, double time) {
  const int degree = sample.mesh.geometry_order > 1 ? 1 : sample.element.order;
  const auto positions = node_positions(sample);
  const auto nodes = static_cast<std::size_t>(sample.element.node_count);
  std::vector<double> values;
  for (std::size_t cell = 0; cell < sample.mesh.cell_count(); ++cell) {
    for (std::size_t c = 0; c < components; ++c) {
      for (std::size_t m = 0; m < nodes; ++m) values.push_back(sample_value(positions[cell * nodes + m], degree, c, time));
    }
  }
  return values;
}

/// A scalar, a vector with one component per direction, a symmetric tensor.
inline std::vector<solver::Quantity> sample_quantities(int dimension) {
  using Kind = solver::Quantity::Kind;
  solver::Quantity vector{"velocity", Kind::vector, {}, {}};
  solver::Quantity tensor{"stress", Kind::symmetric_tensor, {}, {}};
  for (int i = 0; i < dimension; ++i) {
    vector.component_names.push_back("velocity_" + std::to_string(i));
    vector.axes.push_back(i);
    for (int k = i; k < dimension; ++k) tensor.component_names.push_back("stress_" + std::to_string(i) + std::to_string(k));
  }
  return {{"pressure", Kind::scalar, {"pressure"}, {}}, vector, tensor};
}

inline std::size_t component_count(const std::vector<solver::Quantity>& quantities) {
  std::size_t count = 0;
  for (const auto& quantity : quantities) count += quantity.component_names.size();
  return count;
}

/// Writes a series of the sample fields at the given times.
inline void write_sample_series(const std::filesystem::path& directory, const std::string& name, const SampleProblem& sample,
                                const std::vector<double>& times, ValueStorage storage = ValueStorage::float64) {
  const auto quantities = sample_quantities(sample.mesh.dimension);
  VtkhdfSeries series(directory, name, make_output_grid(mesh::whole_part(sample.mesh), sample.element), make_output_fields(quantities),
                      storage, {{"version", "test"}, {"configuration", std::string(100000, '#')}});
  std::int64_t step = 0;
  for (const double time : times) series.write(time, step++, sample_values(sample, component_count(quantities), time));
}

}  // namespace dgsolve::io
