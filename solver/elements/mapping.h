// The mapping of one curved cell and its metric terms at the nodes of an element.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "solver/elements/polynomials.h"
#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// Values of one cell. Np nodes, Nf faces, Nfp nodes a face, dim space (and reference) dimensions.
struct CurvedCell {
  Eigen::MatrixXd coordinates;          ///< [Np][dim]
  Eigen::MatrixXd metric;               ///< [Np][d * dim + k]: Ja^d_k
  Eigen::VectorXd jacobian;             ///< [Np] det(dx/dxi)
  Eigen::MatrixXd face_normal;          ///< [Nf*Nfp][dim] outward scaled normals N = sum_d nhat_d Ja^d
  Eigen::MatrixXd face_coordinates;     ///< [Nf*Nfp][dim]
  double smallest_jacobian = 0;         ///< over the element's nodes and the nodes that determine the geometry
  std::array<double, 3> smallest_at{};  ///< where that is
};

/// Evaluates cells whose lattice of order g is given, for one element.
///
/// The mapping is interpolated at nodes that determine every face (Gauss-Lobatto or warp-and-blend), of the element's degree p, on Gauss
/// hexahedra of degree p + 1; for g up to that degree it is exact. Metric terms: 1D Ja = 1; 2D Ja^1 = (y_s, -x_s), Ja^2 = (-y_r, x_r); 3D
/// the invariant curl form Ja^i_n = -1/2 e_i . curl I(x_l grad x_m - x_m grad x_l), (n, m, l) cyclic (Kopriva 2006, J. Sci. Comput. 26, eq.
/// 37, doi 10.1007/s10915-005-9070-8). I interpolates at degree p on Lobatto hexahedra, at degree p + 1 on tetrahedra, whose curl then is
/// of degree p (Chan & Wilcox 2019, J. Comput. Phys. 378, sec. 5, doi 10.1016/j.jcp.2018.11.010), and at degree p + 1 on Gauss hexahedra,
/// whose quadrature is exact for it. So the discrete divergence of the terms vanishes to rounding, and normals on a face depend on that
/// face's points alone. Gauss elements evaluate these polynomials at their own nodes and at the points of their faces.
///
/// Works in extended precision: twofold differentiation and the lift would amplify rounding errors by p^4 in the free stream.
class CurvedMapping {
 public:
  CurvedMapping(const ReferenceElement& element, int geometry_order);

  /// `lattice`: [lattice points][dim] of one cell.
  void evaluate(std::span<const double> lattice, CurvedCell& cell);

 private:
  using Fields = RealMatrix;  // [nodes][any number of fields]
  void build_tensor(const ReferenceElement& element, int geometry_order);
  void build_simplex(const ReferenceElement& element, int geometry_order);
  void interpolate(std::span<const double> lattice);
  void apply_lines(const std::array<const RealMatrix*, 3>& lines, const Fields& in, Fields& out);
  void metric_curl();
  void differentiate_argument(int direction);
  void to_element_nodes(const Fields& in, Fields& out);
  void fill_faces(CurvedCell& cell);
  void note_smallest_jacobian(const Fields& x, CurvedCell& cell) const;

  int dimension_ = 0;
  bool tensor_ = false;
  bool gauss_ = false;
  int face_count_ = 0;
  int face_node_count_ = 0;
  std::vector<std::array<double, 3>> face_normals_;
  std::vector<int> face_nodes_;  ///< of the geometry nodes
  // Tensor shapes: matrices of the line factor.
  RealMatrix line_values_;      ///< [G][g+1] lattice to the G = N or N + 1 geometry nodes
  RealMatrix line_slopes_;      ///< [G][g+1] the derivative of the interpolant at the geometry nodes
  RealMatrix line_derivative_;  ///< [G][G] of the geometry nodes
  RealMatrix line_to_gauss_;    ///< [N][G] geometry nodes to Gauss nodes
  // Simplices: [0] values, [1 + d] derivatives, each [nodes][lattice points].
  std::vector<RealMatrix> nodal_;           ///< at the nodes
  std::vector<RealMatrix> raised_;          ///< tetrahedron: at the nodes of degree p + 1
  std::vector<RealMatrix> lower_gradient_;  ///< tetrahedron: derivatives at the nodes of values at the nodes of degree p + 1

  // The cell at work.
  Fields points_;  ///< lattice relative to the centre
  std::array<Real, 3> centre_{};
  Fields x_;                        ///< [geometry nodes][dim]
  std::array<Fields, 3> gradient_;  ///< dx/dxi_d
  Fields high_x_;                   ///< as x_ and gradient_ at the nodes of degree p + 1
  std::array<Fields, 3> high_gradient_;
  Fields metric_;                   ///< [geometry nodes][dim * dim]
  std::array<Fields, 3> argument_;  ///< of the curl: component d of the three n, [nodes][n]
  std::array<Fields, 3> slope_;     ///< its derivatives along one direction
  Fields at_face_, at_nodes_, scratch_a_, scratch_b_;
};

}  // namespace dgsolve::solver
