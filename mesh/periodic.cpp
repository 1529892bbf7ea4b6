// Periodic pairs by vertex correspondence or by translation of boundary groups.
#include "mesh/periodic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dgsolve::mesh {
namespace {

using Point = std::array<double, 3>;

constexpr double tolerance = 1e-6;

/// A boundary face to be matched by its place.
struct PlacedFace {
  CellFace face;
  Point centre{};
  double size = 0;  // largest distance of a vertex from the centre
  std::vector<Point> vertices;
};

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

FaceLink& link_of(Mesh& mesh, CellFace face) {
  return mesh.links[mesh.face_offset[static_cast<std::size_t>(face.cell)] + static_cast<std::size_t>(face.face)];
}

Shape face_shape_of(const Mesh& mesh, CellFace face) {
  return shape_facts(mesh.shapes[static_cast<std::size_t>(face.cell)]).face_shapes[static_cast<std::size_t>(face.face)];
}

PlacedFace place_face(const Mesh& mesh, CellFace face) {
  const auto cell = static_cast<std::size_t>(face.cell);
  const auto corners = cell_vertices(mesh, cell);
  PlacedFace placed;
  placed.face = face;
  placed.centre = face_centre(mesh, cell, static_cast<std::size_t>(face.face));
  for (const int v : shape_facts(mesh.shapes[cell]).face_vertices[static_cast<std::size_t>(face.face)]) {
    placed.vertices.push_back(corners[static_cast<std::size_t>(v)]);
    placed.size = std::max(placed.size, distance(placed.vertices.back(), placed.centre));
  }
  return placed;
}

struct Bounds {
  Point low;
  Point high;
};

Bounds bounds_of(const Mesh& mesh) {
  Bounds bounds;
  bounds.low.fill(std::numeric_limits<double>::infinity());
  bounds.high.fill(-std::numeric_limits<double>::infinity());
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    bounds.low[i % dimension] = std::min(bounds.low[i % dimension], mesh.points[i]);
    bounds.high[i % dimension] = std::max(bounds.high[i % dimension], mesh.points[i]);
  }
  return bounds;
}

template <typename Wanted>
std::vector<PlacedFace> collect_faces(const Mesh& mesh, const Wanted& wanted) {
  std::vector<PlacedFace> faces;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t i = mesh.face_offset[cell]; i < mesh.face_offset[cell + 1]; ++i) {
      if (!wanted(mesh.links[i])) continue;
      faces.push_back(place_face(mesh, {static_cast<std::int32_t>(cell), static_cast<std::int8_t>(i - mesh.face_offset[cell])}));
    }
  }
  return faces;
}

/// Faces without a group on the side of the bounding box that has this name; empty if it is not the name of a side.
std::vector<PlacedFace> faces_on_side(const Mesh& mesh, std::string_view name) {
  constexpr std::array<std::string_view, 6> sides{"left", "right", "bottom", "top", "front", "back"};
  const auto side = static_cast<std::size_t>(std::find(sides.begin(), sides.end(), name) - sides.begin());
  if (side / 2 >= static_cast<std::size_t>(mesh.dimension)) return {};
  const Bounds bounds = bounds_of(mesh);
  const std::size_t axis = side / 2;
  const double plane = side % 2 == 0 ? bounds.low[axis] : bounds.high[axis];
  const double near = tolerance * (bounds.high[axis] - bounds.low[axis]);
  auto faces = collect_faces(mesh, [](const FaceLink& link) { return link.neighbour < 0 && link.boundary < 0; });
  std::erase_if(faces, [&](const PlacedFace& face) {
    return std::any_of(face.vertices.begin(), face.vertices.end(), [&](const Point& x) { return std::abs(x[axis] - plane) > near; });
  });
  return faces;
}

std::string list_names(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

std::vector<PlacedFace> faces_of_group(const Mesh& mesh, const std::string& name) {
  const auto found = std::find(mesh.boundary_names.begin(), mesh.boundary_names.end(), name);
  if (found != mesh.boundary_names.end()) {
    const auto group = static_cast<std::int16_t>(found - mesh.boundary_names.begin());
    return collect_faces(mesh, [group](const FaceLink& link) { return link.boundary == group; });
  }
  auto faces = faces_on_side(mesh, name);
  if (faces.empty()) {
    const std::string near = nearest_name(name, mesh.boundary_names);
    throw MeshError(fmt::format("periodic: there is no boundary group '{}'{}; the groups are: {}", name,
                                near.empty() ? "" : fmt::format(", did you mean '{}'?", near), list_names(mesh.boundary_names)));
  }
  return faces;
}

Point mean_centre(std::span<const PlacedFace> faces) {
  Point mean{};
  for (const PlacedFace& face : faces) {
    for (std::size_t d = 0; d < 3; ++d) mean[d] += face.centre[d] / static_cast<double>(faces.size());
  }
  return mean;
}

/// Faces sorted by the projection of their centres on an oblique direction (in grids few faces share it), to find the face at a place.
class FaceFinder {
 public:
  explicit FaceFinder(std::span<const PlacedFace> faces) : faces_(faces) {
    for (std::size_t i = 0; i < faces.size(); ++i) sorted_.emplace_back(project(faces[i].centre), i);
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// The nearest face whose centre is within `radius` of the place.
  [[nodiscard]] const PlacedFace* nearest(const Point& place, double radius) const {
    const double x = project(place);
    const PlacedFace* best = nullptr;
    double smallest = radius;
    for (auto i = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{x - radius, std::size_t{0}});
         i != sorted_.end() && i->first <= x + radius; ++i) {
      const double d = distance(faces_[i->second].centre, place);
      if (d > smallest) continue;
      smallest = d;
      best = &faces_[i->second];
    }
    return best;
  }

 private:
  // A direction of length below one, so that projections are no farther apart than the points.
  static double project(const Point& x) { return 0.61803 * x[0] + 0.52915 * x[1] + 0.56569 * x[2]; }

  std::span<const PlacedFace> faces_;
  std::vector<std::pair<double, std::size_t>> sorted_;
};

/// For each vertex of `here` moved by the offset, its number in `there`; -1 where none is near.
std::vector<std::int32_t> numbers_in(const PlacedFace& here, const PlacedFace& there, const Point& offset, double near) {
  std::vector<std::int32_t> numbers;
  for (const Point& vertex : here.vertices) {
    const Point moved{vertex[0] + offset[0], vertex[1] + offset[1], vertex[2] + offset[2]};
    std::int32_t number = -1;
    for (std::size_t s = 0; s < there.vertices.size(); ++s) {
      if (distance(there.vertices[s], moved) <= near) number = static_cast<std::int32_t>(s);
    }
    numbers.push_back(number);
  }
  return numbers;
}

[[noreturn]] void fault_without_partner(const Mesh& mesh, const PlacedFace& face, const std::pair<std::string, std::string>& groups,
                                        const Point& offset, const CellNamer& namer) {
  throw MeshError(fmt::format("periodic: {}, face {} at {} of '{}' has no partner in '{}' under the translation by {}",
                              name_cell(mesh, static_cast<std::size_t>(face.face.cell), namer), static_cast<int>(face.face.face),
                              format_point(face.centre, mesh.dimension), groups.first, groups.second,
                              format_point(offset, mesh.dimension)));
}

}  // namespace

void link_by_vertices(Mesh& mesh, const CellVertices& vertices, std::span<const OpenFace> open,
                      const std::unordered_map<std::int32_t, std::int32_t>& partner) {
  for (const OpenFace& here : open) {
    if (link_of(mesh, here.face).neighbour >= 0) continue;
    auto mapped = face_vertex_numbers(mesh, vertices, here.face);
    bool complete = true;
    for (std::int32_t& number : mapped) {
      const auto found = partner.find(number);
      complete = complete && found != partner.end();
      if (complete) number = found->second;
    }
    if (!complete) continue;
    const OpenFace* there = find_open_face(open, face_key(mapped));
    if (there == nullptr || there->key == here.key || link_of(mesh, there->face).neighbour >= 0) continue;
    const auto orientation = find_orientation(face_shape_of(mesh, here.face), mapped, face_vertex_numbers(mesh, vertices, there->face));
    if (orientation) link_faces(mesh, here.face, there->face, *orientation);
  }
}

void link_by_translation(Mesh& mesh, const std::pair<std::string, std::string>& groups, const CellNamer& namer) {
  if (groups.first == groups.second) throw MeshError(fmt::format("periodic: '{}' is paired with itself", groups.first));
  const auto first = faces_of_group(mesh, groups.first);
  const auto second = faces_of_group(mesh, groups.second);
  if (first.size() != second.size()) {
    throw MeshError(fmt::format("periodic: '{}' has {} faces to be matched, but '{}' has {}", groups.first, first.size(), groups.second,
                                second.size()));
  }
  if (first.empty()) return;
  const Point from = mean_centre(first);
  const Point to = mean_centre(second);
  const Point offset{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  const double smallest_offset = tolerance * std::hypot(offset[0], offset[1], offset[2]);
  const FaceFinder finder(second);
  for (const PlacedFace& here : first) {
    const Point moved{here.centre[0] + offset[0], here.centre[1] + offset[1], here.centre[2] + offset[2]};
    // The size of a point is zero: there the translation sets the scale.
    const double near = here.size > 0 ? tolerance * here.size : smallest_offset;
    const PlacedFace* there = finder.nearest(moved, near);
    if (there == nullptr || link_of(mesh, there->face).neighbour >= 0) fault_without_partner(mesh, here, groups, offset, namer);
    std::vector<std::int32_t> own(there->vertices.size());
    std::iota(own.begin(), own.end(), 0);
    const auto orientation = find_orientation(face_shape_of(mesh, here.face), numbers_in(here, *there, offset, near), own);
    if (!orientation) fault_without_partner(mesh, here, groups, offset, namer);
    link_faces(mesh, here.face, there->face, *orientation);
  }
}

void make_periodic(Mesh& mesh, std::span<const std::pair<std::string, std::string>> pairs, const CellNamer& namer) {
  for (const auto& pair : pairs) link_by_translation(mesh, pair, namer);
  drop_empty_groups(mesh);
}

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  std::size_t smallest = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
      }
    }
    if (row.back() < smallest) {
      smallest = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace dgsolve::mesh
