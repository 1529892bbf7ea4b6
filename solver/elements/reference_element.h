// Reference elements: nodes, quadrature, and the operators of the nodal discontinuous Galerkin method on one shape and order.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "mesh/shape.h"
#include "solver/problem.h"

namespace dgsolve::solver {

/// The one-dimensional factor of a tensor shape, N = order + 1 nodes.
struct LineBasis {
  Eigen::VectorXd nodes;            ///< [N] ascending in [-1,1]
  Eigen::VectorXd weights;          ///< [N] quadrature, sum 2
  Eigen::MatrixXd derivative;       ///< [N][N] D_im = l_m'(x_i)
  Eigen::MatrixXd weak_derivative;  ///< [N][N] Dhat_im = D_mi w_m / w_i
  Eigen::MatrixXd end_values;       ///< [2][N] l_m(-1), l_m(+1)
};

/// All operators act on nodal values in the node order of docs/architecture.md. Np nodes, Nf faces, Nfp nodes a face.
/// Tensor elements of more than 125 nodes (hexahedra above order 4) leave the dense mass, derivative, weak_derivative, trace and lift
/// empty: their operators are products of those of `line`. The quadrature of simplices is that of the exact mass matrix; its weights may be
/// 0 or negative at single nodes.
struct ReferenceElement {
  mesh::Shape shape{};
  int order = 0;
  NodeFamily family = NodeFamily::lobatto;
  int dimension = 0;
  int node_count = 0;       ///< Np
  int face_count = 0;       ///< Nf
  int face_node_count = 0;  ///< Nfp (1 on a line)
  bool tensor = false;
  bool nodes_on_faces = true;                       ///< false for Gauss nodes: traces are interpolated
  Eigen::MatrixXd nodes;                            ///< [Np][dimension]
  Eigen::VectorXd weights;                          ///< [Np] 1^T M: quadrature weights of the scheme (sum = measure of the reference cell)
  Eigen::MatrixXd mass;                             ///< [Np][Np] (tensor: diagonal, the collocated one)
  std::vector<Eigen::MatrixXd> derivative;          ///< [dimension] of [Np][Np]
  std::vector<Eigen::MatrixXd> weak_derivative;     ///< [dimension] of M^-1 D^T M
  Eigen::MatrixXd trace;                            ///< [Nf*Nfp][Np] values at face nodes (a selection if nodes_on_faces)
  Eigen::MatrixXd lift;                             ///< [Np][Nf*Nfp] M^-1 trace^T M_face, face measure of the (a, b) parameter domain
  Eigen::VectorXd face_weights;                     ///< [Nfp] quadrature weights of the face nodes on the parameter domain
  std::vector<int> face_nodes;                      ///< [Nf][Nfp] volume node of each face node; empty if not nodes_on_faces
  Eigen::MatrixXd face_points;                      ///< [Nf*Nfp][dimension] reference coordinates of the face nodes
  std::vector<std::array<double, 3>> face_normals;  ///< [Nf] scaled reference normals
  /// [orientation][Nfp]: the other side's face node at this side's face node m (orientation from this side to the other).
  std::vector<std::vector<int>> face_permutation;
  LineBasis line;  ///< tensor shapes only
  /// Over-integrated elements: [Np][Np] orthogonal projection on the polynomials of lower degree; empty: none.
  Eigen::MatrixXd projection;

  /// Whether a stage multiplies with dense matrices (simplices, over-integrated elements) or with those of `line` along each direction.
  [[nodiscard]] bool dense() const { return !tensor || projection.size() > 0; }

  /// Values of the nodal basis at any reference points [n][dimension]: matrix [n][Np].
  [[nodiscard]] Eigen::MatrixXd interpolation_to(const Eigen::MatrixXd& points) const;
};

/// The element with the dense operators that large tensor elements leave out.
[[nodiscard]] ReferenceElement with_dense_operators(ReferenceElement element);

/// An element for solutions of degree `degree` (tensor shapes: in each direction) below the order of its nodes: `weak_derivative` and
/// `lift` are dense and end with the L2 projection on that degree, so fluxes are evaluated at more nodes than the solution needs and what
/// they alias above `degree` is dropped (over-integration, Kirby and Karniadakis 2003, doi:10.1016/S0021-9991(03)00314-0). Integrals are
/// kept: the projection does not change means. Gauss nodes, and degrees that are not below the order (simplices: up to it), throw
/// std::invalid_argument.
[[nodiscard]] ReferenceElement over_integrated(ReferenceElement element, int degree);

/// Quadrature on a reference cell.
struct Quadrature {
  Eigen::MatrixXd points;   ///< [n][dimension]
  Eigen::VectorXd weights;  ///< [n]
};

/// Orders 1-10 on tensor shapes, 1-8 on simplices; anything else throws std::invalid_argument naming what is allowed.
[[nodiscard]] ReferenceElement make_reference_element(mesh::Shape shape, int order, NodeFamily family);

/// Exact for polynomials of total (simplex) or coordinate-wise (tensor) degree `degree`.
[[nodiscard]] Quadrature make_quadrature(mesh::Shape shape, int degree);

}  // namespace dgsolve::solver
