// Over-integrated elements: what the projection keeps, what it drops, and which elements have none.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solver/elements/reference_element.h"

namespace dgsolve::solver {
namespace {

using mesh::Shape;

struct Row {
  Shape shape;
  int order, degree;
};

class OverIntegration : public testing::TestWithParam<Row> {
 protected:
  ReferenceElement plain_ = with_dense_operators(make_reference_element(GetParam().shape, GetParam().order, NodeFamily::lobatto));
  ReferenceElement element_ = over_integrated(plain_, GetParam().degree);

  /// Nodal values of (0.3 + 0.5 x - 0.4 y + 0.2 z)^degree.
  [[nodiscard]] Eigen::VectorXd power(int degree) const {
    constexpr std::array<double, 3> slope{0.5, -0.4, 0.2};
    Eigen::VectorXd values(plain_.node_count);
    for (int i = 0; i < plain_.node_count; ++i) {
      double linear = 0.3;
      for (int k = 0; k < plain_.dimension; ++k) linear += slope[static_cast<std::size_t>(k)] * plain_.nodes(i, k);
      values(i) = std::pow(linear, degree);
    }
    return values;
  }
};

TEST_P(OverIntegration, projection_keeps_the_solution_s_degree_and_nothing_of_the_next) {
  const int degree = GetParam().degree;
  const Eigen::VectorXd kept = power(degree);
  EXPECT_LT((element_.projection * kept - kept).lpNorm<Eigen::Infinity>(), 1e-13);
  const Eigen::VectorXd next = power(degree + 1);
  const Eigen::VectorXd rest = next - element_.projection * next;
  EXPECT_GT(rest.lpNorm<Eigen::Infinity>(), 1e-4);
  // What is dropped is orthogonal to every polynomial that is kept.
  for (int k = 0; k <= degree; ++k) EXPECT_NEAR(power(k).dot(plain_.mass * rest), 0, 1e-13) << k;
}

TEST_P(OverIntegration, integrals_of_the_operators_stay) {
  const Eigen::RowVectorXd weights = plain_.weights.transpose();
  for (std::size_t d = 0; d < plain_.weak_derivative.size(); ++d) {
    EXPECT_LT((weights * (element_.weak_derivative[d] - plain_.weak_derivative[d])).lpNorm<Eigen::Infinity>(), 1e-12);
  }
  EXPECT_LT((weights * (element_.lift - plain_.lift)).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST_P(OverIntegration, operators_have_the_solution_s_degree) {
  for (const Eigen::MatrixXd& derivative : element_.weak_derivative) {
    EXPECT_LT((element_.projection * derivative - derivative).lpNorm<Eigen::Infinity>(), 1e-11);
  }
  EXPECT_LT((element_.projection * element_.lift - element_.lift).lpNorm<Eigen::Infinity>(), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Simplices, OverIntegration,
                         testing::Values(Row{Shape::triangle, 2, 1}, Row{Shape::triangle, 5, 4}, Row{Shape::triangle, 8, 5},
                                         Row{Shape::tetrahedron, 3, 2}, Row{Shape::tetrahedron, 6, 4}));

INSTANTIATE_TEST_SUITE_P(Tensor, OverIntegration,
                         testing::Values(Row{Shape::line, 3, 2}, Row{Shape::quadrilateral, 2, 1}, Row{Shape::quadrilateral, 6, 4},
                                         Row{Shape::hexahedron, 3, 2}, Row{Shape::hexahedron, 5, 3}));

TEST(OverIntegrationFaults, gauss_nodes_and_impossible_degrees_are_refused) {
  EXPECT_THROW((void)over_integrated(make_reference_element(Shape::quadrilateral, 3, NodeFamily::gauss), 2), std::invalid_argument);
  EXPECT_THROW((void)over_integrated(make_reference_element(Shape::quadrilateral, 3, NodeFamily::lobatto), 3), std::invalid_argument);
  EXPECT_THROW((void)over_integrated(make_reference_element(Shape::triangle, 3, NodeFamily::lobatto), 4), std::invalid_argument);
  EXPECT_THROW((void)over_integrated(make_reference_element(Shape::triangle, 3, NodeFamily::lobatto), 0), std::invalid_argument);
}

}  // namespace
}  // namespace dgsolve::solver
