// Inverse mapping of points.
#include "solver/point_location.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mesh/mapping.h"

namespace dgsolve::solver {
namespace {

constexpr double tolerance = 1e-9;  // of reference coordinates: how far outside a cell a point on its face may seem to be

/// How far outside of its reference shape a point lies; 0 or less: inside.
double outside_reference(mesh::Shape shape, const std::array<double, 3>& r) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  double sum = 0, outside = -1;
  for (int d = 0; d < facts.dimension; ++d) {
    const double x = r[static_cast<std::size_t>(d)];
    outside = std::max({outside, -1 - x, facts.tensor ? x - 1 : -1.0});
    sum += x + 1;
  }
  return facts.tensor ? outside : std::max(outside, sum - 2);
}

bool inside_reference(mesh::Shape shape, const std::array<double, 3>& r) { return outside_reference(shape, r) <= tolerance; }

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

struct Bounds {
  std::array<double, 3> low{0, 0, 0}, high{0, 0, 0};
};

Bounds bounds_of(const mesh::Mesh& mesh, std::size_t cell) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  Bounds bounds;
  for (std::size_t k = 0; k < dim; ++k) {
    double low = mesh.points[mesh.point_offset[cell] * dim + k];
    double high = low;
    for (std::size_t i = mesh.point_offset[cell]; i < mesh.point_offset[cell + 1]; ++i) {
      low = std::min(low, mesh.points[i * dim + k]);
      high = std::max(high, mesh.points[i * dim + k]);
    }
    const double margin = 0.1 * (high - low) + 1e-12 * std::abs(high);  // curved faces may bulge beyond their lattice points
    bounds.low[k] = low - margin;
    bounds.high[k] = high + margin;
  }
  return bounds;
}

bool inside_bounds(const mesh::Mesh& mesh, std::size_t cell, const std::array<double, 3>& point) {
  const Bounds bounds = bounds_of(mesh, cell);
  for (std::size_t k = 0; k < static_cast<std::size_t>(mesh.dimension); ++k) {
    if (point[k] < bounds.low[k] || point[k] > bounds.high[k]) return false;
  }
  return true;
}

/// How far outside, in reference coordinates, a point may lie that counts to a cell all the same.
constexpr double near_enough = 0.2;

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

PointLocator::PointLocator(const mesh::Mesh& mesh) : mesh_(mesh) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  const auto across = static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(mesh.cell_count()), 1.0 / mesh.dimension)));
  std::vector<Bounds> bounds(mesh.cell_count());
  Bounds all;
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) {
    bounds[cell] = bounds_of(mesh, cell);
    for (std::size_t k = 0; k < dim; ++k) {
      all.low[k] = cell == 0 ? bounds[cell].low[k] : std::min(all.low[k], bounds[cell].low[k]);
      all.high[k] = cell == 0 ? bounds[cell].high[k] : std::max(all.high[k], bounds[cell].high[k]);
    }
  }
  low_ = all.low;
  for (std::size_t k = 0; k < dim; ++k) {
    size_[k] = across;
    width_[k] = std::max((all.high[k] - all.low[k]) / static_cast<double>(across), 1e-300);
  }
  cells_.resize(size_[0] * size_[1] * size_[2]);
  for (std::size_t cell = 0; cell < bounds.size(); ++cell) {
    const auto first = bin_at(bounds[cell].low), last = bin_at(bounds[cell].high);
    for (std::size_t k = first[2]; k <= last[2]; ++k) {
      for (std::size_t j = first[1]; j <= last[1]; ++j) {
        for (std::size_t i = first[0]; i <= last[0]; ++i) cells_[bin({i, j, k})].push_back(static_cast<std::int32_t>(cell));
      }
    }
  }
}

std::array<std::size_t, 3> PointLocator::bin_at(const std::array<double, 3>& point) const {
  std::array<std::size_t, 3> at{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    const double place = std::floor((point[k] - low_[k]) / width_[k]);
    at[k] = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(size_[k] - 1)));
  }
  return at;
}

std::optional<LocatedPoint> PointLocator::locate(const std::array<double, 3>& near, const std::array<double, 3>& point) const {
  std::optional<std::size_t> best;
  double least = near_enough;
  for (const std::int32_t candidate : cells_[bin(bin_at(near))]) {
    const auto cell = static_cast<std::size_t>(candidate);
    if (!inside_bounds(mesh_, cell, near)) continue;
    const auto reference = invert(mesh_, cell, near);
    if (!reference) continue;
    const double outside = std::max(outside_reference(mesh_.shapes[cell], *reference), 0.0);
    if (outside > least || (best && outside == least && mesh_.global_number[*best] < mesh_.global_number[cell])) continue;
    best = cell;
    least = outside;
  }
  if (!best) return std::nullopt;
  const auto reference = invert(mesh_, *best, point);
  if (!reference) return std::nullopt;
  return LocatedPoint{static_cast<std::int64_t>(*best), *reference};
}

}  // namespace dgsolve::solver
