// Stable steps: the spectrum of advection scaled into the stability region of a Runge-Kutta method.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "solver/time/advection_spectrum.h"
#include "solver/time/integrator.h"
#include "solver/time/step_limit.h"

namespace dgsolve::solver {
namespace {

using Complex = std::complex<double>;

/// Coefficients, lowest first, of R(z): what a step does to u' = lambda u with z = dt lambda, from the method's own rows.
std::vector<double> stability_polynomial(const Integrator& method) {
  const auto degree = method.stages.size();
  using Polynomial = std::vector<double>;
  std::vector<Polynomial> registers(static_cast<std::size_t>(method.registers), Polynomial(degree + 1, 0.0));
  registers[0][0] = 1;
  for (const Stage& stage : method.stages) {
    const std::vector<Polynomial> old = registers;
    // Register 0 last: it sees the new values of the others.
    for (std::size_t m = 1; m <= registers.size(); ++m) {
      const std::size_t target = m % registers.size();
      const RegisterUpdate& update = stage.updates[target];
      if (!update.active) continue;
      Polynomial sum(degree + 1, 0.0);
      for (std::size_t k = 0; k <= degree; ++k) {
        if (k > 0) sum[k] = update.rate * old[0][k - 1];
        for (std::size_t n = 0; n < registers.size(); ++n) {
          sum[k] += update.coefficients[n] * (target == 0 && n > 0 ? registers[n][k] : old[n][k]);
        }
      }
      registers[target] = std::move(sum);
    }
  }
  return registers[0];
}

/// Corners of a polygon around the upper half of the hull: the extreme points, and between neighbours the corner where the lines that bound
/// the hull in their directions meet.
std::vector<Complex> corners(const SpectrumOutline& outline) {
  const double step = std::numbers::pi / (outline_size - 1);
  std::vector<Complex> polygon{outline[0]};
  for (std::size_t a = 1; a < outline.size(); ++a) {
    if (a > 1) {
      const Complex here = std::polar(1.0, static_cast<double>(a) * step);
      const Complex before = std::polar(1.0, static_cast<double>(a - 1) * step);
      const double extent = std::real(outline[a] * std::conj(here));
      const double extent_before = std::real(outline[a - 1] * std::conj(before));
      polygon.push_back((extent_before * here - extent * before) / Complex{0, std::sin(step)});
    }
    polygon.push_back(outline[a]);
  }
  // The hull is symmetric about the real axis, which it crosses straight below its leftmost point.
  polygon.emplace_back(outline.back().real(), 0.0);
  return polygon;
}

/// How fast jumps decay that are not carried along: a wave slower than the fastest one, whose speed the dissipation of Rusanov's flux has.
/// For a wave at rest dq/dt = -1/2 sum_f |N_f|/J lift_f (trace_f q - q_plus), whose eigenvalues lie between 0 and twice those of one cell
/// without neighbours (jumps of opposite sign on both sides). Unit: the step rate, on the reference cell.
double dissipation_radius(const ReferenceElement& element) {
  double rate = 0;
  for (const auto& direction : rate_directions(element)) rate += std::hypot(direction[0], direction[1], direction[2]);
  if (element.tensor) {  // the line's two ends; several dimensions add up in rate and decay alike
    const Eigen::MatrixXd& ends = element.line.end_values;
    const Eigen::VectorXd scale = element.line.weights.cwiseInverse().cwiseSqrt();
    const Eigen::MatrixXd symmetric = scale.asDiagonal() * (ends.transpose() * ends) * scale.asDiagonal();
    return symmetric.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff() / (rate / element.dimension);
  }
  Eigen::MatrixXd faces = Eigen::MatrixXd::Zero(element.node_count, element.node_count);
  for (int f = 0; f < element.face_count; ++f) {
    const auto& normal = element.face_normals[static_cast<std::size_t>(f)];
    const int first = f * element.face_node_count;
    faces += std::hypot(normal[0], normal[1], normal[2]) * element.lift.middleCols(first, element.face_node_count) *
             element.trace.middleRows(first, element.face_node_count);
  }
  return faces.eigenvalues().real().maxCoeff() / rate;
}

/// Points on the edges of the polygon, and on the lines from its corners to -dissipation: between the wave that moves at full speed and the
/// wave at rest lie all slower ones.
std::vector<Complex> boundary_points(const SpectrumOutline& outline, double dissipation) {
  constexpr int points_per_edge = 6;
  const std::vector<Complex> polygon = corners(outline);
  std::vector<Complex> points;
  for (std::size_t e = 1; e < polygon.size(); ++e) {
    for (int i = 1; i <= points_per_edge; ++i) {
      points.push_back(polygon[e - 1] + (polygon[e] - polygon[e - 1]) * (static_cast<double>(i) / points_per_edge));
      points.push_back(polygon[e - 1] + (-dissipation - polygon[e - 1]) * (static_cast<double>(i) / points_per_edge));
    }
  }
  return points;
}

bool is_stable(const std::vector<double>& polynomial, const std::vector<Complex>& points, double scale) {
  constexpr double tolerance = 1e-10;
  return std::all_of(points.begin(), points.end(), [&](Complex point) {
    const Complex z = scale * point;
    Complex value{0, 0};
    for (std::size_t k = polynomial.size(); k-- > 0;) {
      value = {value.real() * z.real() - value.imag() * z.imag() + polynomial[k], value.real() * z.imag() + value.imag() * z.real()};
    }
    return std::norm(value) <= (1 + tolerance) * (1 + tolerance);
  });
}

}  // namespace

double stable_step_constant(const Integrator& method, const ReferenceElement& element) {
  const std::vector<double> polynomial = stability_polynomial(method);
  const std::vector<Complex> points = boundary_points(advection_spectrum(element), dissipation_radius(element));
  double radius = 0;
  for (const Complex& point : points) radius = std::max(radius, std::abs(point));
  // Upwards from a small step, so that no unstable gap lies below the result; then bisection.
  double stable = 0.05 / radius;
  double unstable = stable;
  while (is_stable(polynomial, points, unstable)) {
    stable = unstable;
    unstable *= 1.02;
  }
  for (int n = 0; n < 40; ++n) {
    const double middle = (stable + unstable) / 2;
    (is_stable(polynomial, points, middle) ? stable : unstable) = middle;
  }
  return stable;
}

namespace {

/// The largest x with |R(-y)| <= 1 for all y up to x.
double real_interval(const std::vector<double>& polynomial) {
  double stable = 0;
  for (double step : {0.1, 1e-4, 1e-7}) {
    while (is_stable(polynomial, {Complex{-(stable + step), 0}}, 1)) stable += step;
  }
  return stable;
}

}  // namespace

double diffusion_share(const Integrator& method, const ReferenceElement& element) {
  const double radius = central_radius(element);
  return stable_step_constant(method, element) * radius * radius / real_interval(stability_polynomial(method));
}

}  // namespace dgsolve::solver
