// Gmsh's element types and the order of their nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::mesh {

struct GmshElementType {
  int number;
  Shape shape;
  int order;
  int nodes;
};

/// The type with this number if it can be read: complete points, lines, triangles, quadrilaterals, tetrahedra, hexahedra, orders 1 to 4.
[[nodiscard]] std::optional<GmshElementType> gmsh_element_type(int number);

/// Why a type without gmsh_element_type can not be read.
[[nodiscard]] std::string gmsh_unsupported_reason(int number);

/// For every point of the lattice of shape.h the place of its node in Gmsh's node list. Gmsh lists vertices, then nodes inside edges,
/// inside faces, inside the cell, faces and cells again as elements of lower order ("Node ordering" of the Gmsh reference manual).
[[nodiscard]] std::vector<int> gmsh_node_of_lattice(Shape shape, int order);

}  // namespace dgsolve::mesh
