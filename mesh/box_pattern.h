// How the grid cells of a box are cut into mesh cells: corners of each part and which parts meet at its faces.
#pragma once

#include <array>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::mesh {

/// What lies behind one face of one part of a grid cell.
struct PartLink {
  int axis = -1;  ///< direction in which the neighbouring grid cell lies, -1: the same grid cell
  int side = 0;   ///< 0: lower side, 1: upper side
  int part = 0;
  int face = 0;
  int orientation = 0;
};

/// One mesh cell of a grid cell.
struct Part {
  std::vector<std::array<int, 3>> corners;  ///< in the shape's vertex order, coordinates 0 or 1 in the grid cell
  std::vector<PartLink> links;              ///< one per face
};

/// Lines, quadrilaterals and hexahedra: the grid cell itself. Triangles and tetrahedra: the d! simplices of H. W. Kuhn, "Some
/// combinatorial lemmas in topology", IBM J. Res. Dev. 4 (1960), 518-524: each follows the axes in one permutation from the lowest
/// to the highest corner; all grid cells are cut alike, so that parts match across every side, also a periodic one.
[[nodiscard]] std::vector<Part> box_pattern(Shape shape);

}  // namespace dgsolve::mesh
