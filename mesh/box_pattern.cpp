// Kuhn's subdivision of a grid cell and the links between its parts.
#include "mesh/box_pattern.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <optional>

namespace dgsolve::mesh {
namespace {

using Corner = std::array<int, 3>;

std::vector<Part> tensor_part(const ShapeFacts& facts) {
  Part part;
  for (const auto& vertex : facts.vertices) {
    Corner corner{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(facts.dimension); ++d) corner[d] = vertex[d] > 0 ? 1 : 0;
    part.corners.push_back(corner);
  }
  return {part};
}

std::vector<Part> kuhn_parts(std::size_t dimension) {
  std::vector<std::size_t> axes(dimension);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::vector<Part> parts;
  do {
    Part part;
    Corner corner{};
    part.corners.push_back(corner);
    for (const std::size_t axis : axes) {
      corner[axis] = 1;
      part.corners.push_back(corner);
    }
    int inversions = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = i + 1; j < dimension; ++j) inversions += axes[i] > axes[j] ? 1 : 0;
    }
    // Corners 1 and 3 of a tetrahedron may change places without changing how refine_uniformly cuts it (into Kuhn simplices again).
    if (inversions % 2 == 1) std::swap(part.corners[1], part.corners[dimension]);
    parts.push_back(part);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return parts;
}

std::vector<Corner> face_corners(const Part& part, const std::vector<int>& face_vertices) {
  std::vector<Corner> corners;
  for (const int v : face_vertices) corners.push_back(part.corners[static_cast<std::size_t>(v)]);
  return corners;
}

/// The code with which the face `here` meets the face `there`, both given by their corners.
std::optional<int> meeting_orientation(Shape face_shape, const std::vector<Corner>& here, const std::vector<Corner>& there) {
  for (int code = 0; code < orientation_count(face_shape); ++code) {
    const auto vertices = orientation_vertices(face_shape, code);
    bool meets = true;
    for (std::size_t s = 0; s < here.size(); ++s) meets = meets && here[s] == there[static_cast<std::size_t>(vertices[s])];
    if (meets) return code;
  }
  return std::nullopt;
}

/// The side of the grid cell on which the face lies; axis -1 if inside.
PartLink side_of_face(const std::vector<Corner>& corners, int dimension) {
  for (int axis = 0; axis < dimension; ++axis) {
    for (int side = 0; side < 2; ++side) {
      if (std::all_of(corners.begin(), corners.end(), [&](const Corner& c) { return c[static_cast<std::size_t>(axis)] == side; })) {
        return {.axis = axis, .side = side};
      }
    }
  }
  return {};
}

PartLink find_link(const std::vector<Part>& parts, const ShapeFacts& facts, std::size_t own_part, std::size_t own_face) {
  auto corners = face_corners(parts[own_part], facts.face_vertices[own_face]);
  PartLink link = side_of_face(corners, facts.dimension);
  if (link.axis >= 0) {
    for (Corner& corner : corners) corner[static_cast<std::size_t>(link.axis)] = 1 - link.side;
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t face = 0; face < facts.face_vertices.size(); ++face) {
      if (link.axis < 0 && part == own_part && face == own_face) continue;
      const auto orientation =
          meeting_orientation(facts.face_shapes[own_face], corners, face_corners(parts[part], facts.face_vertices[face]));
      if (!orientation) continue;
      link.part = static_cast<int>(part);
      link.face = static_cast<int>(face);
      link.orientation = *orientation;
      return link;
    }
  }
  assert(!"every face of the pattern has a partner");
  return link;
}

}  // namespace

std::vector<Part> box_pattern(Shape shape) {
  const ShapeFacts& facts = shape_facts(shape);
  std::vector<Part> parts = facts.tensor ? tensor_part(facts) : kuhn_parts(static_cast<std::size_t>(facts.dimension));
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t face = 0; face < facts.face_shapes.size(); ++face) parts[part].links.push_back(find_link(parts, facts, part, face));
  }
  return parts;
}

}  // namespace dgsolve::mesh
