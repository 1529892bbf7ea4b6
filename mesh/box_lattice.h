// Places of the points of a box.
#pragma once

#include <array>
#include <vector>

#include "mesh/box.h"
#include "mesh/grid_curve.h"

namespace dgsolve::mesh {

/// Places of the lattice points of the whole box, so that cells that share a point have its very bits.
///
/// The warp displaces coordinate c by warp * L_c * prod_k f_ck(xi_k), xi_k in [0, 1] along direction k. Across a side
/// f_ck vanishes: sin(2 pi xi) for k = c, sin(pi xi) otherwise. In a periodic direction f_ck = sin(2 pi xi + phase), phase 0 for
/// k = c, pi/3 and 2 pi/3 otherwise.
class BoxLattice {
 public:
  /// `order` lattice steps a grid cell. Points of the grid cells [low, high) are the fast ones: they come from a table per direction.
  BoxLattice(const BoxOptions& options, int order, const GridIndex& low, const GridIndex& high);

  void place(const GridIndex& index, double* point) const;

 private:
  /// What one lattice index adds to a point.
  struct Line {
    double straight = 0;
    std::array<double, 3> wave{};  ///< f_ck by c
  };
  [[nodiscard]] Line line(std::size_t direction, std::int64_t i) const;

  BoxOptions options_;
  std::size_t dimension_;
  GridIndex last_{};   ///< greatest index
  GridIndex first_{};  ///< of the tables
  std::array<std::vector<Line>, 3> table_;
};

}  // namespace dgsolve::mesh
