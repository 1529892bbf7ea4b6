// Over-integration on simplices: operators that end with the projection on a lower degree than that of the nodes.
#include <fmt/format.h>

#include <stdexcept>

#include "solver/elements/reference_element.h"
#include "solver/elements/simplex_space.h"

namespace dgsolve::solver {

ReferenceElement over_integrated(ReferenceElement element, int degree) {
  if (element.tensor) {
    throw std::invalid_argument(
        fmt::format("over-integration of a {} element: only triangles and tetrahedra have it", mesh::shape_facts(element.shape).name));
  }
  if (degree < 1 || degree > element.order) {
    throw std::invalid_argument(fmt::format("projection on degree {}: allowed are 1 to {}", degree, element.order));
  }
  // The basis is orthonormal: P = V V^T M with its members up to `degree`.
  const Eigen::MatrixXd values = simplex_values(element.dimension, degree, element.nodes.cast<Real>()).cast<double>();
  element.projection = values * (values.transpose() * element.mass);
  for (Eigen::MatrixXd& derivative : element.weak_derivative) derivative = (element.projection * derivative).eval();
  element.lift = (element.projection * element.lift).eval();
  return element;
}

}  // namespace dgsolve::solver
