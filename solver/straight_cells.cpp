// Affine maps of cells and flat normals, by differences of vertices.
#include "solver/straight_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dgsolve::solver {
namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The normal of the parameterisation: a x b, (a_y, -a_x), or 1.
Vector parameter_normal(std::size_t dimension, const Vector& a, const Vector& b) {
  if (dimension == 1) return {1, 0, 0};
  if (dimension == 2) return {a[1], -a[0], 0};
  return cross(a, b);
}

/// Half the difference of two points: the derivative along a face's or cell's parameter in [-1,1].
Vector half_edge(std::size_t dimension, const double* from, const double* to) {
  Vector edge{};
  for (std::size_t k = 0; k < dimension; ++k) edge[k] = (to[k] - from[k]) / 2;
  return edge;
}

}  // namespace

double determinant(int dimension, const AffineMap& map) {
  const auto& e = map.edge;
  if (dimension == 1) return e[0][0];
  if (dimension == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
  return dot(e[0], cross(e[1], e[2]));
}

std::array<Vector, 3> cofactors(int dimension, const AffineMap& map) {
  const auto& e = map.edge;
  if (dimension == 1) return {{{1, 0, 0}}};
  if (dimension == 2) return {{{e[1][1], -e[1][0], 0}, {-e[0][1], e[0][0], 0}}};
  return {cross(e[1], e[2]), cross(e[2], e[0]), cross(e[0], e[1])};
}

StraightCells::Tables StraightCells::make_tables(mesh::Shape shape, int order) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  Tables tables;
  tables.tensor = facts.tensor;
  tables.lattice = mesh::lattice_points(shape, order);
  Vector centre{};
  for (const auto& vertex : facts.vertices) {
    const auto at = std::find_if(tables.lattice.begin(), tables.lattice.end(), [&](const auto& point) {
      return std::abs(point[0] - vertex[0]) + std::abs(point[1] - vertex[1]) + std::abs(point[2] - vertex[2]) < 1e-9;
    });
    tables.vertices.push_back(static_cast<std::size_t>(at - tables.lattice.begin()));
    for (std::size_t k = 0; k < 3; ++k) centre[k] += vertex[k] / static_cast<double>(facts.vertices.size());
  }
  for (const auto& face : facts.face_vertices) {
    std::array<Vector, 3> corner{};
    std::array<std::size_t, 3> point{};
    for (std::size_t c = 0; c < std::min<std::size_t>(3, face.size()); ++c) {
      corner[c] = facts.vertices[static_cast<std::size_t>(face[c])];
      point[c] = tables.vertices[static_cast<std::size_t>(face[c])];
    }
    const auto edge = [&](std::size_t c) { return half_edge(3, corner[0].data(), corner[c].data()); };
    const Vector normal = parameter_normal(static_cast<std::size_t>(facts.dimension), edge(1), edge(2));
    const Vector outward{corner[0][0] - centre[0], corner[0][1] - centre[1], corner[0][2] - centre[2]};
    tables.face_corners.push_back(point);
    tables.face_sense.push_back(dot(normal, outward) < 0 ? -1.0 : 1.0);
  }
  return tables;
}

StraightCells::StraightCells(const mesh::Mesh& mesh)
    : mesh_(mesh), dimension_(static_cast<std::size_t>(mesh.dimension)), affine_(mesh.cell_count()) {
  for (std::size_t cell = 0; cell < affine_.size(); ++cell) {
    Tables& of_shape = tables_[static_cast<std::size_t>(mesh.shapes[cell])];
    if (of_shape.vertices.empty()) of_shape = make_tables(mesh.shapes[cell], mesh.geometry_order);
    affine_[cell] = test(cell) ? 1 : 0;
  }
}

AffineMap StraightCells::map(std::size_t cell) const {
  const Tables& shape = tables(cell);
  const double* points = lattice(cell);
  const double* first = points + shape.vertices[0] * dimension_;
  AffineMap map;
  // Differences to vertex 0 keep the bits of cells far from the origin.
  if (shape.tensor) {
    const double share = 1.0 / static_cast<double>(shape.vertices.size());
    for (std::size_t v = 1; v < shape.vertices.size(); ++v) {
      const double* vertex = points + shape.vertices[v] * dimension_;
      for (std::size_t k = 0; k < dimension_; ++k) {
        const double x = share * (vertex[k] - first[k]);
        map.centre[k] += x;
        for (std::size_t d = 0; d < dimension_; ++d) map.edge[d][k] += (v >> d) & 1 ? x : -x;
      }
    }
  } else {
    for (std::size_t d = 0; d < dimension_; ++d) {
      map.edge[d] = half_edge(dimension_, first, points + shape.vertices[d + 1] * dimension_);
      for (std::size_t k = 0; k < dimension_; ++k) map.centre[k] += map.edge[d][k];
    }
  }
  for (std::size_t k = 0; k < dimension_; ++k) map.centre[k] += first[k];
  return map;
}

bool StraightCells::test(std::size_t cell) const {
  const Tables& shape = tables(cell);
  if (mesh_.geometry_order == 1 && shape.vertices.size() == dimension_ + 1) return true;
  const AffineMap affine = map(cell);
  const double* points = lattice(cell);
  double size = 0;
  double far = 0;
  double deviation = 0;
  for (std::size_t p = 0; p < shape.lattice.size(); ++p) {
    for (std::size_t k = 0; k < dimension_; ++k) {
      double x = affine.centre[k];
      for (std::size_t d = 0; d < dimension_; ++d) x += shape.lattice[p][d] * affine.edge[d][k];
      deviation = std::max(deviation, std::abs(points[p * dimension_ + k] - x));
      far = std::max(far, std::abs(points[p * dimension_ + k]));
    }
  }
  for (const Vector& edge : affine.edge) size = std::max(size, std::hypot(edge[0], edge[1], edge[2]));
  return deviation <= 1e-14 * size + 4 * std::numeric_limits<double>::epsilon() * far;
}

Vector StraightCells::flat_normal(std::size_t cell, int face) const {
  const Tables& shape = tables(cell);
  const double* points = lattice(cell);
  const auto& corner = shape.face_corners[static_cast<std::size_t>(face)];
  const auto edge = [&](std::size_t c) { return half_edge(dimension_, points + corner[0] * dimension_, points + corner[c] * dimension_); };
  Vector normal = parameter_normal(dimension_, edge(1), edge(2));
  const double sense = shape.face_sense[static_cast<std::size_t>(face)];
  for (double& component : normal) component *= sense;
  return normal;
}

}  // namespace dgsolve::solver
