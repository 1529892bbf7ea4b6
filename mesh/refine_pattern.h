// How a cell is cut into 2^d cells of its own shape, and how the parts meet.
#pragma once

#include <array>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::mesh {

/// A face of a child inside its parent: another child lies behind it.
struct ChildLink {
  int child = -1;  ///< -1: the face lies on a face of the parent
  int face = 0;
  int orientation = 0;
};

/// A face of a child on a face of the parent.
struct ChildFace {
  int child = 0;
  int face = 0;
  std::vector<int> corners;  ///< places of its vertices in the order-2 lattice of the parent's face
};

struct RefinePattern {
  /// Vertices of the children in steps of half an edge of the reference shape, [children][vertices].
  std::vector<std::vector<std::array<int, 3>>> children;
  std::vector<std::vector<ChildLink>> links;      ///< [children][faces]
  std::vector<std::vector<ChildFace>> on_parent;  ///< [faces of the parent][2^(d-1)]
};

/// Lines, quadrilaterals and hexahedra: child i + 2j + 4k. Triangles: three corners, then the middle. Tetrahedra: four corners, then
/// four round the diagonal between the middles of edges (0,2) and (1,3): J. Bey, "Tetrahedral grid refinement", Computing 55 (1995),
/// 355-378, doi:10.1007/BF02238487, with vertices 1 and 3 exchanged where that makes the orientation positive (the diagonals of all
/// further refinements stay the same).
[[nodiscard]] RefinePattern refine_pattern(Shape shape);

}  // namespace dgsolve::mesh
