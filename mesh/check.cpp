// Jacobian and link checks of a whole mesh.
#include "mesh/check.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t shape_count = 8;

/// Everything needed to evaluate Jacobian determinants of cells of one shape at fixed points.
class JacobianSampler {
 public:
  JacobianSampler(Shape shape, int order, std::vector<std::array<double, 3>> points)
      : points_(std::move(points)), dimension_(shape_facts(shape).dimension) {
    const LatticeBasis basis = lattice_basis(shape, order, points_);
    const auto rows = static_cast<Eigen::Index>(points_.size());
    const auto columns = static_cast<Eigen::Index>(basis.lattice);
    values_ = Eigen::Map<const RowMajor>(basis.values.data(), rows, columns);
    stacked_.resize(rows * dimension_, columns);
    for (int d = 0; d < dimension_; ++d) {
      stacked_.middleRows(d * rows, rows) = Eigen::Map<const RowMajor>(basis.gradients[static_cast<std::size_t>(d)].data(), rows, columns);
    }
  }

  /// Determinants at all points of the cell with this lattice, [lattice][dimension].
  const Eigen::VectorXd& determinants(const double* lattice) {
    const auto rows = static_cast<Eigen::Index>(points_.size());
    jacobians_.noalias() = stacked_ * Eigen::Map<const RowMajor>(lattice, stacked_.cols(), dimension_);
    determinants_.resize(rows);
    for (Eigen::Index q = 0; q < rows; ++q) {
      const auto j = [&](int derivative, int component) { return jacobians_(derivative * rows + q, component); };
      if (dimension_ == 1) {
        determinants_[q] = j(0, 0);
      } else if (dimension_ == 2) {
        determinants_[q] = j(0, 0) * j(1, 1) - j(1, 0) * j(0, 1);
      } else {
        determinants_[q] = j(0, 0) * (j(1, 1) * j(2, 2) - j(2, 1) * j(1, 2)) - j(1, 0) * (j(0, 1) * j(2, 2) - j(2, 1) * j(0, 2)) +
                           j(2, 0) * (j(0, 1) * j(1, 2) - j(1, 1) * j(0, 2));
      }
    }
    return determinants_;
  }

  /// Physical place of point q.
  [[nodiscard]] std::array<double, 3> place(const double* lattice, Eigen::Index q) const {
    const Eigen::RowVectorXd x = values_.row(q) * Eigen::Map<const RowMajor>(lattice, values_.cols(), dimension_);
    std::array<double, 3> point{};
    for (int d = 0; d < dimension_; ++d) point[static_cast<std::size_t>(d)] = x[d];
    return point;
  }

 private:
  std::vector<std::array<double, 3>> points_;
  int dimension_;
  RowMajor values_;     // [points][lattice]
  RowMajor stacked_;    // [derivative][points][lattice]
  RowMajor jacobians_;  // [derivative][points][component]
  Eigen::VectorXd determinants_;
};

std::vector<std::array<double, 3>> sample_points(Shape shape, int order) {
  if (order == 1 && !shape_facts(shape).tensor) return gauss_rule(shape, 1).points;
  auto points = lattice_points(shape, order);
  const auto gauss = gauss_rule(shape, std::max(order, 2)).points;
  points.insert(points.end(), gauss.begin(), gauss.end());
  return points;
}

/// Points of a cell's mapping, [lattice][dimension].
const double* lattice_of(const Mesh& mesh, std::size_t cell) {
  return mesh.points.data() + mesh.point_offset[cell] * static_cast<std::size_t>(mesh.dimension);
}

struct FoldedCell {
  std::size_t cell;
  double determinant;
  std::array<double, 3> place;
};

std::optional<FoldedCell> first_folded_cell(const Mesh& mesh, std::size_t begin, std::size_t end) {
  std::array<std::optional<JacobianSampler>, shape_count> samplers;
  for (std::size_t cell = begin; cell < end; ++cell) {
    const Shape shape = mesh.shapes[cell];
    auto& sampler = samplers[static_cast<std::size_t>(shape)];
    if (!sampler) sampler.emplace(shape, mesh.geometry_order, sample_points(shape, mesh.geometry_order));
    const double* lattice = lattice_of(mesh, cell);
    const auto& determinants = sampler->determinants(lattice);
    Eigen::Index worst = 0;
    const double smallest = determinants.minCoeff(&worst);
    // Not "smallest <= 0", so that a NaN is found too.
    if (!(smallest > 0)) return FoldedCell{cell, smallest, sampler->place(lattice, worst)};
  }
  return std::nullopt;
}

std::string place_of_face(const Mesh& mesh, std::size_t cell, std::size_t face, const CellNamer& namer) {
  return fmt::format("{}, face {} at {}", name_cell(mesh, cell, namer), face, format_point(face_centre(mesh, cell, face), mesh.dimension));
}

/// Face lattices of the shapes in use and their orientations, made when first needed.
class FaceLattices {
 public:
  explicit FaceLattices(int order) : order_(order) {}

  const std::vector<int>& face(Shape shape, std::size_t face) {
    auto& faces = faces_[static_cast<std::size_t>(shape)];
    if (faces.empty()) faces = face_lattice_indices(shape, order_);
    return faces[face];
  }
  const std::vector<int>& orientation(Shape face_shape, int code) {
    auto& codes = orientations_[static_cast<std::size_t>(face_shape)];
    if (codes.empty()) {
      for (int c = 0; c < orientation_count(face_shape); ++c) codes.push_back(orientation_lattice(face_shape, order_, c));
    }
    return codes[static_cast<std::size_t>(code)];
  }

 private:
  int order_;
  std::array<std::vector<std::vector<int>>, shape_count> faces_;
  std::array<std::vector<std::vector<int>>, shape_count> orientations_;
};

/// Largest distance between points of two faces that meet, after the best translation, relative to the size of the face.
double mismatch(const Mesh& mesh, std::size_t cell, std::size_t face, const FaceLink& link, FaceLattices& lattices) {
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  const auto neighbour = static_cast<std::size_t>(link.neighbour);
  const Shape face_shape = shape_facts(mesh.shapes[cell]).face_shapes[face];
  const auto& here = lattices.face(mesh.shapes[cell], face);
  const auto& there = lattices.face(mesh.shapes[neighbour], static_cast<std::size_t>(link.face));
  const auto& turned = lattices.orientation(face_shape, link.orientation);
  double largest = 0;
  double size = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    const auto x = [&](std::size_t s) { return lattice_of(mesh, cell)[static_cast<std::size_t>(here[s]) * dimension + d]; };
    const auto y = [&](std::size_t s) {
      return lattice_of(mesh, neighbour)[static_cast<std::size_t>(there[static_cast<std::size_t>(turned[s])]) * dimension + d];
    };
    double low = x(0) - y(0);
    double high = low;
    for (std::size_t s = 1; s < here.size(); ++s) {
      low = std::min(low, x(s) - y(s));
      high = std::max(high, x(s) - y(s));
      size = std::max(size, std::abs(x(s) - x(0)));
    }
    largest = std::max(largest, high - low);
  }
  return size > 0 ? largest / size : largest;
}

void check_link(const Mesh& mesh, std::size_t cell, std::size_t face, FaceLattices& lattices, const CellNamer& namer) {
  const FaceLink& link = mesh.links[mesh.face_offset[cell] + face];
  const auto fault = [&](std::string_view what) { throw MeshError(fmt::format("{}: {}", place_of_face(mesh, cell, face, namer), what)); };
  if (link.neighbour < 0) {
    if (link.boundary < 0 || static_cast<std::size_t>(link.boundary) >= mesh.boundary_names.size()) fault("boundary face without a group");
    return;
  }
  const auto neighbour = static_cast<std::size_t>(link.neighbour);
  if (link.boundary >= 0) fault("both a neighbour and a boundary group");
  if (neighbour >= mesh.cell_count()) fault("link to a cell that does not exist");
  const auto& facts = shape_facts(mesh.shapes[cell]);
  const auto& facts_there = shape_facts(mesh.shapes[neighbour]);
  const auto face_there = static_cast<std::size_t>(link.face);
  if (link.face < 0 || face_there >= facts_there.face_shapes.size()) fault("link to a face that does not exist");
  const Shape face_shape = facts.face_shapes[face];
  if (facts_there.face_shapes[face_there] != face_shape) fault("faces of different shapes meet");
  if (link.orientation < 0 || link.orientation >= orientation_count(face_shape)) fault("orientation out of range");
  const FaceLink& back = mesh.links[mesh.face_offset[neighbour] + face_there];
  if (back.neighbour != static_cast<std::int32_t>(cell) || back.face != static_cast<std::int8_t>(face))
    fault("the neighbour does not link back");
  if (back.orientation != inverse_orientation(face_shape, link.orientation)) fault("the neighbour has another orientation");
  if (mismatch(mesh, cell, face, link, lattices) > 1e-6) {
    fault(fmt::format("the points of this face and of face {} of {} do not coincide up to a translation", face_there,
                      name_cell(mesh, neighbour, namer)));
  }
}

}  // namespace

std::vector<double> cell_measures(const Mesh& mesh) {
  struct Rule {
    std::vector<double> weights;
    JacobianSampler sampler;
  };
  std::array<std::optional<Rule>, shape_count> rules;
  std::vector<double> measures(mesh.cell_count());
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const Shape shape = mesh.shapes[cell];
    auto& rule = rules[static_cast<std::size_t>(shape)];
    if (!rule) {
      const CellRule gauss = gauss_rule(shape, (mesh.geometry_order * mesh.dimension + mesh.dimension) / 2 + 1);
      rule.emplace(Rule{gauss.weights, JacobianSampler(shape, mesh.geometry_order, gauss.points)});
    }
    const auto& determinants = rule->sampler.determinants(lattice_of(mesh, cell));
    for (std::size_t q = 0; q < rule->weights.size(); ++q) measures[cell] += rule->weights[q] * determinants[static_cast<Eigen::Index>(q)];
  }
  return measures;
}

void check_jacobians(const Mesh& mesh, const CellNamer& namer, std::optional<std::size_t> cells) {
  const std::size_t count = cells.value_or(mesh.cell_count());
  const std::size_t parts = std::clamp<std::size_t>(count / 4096, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::optional<FoldedCell>> folded(parts);
  const auto search = [&](std::size_t part) { folded[part] = first_folded_cell(mesh, count * part / parts, count * (part + 1) / parts); };
  {
    std::vector<std::jthread> threads;
    for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(search, part);
    search(0);
  }
  for (const auto& found : folded) {
    if (!found) continue;
    throw MeshError(fmt::format("{} is folded: its Jacobian determinant is {:.3g} at {}", name_cell(mesh, found->cell, namer),
                                found->determinant, format_point(found->place, mesh.dimension)));
  }
}

void check_links(const Mesh& mesh, const CellNamer& namer) {
  FaceLattices lattices(mesh.geometry_order);
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t face = 0; face < mesh.face_offset[cell + 1] - mesh.face_offset[cell]; ++face)
      check_link(mesh, cell, face, lattices, namer);
  }
}

void check_mesh(const Mesh& mesh, const CellNamer& namer) {
  check_jacobians(mesh, namer);
  check_links(mesh, namer);
}

}  // namespace dgsolve::mesh
