// The subdivision of each shape and the links between its parts.
#include "mesh/refine_pattern.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>

#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

using Corner = std::array<int, 3>;
using Corners = std::vector<Corner>;

std::vector<Corners> tensor_children(std::size_t dimension) {
  std::vector<Corners> children;
  for (unsigned child = 0; child < 1U << dimension; ++child) {
    Corners corners;
    for (unsigned vertex = 0; vertex < 1U << dimension; ++vertex) {
      Corner corner{};
      for (std::size_t d = 0; d < dimension; ++d) corner[d] = static_cast<int>((child >> d & 1U) + (vertex >> d & 1U));
      corners.push_back(corner);
    }
    children.push_back(corners);
  }
  return children;
}

/// Children of a simplex from pairs of parent vertices: the middle of i and j, or vertex i if both are the same.
std::vector<Corners> simplex_children(Shape shape, const std::vector<std::vector<std::array<int, 2>>>& table) {
  const auto& vertices = shape_facts(shape).vertices;
  std::vector<Corners> children;
  for (const auto& row : table) {
    Corners corners;
    for (const auto& [i, j] : row) {
      Corner corner{};
      for (std::size_t d = 0; d < 3; ++d) {
        corner[d] =
            static_cast<int>(std::lround(0.5 * (2 + vertices[static_cast<std::size_t>(i)][d] + vertices[static_cast<std::size_t>(j)][d])));
      }
      for (auto d = static_cast<std::size_t>(shape_facts(shape).dimension); d < 3; ++d) corner[d] = 0;
      corners.push_back(corner);
    }
    children.push_back(corners);
  }
  return children;
}

std::vector<Corners> make_children(Shape shape) {
  switch (shape) {
    case Shape::triangle:
      return simplex_children(shape,
                              {{{0, 0}, {0, 1}, {0, 2}}, {{0, 1}, {1, 1}, {1, 2}}, {{0, 2}, {1, 2}, {2, 2}}, {{1, 2}, {0, 2}, {0, 1}}});
    case Shape::tetrahedron:
      return simplex_children(shape, {{{0, 0}, {0, 1}, {0, 2}, {0, 3}},
                                      {{0, 1}, {1, 1}, {1, 2}, {1, 3}},
                                      {{0, 2}, {1, 2}, {2, 2}, {2, 3}},
                                      {{0, 3}, {1, 3}, {2, 3}, {3, 3}},
                                      {{0, 1}, {0, 2}, {0, 3}, {1, 3}},
                                      {{0, 1}, {1, 3}, {1, 2}, {0, 2}},
                                      {{0, 2}, {0, 3}, {1, 3}, {2, 3}},
                                      {{0, 2}, {2, 3}, {1, 3}, {1, 2}}});
    default:
      return tensor_children(static_cast<std::size_t>(shape_facts(shape).dimension));
  }
}

Corners face_corners(const Corners& child, const std::vector<int>& face_vertices) {
  Corners corners;
  for (const int v : face_vertices) corners.push_back(child[static_cast<std::size_t>(v)]);
  return corners;
}

std::optional<int> meeting_orientation(Shape face_shape, const Corners& here, const Corners& there) {
  for (int code = 0; code < orientation_count(face_shape); ++code) {
    const auto turned = orientation_vertices(face_shape, code);
    std::size_t s = 0;
    while (s < here.size() && here[s] == there[static_cast<std::size_t>(turned[s])]) ++s;
    if (s == here.size()) return code;
  }
  return std::nullopt;
}

ChildLink find_sibling(const RefinePattern& pattern, const ShapeFacts& facts, std::size_t child, std::size_t face) {
  const Corners here = face_corners(pattern.children[child], facts.face_vertices[face]);
  for (std::size_t c = 0; c < pattern.children.size(); ++c) {
    for (std::size_t f = 0; f < facts.face_shapes.size() && c != child; ++f) {
      const auto code = meeting_orientation(facts.face_shapes[face], here, face_corners(pattern.children[c], facts.face_vertices[f]));
      if (code) return {static_cast<int>(c), static_cast<int>(f), *code};
    }
  }
  return {};
}

/// Places of the corners in each parent face's lattice; empty unless all lie on the face.
std::vector<int> places_on_face(const Corners& corners, const Corners& face_lattice) {
  std::vector<int> places;
  for (const Corner& corner : corners) {
    const auto found = std::find(face_lattice.begin(), face_lattice.end(), corner);
    if (found == face_lattice.end()) return {};
    places.push_back(static_cast<int>(found - face_lattice.begin()));
  }
  return places;
}

}  // namespace

RefinePattern refine_pattern(Shape shape) {
  const ShapeFacts& facts = shape_facts(shape);
  RefinePattern pattern;
  pattern.children = make_children(shape);
  pattern.links.resize(pattern.children.size());
  pattern.on_parent.resize(facts.face_shapes.size());

  const auto lattice = lattice_points(shape, 2);
  std::vector<Corners> face_lattices;
  for (const auto& indices : face_lattice_indices(shape, 2)) {
    Corners places;
    for (const int i : indices) {
      Corner corner{};
      for (std::size_t d = 0; d < static_cast<std::size_t>(facts.dimension); ++d) {
        corner[d] = static_cast<int>(std::lround(1 + lattice[static_cast<std::size_t>(i)][d]));
      }
      places.push_back(corner);
    }
    face_lattices.push_back(places);
  }

  for (std::size_t child = 0; child < pattern.children.size(); ++child) {
    for (std::size_t face = 0; face < facts.face_shapes.size(); ++face) {
      pattern.links[child].push_back(find_sibling(pattern, facts, child, face));
      if (pattern.links[child].back().child >= 0) continue;
      const Corners corners = face_corners(pattern.children[child], facts.face_vertices[face]);
      for (std::size_t parent_face = 0; parent_face < face_lattices.size(); ++parent_face) {
        auto places = places_on_face(corners, face_lattices[parent_face]);
        if (!places.empty()) pattern.on_parent[parent_face].push_back({static_cast<int>(child), static_cast<int>(face), std::move(places)});
      }
    }
  }
  return pattern;
}

}  // namespace dgsolve::mesh
