// Cell shapes: reference coordinates, vertices, faces and how faces of two cells can meet. See docs/architecture.md, "Conventions".
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dgsolve::mesh {

enum class Shape { point, line, triangle, quadrilateral, tetrahedron, hexahedron, prism, pyramid };

/// The constant facts of a shape.
struct ShapeFacts {
  Shape shape;
  std::string_view name;
  std::string_view alias;  ///< "quad", "" if none
  int dimension;
  bool tensor;                                  ///< reference domain [-1,1]^d
  std::vector<std::array<double, 3>> vertices;  ///< reference coordinates
  std::vector<Shape> face_shapes;
  std::vector<std::vector<int>> face_vertices;  ///< in the order that parameterises the face
};

[[nodiscard]] const ShapeFacts& shape_facts(Shape shape);
[[nodiscard]] std::optional<Shape> shape_from_name(std::string_view name);  ///< name or alias

/// Number of ways in which two faces of this shape can meet: point 1, line 2, triangle 6, quadrilateral 8.
[[nodiscard]] int orientation_count(Shape face_shape);
/// Vertex s of this side's face is vertex `orientation_vertices(...)[s]` of the other side's face.
[[nodiscard]] std::span<const int> orientation_vertices(Shape face_shape, int orientation);
/// The orientation seen from the other side.
[[nodiscard]] int inverse_orientation(Shape face_shape, int orientation);

/// Number of points of the equispaced lattice of order g: (g+1)^d, (g+1)(g+2)/2, ...
[[nodiscard]] int lattice_size(Shape shape, int order);
/// Reference coordinates of the lattice points, [lattice_size][dimension] with stride 3; first coordinate fastest.
[[nodiscard]] std::vector<std::array<double, 3>> lattice_points(Shape shape, int order);

}  // namespace dgsolve::mesh
