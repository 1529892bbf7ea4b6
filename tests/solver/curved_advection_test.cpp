// The semi-discrete scheme of docs/numerics.md, assembled on the host for advection on warped periodic boxes: constants, conservation,
// spectrum.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>

#include "mesh/box.h"
#include "solver/geometry.h"
#include "solver/time/integrator.h"
#include "solver/time/step_limit.h"

namespace dgsolve::solver {
namespace {

using mesh::Shape;

constexpr std::array<double, 3> velocity{1, 0.6, 0.3};

struct Scheme {
  Eigen::MatrixXd rate;     ///< dq/dt = rate q
  Eigen::VectorXd weights;  ///< w_i J_i: sums of w J q are conserved
  double step_rate = 0;     ///< what the step limit finds
};

/// One curved class on a box of `cells` cells a direction, geometry of the element's order.
class Assembler {
 public:
  Assembler(Shape shape, int order, NodeFamily family, std::int64_t cells, double warp)
      : element_(make_reference_element(shape, order, family)) {
    mesh::BoxOptions options;
    options.dimension = element_.dimension;
    options.shape = shape;
    options.cells = {cells, cells, cells};
    options.periodic = {true, true, true};
    options.warp = warp;
    options.geometry_order = std::min(order, 4);
    mesh_ = mesh::mesh_box(options);
    std::vector<std::int32_t> all(mesh_.cell_count());
    std::iota(all.begin(), all.end(), 0);
    geometry_ = make_geometry(mesh_, element_, all, false);
  }

  [[nodiscard]] const ReferenceElement& element() const { return element_; }

  [[nodiscard]] Scheme assemble() const {
    const Eigen::Index np = element_.node_count;
    const auto cells = static_cast<Eigen::Index>(geometry_.cell_count);
    Scheme scheme{Eigen::MatrixXd::Zero(cells * np, cells * np), Eigen::VectorXd(cells * np), 0};
    for (Eigen::Index cell = 0; cell < cells; ++cell) {
      add_cell(cell, scheme);
      for (int f = 0; f < element_.face_count; ++f) add_face(cell, f, scheme);
    }
    return scheme;
  }

 private:
  [[nodiscard]] double inverse_jacobian(Eigen::Index cell, Eigen::Index node) const {
    return geometry_.inverse_jacobian[static_cast<std::size_t>(cell * element_.node_count + node)];
  }
  /// Ja^d . velocity
  [[nodiscard]] double contravariant(Eigen::Index cell, Eigen::Index node, int d) const {
    const auto dim = static_cast<std::size_t>(element_.dimension);
    const std::size_t at = (static_cast<std::size_t>(cell * element_.node_count + node) * dim + static_cast<std::size_t>(d)) * dim;
    double sum = 0;
    for (std::size_t k = 0; k < dim; ++k) sum += geometry_.metric[at + k] * velocity[k];
    return sum;
  }

  void add_cell(Eigen::Index cell, Scheme& scheme) const {
    const Eigen::Index np = element_.node_count;
    auto own = scheme.rate.block(cell * np, cell * np, np, np);
    for (Eigen::Index i = 0; i < np; ++i) {
      scheme.weights(cell * np + i) = element_.weights(i) / inverse_jacobian(cell, i);
      double rate = 0;
      for (const auto& direction : rate_directions(element_)) {
        double speed = 0;
        for (int d = 0; d < element_.dimension; ++d) speed += direction[static_cast<std::size_t>(d)] * contravariant(cell, i, d);
        rate += std::abs(speed) * inverse_jacobian(cell, i);
      }
      scheme.step_rate = std::max(scheme.step_rate, rate);
      for (Eigen::Index m = 0; m < np; ++m) {
        for (int d = 0; d < element_.dimension; ++d) {
          own(i, m) += inverse_jacobian(cell, i) * element_.weak_derivative[static_cast<std::size_t>(d)](i, m) * contravariant(cell, m, d);
        }
      }
    }
  }

  void add_face(Eigen::Index cell, int face, Scheme& scheme) const {
    const Eigen::Index np = element_.node_count;
    const int nfp = element_.face_node_count;
    const auto dim = static_cast<std::size_t>(element_.dimension);
    const auto record = static_cast<std::size_t>(cell * element_.face_count + face);
    const mesh::FaceLink& link = mesh_.links[mesh_.face_offset[static_cast<std::size_t>(cell)] + static_cast<std::size_t>(face)];
    const auto& permutation = element_.face_permutation[static_cast<std::size_t>(link.orientation)];
    for (int m = 0; m < nfp; ++m) {
      const std::size_t at = record * static_cast<std::size_t>(nfp) + static_cast<std::size_t>(m);
      double normal_speed = 0;
      for (std::size_t k = 0; k < dim; ++k) normal_speed += geometry_.face_normal[at * dim + k] * velocity[k];
      normal_speed *= geometry_.face_scale[at] * geometry_.face_owner[record];
      Eigen::VectorXd column = element_.lift.col(face * nfp + m);
      for (Eigen::Index i = 0; i < np; ++i) column(i) *= inverse_jacobian(cell, i);
      const int there = link.face * nfp + permutation[static_cast<std::size_t>(m)];
      scheme.rate.block(cell * np, cell * np, np, np) -= std::max(normal_speed, 0.0) * column * element_.trace.row(face * nfp + m);
      scheme.rate.block(cell * np, link.neighbour * np, np, np) -= std::min(normal_speed, 0.0) * column * element_.trace.row(there);
    }
  }

  ReferenceElement element_;
  mesh::Mesh mesh_;
  Geometry geometry_;
};

double largest_real_part(const Scheme& scheme) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(scheme.rate, false).eigenvalues().real().maxCoeff();
}

struct WarpedCase {
  Shape shape;
  int order;
  NodeFamily family;
  std::int64_t cells;
  double growth;  ///< largest real part allowed, in crossings of the box per time
};
std::string warped_case_name(const ::testing::TestParamInfo<WarpedCase>& info) {
  return std::string(mesh::shape_facts(info.param.shape).name) + "_p" + std::to_string(info.param.order) +
         (info.param.family == NodeFamily::gauss ? "_gauss" : "");
}
class WarpedAdvection : public ::testing::TestWithParam<WarpedCase> {
 protected:
  Assembler assembler{GetParam().shape, GetParam().order, GetParam().family, GetParam().cells, 0.03};
  Scheme scheme = assembler.assemble();
};
/// On curved simplices the nodal scheme is stable up to a slow growth; docs/numerics.md says why.
INSTANTIATE_TEST_SUITE_P(all, WarpedAdvection,
                         ::testing::Values(WarpedCase{Shape::line, 4, NodeFamily::lobatto, 6, 1e-11},
                                           WarpedCase{Shape::line, 4, NodeFamily::gauss, 6, 1e-11},
                                           WarpedCase{Shape::quadrilateral, 2, NodeFamily::lobatto, 4, 1e-11},
                                           WarpedCase{Shape::quadrilateral, 4, NodeFamily::lobatto, 4, 1e-11},
                                           WarpedCase{Shape::quadrilateral, 3, NodeFamily::gauss, 4, 1e-11},
                                           WarpedCase{Shape::hexahedron, 2, NodeFamily::lobatto, 2, 1e-11},
                                           WarpedCase{Shape::triangle, 2, NodeFamily::lobatto, 4, 1e-11},
                                           WarpedCase{Shape::triangle, 3, NodeFamily::lobatto, 4, 1e-4},
                                           WarpedCase{Shape::triangle, 4, NodeFamily::lobatto, 4, 3e-4},
                                           WarpedCase{Shape::tetrahedron, 2, NodeFamily::lobatto, 2, 3e-3}),
                         warped_case_name);

TEST_P(WarpedAdvection, leaves_constants_alone) {
  const double size = scheme.rate.cwiseAbs().rowwise().sum().maxCoeff();
  EXPECT_LT(scheme.rate.rowwise().sum().cwiseAbs().maxCoeff() / size, 1e-14);
}

TEST_P(WarpedAdvection, conserves_the_weighted_sum_to_rounding) {
  const double size = (scheme.weights.cwiseAbs().transpose() * scheme.rate.cwiseAbs()).maxCoeff();
  EXPECT_LT((scheme.weights.transpose() * scheme.rate).cwiseAbs().maxCoeff() / size, 1e-14);
}

TEST_P(WarpedAdvection, does_not_grow_beyond_what_is_documented) { EXPECT_LT(largest_real_part(scheme), GetParam().growth); }

TEST_P(WarpedAdvection, is_stable_at_the_step_limit) {
  const Integrator& method = integrator("lsrk54");
  const double dt = stable_step_constant(method, assembler.element()) / scheme.step_rate;
  const Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(scheme.rate, false).eigenvalues();
  for (const std::complex<double>& value : values) {
    std::complex<double> u = 1;
    std::complex<double> k = 0;
    for (const Stage& stage : method.stages) {
      k = stage.updates[1].coefficients[1] * k + dt * value * u;
      u += stage.updates[0].coefficients[1] * k;
    }
    EXPECT_LT(std::abs(u), 1 + 1e-10 + 2 * dt * GetParam().growth);
  }
}

}  // namespace
}  // namespace dgsolve::solver
