// Interpolation of a cell's mapping and its metric terms in conservative form.
#include "solver/elements/mapping.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "solver/elements/polynomials.h"
#include "solver/elements/simplex_space.h"

namespace dgsolve::solver {
namespace {

RealMatrix lattice_matrix(mesh::Shape shape, int dimension, int order) {
  const auto points = mesh::lattice_points(shape, order);
  RealMatrix matrix(static_cast<Eigen::Index>(points.size()), dimension);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index d = 0; d < dimension; ++d) matrix(i, d) = points[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)];
  }
  return matrix;
}

/// Applies a matrix [out][in] along one direction of a tensor product whose lower directions have been through the same step already.
Eigen::MatrixXd apply_along(const Eigen::MatrixXd& matrix, int direction, const Eigen::MatrixXd& fields) {
  Eigen::Index stride = 1;
  for (int d = 0; d < direction; ++d) stride *= matrix.rows();
  const Eigen::Index outer = fields.rows() / (stride * matrix.cols());
  Eigen::MatrixXd result(outer * stride * matrix.rows(), fields.cols());
  for (Eigen::Index column = 0; column < fields.cols(); ++column) {
    for (Eigen::Index block = 0; block < outer; ++block) {
      const Eigen::Map<const Eigen::MatrixXd> in(fields.col(column).data() + block * stride * matrix.cols(), stride, matrix.cols());
      Eigen::Map<Eigen::MatrixXd> out(result.col(column).data() + block * stride * matrix.rows(), stride, matrix.rows());
      out.noalias() = in * matrix.transpose();
    }
  }
  return result;
}

Eigen::VectorXd determinants(int dimension, const std::vector<Eigen::MatrixXd>& g) {
  if (dimension == 1) return g[0].col(0);
  if (dimension == 2) return g[0].col(0).cwiseProduct(g[1].col(1)) - g[0].col(1).cwiseProduct(g[1].col(0));
  Eigen::VectorXd determinant(g[0].rows());
  for (Eigen::Index i = 0; i < determinant.size(); ++i) {
    const Eigen::Vector3d r = g[0].row(i);
    const Eigen::Vector3d s = g[1].row(i);
    const Eigen::Vector3d t = g[2].row(i);
    determinant(i) = r.dot(s.cross(t));
  }
  return determinant;
}

/// x_l grad x_m - x_m grad x_l, the reference component d.
Eigen::VectorXd curl_argument(const Eigen::MatrixXd& x, const Eigen::MatrixXd& gradient_d, int l, int m) {
  return x.col(l).cwiseProduct(gradient_d.col(m)) - x.col(m).cwiseProduct(gradient_d.col(l));
}

}  // namespace

CurvedMapping::CurvedMapping(const ReferenceElement& element, int geometry_order)
    : dimension_(element.dimension),
      tensor_(element.tensor),
      face_count_(element.face_count),
      face_node_count_(element.face_node_count),
      face_normals_(element.face_normals) {
  if (!tensor_) {
    face_nodes_ = element.face_nodes;
    build_simplex(element, geometry_order);
    return;
  }
  const bool gauss = !element.nodes_on_faces;
  face_nodes_ = gauss ? make_reference_element(element.shape, element.order, NodeFamily::lobatto).face_nodes : element.face_nodes;
  const RealVector nodes = gauss_lobatto(element.order + 1).nodes;
  const RealMatrix derivative = lagrange_derivative(nodes);
  const RealMatrix values = lagrange_values(RealVector::LinSpaced(geometry_order + 1, -1, 1), nodes);
  line_values_ = values.cast<double>();
  line_slopes_ = (derivative * values).cast<double>();
  line_derivative_ = derivative.cast<double>();
  if (gauss) line_to_gauss_ = lagrange_values(nodes, gauss_jacobi(element.order + 1, 0).nodes).cast<double>();
}

void CurvedMapping::build_simplex(const ReferenceElement& element, int geometry_order) {
  const int order = element.order;
  const RealMatrix nodes = simplex_nodes(dimension_, order);
  const RealMatrix lattice = lattice_matrix(element.shape, dimension_, geometry_order);
  // Modal coefficients of degree p of the interpolant, from lattice values.
  const RealMatrix at_nodes =
      simplex_values(dimension_, geometry_order, nodes) * simplex_values(dimension_, geometry_order, lattice).inverse();
  const RealMatrix modes = simplex_values(dimension_, order, nodes).inverse() * at_nodes;
  nodal_.push_back(at_nodes.cast<double>());
  for (const RealMatrix& g : simplex_gradients(dimension_, order, nodes)) nodal_.push_back((g * modes).cast<double>());
  if (dimension_ < 3) return;
  const RealMatrix high_nodes = simplex_nodes(dimension_, order + 1);
  const RealMatrix high_inverse = simplex_values(dimension_, order + 1, high_nodes).inverse();
  raised_.push_back((simplex_values(dimension_, order, high_nodes) * modes).cast<double>());
  for (const RealMatrix& g : simplex_gradients(dimension_, order, high_nodes)) raised_.push_back((g * modes).cast<double>());
  for (const RealMatrix& g : simplex_gradients(dimension_, order + 1, nodes)) lower_gradient_.push_back((g * high_inverse).cast<double>());
}

CurvedMapping::Columns CurvedMapping::from_lattice(const Columns& points, int derivative) const {
  if (!tensor_) return nodal_[static_cast<std::size_t>(derivative + 1)] * points;
  Columns result = points;
  for (int d = 0; d < dimension_; ++d) result = apply_along(d == derivative ? line_slopes_ : line_values_, d, result);
  return result;
}

CurvedMapping::Columns CurvedMapping::to_element_nodes(const Columns& fields) const {
  if (line_to_gauss_.size() == 0) return fields;
  Columns result = fields;
  for (int d = 0; d < dimension_; ++d) result = apply_along(line_to_gauss_, d, result);
  return result;
}

CurvedMapping::Columns CurvedMapping::to_face_nodes(int face, const Columns& fields) const {
  Columns result(face_node_count_, fields.cols());
  for (int m = 0; m < face_node_count_; ++m) result.row(m) = fields.row(face_nodes_[static_cast<std::size_t>(face * face_node_count_ + m)]);
  if (line_to_gauss_.size() == 0) return result;
  for (int d = 0; d + 1 < dimension_; ++d) result = apply_along(line_to_gauss_, d, result);
  return result;
}

CurvedMapping::Columns CurvedMapping::metric_curl(const Columns& points, const Columns& x, const std::vector<Columns>& gradient) const {
  Columns high_x;
  std::vector<Columns> high_gradient;
  if (!tensor_) {
    high_x = raised_[0] * points;
    for (std::size_t d = 1; d <= 3; ++d) high_gradient.emplace_back(raised_[d] * points);
  }
  const Columns& point = tensor_ ? x : high_x;
  const std::vector<Columns>& slope = tensor_ ? gradient : high_gradient;
  const auto derivative = [&](int direction, const Eigen::VectorXd& v) -> Eigen::VectorXd {
    if (tensor_) return apply_along(line_derivative_, direction, v);
    return lower_gradient_[static_cast<std::size_t>(direction)] * v;
  };
  Columns metric(x.rows(), 9);
  for (int n = 0; n < 3; ++n) {
    const int m = (n + 1) % 3;
    const int l = (n + 2) % 3;
    std::array<Eigen::VectorXd, 3> v;
    for (std::size_t d = 0; d < 3; ++d) v[d] = curl_argument(point, slope[d], l, m);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      metric.col(3 * i + n) = -0.5 * (derivative(j, v[static_cast<std::size_t>(k)]) - derivative(k, v[static_cast<std::size_t>(j)]));
    }
  }
  return metric;
}

void CurvedMapping::smallest_jacobian(const Columns& x, const Eigen::VectorXd& jacobian, CurvedCell& cell) const {
  Eigen::Index node = 0;
  const double smallest = jacobian.minCoeff<Eigen::PropagateNaN>(&node);
  if (cell.smallest_at.size() > 0 && !(smallest < cell.smallest_jacobian || smallest != smallest)) return;
  cell.smallest_jacobian = smallest;
  cell.smallest_at = x.row(node).transpose();
}

void CurvedMapping::evaluate(std::span<const double> lattice, CurvedCell& cell) const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Index count = static_cast<Eigen::Index>(lattice.size()) / dimension_;
  const Eigen::Map<const RowMajor> given(lattice.data(), count, dimension_);
  // Relative to the cell's centre: the terms of the curl form stay of the size of the cell.
  const Eigen::RowVectorXd centre = given.colwise().mean();
  const Columns points = given.rowwise() - centre;
  const Columns x = from_lattice(points, -1);
  std::vector<Columns> gradient;
  for (int d = 0; d < dimension_; ++d) gradient.push_back(from_lattice(points, d));
  Columns metric(x.rows(), dimension_ * dimension_);
  if (dimension_ == 1) metric.setOnes();
  if (dimension_ == 2) metric << gradient[1].col(1), -gradient[1].col(0), -gradient[0].col(1), gradient[0].col(0);
  if (dimension_ == 3) metric = metric_curl(points, x, gradient);

  cell.smallest_at.resize(0);
  smallest_jacobian(x.rowwise() + centre, determinants(dimension_, gradient), cell);
  cell.coordinates = to_element_nodes(x).rowwise() + centre;
  cell.metric = to_element_nodes(metric);
  for (Columns& g : gradient) g = to_element_nodes(g);
  cell.jacobian = determinants(dimension_, gradient);
  smallest_jacobian(cell.coordinates, cell.jacobian, cell);

  cell.face_normal.resize(face_count_ * face_node_count_, dimension_);
  cell.face_coordinates.resize(face_count_ * face_node_count_, dimension_);
  for (int f = 0; f < face_count_; ++f) {
    const Columns at_face = to_face_nodes(f, metric);
    Columns normal = Columns::Zero(face_node_count_, dimension_);
    for (int d = 0; d < dimension_; ++d) {
      normal += face_normals_[static_cast<std::size_t>(f)][static_cast<std::size_t>(d)] * at_face.middleCols(d * dimension_, dimension_);
    }
    cell.face_normal.middleRows(f * face_node_count_, face_node_count_) = normal;
    cell.face_coordinates.middleRows(f * face_node_count_, face_node_count_) = to_face_nodes(f, x).rowwise() + centre;
  }
}

}  // namespace dgsolve::solver
