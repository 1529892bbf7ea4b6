// Inverse mapping of points.
#include "solver/point_location.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mesh/mapping.h"

namespace dgsolve::solver {
namespace {

constexpr double tolerance = 1e-9;  // of reference coordinates: how far outside a cell a point on its face may seem to be

bool inside_reference(mesh::Shape shape, const std::array<double, 3>& r) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  double sum = 0;
  for (int d = 0; d < facts.dimension; ++d) {
    const double x = r[static_cast<std::size_t>(d)];
    if (x < -1 - tolerance || (facts.tensor && x > 1 + tolerance)) return false;
    sum += x + 1;
  }
  return facts.tensor || sum <= 2 + tolerance;
}

/// Reference coordinates of the point in one cell, by Newton's method from the cell's middle.
std::optional<std::array<double, 3>> invert(const mesh::Mesh& mesh, std::size_t cell, const std::array<double, 3>& point) {
  const int dim = mesh.dimension;
  const mesh::Shape shape = mesh.shapes[cell];
  const double start = mesh::shape_facts(shape).tensor ? 0.0 : -1.0 + 2.0 / (dim + 1);
  std::array<double, 3> r{start, start, start};
  const double* points = &mesh.points[mesh.point_offset[cell] * static_cast<std::size_t>(dim)];
  for (int iteration = 0; iteration < 50; ++iteration) {
    const mesh::LatticeBasis basis = mesh::lattice_basis(shape, mesh.geometry_order, std::span(&r, 1));
    Eigen::VectorXd residual(dim);
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(dim, dim);
    for (int k = 0; k < dim; ++k) residual(k) = point[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < basis.lattice; ++i) {
      for (int k = 0; k < dim; ++k) {
        const double x = points[i * static_cast<std::size_t>(dim) + static_cast<std::size_t>(k)];
        residual(k) -= basis.values[i] * x;
        for (int d = 0; d < dim; ++d) jacobian(k, d) += basis.gradients[static_cast<std::size_t>(d)][i] * x;
      }
    }
    const Eigen::VectorXd step = jacobian.partialPivLu().solve(residual);
    if (!step.allFinite()) return std::nullopt;
    for (int d = 0; d < dim; ++d) r[static_cast<std::size_t>(d)] = std::clamp(r[static_cast<std::size_t>(d)] + step(d), -3.0, 3.0);
    if (step.norm() < 1e-13) return r;
  }
  return std::nullopt;
}

bool inside_bounds(const mesh::Mesh& mesh, std::size_t cell, const std::array<double, 3>& point) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t k = 0; k < dim; ++k) {
    double low = mesh.points[mesh.point_offset[cell] * dim + k];
    double high = low;
    for (std::size_t i = mesh.point_offset[cell]; i < mesh.point_offset[cell + 1]; ++i) {
      low = std::min(low, mesh.points[i * dim + k]);
      high = std::max(high, mesh.points[i * dim + k]);
    }
    const double margin = 0.1 * (high - low) + 1e-12 * std::abs(high);  // curved faces may bulge beyond their lattice points
    if (point[k] < low - margin || point[k] > high + margin) return false;
  }
  return true;
}

}  // namespace

std::optional<LocatedPoint> locate_point(const mesh::Mesh& mesh, std::size_t cells, const std::array<double, 3>& point) {
  std::optional<LocatedPoint> found;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (!inside_bounds(mesh, cell, point)) continue;
    if (found && mesh.global_number[static_cast<std::size_t>(found->cell)] < mesh.global_number[cell]) continue;
    const auto reference = invert(mesh, cell, point);
    if (reference && inside_reference(mesh.shapes[cell], *reference)) found = LocatedPoint{static_cast<std::int64_t>(cell), *reference};
  }
  return found;
}

}  // namespace dgsolve::solver
