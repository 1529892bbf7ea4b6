// The mapping of a cell: Lagrange polynomials on its equispaced lattice, their derivatives, and quadrature rules to sample it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::mesh {

/// Lagrange polynomials of one lattice at some points; both arrays row-major.
struct LatticeBasis {
  std::size_t lattice = 0;
  std::vector<double> values;                    ///< [points][lattice]
  std::array<std::vector<double>, 3> gradients;  ///< d/dr, d/ds, d/dt: each [points][lattice], the shape's dimension many
};

/// Lagrange polynomials of degree `order` on lattice_points(shape, order) at reference coordinates [points]. On every barycentric
/// axis they are Silvester's products R_m(z) = prod_{j<m} (z - j)/(j + 1), z = order * lambda (P. P. Silvester, "High-order
/// polynomial triangular finite elements", Int. J. Engng Sci. 7 (1969), 849-861). All shapes but the pyramid.
[[nodiscard]] LatticeBasis lattice_basis(Shape shape, int order, std::span<const std::array<double, 3>> points);

/// Indices in lattice order of the shape's vertices.
[[nodiscard]] std::vector<int> vertex_lattice_indices(Shape shape, int order);
/// Per face of the shape: indices in the cell's lattice of the face's lattice points, in the face's own lattice order.
[[nodiscard]] std::vector<std::vector<int>> face_lattice_indices(Shape shape, int order);
/// Point s of this side's face lattice is point `result[s]` of the other side's when the faces meet with this orientation.
[[nodiscard]] std::vector<int> orientation_lattice(Shape face_shape, int order, int orientation);

/// A quadrature rule on the reference shape.
struct CellRule {
  std::vector<std::array<double, 3>> points;
  std::vector<double> weights;
};

/// Gauss-Legendre rule with n points per direction; on simplices in collapsed coordinates. Exact to degree 2n-1 on tensor shapes
/// and 2n-d on simplices of dimension d. All shapes but the pyramid.
[[nodiscard]] CellRule gauss_rule(Shape shape, int n);

}  // namespace dgsolve::mesh
