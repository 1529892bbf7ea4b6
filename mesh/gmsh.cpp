// From the content of a Gmsh file to a mesh: cells, their order, neighbours, groups and periodic links.
#include "mesh/gmsh.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "mesh/check.h"
#include "mesh/connectivity.h"
#include "mesh/gmsh_file.h"
#include "mesh/gmsh_input.h"
#include "mesh/mapping.h"
#include "mesh/ordering.h"
#include "mesh/periodic.h"

namespace dgsolve::mesh {
namespace {

int dimension_of(const GmshElement& element) { return shape_facts(element.type.shape).dimension; }

/// For each point of our lattice the node in Gmsh's list, as the file has the cell and mirrored.
struct NodeOrder {
  std::vector<int> direct;
  std::vector<int> mirrored;
  std::vector<int> vertices;  // lattice indices of the shape's vertices
};

NodeOrder make_node_order(const GmshElementType& type) {
  NodeOrder order;
  order.direct = gmsh_node_of_lattice(type.shape, type.order);
  order.vertices = vertex_lattice_indices(type.shape, type.order);
  const auto lattice = lattice_points(type.shape, type.order);
  for (const auto& point : lattice) {
    std::array<double, 3> mirror{point[1], point[0], point[2]};
    if (type.shape == Shape::line) mirror = {-point[0], 0, 0};
    std::size_t nearest = 0;
    const auto distance = [&](std::size_t i) {
      return std::abs(lattice[i][0] - mirror[0]) + std::abs(lattice[i][1] - mirror[1]) + std::abs(lattice[i][2] - mirror[2]);
    };
    for (std::size_t i = 1; i < lattice.size(); ++i) {
      if (distance(i) < distance(nearest)) nearest = i;
    }
    order.mirrored.push_back(order.direct[nearest]);
  }
  return order;
}

/// The cells that the file means, as indices of its elements in file order.
///
/// They are the elements of the highest dimension; if some of these are in physical groups, only those (Gmsh saves the others only on
/// demand, and ignores them). Version 2.2 repeats an element for each of its groups: copies are dropped.
std::vector<std::size_t> choose_cells(const GmshFile& file) {
  int dimension = 0;
  for (const GmshElement& element : file.elements) dimension = std::max(dimension, dimension_of(element));
  if (dimension == 0) throw MeshError("the file has no cells (elements of dimension 1 to 3)");
  const auto is_cell = [&](const GmshElement& element) { return dimension_of(element) == dimension; };
  const bool grouped = std::any_of(file.elements.begin(), file.elements.end(), [&](const auto& e) { return is_cell(e) && e.groups != 0; });
  std::vector<std::size_t> cells;
  std::unordered_map<std::size_t, std::size_t> seen;
  const auto nodes_of = [&](const GmshElement& e) {
    return std::span(file.element_nodes).subspan(e.first_node, static_cast<std::size_t>(e.type.nodes));
  };
  for (std::size_t i = 0; i < file.elements.size(); ++i) {
    const GmshElement& element = file.elements[i];
    if (!is_cell(element) || (grouped && element.groups == 0)) continue;
    if (file.version == 22 && grouped) {
      const auto nodes = nodes_of(element);
      std::size_t hash = 0;
      for (const std::int32_t node : nodes) hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(node) + 1;
      const auto [before, fresh] = seen.emplace(hash, i);
      const GmshElement& other = file.elements[before->second];
      if (!fresh && other.groups != element.groups && std::ranges::equal(nodes, nodes_of(other))) continue;
    }
    cells.push_back(i);
  }
  return cells;
}

class GmshMeshBuilder {
 public:
  GmshMeshBuilder(const GmshFile& file, const GmshOptions& options) : file_(file), options_(options) {}

  Mesh build() {
    cells_ = choose_cells(file_);
    const GmshElement& first = file_.elements[cells_.front()];
    mesh_.dimension = dimension_of(first);
    mesh_.geometry_order = first.type.order;
    for (const std::size_t e : cells_) {
      const GmshElementType& type = file_.elements[e].type;
      if (type.order != mesh_.geometry_order) {
        throw MeshError(fmt::format("elements of order {} and of order {} in one mesh (elements {} and {})", mesh_.geometry_order,
                                    type.order, first.tag, file_.elements[e].tag));
      }
    }
    require_flat();
    order_cells();
    place_cells();
    const CellNamer namer = [this](std::size_t cell) {
      return fmt::format("cell {} ({}, element {} of the file)", mesh_.global_number[cell], shape_facts(mesh_.shapes[cell]).name,
                         file_.elements[cells_[static_cast<std::size_t>(mesh_.global_number[cell])]].tag);
    };
    check_jacobians(mesh_, namer);
    const auto open = match_faces(mesh_, vertices_, namer);
    name_boundaries(open, namer);
    for (const GmshPeriodicLink& link : file_.periodic) {
      if (link.dimension == mesh_.dimension - 1) link_by_vertices(mesh_, vertices_, open, link.partner);
    }
    make_periodic(mesh_, options_.periodic, namer);
    require_groups(mesh_, "give it a physical group or make it periodic", namer);
    check_links(mesh_, namer);
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] std::span<const std::int32_t> nodes_of(std::size_t element) const {
    const GmshElement& e = file_.elements[element];
    return std::span(file_.element_nodes).subspan(e.first_node, static_cast<std::size_t>(e.type.nodes));
  }

  /// The coordinates beyond the mesh's dimension are dropped, so they must be the same everywhere.
  void require_flat() const {
    std::array<double, 3> low;
    std::array<double, 3> high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const std::size_t e : cells_) {
      for (const std::int32_t node : nodes_of(e)) {
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], file_.nodes[static_cast<std::size_t>(node)][d]);
          high[d] = std::max(high[d], file_.nodes[static_cast<std::size_t>(node)][d]);
        }
      }
    }
    double extent = 0;
    for (std::size_t d = 0; d < 3; ++d) extent = std::max(extent, high[d] - low[d]);
    for (auto d = static_cast<std::size_t>(mesh_.dimension); d < 3; ++d) {
      if (high[d] - low[d] <= 1e-9 * extent) continue;
      throw MeshError(fmt::format("the mesh has {}D cells, but {} runs from {:.6g} to {:.6g}: {} must be constant", mesh_.dimension,
                                  "xyz"[d], low[d], high[d], mesh_.dimension == 1 ? "y and z" : "z"));
    }
  }

  const NodeOrder& node_order(const GmshElementType& type) {
    NodeOrder& order = node_orders_[static_cast<std::size_t>(type.shape)];
    if (order.direct.empty()) order = make_node_order(type);
    return order;
  }

  /// Memory order of the cells: memory_order_[memory index] = file order.
  void order_cells() {
    const auto dimension = static_cast<std::size_t>(mesh_.dimension);
    std::vector<double> centres;
    centres.reserve(cells_.size() * dimension);
    for (const std::size_t e : cells_) {
      const auto vertices = nodes_of(e).first(shape_facts(file_.elements[e].type.shape).vertices.size());
      for (std::size_t d = 0; d < dimension; ++d) {
        double sum = 0;
        for (const std::int32_t node : vertices) sum += file_.nodes[static_cast<std::size_t>(node)][d];
        centres.push_back(sum / static_cast<double>(vertices.size()));
      }
    }
    memory_order_ = hilbert_order(centres, mesh_.dimension);
  }

  /// Sign of the Jacobian determinant of the straight cell at its centre.
  [[nodiscard]] bool is_mirrored(std::span<const std::int32_t> nodes, const NodeOrder& order, const ShapeFacts& facts) const {
    Eigen::Matrix3d jacobian = Eigen::Matrix3d::Identity();
    for (int axis = 0; axis < mesh_.dimension; ++axis) {
      for (int d = 0; d < mesh_.dimension; ++d) {
        double slope = 0;
        for (std::size_t v = 0; v < facts.vertices.size(); ++v) {
          const double sign = facts.tensor ? facts.vertices[v][static_cast<std::size_t>(axis)]
                                           : (v == 0                                    ? -1.0
                                              : v == static_cast<std::size_t>(axis) + 1 ? 1.0
                                                                                        : 0.0);
          const std::int32_t node = nodes[static_cast<std::size_t>(order.direct[static_cast<std::size_t>(order.vertices[v])])];
          slope += sign * file_.nodes[static_cast<std::size_t>(node)][static_cast<std::size_t>(d)];
        }
        jacobian(axis, d) = slope;
      }
    }
    return jacobian.determinant() < 0;
  }

  void place_cells() {
    mesh_.point_offset.push_back(0);
    vertices_.offset.push_back(0);
    for (const std::int32_t file_index : memory_order_) {
      const std::size_t e = cells_[static_cast<std::size_t>(file_index)];
      const GmshElementType& type = file_.elements[e].type;
      const auto nodes = nodes_of(e);
      const NodeOrder& order = node_order(type);
      const auto& chosen = is_mirrored(nodes, order, shape_facts(type.shape)) ? order.mirrored : order.direct;
      for (const int place : chosen) {
        const auto& point = file_.nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(place)])];
        mesh_.points.insert(mesh_.points.end(), point.begin(), point.begin() + mesh_.dimension);
      }
      for (const int v : order.vertices) vertices_.number.push_back(nodes[static_cast<std::size_t>(chosen[static_cast<std::size_t>(v)])]);
      mesh_.shapes.push_back(type.shape);
      mesh_.global_number.push_back(file_index);
      mesh_.point_offset.push_back(mesh_.point_offset.back() + chosen.size());
      vertices_.offset.push_back(vertices_.number.size());
    }
  }

  [[nodiscard]] std::string group_name(int tag) const {
    const auto found = file_.group_names.find({mesh_.dimension - 1, tag});
    return found == file_.group_names.end() ? std::to_string(tag) : found->second;
  }

  std::int16_t group_index(const std::string& name) {
    const auto found = std::find(mesh_.boundary_names.begin(), mesh_.boundary_names.end(), name);
    const auto index = found - mesh_.boundary_names.begin();
    if (index >= std::numeric_limits<std::int16_t>::max()) throw MeshError("too many boundary groups, at most 32767 are possible");
    if (found == mesh_.boundary_names.end()) mesh_.boundary_names.push_back(name);
    return static_cast<std::int16_t>(index);
  }

  void name_boundaries(std::span<const OpenFace> open, const CellNamer& namer) {
    for (std::size_t e = 0; e < file_.elements.size(); ++e) {
      const GmshElement& element = file_.elements[e];
      if (dimension_of(element) != mesh_.dimension - 1 || element.groups == 0) continue;
      const auto vertices = nodes_of(e).first(shape_facts(element.type.shape).vertices.size());
      const OpenFace* face = find_open_face(open, face_key(vertices));
      for (const int tag : file_.group_sets[static_cast<std::size_t>(element.groups)]) {
        const std::string name = group_name(tag);
        const std::int16_t group = group_index(name);
        if (face == nullptr) continue;
        const auto cell = static_cast<std::size_t>(face->face.cell);
        FaceLink& link = mesh_.links[mesh_.face_offset[cell] + static_cast<std::size_t>(face->face.face)];
        if (link.boundary >= 0 && link.boundary != group) {
          throw MeshError(fmt::format("{}, face {} at {}: in two boundary groups, '{}' and '{}'", namer(cell),
                                      static_cast<int>(face->face.face),
                                      format_point(face_centre(mesh_, cell, static_cast<std::size_t>(face->face.face)), mesh_.dimension),
                                      mesh_.boundary_names[static_cast<std::size_t>(link.boundary)], name));
        }
        link.boundary = group;
      }
    }
  }

  const GmshFile& file_;
  const GmshOptions& options_;
  std::vector<std::size_t> cells_;
  std::vector<std::int32_t> memory_order_;
  std::array<NodeOrder, 8> node_orders_;
  CellVertices vertices_;
  Mesh mesh_;
};

}  // namespace

Mesh read_gmsh_bytes(std::string name, std::string bytes, const GmshOptions& options) {
  GmshInput input(std::move(name), std::move(bytes));
  const GmshFile file = parse_gmsh(input);
  try {
    return GmshMeshBuilder(file, options).build();
  } catch (const MeshError& fault) {
    throw MeshError(fmt::format("{}: {}", input.name(), fault.what()));
  }
}

Mesh read_gmsh(const std::filesystem::path& file, const GmshOptions& options) {
  return read_gmsh_bytes(file.string(), load_file(file), options);
}

}  // namespace dgsolve::mesh
