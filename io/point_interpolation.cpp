// Lattice points from nodes, by products along lines where the shape has them.
#include "io/point_interpolation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "mesh/mapping.h"
#include "solver/elements/polynomials.h"

namespace dgsolve::io {
namespace {

/// [points][nodes] of the lattice that has as many points as the element (a tensor shape: its line) has nodes.
Eigen::MatrixXd lattice_matrix(const solver::ReferenceElement& element) {
  const auto lattice = mesh::lattice_points(element.tensor ? mesh::Shape::line : element.shape, element.order);
  Eigen::MatrixXd points(static_cast<Eigen::Index>(lattice.size()), element.tensor ? 1 : element.dimension);
  for (Eigen::Index m = 0; m < points.rows(); ++m) {
    for (Eigen::Index k = 0; k < points.cols(); ++k) points(m, k) = lattice[static_cast<std::size_t>(m)][static_cast<std::size_t>(k)];
  }
  if (!element.tensor) return element.interpolation_to(points);
  return solver::lagrange_values(element.line.nodes.cast<solver::Real>(), points.col(0).cast<solver::Real>()).cast<double>();
}

}  // namespace

PointInterpolation::Rows::Rows(const Eigen::MatrixXd& matrix) {
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      constexpr double rounding = 1e-13;
      if (std::abs(matrix(row, column)) > rounding) entries.push_back({static_cast<std::size_t>(column), matrix(row, column)});
    }
    ends.push_back(entries.size());
  }
}

PointInterpolation::PointInterpolation(const solver::ReferenceElement& element, std::vector<int> order)
    : rows_{Rows(lattice_matrix(element))}, directions_(element.tensor ? element.dimension : 1), order_(std::move(order)) {
  assert(order_.size() == static_cast<std::size_t>(element.node_count));
}

void PointInterpolation::multiply(const Rows& rows, std::size_t inner, const std::vector<Lanes>& from, std::vector<Lanes>& to) {
  const std::size_t line = rows.count() * inner;
  for (std::size_t start = 0; start < from.size(); start += line) {
    std::size_t begin = 0;
    for (std::size_t row = 0; row < rows.count(); begin = rows.ends[row++]) {
      for (std::size_t i = 0; i < inner; ++i) {
        Lanes sum{};
        for (std::size_t e = begin; e < rows.ends[row]; ++e) {
          const double weight = rows.entries[e].weight;
          const Lanes& value = from[start + rows.entries[e].column * inner + i];
          for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += weight * value[lane];
        }
        to[start + row * inner + i] = sum;
      }
    }
  }
}

template <class Value>
void PointInterpolation::apply(std::span<const double* const> sources, std::span<Value* const> targets, std::size_t stride,
                               Scratch& scratch) const {
  assert(!sources.empty() && sources.size() <= lanes && sources.size() == targets.size());
  auto& [values, next] = scratch;
  values.resize(node_count());
  next.resize(node_count());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const double* source = sources[std::min(lane, sources.size() - 1)];
    for (std::size_t node = 0; node < node_count(); ++node) values[node][lane] = source[node];
  }
  std::size_t inner = 1;
  for (int direction = 0; direction < directions_; ++direction, inner *= rows_.front().count()) {
    multiply(rows_.front(), inner, values, next);
    values.swap(next);
  }
  for (std::size_t lane = 0; lane < sources.size(); ++lane) {
    Value* target = targets[lane];
    for (const int index : order_) {
      *target = static_cast<Value>(values[static_cast<std::size_t>(index)][lane]);
      target += stride;
    }
  }
}

template void PointInterpolation::apply(std::span<const double* const>, std::span<double* const>, std::size_t, Scratch&) const;
template void PointInterpolation::apply(std::span<const double* const>, std::span<float* const>, std::size_t, Scratch&) const;

}  // namespace dgsolve::io
