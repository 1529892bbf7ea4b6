// The table of Gmsh's element types and the recursion behind their node order.
#include "mesh/gmsh_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>

namespace dgsolve::mesh {
namespace {

constexpr std::array<GmshElementType, 21> readable_types{{
    {15, Shape::point, 1, 1},          {1, Shape::line, 1, 2},          {8, Shape::line, 2, 3},           {26, Shape::line, 3, 4},
    {27, Shape::line, 4, 5},           {2, Shape::triangle, 1, 3},      {9, Shape::triangle, 2, 6},       {21, Shape::triangle, 3, 10},
    {23, Shape::triangle, 4, 15},      {3, Shape::quadrilateral, 1, 4}, {10, Shape::quadrilateral, 2, 9}, {36, Shape::quadrilateral, 3, 16},
    {37, Shape::quadrilateral, 4, 25}, {4, Shape::tetrahedron, 1, 4},   {11, Shape::tetrahedron, 2, 10},  {29, Shape::tetrahedron, 3, 20},
    {30, Shape::tetrahedron, 4, 35},   {5, Shape::hexahedron, 1, 8},    {12, Shape::hexahedron, 2, 27},   {92, Shape::hexahedron, 3, 64},
    {93, Shape::hexahedron, 4, 125},
}};

/// Types that Gmsh has but that can not be read, by what is in the way.
constexpr std::array prism_types{6, 13, 18, 90, 91};
constexpr std::array pyramid_types{7, 14, 19, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132};
constexpr std::array incomplete_types{16, 17, 20, 22, 24, 32, 33, 39, 40, 41,  52,  53,  54,  55,  56,  57, 58,
                                      59, 60, 61, 79, 80, 81, 82, 83, 99, 100, 101, 102, 103, 104, 105, 137};
constexpr std::array high_order_types{25, 28, 31, 38, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 62,
                                      63, 64, 65, 66, 71, 72, 73, 74, 75, 94, 95, 96, 97, 98};

using Place = std::array<int, 3>;
using Places = std::vector<Place>;

/// `corner` moved by one lattice step towards each of the others.
Place step_inwards(const Places& corners, std::size_t corner, std::span<const int> towards, int order) {
  Place place = corners[corner];
  for (const int other : towards) {
    for (std::size_t d = 0; d < 3; ++d) place[d] += (corners[static_cast<std::size_t>(other)][d] - corners[corner][d]) / order;
  }
  return place;
}

/// Edges and faces of an element in Gmsh's numbering, and for each vertex its neighbours along edges.
struct GmshTopology {
  std::vector<std::array<int, 2>> edges;
  std::vector<std::vector<int>> faces;  // of a volume
  int interior_order_step;              // the nodes inside are those of an element this much lower
};

const GmshTopology& topology(Shape shape) {
  static const GmshTopology line{{{0, 1}}, {}, 2};
  static const GmshTopology triangle{{{0, 1}, {1, 2}, {2, 0}}, {}, 3};
  static const GmshTopology quadrilateral{{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, 2};
  static const GmshTopology tetrahedron{{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}, 4};
  static const GmshTopology hexahedron{{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
                                       {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}},
                                       2};
  switch (shape) {
    case Shape::line:
      return line;
    case Shape::triangle:
      return triangle;
    case Shape::quadrilateral:
      return quadrilateral;
    case Shape::tetrahedron:
      return tetrahedron;
    default:
      return hexahedron;
  }
}

std::vector<int> edge_neighbours(const GmshTopology& shape, int vertex) {
  std::vector<int> others;
  for (const auto& [a, b] : shape.edges) {
    if (a == vertex) others.push_back(b);
    if (b == vertex) others.push_back(a);
  }
  return others;
}

/// Appends the corners of the element of lower order inside this one; false if there is nothing inside.
Places inner_corners(Shape shape, const Places& corners, int order) {
  Places inner;
  for (std::size_t v = 0; v < corners.size(); ++v) {
    inner.push_back(step_inwards(corners, v, edge_neighbours(topology(shape), static_cast<int>(v)), order));
  }
  return inner;
}

/// Lattice places of an element's nodes in Gmsh's order, from the places of its corners.
Places places_of_nodes(Shape shape, const Places& corners, int order) {
  if (order == 0) return {corners[0]};
  const GmshTopology& facts = topology(shape);
  Places places = corners;
  for (const auto& [a, b] : facts.edges) {
    for (int i = 1; i < order; ++i) {
      Place place = corners[static_cast<std::size_t>(a)];
      for (std::size_t d = 0; d < 3; ++d) place[d] += i * (corners[static_cast<std::size_t>(b)][d] - place[d]) / order;
      places.push_back(place);
    }
  }
  for (const auto& face : facts.faces) {
    const Shape face_shape = face.size() == 3 ? Shape::triangle : Shape::quadrilateral;
    const int inside = order - topology(face_shape).interior_order_step;
    if (inside < 0) continue;
    Places face_corners;
    for (const int v : face) face_corners.push_back(corners[static_cast<std::size_t>(v)]);
    const Places more = places_of_nodes(face_shape, inner_corners(face_shape, face_corners, order), inside);
    places.insert(places.end(), more.begin(), more.end());
  }
  const int inside = order - facts.interior_order_step;
  if (inside >= 0 && shape != Shape::line) {
    const Places more = places_of_nodes(shape, inner_corners(shape, corners, order), inside);
    places.insert(places.end(), more.begin(), more.end());
  }
  return places;
}

/// Gmsh's vertices in lattice places: counter-clockwise round quadrilaterals.
Places gmsh_corners(Shape shape, int p) {
  switch (shape) {
    case Shape::line:
      return {{0, 0, 0}, {p, 0, 0}};
    case Shape::triangle:
      return {{0, 0, 0}, {p, 0, 0}, {0, p, 0}};
    case Shape::quadrilateral:
      return {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}};
    case Shape::tetrahedron:
      return {{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}};
    default:
      return {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {p, p, p}, {0, p, p}};
  }
}

template <std::size_t n>
bool contains(const std::array<int, n>& list, int number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

}  // namespace

std::optional<GmshElementType> gmsh_element_type(int number) {
  const auto found =
      std::find_if(readable_types.begin(), readable_types.end(), [number](const GmshElementType& t) { return t.number == number; });
  return found == readable_types.end() ? std::nullopt : std::optional(*found);
}

std::string gmsh_unsupported_reason(int number) {
  if (contains(prism_types, number)) return "prism cells are not yet supported";
  if (contains(pyramid_types, number)) return "pyramid cells are not yet supported";
  if (contains(incomplete_types, number)) {
    return fmt::format("incomplete (serendipity) elements (Gmsh type {}) are not supported: set Mesh.SecondOrderIncomplete = 0", number);
  }
  if (contains(high_order_types, number)) return fmt::format("elements of order above 4 (Gmsh type {}) are not supported", number);
  return fmt::format("unknown element type {}", number);
}

std::vector<int> gmsh_node_of_lattice(Shape shape, int order) {
  if (shape == Shape::point) return {0};
  const auto dimension = static_cast<std::size_t>(shape_facts(shape).dimension);
  const Places places = places_of_nodes(shape, gmsh_corners(shape, order), order);
  std::vector<int> nodes;
  for (const auto& reference : lattice_points(shape, order)) {
    Place place{};
    for (std::size_t d = 0; d < dimension; ++d) place[d] = static_cast<int>(std::lround(0.5 * (1 + reference[d]) * order));
    const auto found = std::find(places.begin(), places.end(), place);
    assert(found != places.end());
    nodes.push_back(static_cast<int>(found - places.begin()));
  }
  return nodes;
}

}  // namespace dgsolve::mesh
