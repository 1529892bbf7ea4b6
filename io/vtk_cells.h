// VTK's Lagrange cells: type numbers and the order of their points.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::io {

/// VTK_LAGRANGE_CURVE 68, TRIANGLE 69, QUADRILATERAL 70, TETRAHEDRON 71, HEXAHEDRON 72. Other shapes throw std::invalid_argument.
[[nodiscard]] std::uint8_t vtk_cell_type(mesh::Shape shape);

/// For every point of a Lagrange cell in VTK's order (vertices, edges, faces, interior; that of VTK 9.1 and later): its index in
/// mesh::lattice_points(shape, order).
[[nodiscard]] std::vector<int> vtk_point_order(mesh::Shape shape, int order);

}  // namespace dgsolve::io
