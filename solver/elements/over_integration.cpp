// Over-integration: operators that end with the projection on a lower degree than that of the nodes.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "solver/elements/polynomials.h"
#include "solver/elements/reference_element.h"
#include "solver/elements/simplex_space.h"

namespace dgsolve::solver {
namespace {

/// P = V V^T M with the members up to `degree` of an orthonormal basis at the nodes.
RealMatrix simplex_projection(const ReferenceElement& element, int degree) {
  const RealMatrix values = simplex_values(element.dimension, degree, element.nodes.cast<Real>());
  return values * (values.transpose() * element.mass.cast<Real>());
}

/// The same on the line, in each direction. The collocated mass matrix is exact for products of one degree less than twice the nodes'.
RealMatrix tensor_projection(const ReferenceElement& element, int degree) {
  const LineRule rule = gauss_lobatto(element.order + 1);
  RealMatrix values(rule.nodes.size(), degree + 1);
  for (int k = 0; k <= degree; ++k) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) values(i, k) = std::sqrt(Real(k) + Real(0.5L)) * jacobi(k, 0, 0, rule.nodes(i));
  }
  const RealMatrix line = values * values.transpose() * rule.weights.asDiagonal();
  RealMatrix result = RealMatrix::Ones(1, 1);
  for (int d = 0; d < element.dimension; ++d) {
    RealMatrix product(line.rows() * result.rows(), line.cols() * result.cols());
    for (Eigen::Index i = 0; i < line.rows(); ++i) {
      for (Eigen::Index m = 0; m < line.cols(); ++m) {
        product.block(i * result.rows(), m * result.cols(), result.rows(), result.cols()) = line(i, m) * result;
      }
    }
    result = std::move(product);
  }
  return result;
}

}  // namespace

ReferenceElement over_integrated(ReferenceElement element, int degree) {
  if (!element.nodes_on_faces) {
    throw std::invalid_argument(
        fmt::format("over-integration of a {} element with Gauss nodes: there is none", mesh::shape_facts(element.shape).name));
  }
  const int highest = element.tensor ? element.order - 1 : element.order;
  if (degree < 1 || degree > highest) {
    throw std::invalid_argument(fmt::format("projection on degree {}: allowed are 1 to {}", degree, highest));
  }
  element = with_dense_operators(std::move(element));
  element.projection = (element.tensor ? tensor_projection(element, degree) : simplex_projection(element, degree)).cast<double>();
  for (Eigen::MatrixXd& derivative : element.weak_derivative) derivative = (element.projection * derivative).eval();
  element.lift = (element.projection * element.lift).eval();
  return element;
}

}  // namespace dgsolve::solver
