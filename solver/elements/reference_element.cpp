// Builds reference elements: tensor products of a line basis, and nodal simplices through their orthonormal basis.
#include "solver/elements/reference_element.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "solver/elements/polynomials.h"
#include "solver/elements/simplex_space.h"

namespace dgsolve::solver {
namespace {

/// Above this size a tensor element carries no dense operators unless they are asked for: the kernels apply the line's.
constexpr int largest_dense_tensor = 125;

int power(int base, int exponent) {
  int result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

/// Index along direction d of node `index` of a tensor product of lines of n nodes.
int digit(int index, int d, int n) {
  while (d-- > 0) index /= n;
  return index % n;
}

void check_supported(mesh::Shape shape, int order) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  const bool simplex = shape == mesh::Shape::triangle || shape == mesh::Shape::tetrahedron;
  const bool tensor = shape == mesh::Shape::line || shape == mesh::Shape::quadrilateral || shape == mesh::Shape::hexahedron;
  if (!simplex && !tensor) {
    throw std::invalid_argument(
        fmt::format("no element of shape {}: elements exist for line, triangle, quadrilateral, tetrahedron, hexahedron", facts.name));
  }
  const int highest = simplex ? 8 : 10;
  if (order < 1 || order > highest) {
    throw std::invalid_argument(fmt::format("order {} of a {} element: allowed are 1 to {}", order, facts.name, highest));
  }
}

/// A(i, m) <- half of A(i, m) + sign * A(N-1-i, M-1-m): what reflection of the line makes of an operator.
RealMatrix reflect_average(const RealMatrix& a, Real sign) { return Real(0.5L) * (a + sign * a.reverse()); }

LineBasis make_line_basis(int order, NodeFamily family) {
  const LineRule rule = family == NodeFamily::gauss ? gauss_jacobi(order + 1, 0) : gauss_lobatto(order + 1);
  const RealMatrix derivative = reflect_average(lagrange_derivative(rule.nodes), -1);
  const RealMatrix weak = rule.weights.cwiseInverse().asDiagonal() * derivative.transpose() * rule.weights.asDiagonal();
  RealVector ends(2);
  ends << -1, 1;
  const RealMatrix end_values = reflect_average(lagrange_values(rule.nodes, ends), 1);
  return {rule.nodes.cast<double>(), rule.weights.cast<double>(), derivative.cast<double>(), weak.cast<double>(),
          end_values.cast<double>()};
}

/// Reference coordinates of the parameter points (a, b) of a face.
Eigen::MatrixXd points_of_face(const mesh::ShapeFacts& facts, std::size_t face, const Eigen::MatrixXd& parameters) {
  const auto& v = facts.face_vertices[face];
  Eigen::MatrixXd points(parameters.rows(), facts.dimension);
  for (Eigen::Index m = 0; m < points.rows(); ++m) {
    for (Eigen::Index d = 0; d < points.cols(); ++d) {
      const auto coordinate = [&](std::size_t i) { return facts.vertices[static_cast<std::size_t>(v[i])][static_cast<std::size_t>(d)]; };
      double x = coordinate(0);
      for (Eigen::Index c = 0; c < parameters.cols(); ++c) {
        x += (1 + parameters(m, c)) / 2 * (coordinate(static_cast<std::size_t>(c) + 1) - coordinate(0));
      }
      points(m, d) = x;
    }
  }
  return points;
}

/// Outward normal of a reference face times its measure over the measure of its parameter domain.
std::array<double, 3> scaled_normal(const mesh::ShapeFacts& facts, std::size_t face) {
  const auto& v = facts.face_vertices[face];
  const auto vertex = [&](std::size_t i) -> const std::array<double, 3>& { return facts.vertices[static_cast<std::size_t>(v[i])]; };
  std::array<double, 3> normal{1, 0, 0};
  std::array<double, 3> a{};
  std::array<double, 3> b{};
  for (std::size_t k = 0; k < 3; ++k) {
    if (v.size() > 1) a[k] = (vertex(1)[k] - vertex(0)[k]) / 2;
    if (v.size() > 2) b[k] = (vertex(2)[k] - vertex(0)[k]) / 2;
  }
  if (facts.dimension == 2) normal = {a[1], -a[0], 0};
  if (facts.dimension == 3) normal = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double outward = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double centre = 0;
    for (const auto& corner : facts.vertices) centre += corner[k] / static_cast<double>(facts.vertices.size());
    outward += normal[k] * (vertex(0)[k] - centre);
  }
  for (double& component : normal) component = (outward < 0 ? -component : component) + 0.0;
  return normal;
}

/// Volume nodes under the face points; the face points take the nodes' own bits.
void match_face_nodes(ReferenceElement& element) {
  for (Eigen::Index point = 0; point < element.face_points.rows(); ++point) {
    Eigen::Index nearest = 0;
    const double distance = (element.nodes.rowwise() - element.face_points.row(point)).rowwise().norm().minCoeff(&nearest);
    assert(distance < 1e-12);
    static_cast<void>(distance);
    element.face_nodes.push_back(static_cast<int>(nearest));
    element.face_points.row(point) = element.nodes.row(nearest);
  }
}

void build_tensor(ReferenceElement& element) {
  element.line = make_line_basis(element.order, element.family);
  const int n = element.order + 1;
  const int dimension = element.dimension;
  element.node_count = power(n, dimension);
  element.face_node_count = power(n, dimension - 1);
  element.nodes.resize(element.node_count, dimension);
  element.weights = Eigen::VectorXd::Ones(element.node_count);
  for (int i = 0; i < element.node_count; ++i) {
    for (int d = 0; d < dimension; ++d) {
      element.nodes(i, d) = element.line.nodes(digit(i, d, n));
      element.weights(i) *= element.line.weights(digit(i, d, n));
    }
  }
  Eigen::MatrixXd parameters(element.face_node_count, dimension - 1);
  element.face_weights = Eigen::VectorXd::Ones(element.face_node_count);
  for (int m = 0; m < element.face_node_count; ++m) {
    for (int d = 0; d + 1 < dimension; ++d) {
      parameters(m, d) = element.line.nodes(digit(m, d, n));
      element.face_weights(m) *= element.line.weights(digit(m, d, n));
    }
  }
  const mesh::ShapeFacts& facts = mesh::shape_facts(element.shape);
  element.face_points.resize(element.face_count * element.face_node_count, dimension);
  for (int f = 0; f < element.face_count; ++f) {
    element.face_points.middleRows(f * element.face_node_count, element.face_node_count) =
        points_of_face(facts, static_cast<std::size_t>(f), parameters);
  }
}

void build_dense_tensor(ReferenceElement& element) {
  const int n = element.order + 1;
  const int np = element.node_count;
  const LineBasis& line = element.line;
  element.mass = element.weights.asDiagonal();
  for (int d = 0; d < element.dimension; ++d) {
    const int stride = power(n, d);
    Eigen::MatrixXd derivative = Eigen::MatrixXd::Zero(np, np);
    Eigen::MatrixXd weak = Eigen::MatrixXd::Zero(np, np);
    for (int i = 0; i < np; ++i) {
      const int own = digit(i, d, n);
      for (int m = 0; m < n; ++m) {
        derivative(i, i + (m - own) * stride) = line.derivative(own, m);
        weak(i, i + (m - own) * stride) = line.weak_derivative(own, m);
      }
    }
    element.derivative.push_back(std::move(derivative));
    element.weak_derivative.push_back(std::move(weak));
  }
  element.trace = element.interpolation_to(element.face_points);
  const Eigen::VectorXd face_weights = element.face_weights.replicate(element.face_count, 1);
  element.lift = element.weights.cwiseInverse().asDiagonal() * element.trace.transpose() * face_weights.asDiagonal();
}

void build_simplex(ReferenceElement& element) {
  const int order = element.order;
  const int dimension = element.dimension;
  const RealMatrix nodes = simplex_nodes(dimension, order);
  const RealMatrix face_parameters = simplex_nodes(dimension - 1, order);
  const RealMatrix values = simplex_values(dimension, order, nodes);
  const RealMatrix inverse = values.inverse();
  const RealMatrix face_inverse = simplex_values(dimension - 1, order, face_parameters).inverse();
  const RealMatrix face_mass = face_inverse.transpose() * face_inverse;
  const RealMatrix mass = inverse.transpose() * inverse;
  element.node_count = static_cast<int>(nodes.rows());
  element.face_node_count = static_cast<int>(face_parameters.rows());
  element.nodes = nodes.cast<double>();
  element.mass = mass.cast<double>();
  element.weights = mass.colwise().sum().transpose().cast<double>();
  element.face_weights = face_mass.colwise().sum().transpose().cast<double>();
  for (const RealMatrix& gradient : simplex_gradients(dimension, order, nodes)) {
    element.derivative.push_back((gradient * inverse).cast<double>());
    // M^-1 D^T M with M = V^-T V^-1 and D = V_d V^-1.
    const RealMatrix modal = gradient.transpose() * mass;
    element.weak_derivative.push_back((values * modal).cast<double>());
  }
  const mesh::ShapeFacts& facts = mesh::shape_facts(element.shape);
  const int nfp = element.face_node_count;
  element.face_points.resize(element.face_count * nfp, dimension);
  for (int f = 0; f < element.face_count; ++f) {
    element.face_points.middleRows(f * nfp, nfp) = points_of_face(facts, static_cast<std::size_t>(f), face_parameters.cast<double>());
  }
  match_face_nodes(element);
  element.trace = Eigen::MatrixXd::Zero(element.face_count * nfp, element.node_count);
  RealMatrix modal_lift(element.node_count, element.face_count * nfp);
  for (int f = 0; f < element.face_count; ++f) {
    RealMatrix at_face(nfp, element.node_count);
    for (int m = 0; m < nfp; ++m) {
      const int node = element.face_nodes[static_cast<std::size_t>(f * nfp + m)];
      element.trace(f * nfp + m, node) = 1;
      at_face.row(m) = values.row(node);
    }
    modal_lift.middleCols(f * nfp, nfp) = at_face.transpose() * face_mass;
  }
  element.lift = (values * modal_lift).cast<double>();
}

std::vector<int> line_permutation(int order, int orientation) {
  std::vector<int> nodes;
  for (int i = 0; i <= order; ++i) nodes.push_back(orientation & 1 ? order - i : i);
  return nodes;
}

std::vector<int> quadrilateral_permutation(int order, int orientation) {
  std::vector<int> nodes;
  for (int j = 0; j <= order; ++j) {
    for (int i = 0; i <= order; ++i) {
      int a = orientation & 4 ? j : i;
      int b = orientation & 4 ? i : j;
      if (orientation & 1) a = order - a;
      if (orientation & 2) b = order - b;
      nodes.push_back(a + (order + 1) * b);
    }
  }
  return nodes;
}

std::vector<int> triangle_permutation(int order, int orientation) {
  const auto vertices = mesh::orientation_vertices(mesh::Shape::triangle, orientation);
  std::vector<int> nodes;
  for (int j = 0; j <= order; ++j) {
    for (int i = 0; i + j <= order; ++i) {
      const std::array<int, 3> here{order - i - j, i, j};
      std::array<int, 3> there{};
      for (std::size_t s = 0; s < 3; ++s) there[static_cast<std::size_t>(vertices[s])] = here[s];
      const int before = there[2] * (order + 1) - there[2] * (there[2] - 1) / 2;
      nodes.push_back(before + there[1]);
    }
  }
  return nodes;
}

std::vector<int> permutation(mesh::Shape face_shape, int order, int orientation) {
  switch (face_shape) {
    case mesh::Shape::line:
      return line_permutation(order, orientation);
    case mesh::Shape::quadrilateral:
      return quadrilateral_permutation(order, orientation);
    case mesh::Shape::triangle:
      return triangle_permutation(order, orientation);
    default:
      return {0};
  }
}

}  // namespace

ReferenceElement make_reference_element(mesh::Shape shape, int order, NodeFamily family) {
  check_supported(shape, order);
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  ReferenceElement element;
  element.shape = shape;
  element.order = order;
  element.dimension = facts.dimension;
  element.face_count = static_cast<int>(facts.face_vertices.size());
  element.tensor = facts.tensor;
  element.family = facts.tensor ? family : NodeFamily::lobatto;
  element.nodes_on_faces = element.family == NodeFamily::lobatto;
  if (element.tensor) {
    build_tensor(element);
    if (element.nodes_on_faces) match_face_nodes(element);
    if (element.node_count <= largest_dense_tensor) build_dense_tensor(element);
  } else {
    build_simplex(element);
  }
  for (std::size_t f = 0; f < facts.face_vertices.size(); ++f) element.face_normals.push_back(scaled_normal(facts, f));
  const mesh::Shape face_shape = facts.face_shapes.front();
  for (int code = 0; code < mesh::orientation_count(face_shape); ++code) {
    element.face_permutation.push_back(permutation(face_shape, order, code));
  }
  return element;
}

ReferenceElement with_dense_operators(ReferenceElement element) {
  if (element.derivative.empty()) build_dense_tensor(element);
  return element;
}

Eigen::MatrixXd ReferenceElement::interpolation_to(const Eigen::MatrixXd& points) const {
  assert(points.cols() == dimension);
  if (!tensor) {
    const RealMatrix at_nodes = simplex_values(dimension, order, nodes.cast<Real>());
    const RealMatrix at_points = simplex_values(dimension, order, points.cast<Real>());
    return at_nodes.transpose().partialPivLu().solve(at_points.transpose()).transpose().cast<double>();
  }
  RealMatrix values = RealMatrix::Ones(points.rows(), 1);
  for (int d = 0; d < dimension; ++d) {
    const RealMatrix factor = lagrange_values(line.nodes.cast<Real>(), points.col(d).cast<Real>());
    RealMatrix product(points.rows(), values.cols() * factor.cols());
    for (Eigen::Index m = 0; m < factor.cols(); ++m) {
      product.middleCols(m * values.cols(), values.cols()) = values.array().colwise() * factor.col(m).array();
    }
    values = std::move(product);
  }
  return values.cast<double>();
}

}  // namespace dgsolve::solver
