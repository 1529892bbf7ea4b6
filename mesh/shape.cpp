// The tables behind shape.h: vertices, faces, orientations and lattices of every cell shape.
#include "mesh/shape.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace dgsolve::mesh {
namespace {

using Vertices = std::vector<std::array<double, 3>>;

Vertices tensor_vertices(int dimension) {
  Vertices vertices;
  for (int v = 0; v < (1 << dimension); ++v) {
    std::array<double, 3> point{};
    for (int d = 0; d < dimension; ++d) point[static_cast<std::size_t>(d)] = (v >> d) & 1 ? 1.0 : -1.0;
    vertices.push_back(point);
  }
  return vertices;
}

std::vector<ShapeFacts> make_facts() {
  using enum Shape;
  const Vertices triangle_vertices{{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
  const Vertices tetrahedron_vertices{{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const Vertices prism_vertices{{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}};
  const Vertices pyramid_vertices{{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {0, 0, 1}};
  return {
      {point, "point", "", 0, true, tensor_vertices(0), {}, {}},
      {line, "line", "", 1, true, tensor_vertices(1), {point, point}, {{0}, {1}}},
      {triangle, "triangle", "tri", 2, false, triangle_vertices, {line, line, line}, {{0, 1}, {1, 2}, {0, 2}}},
      {quadrilateral, "quadrilateral", "quad", 2, true, tensor_vertices(2), {line, line, line, line}, {{0, 2}, {1, 3}, {0, 1}, {2, 3}}},
      {tetrahedron,
       "tetrahedron",
       "tet",
       3,
       false,
       tetrahedron_vertices,
       {triangle, triangle, triangle, triangle},
       {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}}},
      {hexahedron,
       "hexahedron",
       "hex",
       3,
       true,
       tensor_vertices(3),
       {quadrilateral, quadrilateral, quadrilateral, quadrilateral, quadrilateral, quadrilateral},
       {{0, 2, 4, 6}, {1, 3, 5, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}}},
      {prism,
       "prism",
       "",
       3,
       false,
       prism_vertices,
       {triangle, triangle, quadrilateral, quadrilateral, quadrilateral},
       {{0, 1, 2}, {3, 4, 5}, {0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}}},
      {pyramid,
       "pyramid",
       "",
       3,
       false,
       pyramid_vertices,
       {quadrilateral, triangle, triangle, triangle, triangle},
       {{0, 1, 2, 3}, {0, 1, 4}, {1, 3, 4}, {2, 3, 4}, {0, 2, 4}}},
  };
}

constexpr std::array<std::array<int, 1>, 1> point_orientations{{{0}}};
constexpr std::array<std::array<int, 2>, 2> line_orientations{{{0, 1}, {1, 0}}};
constexpr std::array<std::array<int, 3>, 6> triangle_orientations{{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};

/// Vertex (a, b), a fastest, goes to (b, a) if bit 2 is set, then bit 0 negates a and bit 1 negates b.
constexpr std::array<std::array<int, 4>, 8> make_quadrilateral_orientations() {
  std::array<std::array<int, 4>, 8> table{};
  for (std::size_t code = 0; code < 8; ++code) {
    for (std::size_t vertex = 0; vertex < 4; ++vertex) {
      std::size_t a = vertex & 1;
      std::size_t b = vertex >> 1;
      if (code & 4) std::swap(a, b);
      if (code & 1) a = 1 - a;
      if (code & 2) b = 1 - b;
      table[code][vertex] = static_cast<int>(a + 2 * b);
    }
  }
  return table;
}
constexpr auto quadrilateral_orientations = make_quadrilateral_orientations();

}  // namespace

const ShapeFacts& shape_facts(Shape shape) {
  static const std::vector<ShapeFacts> facts = make_facts();
  return facts[static_cast<std::size_t>(shape)];
}

std::optional<Shape> shape_from_name(std::string_view name) {
  for (int s = 0; s <= static_cast<int>(Shape::pyramid); ++s) {
    const ShapeFacts& facts = shape_facts(static_cast<Shape>(s));
    if (name == facts.name || (!facts.alias.empty() && name == facts.alias)) return facts.shape;
  }
  return std::nullopt;
}

int orientation_count(Shape face_shape) {
  switch (face_shape) {
    case Shape::point:
      return 1;
    case Shape::line:
      return 2;
    case Shape::triangle:
      return 6;
    case Shape::quadrilateral:
      return 8;
    default:
      assert(!"not the shape of a face");
      return 0;
  }
}

std::span<const int> orientation_vertices(Shape face_shape, int orientation) {
  assert(orientation >= 0 && orientation < orientation_count(face_shape));
  const auto code = static_cast<std::size_t>(orientation);
  switch (face_shape) {
    case Shape::line:
      return line_orientations[code];
    case Shape::triangle:
      return triangle_orientations[code];
    case Shape::quadrilateral:
      return quadrilateral_orientations[code];
    default:
      return point_orientations[code];
  }
}

int inverse_orientation(Shape face_shape, int orientation) {
  const auto there = orientation_vertices(face_shape, orientation);
  for (int code = 0; code < orientation_count(face_shape); ++code) {
    const auto back = orientation_vertices(face_shape, code);
    bool inverse = true;
    for (std::size_t s = 0; s < there.size(); ++s) {
      inverse = inverse && back[static_cast<std::size_t>(there[s])] == static_cast<int>(s);
    }
    if (inverse) return code;
  }
  assert(!"orientations form a group");
  return 0;
}

int lattice_size(Shape shape, int order) {
  const int n = order + 1;
  switch (shape) {
    case Shape::point:
      return 1;
    case Shape::line:
      return n;
    case Shape::triangle:
      return n * (n + 1) / 2;
    case Shape::quadrilateral:
      return n * n;
    case Shape::tetrahedron:
      return n * (n + 1) * (n + 2) / 6;
    case Shape::hexahedron:
      return n * n * n;
    case Shape::prism:
      return n * n * (n + 1) / 2;
    case Shape::pyramid:
      return n * (n + 1) * (2 * n + 1) / 6;
  }
  return 0;
}

std::vector<std::array<double, 3>> lattice_points(Shape shape, int order) {
  const ShapeFacts& facts = shape_facts(shape);
  if (order == 0) {
    std::array<double, 3> centre{};
    for (const auto& vertex : facts.vertices) {
      for (std::size_t d = 0; d < 3; ++d) centre[d] += vertex[d] / static_cast<double>(facts.vertices.size());
    }
    return {centre};
  }
  const auto coordinate = [order](int i) { return -1.0 + 2.0 * i / order; };
  const int last_t = facts.dimension > 2 ? order : 0;
  const int last_s = facts.dimension > 1 ? order : 0;
  const int last_r = facts.dimension > 0 ? order : 0;
  std::vector<std::array<double, 3>> points;
  points.reserve(static_cast<std::size_t>(lattice_size(shape, order)));
  for (int k = 0; k <= last_t; ++k) {
    const int cut_t = shape == Shape::tetrahedron || shape == Shape::pyramid ? k : 0;
    const double shift = shape == Shape::pyramid ? static_cast<double>(k) / order : 0.0;
    for (int j = 0; j <= last_s - cut_t; ++j) {
      const int cut_s = cut_t + (shape == Shape::triangle || shape == Shape::tetrahedron || shape == Shape::prism ? j : 0);
      for (int i = 0; i <= last_r - cut_s; ++i) {
        std::array<double, 3> point{};
        if (facts.dimension > 0) point[0] = coordinate(i) + shift;
        if (facts.dimension > 1) point[1] = coordinate(j) + shift;
        if (facts.dimension > 2) point[2] = coordinate(k);
        points.push_back(point);
      }
    }
  }
  return points;
}

}  // namespace dgsolve::mesh
