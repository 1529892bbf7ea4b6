// Geometry arrays of an element class: affine cells from their vertices, curved ones through their mapping, faces by the owner rule.
#include "solver/geometry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "solver/elements/mapping.h"

namespace dgsolve::solver {
namespace {

using Vector = std::array<double, 3>;

/// x = centre + sum_d xi_d edge[d]; components beyond the dimension are 0.
struct AffineMap {
  Vector centre{};
  std::array<Vector, 3> edge{};
};

/// Lattice points that are the vertices of a shape.
std::vector<int> vertex_lattice_points(mesh::Shape shape, int order) {
  const auto lattice = mesh::lattice_points(shape, order);
  std::vector<int> found;
  for (const auto& vertex : mesh::shape_facts(shape).vertices) {
    const auto at = std::find_if(lattice.begin(), lattice.end(), [&](const auto& point) {
      return std::abs(point[0] - vertex[0]) + std::abs(point[1] - vertex[1]) + std::abs(point[2] - vertex[2]) < 1e-9;
    });
    found.push_back(static_cast<int>(at - lattice.begin()));
  }
  return found;
}

/// What straight geometry needs to know of a shape.
struct ShapeTables {
  std::vector<int> vertices;                   ///< lattice points
  std::vector<std::array<double, 3>> lattice;  ///< reference coordinates
  std::vector<double> face_sense;              ///< [faces] sign of outward against the (a, b) parameterisation
};

ShapeTables make_shape_tables(mesh::Shape shape, int order) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  ShapeTables tables{vertex_lattice_points(shape, order), mesh::lattice_points(shape, order), {}};
  for (const auto& v : facts.face_vertices) {
    Vector a{};
    Vector b{};
    Vector outward{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = [&](std::size_t i) { return facts.vertices[static_cast<std::size_t>(v[i])][k]; };
      if (v.size() > 1) a[k] = at(1) - at(0);
      if (v.size() > 2) b[k] = at(2) - at(0);
      outward[k] = at(0);
      for (const auto& corner : facts.vertices) outward[k] -= corner[k] / static_cast<double>(facts.vertices.size());
    }
    Vector normal{1, 0, 0};
    if (facts.dimension == 2) normal = {a[1], -a[0], 0};
    if (facts.dimension == 3) normal = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    tables.face_sense.push_back(normal[0] * outward[0] + normal[1] * outward[1] + normal[2] * outward[2] < 0 ? -1.0 : 1.0);
  }
  return tables;
}

double determinant(int dimension, const AffineMap& map) {
  const auto& e = map.edge;
  if (dimension == 1) return e[0][0];
  if (dimension == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/// Rows Ja^d = cofactors of the edges.
std::array<Vector, 3> cofactors(int dimension, const AffineMap& map) {
  const auto& e = map.edge;
  if (dimension == 1) return {{{1, 0, 0}}};
  if (dimension == 2) return {{{e[1][1], -e[1][0], 0}, {-e[0][1], e[0][0], 0}}};
  std::array<Vector, 3> rows{};
  for (std::size_t d = 0; d < 3; ++d) {
    const Vector& p = e[(d + 1) % 3];
    const Vector& q = e[(d + 2) % 3];
    rows[d] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
  }
  return rows;
}

/// Builds everything cell by cell; knows the mesh and, for every shape in it, the element of the order and family asked for.
class GeometryBuilder {
 public:
  GeometryBuilder(const mesh::Mesh& mesh, const ReferenceElement* element)
      : mesh_(mesh), element_(element), dimension_(static_cast<std::size_t>(mesh.dimension)), affine_(mesh.cell_count(), unknown) {}

  [[nodiscard]] bool is_affine(std::size_t cell);
  [[nodiscard]] Geometry affine(const std::vector<std::int32_t>& cells);
  [[nodiscard]] Geometry curved(const std::vector<std::int32_t>& cells);

 private:
  static constexpr signed char unknown = -1;
  /// The side that owns a face, and how its nodes map to ours.
  struct Owner {
    std::size_t cell;
    int face;
    const std::vector<int>* permutation;  ///< nullptr: this side owns it
  };

  [[nodiscard]] const double* lattice(std::size_t cell) const { return mesh_.points.data() + mesh_.point_offset[cell] * dimension_; }
  [[nodiscard]] const mesh::FaceLink& link(std::size_t cell, int face) const {
    return mesh_.links[mesh_.face_offset[cell] + static_cast<std::size_t>(face)];
  }
  [[nodiscard]] const ShapeTables& tables(mesh::Shape shape);
  [[nodiscard]] const ReferenceElement& element_of(mesh::Shape shape);
  [[nodiscard]] const CurvedMapping& mapping_of(mesh::Shape shape);
  [[nodiscard]] AffineMap affine_map(std::size_t cell);
  [[nodiscard]] Owner owner(std::size_t cell, int face) const;
  [[nodiscard]] bool is_flat(std::size_t cell, int face);
  [[nodiscard]] Vector flat_normal(std::size_t cell, int face);
  [[nodiscard]] const CurvedCell& outside_cell(std::size_t cell);
  [[nodiscard]] Vector affine_point(const AffineMap& map, const Eigen::MatrixXd& points, Eigen::Index row) const;
  void evaluate(std::size_t cell, CurvedCell& values);
  void owner_coordinates(const Owner& owner, double* out);
  void store_split(const Vector& scaled, double* unit, double& scale) const;
  void store_curved_cell(const CurvedCell& values, std::size_t index, Geometry& geometry) const;
  void finish_curved_face(std::size_t cell, std::size_t index, int face, const std::vector<std::int32_t>& position, Geometry& geometry);
  [[noreturn]] void folded(std::size_t cell, double jacobian, std::span<const double> where) const;

  const mesh::Mesh& mesh_;
  const ReferenceElement* element_;
  std::size_t dimension_;
  std::vector<signed char> affine_;
  std::map<mesh::Shape, ShapeTables> tables_;
  std::map<mesh::Shape, ReferenceElement> elements_;
  std::map<mesh::Shape, CurvedMapping> mappings_;
  std::optional<std::size_t> outside_;  ///< the cell in outside_values_
  CurvedCell outside_values_;
};

const ShapeTables& GeometryBuilder::tables(mesh::Shape shape) {
  const auto found = tables_.find(shape);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(shape, make_shape_tables(shape, mesh_.geometry_order)).first->second;
}

const ReferenceElement& GeometryBuilder::element_of(mesh::Shape shape) {
  if (shape == element_->shape) return *element_;
  const auto found = elements_.find(shape);
  if (found != elements_.end()) return found->second;
  return elements_.emplace(shape, make_reference_element(shape, element_->order, element_->family)).first->second;
}

const CurvedMapping& GeometryBuilder::mapping_of(mesh::Shape shape) {
  const auto found = mappings_.find(shape);
  if (found != mappings_.end()) return found->second;
  return mappings_.emplace(shape, CurvedMapping(element_of(shape), mesh_.geometry_order)).first->second;
}

AffineMap GeometryBuilder::affine_map(std::size_t cell) {
  const ShapeTables& shape = tables(mesh_.shapes[cell]);
  const bool tensor = mesh::shape_facts(mesh_.shapes[cell]).tensor;
  const double* points = lattice(cell);
  const auto vertex = [&](std::size_t v, std::size_t k) { return points[static_cast<std::size_t>(shape.vertices[v]) * dimension_ + k]; };
  AffineMap map;
  for (std::size_t k = 0; k < dimension_; ++k) {
    if (tensor) {
      const double share = 1.0 / static_cast<double>(shape.vertices.size());
      for (std::size_t v = 0; v < shape.vertices.size(); ++v) {
        // Differences to vertex 0 keep the bits of cells far from the origin.
        const double x = share * (vertex(v, k) - vertex(0, k));
        map.centre[k] += x;
        for (std::size_t d = 0; d < dimension_; ++d) map.edge[d][k] += (v >> d) & 1 ? x : -x;
      }
    } else {
      for (std::size_t d = 0; d < dimension_; ++d) {
        map.edge[d][k] = (vertex(d + 1, k) - vertex(0, k)) / 2;
        map.centre[k] += map.edge[d][k];
      }
    }
    map.centre[k] += vertex(0, k);
  }
  return map;
}

bool GeometryBuilder::is_affine(std::size_t cell) {
  if (affine_[cell] != unknown) return affine_[cell] == 1;
  bool result = true;
  if (mesh_.geometry_order > 1 || mesh::shape_facts(mesh_.shapes[cell]).tensor) {
    const AffineMap map = affine_map(cell);
    const auto& reference = tables(mesh_.shapes[cell]).lattice;
    const double* points = lattice(cell);
    double size = 0;
    double far = 0;
    double deviation = 0;
    for (std::size_t p = 0; p < reference.size(); ++p) {
      for (std::size_t k = 0; k < dimension_; ++k) {
        double x = map.centre[k];
        for (std::size_t d = 0; d < dimension_; ++d) x += reference[p][d] * map.edge[d][k];
        deviation = std::max(deviation, std::abs(points[p * dimension_ + k] - x));
        far = std::max(far, std::abs(points[p * dimension_ + k]));
      }
    }
    for (const Vector& edge : map.edge) size = std::max(size, std::hypot(edge[0], edge[1], edge[2]));
    result = deviation <= 1e-12 * size + 8 * std::numeric_limits<double>::epsilon() * far;
  }
  affine_[cell] = result ? 1 : 0;
  return result;
}

GeometryBuilder::Owner GeometryBuilder::owner(std::size_t cell, int face) const {
  if (face_sign(mesh_, cell, face) > 0) return {cell, face, nullptr};
  const mesh::FaceLink& other = link(cell, face);
  return {static_cast<std::size_t>(other.neighbour), other.face, &element_->face_permutation[static_cast<std::size_t>(other.orientation)]};
}

/// A face of an affine cell is flat: both sides then take one normal, from the owner's vertices.
bool GeometryBuilder::is_flat(std::size_t cell, int face) {
  const std::int32_t neighbour = link(cell, face).neighbour;
  return is_affine(cell) || (neighbour >= 0 && is_affine(static_cast<std::size_t>(neighbour)));
}

Vector GeometryBuilder::flat_normal(std::size_t cell, int face) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(mesh_.shapes[cell]);
  const ShapeTables& shape = tables(mesh_.shapes[cell]);
  const double sense = shape.face_sense[static_cast<std::size_t>(face)];
  if (dimension_ == 1) return {sense, 0, 0};
  const auto& v = facts.face_vertices[static_cast<std::size_t>(face)];
  const double* points = lattice(cell);
  const auto half_edge = [&](std::size_t to) {
    Vector edge{};
    for (std::size_t k = 0; k < dimension_; ++k) {
      edge[k] = (points[static_cast<std::size_t>(shape.vertices[static_cast<std::size_t>(v[to])]) * dimension_ + k] -
                 points[static_cast<std::size_t>(shape.vertices[static_cast<std::size_t>(v[0])]) * dimension_ + k]) /
                2;
    }
    return edge;
  };
  const Vector a = half_edge(1);
  if (dimension_ == 2) return {sense * a[1], -sense * a[0], 0};
  const Vector b = half_edge(2);
  return {sense * (a[1] * b[2] - a[2] * b[1]), sense * (a[2] * b[0] - a[0] * b[2]), sense * (a[0] * b[1] - a[1] * b[0])};
}

Vector GeometryBuilder::affine_point(const AffineMap& map, const Eigen::MatrixXd& points, Eigen::Index row) const {
  Vector x = map.centre;
  for (std::size_t d = 0; d < dimension_; ++d) {
    const double xi = points(row, static_cast<Eigen::Index>(d));
    for (std::size_t k = 0; k < dimension_; ++k) x[k] += xi * map.edge[d][k];
  }
  return x;
}

void GeometryBuilder::folded(std::size_t cell, double jacobian, std::span<const double> where) const {
  throw mesh::MeshError(
      fmt::format("cell {} ({}): its mapping has Jacobian {:.6g} at ({:.9g}); it must be positive: the cell is inverted or folded",
                  mesh_.global_number[cell], mesh::shape_facts(mesh_.shapes[cell]).name, jacobian, fmt::join(where, ", ")));
}

void GeometryBuilder::evaluate(std::size_t cell, CurvedCell& values) {
  const std::size_t points = mesh_.point_offset[cell + 1] - mesh_.point_offset[cell];
  mapping_of(mesh_.shapes[cell]).evaluate({lattice(cell), points * dimension_}, values);
  if (!(values.smallest_jacobian > 0)) folded(cell, values.smallest_jacobian, {values.smallest_at.data(), dimension_});
}

const CurvedCell& GeometryBuilder::outside_cell(std::size_t cell) {
  if (outside_ != cell) {
    outside_.reset();
    evaluate(cell, outside_values_);
    outside_ = cell;
  }
  return outside_values_;
}

/// [face node][dim], in the node order of this side.
void GeometryBuilder::owner_coordinates(const Owner& side, double* out) {
  const ReferenceElement& element = element_of(mesh_.shapes[side.cell]);
  const int nodes = element_->face_node_count;
  const bool straight = is_affine(side.cell);
  const AffineMap map = straight ? affine_map(side.cell) : AffineMap{};
  const CurvedCell* values = straight ? nullptr : &outside_cell(side.cell);
  for (int m = 0; m < nodes; ++m) {
    const int node = side.permutation != nullptr ? (*side.permutation)[static_cast<std::size_t>(m)] : m;
    const Eigen::Index row = side.face * nodes + node;
    const Vector x = straight ? affine_point(map, element.face_points, row) : Vector{};
    for (std::size_t k = 0; k < dimension_; ++k) *out++ = straight ? x[k] : values->face_coordinates(row, static_cast<Eigen::Index>(k));
  }
}

void GeometryBuilder::store_split(const Vector& scaled, double* unit, double& scale) const {
  double square = 0;
  for (std::size_t k = 0; k < dimension_; ++k) square += scaled[k] * scaled[k];
  scale = std::sqrt(square);
  for (std::size_t k = 0; k < dimension_; ++k) unit[k] = scaled[k] / scale;
}

Geometry allocate(const ReferenceElement& element, std::size_t cells, bool affine) {
  const auto dim = static_cast<std::size_t>(element.dimension);
  const auto np = static_cast<std::size_t>(element.node_count);
  const auto nf = static_cast<std::size_t>(element.face_count);
  const auto nfp = static_cast<std::size_t>(element.face_node_count);
  Geometry geometry;
  geometry.affine = affine;
  geometry.cell_count = cells;
  geometry.coordinates.resize(cells * np * dim);
  geometry.metric.resize(cells * (affine ? 1 : np) * dim * dim);
  geometry.inverse_jacobian.resize(cells * (affine ? 1 : np));
  geometry.face_normal.resize(cells * nf * (affine ? 1 : nfp) * dim);
  geometry.face_scale.resize(cells * nf * (affine ? 1 : nfp));
  geometry.face_coordinates.resize(cells * nf * nfp * dim);
  geometry.face_owner.resize(cells * nf);
  geometry.size.resize(cells);
  return geometry;
}

Geometry GeometryBuilder::affine(const std::vector<std::int32_t>& cells) {
  const ReferenceElement& element = *element_;
  const auto nf = static_cast<std::size_t>(element.face_count);
  const auto nfp = static_cast<std::size_t>(element.face_node_count);
  const double measure = element.weights.sum();
  Geometry geometry = allocate(element, cells.size(), true);
  double* coordinates = geometry.coordinates.data();
  double* metric = geometry.metric.data();
  for (std::size_t index = 0; index < cells.size(); ++index) {
    const auto cell = static_cast<std::size_t>(cells[index]);
    const AffineMap map = affine_map(cell);
    const double jacobian = determinant(mesh_.dimension, map);
    if (!(jacobian > 0)) folded(cell, jacobian, {map.centre.data(), dimension_});
    for (int i = 0; i < element.node_count; ++i) {
      const Vector x = affine_point(map, element.nodes, i);
      for (std::size_t k = 0; k < dimension_; ++k) *coordinates++ = x[k];
    }
    const auto rows = cofactors(mesh_.dimension, map);
    for (std::size_t d = 0; d < dimension_; ++d) {
      for (std::size_t k = 0; k < dimension_; ++k) *metric++ = rows[d][k] / jacobian;
    }
    geometry.inverse_jacobian[index] = 1 / jacobian;
    geometry.size[index] = std::pow(jacobian * measure, 1.0 / mesh_.dimension);
    for (std::size_t f = 0; f < nf; ++f) {
      const Owner side = owner(cell, static_cast<int>(f));
      const std::size_t at = index * nf + f;
      geometry.face_owner[at] = side.permutation == nullptr ? 1 : -1;
      store_split(flat_normal(side.cell, side.face), geometry.face_normal.data() + at * dimension_, geometry.face_scale[at]);
      geometry.face_scale[at] /= jacobian;
      owner_coordinates(side, geometry.face_coordinates.data() + at * nfp * dimension_);
    }
  }
  return geometry;
}

void GeometryBuilder::store_curved_cell(const CurvedCell& values, std::size_t index, Geometry& geometry) const {
  const auto np = static_cast<std::size_t>(element_->node_count);
  const auto points = static_cast<std::size_t>(element_->face_count * element_->face_node_count);
  for (std::size_t i = 0; i < np; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t k = 0; k < dimension_; ++k) {
      geometry.coordinates[(index * np + i) * dimension_ + k] = values.coordinates(row, static_cast<Eigen::Index>(k));
    }
    for (std::size_t c = 0; c < dimension_ * dimension_; ++c) {
      geometry.metric[(index * np + i) * dimension_ * dimension_ + c] = values.metric(row, static_cast<Eigen::Index>(c));
    }
    geometry.inverse_jacobian[index * np + i] = 1 / values.jacobian(row);
  }
  geometry.size[index] = std::pow(element_->weights.dot(values.jacobian), 1.0 / mesh_.dimension);
  for (std::size_t m = 0; m < points; ++m) {
    const auto row = static_cast<Eigen::Index>(m);
    const std::size_t at = index * points + m;
    Vector normal{};
    for (std::size_t k = 0; k < dimension_; ++k) {
      normal[k] = values.face_normal(row, static_cast<Eigen::Index>(k));
      geometry.face_coordinates[at * dimension_ + k] = values.face_coordinates(row, static_cast<Eigen::Index>(k));
    }
    store_split(normal, geometry.face_normal.data() + at * dimension_, geometry.face_scale[at]);
  }
}

/// Replaces what the cell computed for a face by the owner's values; owners keep theirs, so the order of faces does not matter.
void GeometryBuilder::finish_curved_face(std::size_t cell, std::size_t index, int face, const std::vector<std::int32_t>& position,
                                         Geometry& geometry) {
  const auto nf = static_cast<std::size_t>(element_->face_count);
  const auto nfp = static_cast<std::size_t>(element_->face_node_count);
  const Owner side = owner(cell, face);
  const bool mine = side.permutation == nullptr;
  const bool flat = is_flat(cell, face);
  const std::size_t start = (index * nf + static_cast<std::size_t>(face)) * nfp;
  geometry.face_owner[index * nf + static_cast<std::size_t>(face)] = mine ? 1 : -1;
  if (!mine || is_affine(cell)) {
    const std::int32_t there = position[side.cell];
    if (there >= 0 && !is_affine(side.cell)) {
      for (std::size_t m = 0; m < nfp; ++m) {
        const std::size_t from = (static_cast<std::size_t>(there) * nf + static_cast<std::size_t>(side.face)) * nfp +
                                 static_cast<std::size_t>((*side.permutation)[m]);
        geometry.face_scale[start + m] = geometry.face_scale[from];
        for (std::size_t k = 0; k < dimension_; ++k) {
          geometry.face_normal[(start + m) * dimension_ + k] = geometry.face_normal[from * dimension_ + k];
          geometry.face_coordinates[(start + m) * dimension_ + k] = geometry.face_coordinates[from * dimension_ + k];
        }
      }
    } else {
      owner_coordinates(side, geometry.face_coordinates.data() + start * dimension_);
      for (std::size_t m = 0; !flat && m < nfp; ++m) {
        const Eigen::Index from = side.face * element_->face_node_count + (*side.permutation)[m];
        Vector normal{};
        for (std::size_t k = 0; k < dimension_; ++k) normal[k] = outside_cell(side.cell).face_normal(from, static_cast<Eigen::Index>(k));
        store_split(normal, geometry.face_normal.data() + (start + m) * dimension_, geometry.face_scale[start + m]);
      }
    }
  }
  if (!flat) return;
  const Vector normal = flat_normal(side.cell, side.face);
  for (std::size_t m = start; m < start + nfp; ++m)
    store_split(normal, geometry.face_normal.data() + m * dimension_, geometry.face_scale[m]);
}

Geometry GeometryBuilder::curved(const std::vector<std::int32_t>& cells) {
  Geometry geometry = allocate(*element_, cells.size(), false);
  std::vector<std::int32_t> position(mesh_.cell_count(), -1);
  CurvedCell values;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    position[static_cast<std::size_t>(cells[index])] = static_cast<std::int32_t>(index);
    evaluate(static_cast<std::size_t>(cells[index]), values);
    store_curved_cell(values, index, geometry);
  }
  for (std::size_t index = 0; index < cells.size(); ++index) {
    for (int f = 0; f < element_->face_count; ++f) finish_curved_face(static_cast<std::size_t>(cells[index]), index, f, position, geometry);
  }
  return geometry;
}

}  // namespace

Geometry make_geometry(const mesh::Mesh& mesh, const ReferenceElement& element, const std::vector<std::int32_t>& cells, bool affine) {
  GeometryBuilder builder(mesh, &element);
  return affine ? builder.affine(cells) : builder.curved(cells);
}

std::vector<bool> affine_cells(const mesh::Mesh& mesh) {
  GeometryBuilder builder(mesh, nullptr);
  std::vector<bool> result(mesh.cell_count());
  for (std::size_t cell = 0; cell < result.size(); ++cell) result[cell] = builder.is_affine(cell);
  return result;
}

int face_sign(const mesh::Mesh& mesh, std::size_t cell, int face) {
  const mesh::FaceLink& other = mesh.links[mesh.face_offset[cell] + static_cast<std::size_t>(face)];
  if (other.neighbour < 0) return 1;
  const std::int64_t here = mesh.global_number[cell];
  const std::int64_t there = mesh.global_number[static_cast<std::size_t>(other.neighbour)];
  if (here != there) return here < there ? 1 : -1;
  return face < other.face ? 1 : -1;
}

}  // namespace dgsolve::solver
