// The numbering of vtkHigherOrderCurve, -Triangle, -Quadrilateral, -Tetra and -Hexahedron, inverted.
#include "io/vtk_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dgsolve::io {
namespace {

int line_index(int i, int p) { return i == 0 ? 0 : i == p ? 1 : i + 1; }

/// Vertices against the clock, then the edges bottom, right, top, left (each along its axis), then the interior.
int quadrilateral_index(int i, int j, int p) {
  const bool i_end = i == 0 || i == p;
  const bool j_end = j == 0 || j == p;
  if (i_end && j_end) return i != 0 ? (j != 0 ? 2 : 1) : (j != 0 ? 3 : 0);
  const int edge = p - 1;
  if (j_end) return 4 + (i - 1) + (j != 0 ? 2 * edge : 0);
  if (i_end) return 4 + (j - 1) + (i != 0 ? edge : 3 * edge);
  return 4 + 4 * edge + (i - 1) + edge * (j - 1);
}

/// Vertices, the four edges of the lower and of the upper face as above, the four upright edges, faces -x +x -y +y -z +z, the interior.
int hexahedron_index(int i, int j, int k, int p) {
  const bool i_end = i == 0 || i == p;
  const bool j_end = j == 0 || j == p;
  const bool k_end = k == 0 || k == p;
  const int edge = p - 1;
  const int face = edge * edge;
  const int ends = static_cast<int>(i_end) + static_cast<int>(j_end) + static_cast<int>(k_end);
  if (ends == 3) return (i != 0 ? (j != 0 ? 2 : 1) : (j != 0 ? 3 : 0)) + (k != 0 ? 4 : 0);
  if (ends == 2) {
    if (!i_end) return 8 + (i - 1) + (j != 0 ? 2 * edge : 0) + (k != 0 ? 4 * edge : 0);
    if (!j_end) return 8 + (j - 1) + (i != 0 ? edge : 3 * edge) + (k != 0 ? 4 * edge : 0);
    return 8 + 8 * edge + (k - 1) + edge * (i != 0 ? (j != 0 ? 2 : 1) : (j != 0 ? 3 : 0));
  }
  const int faces = 8 + 12 * edge;
  if (ends == 1) {
    if (i_end) return faces + (j - 1) + edge * (k - 1) + (i != 0 ? face : 0);
    if (j_end) return faces + 2 * face + (i - 1) + edge * (k - 1) + (j != 0 ? face : 0);
    return faces + 4 * face + (i - 1) + edge * (j - 1) + (k != 0 ? face : 0);
  }
  return faces + 6 * face + (i - 1) + edge * ((j - 1) + edge * (k - 1));
}

/// b: barycentric lattice coordinates, the last one that of vertex 0. Outer ring first, then the triangle inside it.
int triangle_index(std::array<int, 3> b, int p) {
  int index = 0;
  int largest = p;
  int smallest = 0;
  const int ring = *std::min_element(b.begin(), b.end());
  for (; smallest < ring; ++smallest, largest -= 2, p -= 3) index += 3 * p;
  for (std::size_t vertex = 0; vertex < 3; ++vertex, ++index) {
    if (b[(vertex + 2) % 3] == largest) return index;
  }
  for (std::size_t edge = 0; edge < 3; ++edge) {
    if (b[(edge + 1) % 3] == smallest) return index + b[edge] - (smallest + 1);
    index += largest - (smallest + 1);
  }
  return index;
}

/// As above with shells instead of rings.
int tetrahedron_index(std::array<int, 4> b, int p) {
  constexpr std::array<std::size_t, 4> vertex_coordinate{3, 0, 1, 2};
  constexpr std::array<std::array<std::size_t, 2>, 6> edge_zeros{{{1, 2}, {2, 3}, {0, 2}, {0, 1}, {1, 3}, {0, 3}}};
  constexpr std::array<std::size_t, 6> edge_counter{0, 1, 3, 2, 2, 2};
  constexpr std::array<std::size_t, 4> face_zero{1, 3, 0, 2};
  constexpr std::array<std::array<std::size_t, 3>, 4> face_coordinates{{{0, 2, 3}, {2, 0, 1}, {2, 1, 3}, {1, 0, 3}}};
  int index = 0;
  int largest = p;
  int smallest = 0;
  const int shell = *std::min_element(b.begin(), b.end());
  for (; smallest < shell; ++smallest, largest -= 3, p -= 4) index += 2 * (p * p + 1);
  for (const std::size_t coordinate : vertex_coordinate) {
    if (b[coordinate] == largest) return index;
    ++index;
  }
  for (std::size_t edge = 0; edge < 6; ++edge) {
    if (b[edge_zeros[edge][0]] == smallest && b[edge_zeros[edge][1]] == smallest) return index + b[edge_counter[edge]] - (smallest + 1);
    index += largest - (smallest + 1);
  }
  for (std::size_t face = 0; face < 4; ++face) {
    if (b[face_zero[face]] == smallest) {
      std::array<int, 3> inside{};
      std::transform(face_coordinates[face].begin(), face_coordinates[face].end(), inside.begin(),
                     [&](std::size_t coordinate) { return b[coordinate] - smallest; });
      return index + triangle_index(inside, p) - 3 * p;
    }
    index += (p + 1) * (p + 2) / 2 - 3 * p;
  }
  return index;
}

[[noreturn]] void unsupported(mesh::Shape shape) {
  throw std::invalid_argument(fmt::format("there is no output yet for cells of shape {}", mesh::shape_facts(shape).name));
}

/// Calls visit(i, j, k) for every lattice point in lattice order.
template <class Visit>
void for_lattice(mesh::Shape shape, int p, Visit visit) {
  const auto& facts = mesh::shape_facts(shape);
  for (int k = 0; k <= (facts.dimension > 2 ? p : 0); ++k) {
    for (int j = 0; j <= (facts.dimension > 1 ? (facts.tensor ? p : p - k) : 0); ++j) {
      for (int i = 0; i <= (facts.tensor ? p : p - j - k); ++i) visit(i, j, k);
    }
  }
}

int vtk_index(mesh::Shape shape, int p, int i, int j, int k) {
  switch (shape) {
    case mesh::Shape::line:
      return line_index(i, p);
    case mesh::Shape::triangle:
      return triangle_index({i, j, p - i - j}, p);
    case mesh::Shape::quadrilateral:
      return quadrilateral_index(i, j, p);
    case mesh::Shape::tetrahedron:
      return tetrahedron_index({i, j, k, p - i - j - k}, p);
    case mesh::Shape::hexahedron:
      return hexahedron_index(i, j, k, p);
    default:
      unsupported(shape);
  }
}

}  // namespace

std::uint8_t vtk_cell_type(mesh::Shape shape) {
  switch (shape) {
    case mesh::Shape::line:
      return 68;
    case mesh::Shape::triangle:
      return 69;
    case mesh::Shape::quadrilateral:
      return 70;
    case mesh::Shape::tetrahedron:
      return 71;
    case mesh::Shape::hexahedron:
      return 72;
    default:
      unsupported(shape);
  }
}

std::vector<int> vtk_point_order(mesh::Shape shape, int order) {
  std::vector<int> result(static_cast<std::size_t>(mesh::lattice_size(shape, order)), -1);
  int lattice_index = 0;
  for_lattice(shape, order,
              [&](int i, int j, int k) { result.at(static_cast<std::size_t>(vtk_index(shape, order, i, j, k))) = lattice_index++; });
  return result;
}

}  // namespace dgsolve::io
