// Newton iterations for quadrature nodes and the barycentric formulas behind polynomials.h.
#include "solver/elements/polynomials.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace dgsolve::solver {
namespace {

Real jacobi_derivative(int n, Real alpha, Real beta, Real x) {
  return n == 0 ? Real{0} : (Real(n) + alpha + beta + 1) / 2 * jacobi(n - 1, alpha + 1, beta + 1, x);
}

/// Roots of P_n^(alpha,beta), ascending: Newton with deflation (Karniadakis & Sherwin 2005, app. B.2).
RealVector jacobi_roots(int n, Real alpha, Real beta) {
  RealVector roots(n);
  for (int k = 0; k < n; ++k) {
    Real x = -std::cos((2 * Real(k) + 1) * std::numbers::pi_v<Real> / (2 * Real(n)));
    if (k > 0) x = (x + roots(k - 1)) / 2;
    for (int iteration = 0; iteration < 100; ++iteration) {
      Real deflation = 0;
      for (int i = 0; i < k; ++i) deflation += 1 / (x - roots(i));
      const Real value = jacobi(n, alpha, beta, x);
      const Real step = value / (jacobi_derivative(n, alpha, beta, x) - deflation * value);
      x -= step;
      if (std::abs(step) < 1e-19L) break;
    }
    roots(k) = x;
  }
  return roots;
}

void symmetrise(RealVector& nodes) {
  const Eigen::Index n = nodes.size();
  for (Eigen::Index i = 0; i < n / 2; ++i) {
    const Real x = (nodes(n - 1 - i) - nodes(i)) / 2;
    nodes(i) = -x;
    nodes(n - 1 - i) = x;
  }
  if (n % 2 == 1) nodes(n / 2) = 0;
}

}  // namespace

Real jacobi(int n, Real alpha, Real beta, Real x) {
  if (n == 0) return 1;
  Real before = 1;
  Real value = (alpha + 1) + (alpha + beta + 2) * (x - 1) / 2;
  for (int k = 2; k <= n; ++k) {
    const Real c = 2 * Real(k) + alpha + beta;
    const Real next = ((c - 1) * (c * (c - 2) * x + alpha * alpha - beta * beta) * value -
                       2 * (Real(k) + alpha - 1) * (Real(k) + beta - 1) * c * before) /
                      (2 * Real(k) * (Real(k) + alpha + beta) * (c - 2));
    before = value;
    value = next;
  }
  return value;
}

LineRule gauss_jacobi(int n, int alpha) {
  assert(n >= 1 && alpha >= 0);
  LineRule rule;
  rule.nodes = jacobi_roots(n, Real(alpha), 0);
  if (alpha == 0) symmetrise(rule.nodes);
  rule.weights.resize(n);
  for (int i = 0; i < n; ++i) {
    const Real x = rule.nodes(i);
    const Real slope = jacobi_derivative(n, Real(alpha), 0, x);
    rule.weights(i) = std::ldexp(Real{1}, alpha + 1) / ((1 - x * x) * slope * slope);
  }
  if (alpha == 0) {
    for (int i = 0; i < n / 2; ++i) rule.weights(n - 1 - i) = rule.weights(i);
  }
  return rule;
}

LineRule gauss_lobatto(int n) {
  assert(n >= 2);
  LineRule rule;
  rule.nodes.resize(n);
  rule.nodes(0) = -1;
  rule.nodes(n - 1) = 1;
  if (n > 2) rule.nodes.segment(1, n - 2) = jacobi_roots(n - 2, 1, 1);
  symmetrise(rule.nodes);
  rule.weights.resize(n);
  for (int i = 0; i < n; ++i) {
    const Real value = jacobi(n - 1, 0, 0, rule.nodes(i));
    rule.weights(i) = 2 / (Real(n) * Real(n - 1) * value * value);
  }
  for (int i = 0; i < n / 2; ++i) rule.weights(n - 1 - i) = rule.weights(i);
  return rule;
}

RealMatrix lagrange_values(const RealVector& nodes, const RealVector& points) {
  const Eigen::Index n = nodes.size();
  RealMatrix values(points.size(), n);
  for (Eigen::Index p = 0; p < points.size(); ++p) {
    for (Eigen::Index m = 0; m < n; ++m) {
      Real value = 1;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (i != m) value *= (points(p) - nodes(i)) / (nodes(m) - nodes(i));
      }
      values(p, m) = value;
    }
  }
  return values;
}

RealMatrix lagrange_derivative(const RealVector& nodes) {
  const Eigen::Index n = nodes.size();
  RealVector inverse_weight(n);  // prod_{i != m} (x_m - x_i)
  for (Eigen::Index m = 0; m < n; ++m) {
    inverse_weight(m) = 1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i != m) inverse_weight(m) *= nodes(m) - nodes(i);
    }
  }
  RealMatrix derivative(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    derivative(i, i) = 0;
    Real diagonal = 0;
    for (Eigen::Index m = 0; m < n; ++m) {
      if (m == i) continue;
      derivative(i, m) = inverse_weight(i) / inverse_weight(m) / (nodes(i) - nodes(m));
      diagonal -= derivative(i, m);
    }
    derivative(i, i) = diagonal;
  }
  return derivative;
}

}  // namespace dgsolve::solver
