// Reference elements: nodes, operators, quadrature and face permutations of every shape and order.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "solver/elements/polynomials.h"
#include "solver/elements/reference_element.h"
#include "solver/elements/simplex_space.h"

namespace dgsolve::solver {
namespace {

using mesh::Shape;

struct Case {
  Shape shape;
  int order;
  NodeFamily family;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Shape shape : {Shape::line, Shape::quadrilateral, Shape::hexahedron}) {
    for (int p = 1; p <= 10; ++p) {
      cases.push_back({shape, p, NodeFamily::lobatto});
      cases.push_back({shape, p, NodeFamily::gauss});
    }
  }
  for (const Shape shape : {Shape::triangle, Shape::tetrahedron}) {
    for (int p = 1; p <= 8; ++p) cases.push_back({shape, p, NodeFamily::lobatto});
  }
  return cases;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(mesh::shape_facts(info.param.shape).name) + "_p" + std::to_string(info.param.order) +
         (info.param.family == NodeFamily::gauss ? "_gauss" : "_lobatto");
}

/// Exponents of the monomials that span the element's space.
std::vector<std::array<int, 3>> exponents(Shape shape, int order) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
  std::vector<std::array<int, 3>> list;
  for (int k = 0; k <= (facts.dimension > 2 ? order : 0); ++k) {
    for (int j = 0; j <= (facts.dimension > 1 ? order : 0); ++j) {
      for (int i = 0; i <= order; ++i) {
        if (facts.tensor || i + j + k <= order) list.push_back({i, j, k});
      }
    }
  }
  return list;
}

double monomial(const std::array<int, 3>& e, const Eigen::RowVectorXd& x, int derivative = -1) {
  double value = 1;
  for (int d = 0; d < x.size(); ++d) {
    const int exponent = e[static_cast<std::size_t>(d)];
    if (d == derivative) {
      value *= exponent == 0 ? 0 : exponent * std::pow(x(d), exponent - 1);
    } else {
      value *= std::pow(x(d), exponent);
    }
  }
  return value;
}

Eigen::VectorXd sample(const std::array<int, 3>& e, const Eigen::MatrixXd& points, int derivative = -1) {
  Eigen::VectorXd values(points.rows());
  for (Eigen::Index i = 0; i < points.rows(); ++i) values(i) = monomial(e, points.row(i), derivative);
  return values;
}

/// Integral over [-1,1]^d, or over the reference simplex by the mapped Dirichlet integrals.
double exact_integral(Shape shape, const std::array<int, 3>& e) {
  const int degree = e[0] + e[1] + e[2];
  const Quadrature rule = make_quadrature(shape, degree + 4);  // checked against closed forms in quadrature tests
  double sum = 0;
  for (Eigen::Index i = 0; i < rule.weights.size(); ++i) sum += rule.weights(i) * monomial(e, rule.points.row(i));
  return sum;
}

class ElementTest : public ::testing::TestWithParam<Case> {
 protected:
  ReferenceElement element = make_reference_element(GetParam().shape, GetParam().order, GetParam().family);
};
INSTANTIATE_TEST_SUITE_P(all, ElementTest, ::testing::ValuesIn(all_cases()), case_name);

TEST_P(ElementTest, has_consistent_sizes_and_distinct_nodes_inside_the_reference_cell) {
  EXPECT_EQ(element.node_count, mesh::lattice_size(element.shape, element.order));
  EXPECT_EQ(element.nodes.rows(), element.node_count);
  EXPECT_EQ(element.face_points.rows(), element.face_count * element.face_node_count);
  EXPECT_EQ(element.face_nodes.size(), element.nodes_on_faces ? static_cast<std::size_t>(element.face_points.rows()) : 0U);
  EXPECT_LE(element.nodes.cwiseAbs().maxCoeff(), 1.0);
  if (!element.tensor) {
    EXPECT_LE(element.nodes.rowwise().sum().maxCoeff(), 2.0 - element.dimension + 1e-15);
  }
  // Lexicographic: each node lies next to its lattice point.
  const auto lattice = mesh::lattice_points(element.shape, element.order);
  for (int i = 0; i < element.node_count; ++i) {
    for (int d = 0; d < element.dimension; ++d) {
      EXPECT_NEAR(element.nodes(i, d), lattice[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)],
                  element.nodes_on_faces ? 0.25 : 0.45);
    }
  }
}

TEST_P(ElementTest, weights_integrate_the_space_as_exactly_as_the_scheme_promises) {
  for (const auto& e : exponents(element.shape, element.order)) {
    EXPECT_NEAR(element.weights.dot(sample(e, element.nodes)), exact_integral(element.shape, e), 2e-14);
  }
}

TEST_P(ElementTest, interpolation_is_exact_on_the_space) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd points(7, element.dimension);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    do {
      for (Eigen::Index d = 0; d < points.cols(); ++d) points(i, d) = uniform(random);
    } while (!element.tensor && points.row(i).sum() > 2 - element.dimension);
  }
  const Eigen::MatrixXd values = element.interpolation_to(points);
  for (const auto& e : exponents(element.shape, element.order)) {
    EXPECT_LT((values * sample(e, element.nodes) - sample(e, points)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST_P(ElementTest, dense_operators_are_exact_and_satisfy_summation_by_parts) {
  if (element.derivative.empty()) {
    EXPECT_TRUE(element.tensor && element.dimension == 3 && element.order > 4);
    return;
  }
  const Eigen::MatrixXd& mass = element.mass;
  const auto nfp = element.face_node_count;
  const Eigen::MatrixXd face_mass_lift = mass * element.lift;  // trace^T M_face
  for (int d = 0; d < element.dimension; ++d) {
    const Eigen::MatrixXd& derivative = element.derivative[static_cast<std::size_t>(d)];
    for (const auto& e : exponents(element.shape, element.order)) {
      EXPECT_LT((derivative * sample(e, element.nodes) - sample(e, element.nodes, d)).cwiseAbs().maxCoeff(), 3e-13);
    }
    Eigen::MatrixXd boundary = Eigen::MatrixXd::Zero(element.node_count, element.node_count);
    for (int f = 0; f < element.face_count; ++f) {
      boundary += element.face_normals[static_cast<std::size_t>(f)][static_cast<std::size_t>(d)] * face_mass_lift.middleCols(f * nfp, nfp) *
                  element.trace.middleRows(f * nfp, nfp);
    }
    const double scale = std::max(1.0, (mass * derivative).cwiseAbs().maxCoeff());
    EXPECT_LT((mass * derivative + derivative.transpose() * mass - boundary).cwiseAbs().maxCoeff() / scale, 2e-14);
    // weak = M^-1 D^T M.
    const Eigen::MatrixXd& weak = element.weak_derivative[static_cast<std::size_t>(d)];
    EXPECT_LT((mass * weak - derivative.transpose() * mass).cwiseAbs().maxCoeff() / scale, 2e-14);
  }
}

TEST_P(ElementTest, divergence_theorem_holds_with_face_weights_and_normals) {
  // sum over faces of nhat_d * face_weights . u = integral of du/dxi_d, for u in the space.
  const Eigen::MatrixXd trace = element.trace.size() > 0 ? element.trace : element.interpolation_to(element.face_points);
  for (int d = 0; d < element.dimension; ++d) {
    for (const auto& e : exponents(element.shape, element.order)) {
      const Eigen::VectorXd at_faces = trace * sample(e, element.nodes);
      double sum = 0;
      for (int f = 0; f < element.face_count; ++f) {
        sum += element.face_normals[static_cast<std::size_t>(f)][static_cast<std::size_t>(d)] *
               element.face_weights.dot(at_faces.segment(f * element.face_node_count, element.face_node_count));
      }
      std::array<int, 3> lower = e;
      const double factor = lower[static_cast<std::size_t>(d)]--;
      EXPECT_NEAR(sum, factor == 0 ? 0 : factor * exact_integral(element.shape, lower), 5e-14);
    }
  }
}

TEST_P(ElementTest, face_nodes_carry_the_bits_of_volume_nodes_and_lie_on_their_face) {
  const mesh::ShapeFacts& facts = mesh::shape_facts(element.shape);
  for (int f = 0; f < element.face_count; ++f) {
    const auto& normal = element.face_normals[static_cast<std::size_t>(f)];
    const auto& corner = facts.vertices[static_cast<std::size_t>(facts.face_vertices[static_cast<std::size_t>(f)][0])];
    for (int m = 0; m < element.face_node_count; ++m) {
      const int row = f * element.face_node_count + m;
      double distance = 0;
      for (int d = 0; d < element.dimension; ++d) {
        distance += normal[static_cast<std::size_t>(d)] * (element.face_points(row, d) - corner[static_cast<std::size_t>(d)]);
      }
      EXPECT_NEAR(distance, 0, 1e-15);
      if (element.nodes_on_faces) {
        EXPECT_EQ(element.nodes.row(element.face_nodes[static_cast<std::size_t>(row)]), element.face_points.row(row));
      }
    }
  }
}

/// Parameter coordinates of face nodes, from the face points of a face whose parameters are two of the reference coordinates.
TEST_P(ElementTest, face_permutations_map_nodes_to_the_point_the_orientation_says) {
  if (element.dimension == 1) {
    EXPECT_EQ(element.face_permutation, std::vector<std::vector<int>>{{0}});
    return;
  }
  const Shape face_shape = mesh::shape_facts(element.shape).face_shapes.front();
  ASSERT_EQ(element.face_permutation.size(), static_cast<std::size_t>(mesh::orientation_count(face_shape)));
  const mesh::ShapeFacts& face_facts = mesh::shape_facts(face_shape);
  Eigen::MatrixXd parameters;
  if (face_shape == Shape::triangle) {
    parameters = simplex_nodes(2, element.order).cast<double>();
  } else {
    parameters = make_reference_element(face_shape, element.order, element.family).nodes;
    if (element.shape == Shape::triangle) parameters = simplex_nodes(1, element.order).cast<double>();
  }
  const auto corner = [&](std::size_t v, int c) { return face_facts.vertices[v][static_cast<std::size_t>(c)]; };
  for (int code = 0; code < mesh::orientation_count(face_shape); ++code) {
    const auto vertices = mesh::orientation_vertices(face_shape, code);
    const auto& permutation = element.face_permutation[static_cast<std::size_t>(code)];
    EXPECT_EQ(std::set<int>(permutation.begin(), permutation.end()).size(), static_cast<std::size_t>(element.face_node_count));
    for (int m = 0; m < element.face_node_count; ++m) {
      // The affine map that sends this side's vertex s to the other side's vertex vertices[s].
      for (int c = 0; c < face_facts.dimension; ++c) {
        double x = corner(static_cast<std::size_t>(vertices[0]), c);
        for (int d = 0; d < face_facts.dimension; ++d) {
          const auto next = static_cast<std::size_t>(vertices[static_cast<std::size_t>(d) + 1]);
          x += (1 + parameters(m, d)) / 2 * (corner(next, c) - corner(static_cast<std::size_t>(vertices[0]), c));
        }
        EXPECT_NEAR(parameters(permutation[static_cast<std::size_t>(m)], c), x, 1e-15);
      }
    }
  }
}

TEST(element_line, mirrored_data_are_mirrored_to_the_bit) {
  for (const NodeFamily family : {NodeFamily::lobatto, NodeFamily::gauss}) {
    for (int p = 1; p <= 10; ++p) {
      const LineBasis line = make_reference_element(Shape::line, p, family).line;
      EXPECT_EQ(line.nodes, -line.nodes.reverse());
      EXPECT_EQ(line.weights, line.weights.reverse());
      EXPECT_EQ(line.derivative, -line.derivative.reverse());
      EXPECT_EQ(line.weak_derivative, -line.weak_derivative.reverse());
      EXPECT_EQ(line.end_values, line.end_values.reverse());
    }
  }
}

TEST(element_line, nodes_and_weights_are_exact_to_a_unit_in_the_last_place) {
  const LineBasis lobatto = make_reference_element(Shape::line, 4, NodeFamily::lobatto).line;
  EXPECT_DOUBLE_EQ(lobatto.nodes(3), std::sqrt(3.0 / 7.0));
  EXPECT_DOUBLE_EQ(lobatto.weights(0), 0.1);
  EXPECT_DOUBLE_EQ(lobatto.weights(1), 49.0 / 90.0);
  EXPECT_DOUBLE_EQ(lobatto.weights(2), 32.0 / 45.0);
  const LineBasis gauss = make_reference_element(Shape::line, 2, NodeFamily::gauss).line;
  EXPECT_DOUBLE_EQ(gauss.nodes(2), std::sqrt(0.6));
  EXPECT_DOUBLE_EQ(gauss.weights(0), 5.0 / 9.0);
  // Exact to degree 2N-1 and 2N-3: the even moments 2/(k+1).
  for (int p = 1; p <= 10; ++p) {
    for (const NodeFamily family : {NodeFamily::lobatto, NodeFamily::gauss}) {
      const LineBasis line = make_reference_element(Shape::line, p, family).line;
      const int degree = family == NodeFamily::gauss ? 2 * p + 1 : 2 * p - 1;
      for (int k = 0; k <= degree; ++k) {
        EXPECT_NEAR(line.weights.dot(line.nodes.array().pow(k).matrix()), k % 2 == 0 ? 2.0 / (k + 1) : 0.0, 1e-15);
      }
    }
  }
}

TEST(element_simplex, edges_carry_gauss_lobatto_nodes_and_faces_of_tetrahedra_the_triangles) {
  for (int p = 1; p <= 8; ++p) {
    const ReferenceElement tetrahedron = make_reference_element(Shape::tetrahedron, p, NodeFamily::lobatto);
    const ReferenceElement triangle = make_reference_element(Shape::triangle, p, NodeFamily::lobatto);
    const Eigen::VectorXd line = make_reference_element(Shape::line, p, NodeFamily::lobatto).nodes;
    for (int i = 0; i <= p; ++i) EXPECT_EQ(triangle.nodes(i, 0), line(i));
    // Face 0 = (0,1,2) is parameterised by (r, s) themselves.
    for (int m = 0; m < tetrahedron.face_node_count; ++m) {
      EXPECT_EQ(tetrahedron.face_points(m, 0), triangle.nodes(m, 0));
      EXPECT_EQ(tetrahedron.face_points(m, 1), triangle.nodes(m, 1));
    }
  }
}

TEST(element_simplex, nodes_are_invariant_under_all_vertex_permutations) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    for (int p = 1; p <= 9; ++p) {
      const RealMatrix nodes = simplex_nodes(dimension, p);
      std::vector<int> vertices{0, 1, 2, 3};
      vertices.resize(static_cast<std::size_t>(dimension) + 1);
      do {
        for (Eigen::Index i = 0; i < nodes.rows(); ++i) {
          std::vector<Real> b{1};
          for (Eigen::Index d = 0; d < dimension; ++d) {
            b.push_back((1 + nodes(i, d)) / 2);
            b[0] -= b.back();
          }
          RealMatrix image(1, dimension);
          for (Eigen::Index d = 0; d < dimension; ++d)
            image(0, d) = 2 * b[static_cast<std::size_t>(vertices[static_cast<std::size_t>(d) + 1])] - 1;
          EXPECT_LT((nodes.rowwise() - image.row(0)).cwiseAbs().rowwise().maxCoeff().minCoeff(), 1e-15L);
        }
      } while (std::next_permutation(vertices.begin(), vertices.end()));
    }
  }
}

/// Largest value of the Lebesgue function on a fine lattice.
double lebesgue_constant(const ReferenceElement& element, int samples) {
  const auto lattice = mesh::lattice_points(element.shape, samples);
  Eigen::MatrixXd points(static_cast<Eigen::Index>(lattice.size()), element.dimension);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index d = 0; d < points.cols(); ++d) points(i, d) = lattice[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)];
  }
  return element.interpolation_to(points).cwiseAbs().rowwise().sum().maxCoeff();
}

TEST(element_simplex, nodes_interpolate_well) {
  // Lebesgue constants of warp-and-blend nodes: as sampled with twice as many points; on the tetrahedron within 3% of
  // those with parameters optimised for the tetrahedron.
  const std::array<double, 8> triangle{1.00, 1.67, 2.11, 2.66, 3.12, 3.70, 4.27, 4.96};
  const std::array<double, 8> tetrahedron{1.00, 2.00, 2.93, 4.09, 5.36, 7.20, 9.07, 12.6};
  for (int p = 1; p <= 8; ++p) {
    const auto row = static_cast<std::size_t>(p) - 1;
    EXPECT_NEAR(lebesgue_constant(make_reference_element(Shape::triangle, p, NodeFamily::lobatto), 60), triangle[row], 0.02) << p;
    const double solid = lebesgue_constant(make_reference_element(Shape::tetrahedron, p, NodeFamily::lobatto), 24);
    EXPECT_LT(solid, tetrahedron[row] * 1.005) << p;
    EXPECT_GT(solid, tetrahedron[row] * 0.9) << p;
  }
}

TEST(element_simplex, basis_is_orthonormal_and_its_gradient_consistent) {
  for (int dimension = 1; dimension <= 3; ++dimension) {
    const Shape shape = std::array{Shape::line, Shape::triangle, Shape::tetrahedron}[static_cast<std::size_t>(dimension) - 1];
    const int p = 8;
    const Quadrature rule = make_quadrature(shape, 2 * p);
    const RealMatrix values = simplex_values(dimension, p, rule.points.cast<Real>());
    const RealMatrix gram = values.transpose() * rule.weights.cast<Real>().asDiagonal() * values;
    EXPECT_LT((gram - RealMatrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-13L);
    const Real step = 1e-6L;
    const auto gradients = simplex_gradients(dimension, p, rule.points.cast<Real>());
    for (int d = 0; d < dimension; ++d) {
      RealMatrix above = rule.points.cast<Real>();
      RealMatrix below = above;
      above.col(d).array() += step;
      below.col(d).array() -= step;
      const RealMatrix difference = (simplex_values(dimension, p, above) - simplex_values(dimension, p, below)) / (2 * step);
      EXPECT_LT((difference - gradients[static_cast<std::size_t>(d)]).cwiseAbs().maxCoeff(), 1e-6L);
    }
  }
}

TEST(element_simplex, operators_are_well_conditioned) {
  for (const Shape shape : {Shape::triangle, Shape::tetrahedron}) {
    const int dimension = mesh::shape_facts(shape).dimension;
    const RealMatrix values = simplex_values(dimension, 8, simplex_nodes(dimension, 8));
    const Real condition = values.norm() * values.inverse().norm();
    RecordProperty(std::string(mesh::shape_facts(shape).name) + "_p8_condition", static_cast<int>(condition));
    EXPECT_LT(condition, dimension == 2 ? 130 : 800);
  }
}

TEST(element_quadrature, integrates_monomials_exactly_on_every_shape) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (const Shape shape : {Shape::line, Shape::quadrilateral, Shape::hexahedron, Shape::triangle, Shape::tetrahedron}) {
    const mesh::ShapeFacts& facts = mesh::shape_facts(shape);
    for (int degree = 0; degree <= 20; degree += 5) {
      const Quadrature rule = make_quadrature(shape, degree);
      EXPECT_GT(rule.weights.minCoeff(), 0);
      // In barycentric-like coordinates x = (1+r)/2: integral of x^i y^j z^k, times 2^d.
      const Eigen::MatrixXd unit = (rule.points.array() + 1) / 2;
      for (const auto& e : exponents(shape, degree)) {
        double exact = std::pow(2, facts.dimension);
        if (facts.tensor) {
          for (const int exponent : e) exact /= exponent + 1;
        } else {
          exact *= factorial(e[0]) * factorial(e[1]) * factorial(e[2]) / factorial(e[0] + e[1] + e[2] + facts.dimension);
        }
        EXPECT_NEAR(rule.weights.dot(sample(e, unit)), exact, 1e-14 * std::max(1.0, exact));
      }
    }
  }
}

TEST(element_errors, orders_out_of_range_and_other_shapes_are_refused_by_name) {
  const auto message = [](Shape shape, int order) -> std::string {
    try {
      static_cast<void>(make_reference_element(shape, order, NodeFamily::lobatto));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(Shape::triangle, 9), "order 9 of a triangle element: allowed are 1 to 8");
  EXPECT_EQ(message(Shape::hexahedron, 0), "order 0 of a hexahedron element: allowed are 1 to 10");
  EXPECT_EQ(message(Shape::hexahedron, 11), "order 11 of a hexahedron element: allowed are 1 to 10");
  EXPECT_NE(message(Shape::pyramid, 2).find("no element of shape pyramid"), std::string::npos);
}

}  // namespace
}  // namespace dgsolve::solver
