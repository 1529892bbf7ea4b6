// The orthonormal basis by recurrences on value-and-gradient numbers, and the warp-and-blend construction in barycentric coordinates.
#include "solver/elements/simplex_space.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace dgsolve::solver {
namespace {

/// A value with its gradient: forward differentiation of the recurrences.
struct Jet {
  Real value = 0;
  std::array<Real, 3> slope{};

  friend Jet operator+(const Jet& a, const Jet& b) {
    return {a.value + b.value, {a.slope[0] + b.slope[0], a.slope[1] + b.slope[1], a.slope[2] + b.slope[2]}};
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    Jet product{a.value * b.value, {}};
    for (std::size_t d = 0; d < 3; ++d) product.slope[d] = a.value * b.slope[d] + a.slope[d] * b.value;
    return product;
  }
  friend Jet operator*(Real a, const Jet& b) { return {a * b.value, {a * b.slope[0], a * b.slope[1], a * b.slope[2]}}; }
};

Jet constant(Real value) { return {value, {}}; }

/// t^n P_n^(alpha,0)(x/t) for n = 0..order: polynomials in x and t.
std::vector<Jet> homogeneous_jacobi(int order, Real alpha, const Jet& x, const Jet& t) {
  std::vector<Jet> values{constant(1)};
  if (order >= 1) values.push_back(((alpha + 2) / 2) * x + (alpha / 2) * t);
  const Jet t2 = t * t;
  for (int k = 2; k <= order; ++k) {
    const Real c = 2 * Real(k) + alpha;
    const Real scale = 1 / (2 * Real(k) * (Real(k) + alpha) * (c - 2));
    const Jet linear = (c * (c - 2)) * x + (alpha * alpha) * t;
    values.push_back(((c - 1) * scale) * (linear * values[k - 1]) +
                     (-2 * (Real(k) + alpha - 1) * (Real(k) - 1) * c * scale) * (t2 * values[k - 2]));
  }
  return values;
}

std::vector<Jet> basis_at(int dimension, int order, Real r, Real s, Real t) {
  const Jet jr{r, {1, 0, 0}};
  const Jet js{s, {0, 1, 0}};
  const Jet jt{t, {0, 0, 1}};
  const Jet one = constant(1);
  std::vector<Jet> modes;
  if (dimension == 1) {
    const auto p = homogeneous_jacobi(order, 0, jr, one);
    for (int i = 0; i <= order; ++i) modes.push_back(std::sqrt((2 * Real(i) + 1) / 2) * p[i]);
    return modes;
  }
  if (dimension == 2) {
    const auto pi = homogeneous_jacobi(order, 0, jr + Real(0.5L) * (one + js), Real(0.5L) * (one + Real(-1) * js));
    for (int i = 0; i <= order; ++i) {
      const auto pj = homogeneous_jacobi(order - i, 2 * Real(i) + 1, js, one);
      for (int j = 0; i + j <= order; ++j) {
        const Real norm = std::sqrt((2 * Real(i) + 1) * (Real(i) + Real(j) + 1) / 2);
        modes.push_back(norm * (pi[i] * pj[j]));
      }
    }
    return modes;
  }
  const auto pi = homogeneous_jacobi(order, 0, one + jr + Real(0.5L) * (js + jt), Real(-0.5L) * (js + jt));
  for (int i = 0; i <= order; ++i) {
    const auto pj = homogeneous_jacobi(order - i, 2 * Real(i) + 1, js + Real(0.5L) * (one + jt), Real(0.5L) * (one + Real(-1) * jt));
    for (int j = 0; i + j <= order; ++j) {
      const auto pk = homogeneous_jacobi(order - i - j, 2 * Real(i + j) + 2, jt, one);
      for (int k = 0; i + j + k <= order; ++k) {
        const Real norm = std::sqrt((2 * Real(i) + 1) * (Real(i + j) + 1) * (2 * Real(i + j + k) + 3) / 4);
        modes.push_back(norm * (pi[i] * pj[j] * pk[k]));
      }
    }
  }
  return modes;
}

std::vector<Jet> basis_at(int dimension, int order, const RealMatrix& points, Eigen::Index row) {
  return basis_at(dimension, order, points(row, 0), dimension > 1 ? points(row, 1) : Real{0}, dimension > 2 ? points(row, 2) : Real{0});
}

/// Blending parameters optimised for the triangle, orders 0..15 (Warburton 2006).
constexpr std::array<Real, 16> blend_parameters{0,       0,       0,       1.4152L, 0.1001L, 0.2751L, 0.9800L, 1.0999L,
                                                1.2832L, 1.3648L, 1.4773L, 1.4959L, 1.5743L, 1.5770L, 1.6223L, 1.6258L};

/// The 1D displacement from equispaced to Gauss-Lobatto points, divided by 1 - x^2.
class EdgeWarp {
 public:
  explicit EdgeWarp(int order) : equispaced_(order + 1), lobatto_(gauss_lobatto(order + 1).nodes) {
    for (int i = 0; i <= order; ++i) equispaced_(i) = Real(-1) + 2 * Real(i) / Real(order);
  }
  [[nodiscard]] Real lobatto(int i) const { return (1 + lobatto_(i)) / 2; }
  [[nodiscard]] Real operator()(Real x) const {
    const RealVector point = RealVector::Constant(1, x);
    return (lagrange_values(equispaced_, point) * (lobatto_ - equispaced_)).value() / (1 - x * x);
  }

 private:
  RealVector equispaced_;
  RealVector lobatto_;
};

using Barycentric = std::vector<Real>;

/// Adds the warp of the face of vertices v (barycentrics there as given, not renormalised) to `shift`.
void add_face_warp(const EdgeWarp& warp, Real alpha, const Barycentric& b, const std::array<std::size_t, 3>& v, Real factor,
                   Barycentric& shift) {
  for (std::size_t e = 0; e < 3; ++e) {
    const std::size_t from = v[(e + 1) % 3];
    const std::size_t to = v[(e + 2) % 3];
    const Real stretch = 1 + alpha * alpha * b[v[e]] * b[v[e]];
    const Real move = factor * 2 * b[from] * b[to] * stretch * warp(b[to] - b[from]);
    shift[to] += move;
    shift[from] -= move;
  }
}

/// The node of a multi-index with all entries positive, sorted descending: interior of a vertex, edge, triangle or tetrahedron.
Barycentric interior_node(const EdgeWarp& warp, int order, const std::vector<int>& index) {
  if (index.size() == 1) return {1};
  if (index.size() == 2) return {warp.lobatto(index[0]), warp.lobatto(index[1])};
  const Real alpha = blend_parameters[order];
  Barycentric b;
  for (const int i : index) b.push_back(Real(i) / Real(order));
  Barycentric shift(b.size(), 0);
  if (index.size() == 3) {
    add_face_warp(warp, alpha, b, {0, 1, 2}, 1, shift);
  } else {
    for (std::size_t apex = 0; apex < 4; ++apex) {
      const std::array<std::size_t, 3> v{(apex + 1) % 4, (apex + 2) % 4, (apex + 3) % 4};
      Real blend = 1 + alpha * alpha * b[apex] * b[apex];
      for (const std::size_t i : v) blend *= b[i] / (b[i] + b[apex] / 2);
      add_face_warp(warp, alpha, b, v, blend, shift);
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += shift[i];
  // Equal indices mean equal coordinates: remove what rounding makes of it.
  for (std::size_t i = 0; i < b.size();) {
    std::size_t end = i;
    Real sum = 0;
    while (end < b.size() && index[end] == index[i]) sum += b[end++];
    for (std::size_t j = i; j < end; ++j) b[j] = sum / Real(end - i);
    i = end;
  }
  return b;
}

/// Barycentric coordinates of the node of a multi-index that sums to the order.
Barycentric barycentric_node(const EdgeWarp& warp, int order, const std::vector<int>& index) {
  std::vector<std::size_t> rank(index.size());
  std::iota(rank.begin(), rank.end(), std::size_t{0});
  std::stable_sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return index[a] > index[b]; });
  std::vector<int> positive;
  for (const std::size_t r : rank) {
    if (index[r] > 0) positive.push_back(index[r]);
  }
  const Barycentric sorted = interior_node(warp, order, positive);
  Barycentric b(index.size(), 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) b[rank[i]] = sorted[i];
  return b;
}

}  // namespace

int simplex_size(int dimension, int order) {
  int size = 1;
  for (int d = 1; d <= dimension; ++d) size = size * (order + d) / d;
  return size;
}

RealMatrix simplex_values(int dimension, int order, const RealMatrix& points) {
  RealMatrix values(points.rows(), simplex_size(dimension, order));
  for (Eigen::Index row = 0; row < points.rows(); ++row) {
    const auto modes = basis_at(dimension, order, points, row);
    for (Eigen::Index m = 0; m < values.cols(); ++m) values(row, m) = modes[static_cast<std::size_t>(m)].value;
  }
  return values;
}

std::vector<RealMatrix> simplex_gradients(int dimension, int order, const RealMatrix& points) {
  std::vector<RealMatrix> gradients(static_cast<std::size_t>(dimension), RealMatrix(points.rows(), simplex_size(dimension, order)));
  for (Eigen::Index row = 0; row < points.rows(); ++row) {
    const auto modes = basis_at(dimension, order, points, row);
    for (std::size_t d = 0; d < gradients.size(); ++d) {
      for (Eigen::Index m = 0; m < gradients[d].cols(); ++m) gradients[d](row, m) = modes[static_cast<std::size_t>(m)].slope[d];
    }
  }
  return gradients;
}

RealMatrix simplex_nodes(int dimension, int order) {
  assert(dimension >= 1 && dimension <= 3 && order >= 1 && order < static_cast<int>(blend_parameters.size()));
  const EdgeWarp warp(order);
  RealMatrix nodes(simplex_size(dimension, order), dimension);
  Eigen::Index row = 0;
  for (int k = 0; k <= (dimension > 2 ? order : 0); ++k) {
    for (int j = 0; j <= (dimension > 1 ? order - k : 0); ++j) {
      for (int i = 0; i <= order - j - k; ++i) {
        std::vector<int> index{order - i - j - k, i, j, k};
        index.resize(static_cast<std::size_t>(dimension) + 1);
        const Barycentric b = barycentric_node(warp, order, index);
        for (int d = 0; d < dimension; ++d) nodes(row, d) = 2 * b[static_cast<std::size_t>(d) + 1] - 1;
        ++row;
      }
    }
  }
  return nodes;
}

}  // namespace dgsolve::solver
