// Silvester's Lagrange polynomials on equispaced lattices and Gauss rules for the cell shapes.
#include "mesh/mapping.h"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace dgsolve::mesh {
namespace {

struct ValueAndSlope {
  double value;
  double slope;
};

/// R_m(z) and dR_m/dz.
ValueAndSlope silvester(int m, double z) {
  ValueAndSlope r{1, 0};
  for (int j = 0; j < m; ++j) {
    r.slope = (r.slope * (z - j) + r.value) / (j + 1);
    r.value = r.value * (z - j) / (j + 1);
  }
  return r;
}

/// A function of the reference coordinates with its gradient.
struct ValueAndGradient {
  double value = 1;
  std::array<double, 3> gradient{};

  void multiply(ValueAndSlope factor, const std::array<double, 3>& direction) {
    for (std::size_t d = 0; d < 3; ++d) gradient[d] = gradient[d] * factor.value + value * factor.slope * direction[d];
    value *= factor.value;
  }
};

/// The lattice polynomial of a simplex in the axes first..last-1 with lattice indices (i, j, ...) on these axes.
void multiply_simplex(ValueAndGradient& basis, int order, const std::array<int, 3>& index, const std::array<double, 3>& point,
                      std::size_t first, std::size_t last) {
  int rest = order;
  double rest_coordinate = 1;
  std::array<double, 3> rest_direction{};
  for (std::size_t d = first; d < last; ++d) {
    const double lambda = 0.5 * (1 + point[d]);
    std::array<double, 3> direction{};
    direction[d] = 0.5 * order;
    rest_direction[d] = -0.5 * order;
    rest -= index[d];
    rest_coordinate -= lambda;
    basis.multiply(silvester(index[d], order * lambda), direction);
  }
  basis.multiply(silvester(rest, order * rest_coordinate), rest_direction);
}

/// Where the axes of a shape split into simplices: tensor shapes one axis each, prisms a triangle and a line.
std::vector<std::size_t> axis_groups(Shape shape) {
  switch (shape) {
    case Shape::point:
      return {0};
    case Shape::line:
      return {0, 1};
    case Shape::triangle:
      return {0, 2};
    case Shape::quadrilateral:
      return {0, 1, 2};
    case Shape::tetrahedron:
      return {0, 3};
    case Shape::hexahedron:
      return {0, 1, 2, 3};
    case Shape::prism:
      return {0, 2, 3};
    case Shape::pyramid:
      break;
  }
  assert(!"pyramids have no polynomial lattice basis");
  return {0};
}

int nearest_point(std::span<const std::array<double, 3>> points, const std::array<double, 3>& target) {
  int nearest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    double distance = 0;
    for (std::size_t d = 0; d < 3; ++d) distance += (points[i][d] - target[d]) * (points[i][d] - target[d]);
    if (distance < smallest) {
      smallest = distance;
      nearest = static_cast<int>(i);
    }
  }
  return nearest;
}

/// The point with face coordinates (a, b): a runs from corner 0 to corner 1, b from corner 0 to corner 2.
std::array<double, 3> point_on_face(std::span<const std::array<double, 3>> corners, const std::array<double, 3>& face_point) {
  std::array<double, 3> point = corners[0];
  for (std::size_t axis = 0; axis < 2 && axis + 1 < corners.size(); ++axis) {
    for (std::size_t d = 0; d < 3; ++d) point[d] += 0.5 * (1 + face_point[axis]) * (corners[axis + 1][d] - corners[0][d]);
  }
  return point;
}

CellRule gauss_line(int n) {
  CellRule rule;
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    double slope = 1;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double p = 1;
      double before = 0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.points.push_back({x, 0, 0});
    rule.weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace

LatticeBasis lattice_basis(Shape shape, int order, std::span<const std::array<double, 3>> points) {
  const auto dimension = static_cast<std::size_t>(shape_facts(shape).dimension);
  const auto nodes = lattice_points(shape, order);
  const auto groups = axis_groups(shape);
  LatticeBasis basis;
  basis.lattice = nodes.size();
  basis.values.reserve(points.size() * nodes.size());
  for (std::size_t d = 0; d < dimension; ++d) basis.gradients[d].reserve(points.size() * nodes.size());
  for (const auto& point : points) {
    for (const auto& node : nodes) {
      std::array<int, 3> index{};
      for (std::size_t d = 0; d < dimension; ++d) index[d] = static_cast<int>(std::lround(0.5 * (1 + node[d]) * order));
      ValueAndGradient function;
      for (std::size_t g = 0; g + 1 < groups.size(); ++g) multiply_simplex(function, order, index, point, groups[g], groups[g + 1]);
      basis.values.push_back(function.value);
      for (std::size_t d = 0; d < dimension; ++d) basis.gradients[d].push_back(function.gradient[d]);
    }
  }
  return basis;
}

std::vector<int> vertex_lattice_indices(Shape shape, int order) {
  const auto lattice = lattice_points(shape, order);
  std::vector<int> indices;
  for (const auto& vertex : shape_facts(shape).vertices) indices.push_back(nearest_point(lattice, vertex));
  return indices;
}

std::vector<std::vector<int>> face_lattice_indices(Shape shape, int order) {
  const ShapeFacts& facts = shape_facts(shape);
  const auto lattice = lattice_points(shape, order);
  std::vector<std::vector<int>> faces(facts.face_shapes.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    std::vector<std::array<double, 3>> corners;
    for (const int v : facts.face_vertices[f]) corners.push_back(facts.vertices[static_cast<std::size_t>(v)]);
    for (const auto& point : lattice_points(facts.face_shapes[f], order))
      faces[f].push_back(nearest_point(lattice, point_on_face(corners, point)));
  }
  return faces;
}

std::vector<int> orientation_lattice(Shape face_shape, int order, int orientation) {
  const auto lattice = lattice_points(face_shape, order);
  const auto vertices = orientation_vertices(face_shape, orientation);
  std::vector<std::array<double, 3>> corners;
  for (const int v : vertices) corners.push_back(shape_facts(face_shape).vertices[static_cast<std::size_t>(v)]);
  std::vector<int> indices;
  for (const auto& point : lattice) indices.push_back(nearest_point(lattice, point_on_face(corners, point)));
  return indices;
}

CellRule gauss_rule(Shape shape, int n) {
  const auto groups = axis_groups(shape);
  const CellRule line = gauss_line(n);
  CellRule rule{{{0, 0, 0}}, {1.0}};
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    for (std::size_t axis = groups[g]; axis < groups[g + 1]; ++axis) {
      CellRule wider;
      for (std::size_t q = 0; q < rule.points.size(); ++q) {
        for (std::size_t i = 0; i < line.points.size(); ++i) {
          // Inside a simplex the axes before this one shrink towards its apex by (1 - x)/2.
          const double x = line.points[i][0];
          const double shrink = 0.5 * (1 - x);
          auto point = rule.points[q];
          double weight = rule.weights[q] * line.weights[i];
          for (std::size_t below = groups[g]; below < axis; ++below) {
            point[below] = shrink * (1 + point[below]) - 1;
            weight *= shrink;
          }
          point[axis] = x;
          wider.points.push_back(point);
          wider.weights.push_back(weight);
        }
      }
      rule = std::move(wider);
    }
  }
  return rule;
}

}  // namespace dgsolve::mesh
