// One-dimensional polynomials in extended precision: Jacobi polynomials, Gauss and Gauss-Lobatto rules, Lagrange interpolation.
#pragma once

#include <Eigen/Core>

namespace dgsolve::solver {

/// Set-up works in extended precision so that every stored operator is correct to the last bit or two of a double.
using Real = long double;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

struct LineRule {
  RealVector nodes;    ///< [n] ascending in [-1,1]
  RealVector weights;  ///< [n]
};

/// P_n^(alpha,beta)(x), normalised to P_n(1) = binomial(n+alpha, n) (Szego 1939, eq. 4.5.1).
[[nodiscard]] Real jacobi(int n, Real alpha, Real beta, Real x);

/// Gauss rule of n points for the weight (1-x)^alpha: exact to degree 2n-1. alpha = 0 gives nodes that are symmetric to the bit.
[[nodiscard]] LineRule gauss_jacobi(int n, int alpha);

/// Gauss-Lobatto rule of n >= 2 points, exact to degree 2n-3, symmetric to the bit.
[[nodiscard]] LineRule gauss_lobatto(int n);

/// [points][nodes] values of the Lagrange polynomials of `nodes` at `points`; exactly 0 and 1 at the nodes themselves.
[[nodiscard]] RealMatrix lagrange_values(const RealVector& nodes, const RealVector& points);

/// [nodes][nodes] D_im = l_m'(x_i), barycentric form (Berrut & Trefethen 2004, eq. 9.4); rows sum to zero.
[[nodiscard]] RealMatrix lagrange_derivative(const RealVector& nodes);

}  // namespace dgsolve::solver
