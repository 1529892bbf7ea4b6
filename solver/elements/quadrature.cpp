// Quadrature on reference cells: tensor Gauss rules, and collapsed Gauss-Jacobi rules on simplices (Stroud 1971, sec. 2.4).
#include <fmt/format.h>

#include <cassert>
#include <stdexcept>

#include "solver/elements/polynomials.h"
#include "solver/elements/reference_element.h"

namespace dgsolve::solver {
namespace {

Quadrature tensor_rule(int dimension, const LineRule& line) {
  const Eigen::Index n = line.nodes.size();
  Eigen::Index count = 1;
  for (int d = 0; d < dimension; ++d) count *= n;
  Quadrature rule{Eigen::MatrixXd(count, dimension), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    Real weight = 1;
    Eigen::Index rest = i;
    for (int d = 0; d < dimension; ++d, rest /= n) {
      rule.points(i, d) = static_cast<double>(line.nodes(rest % n));
      weight *= line.weights(rest % n);
    }
    rule.weights(i) = static_cast<double>(weight);
  }
  return rule;
}

/// Duffy's map of the square: r = (1+a)(1-s)/2 - 1.
Quadrature triangle_rule(int points_per_line) {
  const LineRule a = gauss_jacobi(points_per_line, 0);
  const LineRule b = gauss_jacobi(points_per_line, 1);
  const Eigen::Index n = points_per_line;
  Quadrature rule{Eigen::MatrixXd(n * n, 2), Eigen::VectorXd(n * n)};
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) {
      rule.points(i + n * j, 0) = static_cast<double>((1 + a.nodes(i)) * (1 - b.nodes(j)) / 2 - 1);
      rule.points(i + n * j, 1) = static_cast<double>(b.nodes(j));
      rule.weights(i + n * j) = static_cast<double>(a.weights(i) * b.weights(j) / 2);
    }
  }
  return rule;
}

Quadrature tetrahedron_rule(int points_per_line) {
  const LineRule a = gauss_jacobi(points_per_line, 0);
  const LineRule b = gauss_jacobi(points_per_line, 1);
  const LineRule c = gauss_jacobi(points_per_line, 2);
  const Eigen::Index n = points_per_line;
  Quadrature rule{Eigen::MatrixXd(n * n * n, 3), Eigen::VectorXd(n * n * n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index row = i + n * (j + n * k);
        const Real t = c.nodes(k);
        const Real s = (1 + b.nodes(j)) * (1 - t) / 2 - 1;
        rule.points(row, 0) = static_cast<double>((1 + a.nodes(i)) * (-s - t) / 2 - 1);
        rule.points(row, 1) = static_cast<double>(s);
        rule.points(row, 2) = static_cast<double>(t);
        rule.weights(row) = static_cast<double>(a.weights(i) * b.weights(j) * c.weights(k) / 8);
      }
    }
  }
  return rule;
}

}  // namespace

Quadrature make_quadrature(mesh::Shape shape, int degree) {
  assert(degree >= 0);
  const int points_per_line = degree / 2 + 1;
  switch (shape) {
    case mesh::Shape::line:
    case mesh::Shape::quadrilateral:
    case mesh::Shape::hexahedron:
      return tensor_rule(mesh::shape_facts(shape).dimension, gauss_jacobi(points_per_line, 0));
    case mesh::Shape::triangle:
      return triangle_rule(points_per_line);
    case mesh::Shape::tetrahedron:
      return tetrahedron_rule(points_per_line);
    default:
      throw std::invalid_argument(fmt::format("no quadrature on a {}", mesh::shape_facts(shape).name));
  }
}

}  // namespace dgsolve::solver
