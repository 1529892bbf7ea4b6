// Which cell of a mesh holds a point, and where in the cell it lies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "mesh/mesh.h"

namespace dgsolve::solver {

struct LocatedPoint {
  std::int64_t cell = 0;  ///< mesh order; of several (a point on a face) the lowest global number
  std::array<double, 3> reference{0, 0, 0};
};

/// Newton's method on the mapping of every one of the first `cells` cells whose bounding box holds the point. Nothing if it lies in none.
[[nodiscard]] std::optional<LocatedPoint> locate_point(const mesh::Mesh& mesh, std::size_t cells, const std::array<double, 3>& point);

}  // namespace dgsolve::solver
