// Geometry arrays of an element class: affine cells from their vertices, curved ones through their mapping, faces by the owner rule.
#include "solver/geometry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "solver/elements/mapping.h"
#include "solver/straight_cells.h"

namespace dgsolve::solver {
namespace {

using Vector = std::array<double, 3>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

bool has_element(mesh::Shape shape) {
  using enum mesh::Shape;
  return shape == line || shape == triangle || shape == quadrilateral || shape == tetrahedron || shape == hexahedron;
}

/// What all workers share, read-only: the element of the class, and those of other shapes of a mixed mesh, whose cells may own its faces.
struct Context {
  Context(const mesh::Mesh& m, const ReferenceElement& e, std::vector<std::int32_t> of_class, bool affine)
      : mesh(m), straight(m), element(e), dimension(static_cast<std::size_t>(m.dimension)), cells(std::move(of_class)) {
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
      const mesh::Shape shape = mesh.shapes[cell];
      if (!has_element(shape)) continue;
      if (!elements.contains(shape)) elements.emplace(shape, shape == e.shape ? e : make_reference_element(shape, e.order, e.family));
      if (!straight.is_affine(cell) && !mappings.contains(shape)) {
        mappings.emplace(shape, CurvedMapping(elements.at(shape), mesh.geometry_order));
      }
    }
    if (!affine && !mappings.contains(e.shape)) mappings.emplace(e.shape, CurvedMapping(e, mesh.geometry_order));
    if (!affine) {
      position.assign(mesh.cell_count(), -1);
      for (std::size_t i = 0; i < cells.size(); ++i) position[static_cast<std::size_t>(cells[i])] = static_cast<std::int32_t>(i);
    }
    node_points = e.nodes;
    for (const auto& [shape, of_shape] : elements) face_points[shape] = of_shape.face_points;
  }

  const mesh::Mesh& mesh;
  StraightCells straight;
  const ReferenceElement& element;
  std::size_t dimension;
  RowMajor node_points;
  std::map<mesh::Shape, ReferenceElement> elements;
  std::map<mesh::Shape, RowMajor> face_points;
  std::map<mesh::Shape, CurvedMapping> mappings;
  std::vector<std::int32_t> cells;     ///< of the class
  std::vector<std::int32_t> position;  ///< [mesh cells] index in the class or -1; curved classes only
};

/// Fills the entries of single cells; one per thread.
class Worker {
 public:
  explicit Worker(const Context& context)
      : context_(context),
        mesh_(context.mesh),
        element_(context.element),
        dimension_(context.dimension),
        faces_(static_cast<std::size_t>(element_.face_count)),
        face_nodes_(static_cast<std::size_t>(element_.face_node_count)) {}

  void affine_cell(std::size_t index, Geometry& geometry);
  /// Everything of a curved cell, faces as it sees them itself.
  void curved_cell(std::size_t index, Geometry& geometry);
  /// Replaces what curved_cell left on faces by what the owner rule wants. Writes no entry that another cell reads.
  void curved_faces(std::size_t index, Geometry& geometry);
  /// Replaces metric vectors across the faces of a tensor element with nodes there by what curved_faces left.
  void metric_on_faces(std::size_t index, Geometry& geometry) const;

 private:
  /// The side that owns a face, and how its nodes map to ours.
  struct Owner {
    std::size_t cell;
    int face;
    const std::vector<int>* permutation;  ///< nullptr: this side owns it
    [[nodiscard]] int node(int m) const { return permutation != nullptr ? (*permutation)[static_cast<std::size_t>(m)] : m; }
  };

  [[nodiscard]] const mesh::FaceLink& link(std::size_t cell, std::size_t face) const { return mesh_.links[mesh_.face_offset[cell] + face]; }
  [[nodiscard]] Owner owner(std::size_t cell, std::size_t face) const;
  [[nodiscard]] bool is_flat(std::size_t cell, std::size_t face) const;
  [[nodiscard]] const CurvedCell& outside_cell(std::size_t cell);
  void evaluate(std::size_t cell, CurvedCell& values);
  void affine_points(const AffineMap& map, const double* reference, std::size_t count, double* out) const;
  void owner_coordinates(const Owner& side, double* out);
  void store_split(const Vector& scaled, double* unit, double& scale) const;
  void shared_face(const Owner& side, bool flat, std::size_t start, Geometry& geometry);
  [[noreturn]] void folded(std::size_t cell, double jacobian, const Vector& where) const;

  const Context& context_;
  const mesh::Mesh& mesh_;
  const ReferenceElement& element_;
  std::size_t dimension_;
  std::size_t faces_;
  std::size_t face_nodes_;
  std::map<mesh::Shape, CurvedMapping> mappings_;
  CurvedCell values_;
  std::optional<std::size_t> outside_;  ///< the cell in outside_values_
  CurvedCell outside_values_;
};

Worker::Owner Worker::owner(std::size_t cell, std::size_t face) const {
  if (face_sign(mesh_, cell, static_cast<int>(face)) > 0) return {cell, static_cast<int>(face), nullptr};
  const mesh::FaceLink& other = link(cell, face);
  return {static_cast<std::size_t>(other.neighbour), other.face, &element_.face_permutation[static_cast<std::size_t>(other.orientation)]};
}

/// A face of an affine cell is flat: both sides then take one normal, from the owner's vertices.
bool Worker::is_flat(std::size_t cell, std::size_t face) const {
  const std::int32_t neighbour = link(cell, face).neighbour;
  return context_.straight.is_affine(cell) || (neighbour >= 0 && context_.straight.is_affine(static_cast<std::size_t>(neighbour)));
}

void Worker::folded(std::size_t cell, double jacobian, const Vector& where) const {
  throw mesh::MeshError(
      fmt::format("cell {} ({}): its mapping has Jacobian {:.6g} at ({:.9g}); it must be positive: the cell is inverted or folded",
                  mesh_.global_number[cell], mesh::shape_facts(mesh_.shapes[cell]).name, jacobian,
                  fmt::join(where.begin(), where.begin() + mesh_.dimension, ", ")));
}

void Worker::evaluate(std::size_t cell, CurvedCell& values) {
  const mesh::Shape shape = mesh_.shapes[cell];
  auto mapping = mappings_.find(shape);
  if (mapping == mappings_.end()) mapping = mappings_.emplace(shape, context_.mappings.at(shape)).first;
  const std::size_t first = mesh_.point_offset[cell] * dimension_;
  const std::size_t last = mesh_.point_offset[cell + 1] * dimension_;
  mapping->second.evaluate({mesh_.points.data() + first, last - first}, values);
  if (!(values.smallest_jacobian > 0)) folded(cell, values.smallest_jacobian, values.smallest_at);
}

const CurvedCell& Worker::outside_cell(std::size_t cell) {
  if (outside_ != cell) {
    outside_.reset();
    evaluate(cell, outside_values_);
    outside_ = cell;
  }
  return outside_values_;
}

void Worker::affine_points(const AffineMap& map, const double* reference, std::size_t count, double* out) const {
  for (std::size_t i = 0; i < count; ++i, reference += dimension_) {
    for (std::size_t k = 0; k < dimension_; ++k) {
      double x = map.centre[k];
      for (std::size_t d = 0; d < dimension_; ++d) x += reference[d] * map.edge[d][k];
      *out++ = x;
    }
  }
}

/// [face node][dim], in the node order of this side.
void Worker::owner_coordinates(const Owner& side, double* out) {
  const bool straight = context_.straight.is_affine(side.cell);
  const AffineMap map = straight ? context_.straight.map(side.cell) : AffineMap{};
  const double* reference = straight ? context_.face_points.at(mesh_.shapes[side.cell]).data() : nullptr;
  const CurvedCell* values = straight ? nullptr : &outside_cell(side.cell);
  for (int m = 0; m < element_.face_node_count; ++m, out += dimension_) {
    const int row = side.face * element_.face_node_count + side.node(m);
    if (straight) {
      affine_points(map, reference + static_cast<std::size_t>(row) * dimension_, 1, out);
    } else {
      for (std::size_t k = 0; k < dimension_; ++k) out[k] = values->face_coordinates(row, static_cast<Eigen::Index>(k));
    }
  }
}

void Worker::store_split(const Vector& scaled, double* unit, double& scale) const {
  scale = std::sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]);
  for (std::size_t k = 0; k < dimension_; ++k) unit[k] = scaled[k] / scale;
}

void Worker::affine_cell(std::size_t index, Geometry& geometry) {
  const auto cell = static_cast<std::size_t>(context_.cells[index]);
  const auto nodes = static_cast<std::size_t>(element_.node_count);
  const AffineMap map = context_.straight.map(cell);
  const double jacobian = determinant(mesh_.dimension, map);
  if (!(jacobian > 0)) folded(cell, jacobian, map.centre);
  affine_points(map, context_.node_points.data(), nodes, geometry.coordinates.data() + index * nodes * dimension_);
  const auto rows = cofactors(mesh_.dimension, map);
  for (std::size_t d = 0; d < dimension_; ++d) {
    for (std::size_t k = 0; k < dimension_; ++k) geometry.metric[(index * dimension_ + d) * dimension_ + k] = rows[d][k] / jacobian;
  }
  geometry.inverse_jacobian[index] = 1 / jacobian;
  geometry.size[index] = std::pow(jacobian * element_.weights.sum(), 1.0 / mesh_.dimension);
  for (std::size_t f = 0; f < faces_; ++f) {
    const Owner side = owner(cell, f);
    const std::size_t at = index * faces_ + f;
    geometry.face_owner[at] = side.permutation == nullptr ? 1 : -1;
    store_split(context_.straight.flat_normal(side.cell, side.face), geometry.face_normal.data() + at * dimension_,
                geometry.face_scale[at]);
    geometry.face_scale[at] /= jacobian;
    if (!geometry.face_coordinates.empty()) owner_coordinates(side, geometry.face_coordinates.data() + at * face_nodes_ * dimension_);
  }
}

void Worker::curved_cell(std::size_t index, Geometry& geometry) {
  evaluate(static_cast<std::size_t>(context_.cells[index]), values_);
  const auto nodes = static_cast<std::size_t>(element_.node_count);
  const std::size_t terms = dimension_ * dimension_;
  const auto copy_rows = [](const Eigen::MatrixXd& from, double* to) { Eigen::Map<RowMajor>(to, from.rows(), from.cols()) = from; };
  copy_rows(values_.coordinates, geometry.coordinates.data() + index * nodes * dimension_);
  copy_rows(values_.metric, geometry.metric.data() + index * nodes * terms);
  for (std::size_t i = 0; i < nodes; ++i) {
    geometry.inverse_jacobian[index * nodes + i] = 1 / values_.jacobian(static_cast<Eigen::Index>(i));
  }
  geometry.size[index] = std::pow(element_.weights.dot(values_.jacobian), 1.0 / mesh_.dimension);
  const std::size_t points = faces_ * face_nodes_;
  copy_rows(values_.face_coordinates, geometry.face_coordinates.data() + index * points * dimension_);
  for (std::size_t m = 0; m < points; ++m) {
    Vector normal{};
    for (std::size_t k = 0; k < dimension_; ++k)
      normal[k] = values_.face_normal(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(k));
    const std::size_t at = index * points + m;
    store_split(normal, geometry.face_normal.data() + at * dimension_, geometry.face_scale[at]);
  }
}

/// A face that a curved cell owns: from the class's arrays if it is there, else from the mesh. `start`: our first entry of the face.
void Worker::shared_face(const Owner& side, bool flat, std::size_t start, Geometry& geometry) {
  const std::int32_t there = context_.position[side.cell];
  for (std::size_t m = 0; m < face_nodes_; ++m) {
    const auto row = static_cast<std::size_t>(side.face * element_.face_node_count + side.node(static_cast<int>(m)));
    double* unit = geometry.face_normal.data() + (start + m) * dimension_;
    double* coordinates = geometry.face_coordinates.data() + (start + m) * dimension_;
    if (there >= 0) {
      const std::size_t from = static_cast<std::size_t>(there) * faces_ * face_nodes_ + row;
      std::copy_n(geometry.face_coordinates.data() + from * dimension_, dimension_, coordinates);
      if (flat) continue;
      std::copy_n(geometry.face_normal.data() + from * dimension_, dimension_, unit);
      geometry.face_scale[start + m] = geometry.face_scale[from];
    } else {
      const CurvedCell& values = outside_cell(side.cell);
      Vector normal{};
      for (std::size_t k = 0; k < dimension_; ++k) {
        coordinates[k] = values.face_coordinates(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k));
        normal[k] = values.face_normal(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k));
      }
      if (!flat) store_split(normal, unit, geometry.face_scale[start + m]);
    }
  }
}

void Worker::curved_faces(std::size_t index, Geometry& geometry) {
  const auto cell = static_cast<std::size_t>(context_.cells[index]);
  for (std::size_t f = 0; f < faces_; ++f) {
    const Owner side = owner(cell, f);
    const bool mine = side.permutation == nullptr;
    const bool flat = is_flat(cell, f);
    const std::size_t start = (index * faces_ + f) * face_nodes_;
    geometry.face_owner[index * faces_ + f] = mine ? 1 : -1;
    if (context_.straight.is_affine(side.cell)) {
      owner_coordinates(side, geometry.face_coordinates.data() + start * dimension_);
    } else if (!mine) {
      shared_face(side, flat, start, geometry);
    }
    if (!flat) continue;
    const Vector normal = context_.straight.flat_normal(side.cell, side.face);
    for (std::size_t m = start; m < start + face_nodes_; ++m) {
      store_split(normal, geometry.face_normal.data() + m * dimension_, geometry.face_scale[m]);
    }
  }
}

void Worker::metric_on_faces(std::size_t index, Geometry& geometry) const {
  const auto nodes = static_cast<std::size_t>(element_.node_count);
  for (std::size_t f = 0; f < faces_; ++f) {
    const bool outward = (f % 2 == 1) == (geometry.face_owner[index * faces_ + f] > 0);  // the owner's normal, along the direction
    for (std::size_t m = 0; m < face_nodes_; ++m) {
      const std::size_t at = (index * faces_ + f) * face_nodes_ + m;
      const auto node = static_cast<std::size_t>(element_.face_nodes[f * face_nodes_ + m]);
      double* metric = geometry.metric.data() + ((index * nodes + node) * dimension_ + f / 2) * dimension_;
      for (std::size_t k = 0; k < dimension_; ++k) {
        const double scaled = geometry.face_normal[at * dimension_ + k] * geometry.face_scale[at];
        metric[k] = outward ? scaled : -scaled;
      }
    }
  }
}

/// Calls body(worker, index) for every cell of the class, in contiguous runs on a few threads; the error of the first cell wins.
template <typename Body>
void for_each_cell(const Context& context, const Body& body) {
  constexpr std::size_t cells_worth_a_thread = 512;
  const std::size_t count = context.cells.size();
  const std::size_t threads = std::clamp<std::size_t>(count / cells_worth_a_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::exception_ptr> errors(threads);
  const auto run = [&](std::size_t thread) {
    try {
      Worker worker(context);
      for (std::size_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) body(worker, i);
    } catch (...) {
      errors[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

Geometry allocate(const ReferenceElement& element, std::size_t cells, bool affine, FaceCoordinates wanted) {
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
  if (!affine || wanted == FaceCoordinates::all) geometry.face_coordinates.resize(cells * nf * nfp * dim);
  geometry.face_owner.resize(cells * nf);
  geometry.size.resize(cells);
  return geometry;
}

}  // namespace

Geometry make_geometry(const mesh::Mesh& mesh, const ReferenceElement& element, const std::vector<std::int32_t>& cells, bool affine,
                       FaceCoordinates wanted) {
  const Context context(mesh, element, cells, affine);
  Geometry geometry = allocate(element, cells.size(), affine, wanted);
  if (affine) {
    for_each_cell(context, [&](Worker& worker, std::size_t index) { worker.affine_cell(index, geometry); });
    return geometry;
  }
  for_each_cell(context, [&](Worker& worker, std::size_t index) { worker.curved_cell(index, geometry); });
  for_each_cell(context, [&](Worker& worker, std::size_t index) {
    worker.curved_faces(index, geometry);
    if (element.tensor && element.nodes_on_faces) worker.metric_on_faces(index, geometry);
  });
  return geometry;
}

std::vector<bool> affine_cells(const mesh::Mesh& mesh) {
  const StraightCells straight(mesh);
  std::vector<bool> result(mesh.cell_count());
  for (std::size_t cell = 0; cell < result.size(); ++cell) result[cell] = straight.is_affine(cell);
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
