// Interpolation of a cell's mapping and its metric terms in conservative form.
#include "solver/elements/mapping.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>

#include "mesh/mapping.h"
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

/// out[o * out_stride] = sum_m matrix(o, m) in[m * in_stride]; four sums at a time, as one would wait for its own additions.
void multiply(const RealMatrix& matrix, const Real* in, Eigen::Index in_stride, Real* out, Eigen::Index out_stride) {
  const Eigen::Index rows = matrix.rows();
  const Eigen::Index columns = matrix.cols();
  Eigen::Index o = 0;
  for (; o + 4 <= rows; o += 4) {
    const Real* coefficient = &matrix(o, 0);
    Real a = 0;
    Real b = 0;
    Real c = 0;
    Real d = 0;
    for (Eigen::Index m = 0; m < columns; ++m, coefficient += rows) {
      const Real value = in[m * in_stride];
      a += coefficient[0] * value;
      b += coefficient[1] * value;
      c += coefficient[2] * value;
      d += coefficient[3] * value;
    }
    out[o * out_stride] = a;
    out[(o + 1) * out_stride] = b;
    out[(o + 2) * out_stride] = c;
    out[(o + 3) * out_stride] = d;
  }
  for (; o < rows; ++o) {
    Real sum = 0;
    for (Eigen::Index m = 0; m < columns; ++m) sum += matrix(o, m) * in[m * in_stride];
    out[o * out_stride] = sum;
  }
}

/// Applies a dense matrix [out][in] to every field.
void apply(const RealMatrix& matrix, const RealMatrix& in, RealMatrix& out) {
  out.resize(matrix.rows(), in.cols());
  for (Eigen::Index column = 0; column < in.cols(); ++column) multiply(matrix, &in(0, column), 1, &out(0, column), 1);
}

/// Applies a matrix [out][in] along one direction of a tensor product whose lower directions have been through the same step already.
void apply_along(const RealMatrix& matrix, int direction, const RealMatrix& in, RealMatrix& out) {
  Eigen::Index stride = 1;
  for (int d = 0; d < direction; ++d) stride *= matrix.rows();
  const Eigen::Index outer = in.rows() / (stride * matrix.cols());
  out.resize(outer * stride * matrix.rows(), in.cols());
  for (Eigen::Index column = 0; column < in.cols(); ++column) {
    for (Eigen::Index block = 0; block < outer; ++block) {
      const Real* source = &in(block * stride * matrix.cols(), column);
      Real* target = &out(block * stride * matrix.rows(), column);
      for (Eigen::Index s = 0; s < stride; ++s) multiply(matrix, source + s, stride, target + s, stride);
    }
  }
}

Real determinant(int dimension, const std::array<RealMatrix, 3>& g, Eigen::Index i) {
  if (dimension == 1) return g[0](i, 0);
  if (dimension == 2) return g[0](i, 0) * g[1](i, 1) - g[0](i, 1) * g[1](i, 0);
  const auto cofactor = [&](Eigen::Index a, Eigen::Index b) { return g[1](i, a) * g[2](i, b) - g[1](i, b) * g[2](i, a); };
  return g[0](i, 0) * cofactor(1, 2) + g[0](i, 1) * cofactor(2, 0) + g[0](i, 2) * cofactor(0, 1);
}

}  // namespace

CurvedMapping::CurvedMapping(const ReferenceElement& element, int geometry_order)
    : dimension_(element.dimension),
      tensor_(element.tensor),
      gauss_(!element.nodes_on_faces),
      face_count_(element.face_count),
      face_node_count_(element.face_node_count),
      face_normals_(element.face_normals),
      face_nodes_(element.face_nodes) {
  if (tensor_) {
    build_tensor(element, geometry_order);
  } else {
    build_simplex(element, geometry_order);
  }
}

void CurvedMapping::build_tensor(const ReferenceElement& element, int geometry_order) {
  // Gauss quadrature on hexahedra is exact for metric terms of one degree more, and the product in the curl needs it.
  const int degree = gauss_ && dimension_ == 3 ? element.order + 1 : element.order;
  const RealVector nodes = gauss_lobatto(degree + 1).nodes;
  line_derivative_ = lagrange_derivative(nodes);
  line_values_ = lagrange_values(RealVector::LinSpaced(geometry_order + 1, -1, 1), nodes);
  line_slopes_ = line_derivative_ * line_values_;
  if (!gauss_) return;
  line_to_gauss_ = lagrange_values(nodes, gauss_jacobi(element.order + 1, 0).nodes);
  face_nodes_.clear();
  for (const auto& face : mesh::face_lattice_indices(element.shape, degree))
    face_nodes_.insert(face_nodes_.end(), face.begin(), face.end());
}

void CurvedMapping::build_simplex(const ReferenceElement& element, int geometry_order) {
  const int order = element.order;
  const RealMatrix nodes = simplex_nodes(dimension_, order);
  const RealMatrix lattice = lattice_matrix(element.shape, dimension_, geometry_order);
  // Modal coefficients of degree p of the interpolant, from lattice values.
  nodal_.push_back(simplex_values(dimension_, geometry_order, nodes) * simplex_values(dimension_, geometry_order, lattice).inverse());
  const RealMatrix modes = simplex_values(dimension_, order, nodes).partialPivLu().solve(nodal_[0]);
  for (const RealMatrix& g : simplex_gradients(dimension_, order, nodes)) nodal_.emplace_back(g * modes);
  if (dimension_ < 3) return;
  const RealMatrix high_nodes = simplex_nodes(dimension_, order + 1);
  const RealMatrix high_inverse = simplex_values(dimension_, order + 1, high_nodes).inverse();
  raised_.emplace_back(simplex_values(dimension_, order, high_nodes) * modes);
  for (const RealMatrix& g : simplex_gradients(dimension_, order, high_nodes)) raised_.emplace_back(g * modes);
  for (const RealMatrix& g : simplex_gradients(dimension_, order + 1, nodes)) lower_gradient_.emplace_back(g * high_inverse);
}

void CurvedMapping::apply_lines(const std::array<const RealMatrix*, 3>& lines, const Fields& in, Fields& out) {
  const Fields* from = &in;
  for (int d = 0; d < dimension_; ++d) {
    Fields& to = d + 1 == dimension_ ? out : (d == 0 ? scratch_a_ : scratch_b_);
    apply_along(*lines[static_cast<std::size_t>(d)], d, *from, to);
    from = &to;
  }
}

/// x_ and gradient_ (on tetrahedra also at degree p + 1), relative to the cell's centre: all terms stay of the size of the cell.
void CurvedMapping::interpolate(std::span<const double> lattice) {
  const auto count = static_cast<Eigen::Index>(lattice.size()) / dimension_;
  points_.resize(count, dimension_);
  for (int k = 0; k < dimension_; ++k) {
    const auto component = [&](Eigen::Index i) { return lattice[static_cast<std::size_t>(i * dimension_ + k)]; };
    Real sum = 0;
    for (Eigen::Index i = 0; i < count; ++i) sum += component(i);
    centre_[static_cast<std::size_t>(k)] = sum / Real(count);
    for (Eigen::Index i = 0; i < count; ++i) points_(i, k) = component(i) - centre_[static_cast<std::size_t>(k)];
  }
  if (tensor_) {
    apply_lines({&line_values_, &line_values_, &line_values_}, points_, x_);
    for (std::size_t d = 0; std::cmp_less(d, dimension_); ++d) {
      std::array<const RealMatrix*, 3> lines{&line_values_, &line_values_, &line_values_};
      lines[d] = &line_slopes_;
      apply_lines(lines, points_, gradient_[d]);
    }
    return;
  }
  apply(nodal_[0], points_, x_);
  for (std::size_t d = 0; std::cmp_less(d, dimension_); ++d) apply(nodal_[d + 1], points_, gradient_[d]);
  if (dimension_ < 3) return;
  apply(raised_[0], points_, high_x_);
  for (std::size_t d = 0; d < 3; ++d) apply(raised_[d + 1], points_, high_gradient_[d]);
}

/// slope_[d] <- derivative of argument_[d] along `direction`, at the geometry nodes.
void CurvedMapping::differentiate_argument(int direction) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (std::cmp_equal(d, direction)) continue;
    if (tensor_) {
      apply_along(line_derivative_, direction, argument_[d], slope_[d]);
    } else {
      apply(lower_gradient_[static_cast<std::size_t>(direction)], argument_[d], slope_[d]);
    }
  }
}

void CurvedMapping::metric_curl() {
  const Fields& x = tensor_ ? x_ : high_x_;
  const std::array<Fields, 3>& gradient = tensor_ ? gradient_ : high_gradient_;
  for (std::size_t d = 0; d < 3; ++d) {
    argument_[d].resize(x.rows(), 3);
    for (int n = 0; n < 3; ++n) {
      const int m = (n + 1) % 3;
      const int l = (n + 2) % 3;
      argument_[d].col(n) = x.col(l).cwiseProduct(gradient[d].col(m)) - x.col(m).cwiseProduct(gradient[d].col(l));
    }
  }
  metric_.setZero(x_.rows(), 9);
  for (int direction = 0; direction < 3; ++direction) {
    differentiate_argument(direction);
    // (curl v)_i = d_j v_k - d_k v_j with (i, j, k) cyclic: direction is j for one i and k for another.
    const int i_of_j = (direction + 2) % 3;
    const int i_of_k = (direction + 1) % 3;
    metric_.middleCols(3 * i_of_j, 3) -= Real(0.5L) * slope_[static_cast<std::size_t>((direction + 1) % 3)];
    metric_.middleCols(3 * i_of_k, 3) += Real(0.5L) * slope_[static_cast<std::size_t>((direction + 2) % 3)];
  }
}

void CurvedMapping::to_element_nodes(const Fields& in, Fields& out) {
  if (gauss_) {
    apply_lines({&line_to_gauss_, &line_to_gauss_, &line_to_gauss_}, in, out);
  } else {
    out = in;
  }
}

void CurvedMapping::note_smallest_jacobian(const Fields& x, CurvedCell& cell) const {
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const auto jacobian = static_cast<double>(determinant(dimension_, gradient_, i));
    if (jacobian >= cell.smallest_jacobian) continue;  // true for NaN: it is noted, and stays
    cell.smallest_jacobian = jacobian;
    for (std::size_t k = 0; std::cmp_less(k, dimension_); ++k) {
      cell.smallest_at[k] = static_cast<double>(x(i, static_cast<Eigen::Index>(k)) + centre_[k]);
    }
    if (std::isnan(jacobian)) return;
  }
}

void CurvedMapping::fill_faces(CurvedCell& cell) {
  cell.face_normal.resize(face_count_ * face_node_count_, dimension_);
  cell.face_coordinates.resize(face_count_ * face_node_count_, dimension_);
  const int geometry_nodes = static_cast<int>(face_nodes_.size()) / face_count_;
  for (int f = 0; f < face_count_; ++f) {
    // Columns: the normal, then the coordinates.
    at_face_.setZero(geometry_nodes, 2 * dimension_);
    for (int m = 0; m < geometry_nodes; ++m) {
      const int node = face_nodes_[static_cast<std::size_t>(f * geometry_nodes + m)];
      for (int k = 0; k < dimension_; ++k) {
        for (int d = 0; d < dimension_; ++d) {
          at_face_(m, k) +=
              Real(face_normals_[static_cast<std::size_t>(f)][static_cast<std::size_t>(d)]) * metric_(node, d * dimension_ + k);
        }
        at_face_(m, dimension_ + k) = x_(node, k);
      }
    }
    for (int d = 0; gauss_ && d + 1 < dimension_; ++d) {
      apply_along(line_to_gauss_, d, at_face_, scratch_a_);
      std::swap(at_face_, scratch_a_);
    }
    for (int m = 0; m < face_node_count_; ++m) {
      const int row = f * face_node_count_ + m;
      for (int k = 0; k < dimension_; ++k) {
        cell.face_normal(row, k) = static_cast<double>(at_face_(m, k));
        cell.face_coordinates(row, k) = static_cast<double>(at_face_(m, dimension_ + k) + centre_[static_cast<std::size_t>(k)]);
      }
    }
  }
}

void CurvedMapping::evaluate(std::span<const double> lattice, CurvedCell& cell) {
  interpolate(lattice);
  if (dimension_ == 1) metric_.setOnes(x_.rows(), 1);
  if (dimension_ == 2) {
    metric_.resize(x_.rows(), 4);
    metric_ << gradient_[1].col(1), -gradient_[1].col(0), -gradient_[0].col(1), gradient_[0].col(0);
  }
  if (dimension_ == 3) metric_curl();
  fill_faces(cell);

  cell.smallest_jacobian = std::numeric_limits<double>::infinity();
  note_smallest_jacobian(x_, cell);
  to_element_nodes(x_, at_nodes_);
  cell.coordinates.resize(at_nodes_.rows(), dimension_);
  for (int k = 0; k < dimension_; ++k) {
    cell.coordinates.col(k) = (at_nodes_.col(k).array() + centre_[static_cast<std::size_t>(k)]).cast<double>();
  }
  if (gauss_) {
    for (std::size_t d = 0; std::cmp_less(d, dimension_); ++d) {
      to_element_nodes(gradient_[d], at_face_);
      std::swap(gradient_[d], at_face_);
    }
    note_smallest_jacobian(at_nodes_, cell);
  }
  cell.jacobian.resize(at_nodes_.rows());
  for (Eigen::Index i = 0; i < at_nodes_.rows(); ++i) cell.jacobian(i) = static_cast<double>(determinant(dimension_, gradient_, i));
  to_element_nodes(metric_, at_nodes_);
  cell.metric = at_nodes_.cast<double>();
}

}  // namespace dgsolve::solver
