// From nodal values of elements to values at the points that output shows.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/elements/reference_element.h"

namespace dgsolve::io {

/// Interpolation to the lattice of the element's order, whose points stand in an order of their own. Tensor shapes go along one direction
/// after the other, u_abc = sum_i L_ai sum_j L_bj sum_k L_ck u_ijk. The sums of a cell have one order, whatever cells are beside it.
class PointInterpolation {
 public:
  /// Cells that are interpolated together.
  static constexpr std::size_t lanes = 8;
  using Lanes = std::array<double, lanes>;
  /// Memory of one who interpolates.
  struct Scratch {
    std::vector<Lanes> values, next;
  };

  PointInterpolation() = default;
  /// order: [points] the index in mesh::lattice_points(shape, order) of each point.
  PointInterpolation(const solver::ReferenceElement& element, std::vector<int> order);

  [[nodiscard]] std::size_t node_count() const { return order_.size(); }  ///< as many as points

  /// A component of up to `lanes` cells. sources: [cells] to nodal values [Np]; targets: [cells] to the value at the first point, those at
  /// the others are `stride` apart.
  template <class Value>
  void apply(std::span<const double* const> sources, std::span<Value* const> targets, std::size_t stride, Scratch& scratch) const;

 private:
  /// The weights of a matrix that are not zero but for rounding. Points on faces and edges need the nodes there alone.
  struct Rows {
    struct Entry {
      std::size_t column = 0;
      double weight = 0;
    };
    explicit Rows(const Eigen::MatrixXd& matrix);
    [[nodiscard]] std::size_t count() const { return ends.size(); }
    std::vector<Entry> entries;
    std::vector<std::size_t> ends;  ///< [rows] in `entries`
  };
  /// For values [outer][rows][inner], along the one in the middle.
  static void multiply(const Rows& rows, std::size_t inner, const std::vector<Lanes>& from, std::vector<Lanes>& to);

  std::vector<Rows> rows_;  ///< one; for all directions, or for all nodes of other shapes
  int directions_ = 0;      ///< in which it is applied, the first with values that lie beside each other
  std::vector<int> order_;
};

}  // namespace dgsolve::io
