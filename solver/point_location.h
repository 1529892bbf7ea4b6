// Which cell of a mesh holds a point, and where in the cell it lies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::solver {

struct LocatedPoint {
  std::int64_t cell = 0;  ///< mesh order; of several (a point on a face) the lowest global number
  std::array<double, 3> reference{0, 0, 0};
};

/// Newton's method on the mapping of every one of the first `cells` cells whose bounding box holds the point. Nothing if it lies in none.
[[nodiscard]] std::optional<LocatedPoint> locate_point(const mesh::Mesh& mesh, std::size_t cells, const std::array<double, 3>& point);

/// Finds many points: cells are sorted into the boxes of a regular grid first.
class PointLocator {
 public:
  /// `mesh` must outlive this.
  explicit PointLocator(const mesh::Mesh& mesh);
  /// The cell that holds `near`, and the reference coordinates of `point` in it: with `near` a little inside of a cell, a point on its
  /// face is taken from that side. A point that no cell holds, but one nearly does (curved boundaries of two meshes of one domain), counts
  /// to that. Nothing if it is farther away than a tenth of the cell.
  [[nodiscard]] std::optional<LocatedPoint> locate(const std::array<double, 3>& near, const std::array<double, 3>& point) const;

 private:
  [[nodiscard]] std::size_t bin(const std::array<std::size_t, 3>& at) const { return at[0] + size_[0] * (at[1] + size_[1] * at[2]); }
  [[nodiscard]] std::array<std::size_t, 3> bin_at(const std::array<double, 3>& point) const;

  const mesh::Mesh& mesh_;
  std::array<double, 3> low_{0, 0, 0}, width_{1, 1, 1};
  std::array<std::size_t, 3> size_{1, 1, 1};
  std::vector<std::vector<std::int32_t>> cells_;  ///< [bins] cells whose bounds touch the bin
};

}  // namespace dgsolve::solver
