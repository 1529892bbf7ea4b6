// The mapping of one curved cell and its metric terms at the nodes of an element.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// Values of one cell. Np nodes, Nf faces, Nfp nodes a face, dim space (and reference) dimensions.
struct CurvedCell {
  Eigen::MatrixXd coordinates;       ///< [Np][dim]
  Eigen::MatrixXd metric;            ///< [Np][d * dim + k]: Ja^d_k
  Eigen::VectorXd jacobian;          ///< [Np] det(dx/dxi)
  Eigen::MatrixXd face_normal;       ///< [Nf*Nfp][dim] outward scaled normals N = sum_d nhat_d Ja^d
  Eigen::MatrixXd face_coordinates;  ///< [Nf*Nfp][dim]
  double smallest_jacobian = 0;      ///< over the element's nodes and the nodes that determine the geometry
  Eigen::VectorXd smallest_at;       ///< [dim] where that is
};

/// Evaluates cells whose lattice of order g is given, for one element.
///
/// The mapping is interpolated at nodes of the element's degree that determine every face (Gauss-Lobatto or warp-and-blend); for g <= p
/// that is exact. Metric terms: 1D Ja = 1; 2D Ja^1 = (y_s, -x_s), Ja^2 = (-y_r, x_r); 3D the invariant curl form Ja^i_n = -1/2 e_i . curl
/// I(x_l grad x_m - x_m grad x_l), (n, m, l) cyclic (Kopriva 2006, J. Sci. Comput. 26, eq. 37, doi 10.1007/s10915-005-9070-8), where I
/// interpolates at degree p on hexahedra, and at degree p + 1 on tetrahedra so that the curl is of degree p (Chan & Wilcox 2019, J. Comput.
/// Phys. 378, sec. 5, doi 10.1016/j.jcp.2018.11.010). So sum_d D_d Ja^d = 0 to rounding, and normals on a face depend on that face's points
/// alone. Gauss elements evaluate these polynomials at their own nodes.
class CurvedMapping {
 public:
  CurvedMapping(const ReferenceElement& element, int geometry_order);

  /// `lattice`: [lattice points][dim] of one cell.
  void evaluate(std::span<const double> lattice, CurvedCell& cell) const;

 private:
  using Columns = Eigen::MatrixXd;  // [nodes][any number of fields]
  void build_simplex(const ReferenceElement& element, int geometry_order);
  /// The interpolated mapping (derivative < 0) or one of its derivatives at the geometry nodes, straight from the lattice.
  [[nodiscard]] Columns from_lattice(const Columns& points, int derivative) const;
  [[nodiscard]] Columns to_element_nodes(const Columns& fields) const;
  [[nodiscard]] Columns to_face_nodes(int face, const Columns& fields) const;
  [[nodiscard]] Columns metric_curl(const Columns& points, const Columns& x, const std::vector<Columns>& gradient) const;
  void smallest_jacobian(const Columns& x, const Eigen::VectorXd& jacobian, CurvedCell& cell) const;

  int dimension_ = 0;
  bool tensor_ = false;
  int face_count_ = 0;
  int face_node_count_ = 0;
  std::vector<std::array<double, 3>> face_normals_;
  std::vector<int> face_nodes_;  ///< of the geometry nodes
  // Tensor shapes: matrices of the line factor.
  Eigen::MatrixXd line_values_;      ///< [N][g+1] lattice to geometry nodes
  Eigen::MatrixXd line_slopes_;      ///< [N][g+1] the derivative of the interpolant at the geometry nodes
  Eigen::MatrixXd line_derivative_;  ///< [N][N] of the geometry nodes
  Eigen::MatrixXd line_to_gauss_;    ///< [N][N] empty unless the element has Gauss nodes
  // Simplices: [0] values, [1 + d] derivatives, each [nodes][lattice points].
  std::vector<Eigen::MatrixXd> nodal_;           ///< at the nodes
  std::vector<Eigen::MatrixXd> raised_;          ///< tetrahedron: at the nodes of degree p + 1
  std::vector<Eigen::MatrixXd> lower_gradient_;  ///< tetrahedron: derivatives at the nodes of values at the nodes of degree p + 1
};

}  // namespace dgsolve::solver
