// Polynomials of total degree p on the reference simplex: an orthonormal basis and warp-and-blend interpolation nodes.
#pragma once

#include <vector>

#include "solver/elements/polynomials.h"

namespace dgsolve::solver {

/// Dimension of the space, binomial(p + dimension, dimension).
[[nodiscard]] int simplex_size(int dimension, int order);

/// Values [n][modes] of the orthonormal basis (Proriol 1957, Koornwinder 1975, Dubiner 1991; Hesthaven & Warburton 2008, sec. 6.1 and 10.1)
/// at points [n][dimension] of the reference simplex of dimension 1, 2 or 3. Evaluated by homogeneous recurrences, regular at the collapsed
/// vertices.
[[nodiscard]] RealMatrix simplex_values(int dimension, int order, const RealMatrix& points);

/// [dimension] of [n][modes]: the derivatives of the basis.
[[nodiscard]] std::vector<RealMatrix> simplex_gradients(int dimension, int order, const RealMatrix& points);

/// Warp-and-blend nodes (Warburton 2006, J. Eng. Math. 56, 247-262; Hesthaven & Warburton 2008, sec. 6.1, 10.1) [size][dimension],
/// lexicographic. The tetrahedron uses the triangle's blending parameters, so its faces carry exactly the triangle's nodes; edges carry
/// Gauss-Lobatto nodes. The set is invariant to the bit under all permutations of the barycentric coordinates.
[[nodiscard]] RealMatrix simplex_nodes(int dimension, int order);

}  // namespace dgsolve::solver
