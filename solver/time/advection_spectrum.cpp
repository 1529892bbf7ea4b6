// Bloch operators of upwind advection on uniform meshes, and the outline of their eigenvalues.
#include "solver/time/advection_spectrum.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "solver/time/step_limit.h"

namespace dgsolve::solver {
namespace {

using Complex = std::complex<double>;
using Vector = Eigen::Vector3d;

/// What a cell meets across one face: the cell of the pattern, how many periods away, and the volume nodes behind its own face nodes.
struct Neighbour {
  int cell = -1;
  Vector shift = Vector::Zero();
  Eigen::MatrixXd trace;  ///< [Nfp][Np] of the neighbour, in this side's node order
};

/// A unit cell of a periodic mesh cut into cells of the element's shape.
struct Pattern {
  std::vector<Eigen::MatrixXd> to_space;           ///< [cell] columns dx/dxi_d, [3][dim]
  std::vector<Vector> origin;                      ///< [cell] image of xi = 0
  std::vector<Eigen::MatrixXd> gradient;           ///< [cell] rows grad xi^d, [dim][3]
  std::vector<std::vector<Neighbour>> neighbours;  ///< [cell][face]
};

/// Vertices of the cells of the unit line, square or cube.
std::vector<std::vector<Vector>> pattern_vertices(int dimension) {
  if (dimension == 1) return {{{0, 0, 0}, {1, 0, 0}}};
  if (dimension == 2) return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{1, 1, 0}, {0, 1, 0}, {1, 0, 0}}};
  std::vector<std::vector<Vector>> cells;
  std::array<int, 3> axes{0, 1, 2};
  do {
    std::vector<Vector> path{Vector::Zero()};
    for (const int axis : axes) path.emplace_back(path.back() + Vector::Unit(axis));
    const Vector volume = (path[1] - path[0]).cross(path[2] - path[0]);
    if (volume.dot(path[3] - path[0]) < 0) std::swap(path[1], path[2]);
    cells.push_back(path);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return cells;
}

Eigen::MatrixXd physical_face_points(const Pattern& pattern, const ReferenceElement& element, std::size_t cell, int face) {
  const Eigen::MatrixXd points = element.face_points.middleRows(face * element.face_node_count, element.face_node_count);
  return (points * pattern.to_space[cell].transpose()).rowwise() + pattern.origin[cell].transpose();
}

Neighbour find_neighbour(const Pattern& pattern, const ReferenceElement& element, std::size_t cell, int face) {
  const int nfp = element.face_node_count;
  const Eigen::MatrixXd here = physical_face_points(pattern, element, cell, face);
  for (std::size_t other = 0; other < pattern.to_space.size(); ++other) {
    for (int there = 0; there < element.face_count; ++there) {
      if (other == cell && there == face) continue;
      const Eigen::MatrixXd points = physical_face_points(pattern, element, other, there);
      const Vector shift = here.colwise().mean() - points.colwise().mean();
      const Vector whole = shift.array().round();
      if ((shift - whole).norm() > 1e-9) continue;
      Neighbour found{static_cast<int>(other), whole, Eigen::MatrixXd(nfp, element.node_count)};
      int matched = 0;
      for (int m = 0; m < nfp; ++m) {
        Eigen::Index node = 0;
        if ((points.rowwise() + (whole.transpose() - here.row(m))).rowwise().norm().minCoeff(&node) > 1e-9) break;
        found.trace.row(m) = element.trace.row(there * nfp + node);
        ++matched;
      }
      if (matched == nfp) return found;
    }
  }
  assert(!"every face of a periodic pattern has a neighbour");
  return {};
}

Pattern make_pattern(const ReferenceElement& element) {
  Pattern pattern;
  const int dimension = element.dimension;
  for (const auto& vertices : pattern_vertices(dimension)) {
    Eigen::MatrixXd edges(3, dimension);
    Vector origin = vertices[0];
    for (int d = 0; d < dimension; ++d) {
      edges.col(d) = (vertices[static_cast<std::size_t>(d) + 1] - vertices[0]) / 2;
      origin += edges.col(d);
    }
    pattern.to_space.push_back(edges);
    pattern.origin.push_back(origin);
    Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(dimension, 3);
    gradient.leftCols(dimension) = edges.topRows(dimension).inverse();
    pattern.gradient.push_back(gradient);
  }
  for (std::size_t cell = 0; cell < pattern.to_space.size(); ++cell) {
    pattern.neighbours.emplace_back();
    for (int f = 0; f < element.face_count; ++f) pattern.neighbours[cell].push_back(find_neighbour(pattern, element, cell, f));
  }
  return pattern;
}

/// a.N_f / J of every face of a cell.
Eigen::VectorXd face_speeds(const Pattern& pattern, const ReferenceElement& element, std::size_t cell, const Vector& velocity) {
  const Eigen::VectorXd contravariant = pattern.gradient[cell] * velocity;
  Eigen::VectorXd speeds = Eigen::VectorXd::Zero(element.face_count);
  for (int f = 0; f < element.face_count; ++f) {
    for (int d = 0; d < element.dimension; ++d) {
      speeds(f) += element.face_normals[static_cast<std::size_t>(f)][static_cast<std::size_t>(d)] * contravariant(d);
    }
  }
  return speeds;
}

/// What the step-limit kernel finds in a cell.
double step_rate(const Pattern& pattern, const ReferenceElement& element, std::size_t cell, const Vector& velocity) {
  const Eigen::VectorXd contravariant = pattern.gradient[cell] * velocity;
  double rate = 0;
  for (const auto& direction : rate_directions(element)) {
    double speed = 0;
    for (int d = 0; d < element.dimension; ++d) speed += direction[static_cast<std::size_t>(d)] * contravariant(d);
    rate += std::abs(speed);
  }
  return rate;
}

enum class FaceFlux { upwind, central };

/// dq/dt = L q for waves with phase exp(i theta) per period: L [cells*Np][cells*Np].
Eigen::MatrixXcd bloch_operator(const Pattern& pattern, const ReferenceElement& element, const Vector& velocity, const Vector& theta,
                                FaceFlux flux = FaceFlux::upwind) {
  const int np = element.node_count;
  const int nfp = element.face_node_count;
  const auto cells = static_cast<int>(pattern.to_space.size());
  Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Zero(cells * np, cells * np);
  for (int cell = 0; cell < cells; ++cell) {
    const auto c = static_cast<std::size_t>(cell);
    const Eigen::VectorXd contravariant = pattern.gradient[c] * velocity;
    const Eigen::VectorXd speeds = face_speeds(pattern, element, c, velocity);
    auto own = matrix.block(cell * np, cell * np, np, np);
    for (int d = 0; d < element.dimension; ++d) own += contravariant(d) * element.weak_derivative[static_cast<std::size_t>(d)];
    for (int f = 0; f < element.face_count; ++f) {
      const auto lift = element.lift.middleCols(f * nfp, nfp);
      const Neighbour& other = pattern.neighbours[c][static_cast<std::size_t>(f)];
      const double of_own = flux == FaceFlux::central ? 0.5 : speeds(f) > 0 ? 1 : 0;
      if (speeds(f) == 0) continue;
      if (of_own > 0) own -= (of_own * speeds(f)) * lift * element.trace.middleRows(f * nfp, nfp);
      if (of_own == 1) continue;
      const Complex phase = std::polar(1.0, theta.dot(other.shift));
      matrix.block(cell * np, other.cell * np, np, np) -= ((1 - of_own) * speeds(f) * phase) * (lift * other.trace);
    }
  }
  return matrix;
}

/// Keeps the extreme points of the sets it is shown.
class Outline {
 public:
  void add(const Eigen::VectorXcd& values) {
    for (const Complex& value : values) {
      const Complex upper{value.real(), std::abs(value.imag())};
      for (std::size_t a = 1; a < points_.size(); ++a) {  // the first stays 0
        const double angle = std::numbers::pi * static_cast<double>(a) / (outline_size - 1);
        const Complex direction = std::polar(1.0, angle);
        const auto extent = [&](const Complex& z) { return z.real() * direction.real() + z.imag() * direction.imag(); };
        if (extent(upper) > extent(points_[a])) points_[a] = upper;
      }
    }
  }
  [[nodiscard]] const SpectrumOutline& points() const { return points_; }

 private:
  SpectrumOutline points_ = SpectrumOutline(outline_size, Complex{0, 0});
};

/// Directions up to sign: the mesh has a centre of symmetry.
std::vector<Vector> velocity_directions(int dimension, int rings) {
  if (dimension == 1 || rings == 0) return {Vector::UnitX()};
  std::vector<Vector> directions;
  if (dimension == 2) {
    for (int n = 0; n < 2 * rings; ++n) {
      const double angle = std::numbers::pi * n / (2 * rings);
      directions.emplace_back(std::cos(angle), std::sin(angle), 0);
    }
    return directions;
  }
  for (int x = -rings; x <= rings; ++x) {
    for (int y = -rings; y <= rings; ++y) {
      for (int z = 0; z <= rings; ++z) {
        if (std::max({std::abs(x), std::abs(y), z}) == rings) directions.emplace_back(x, y, z);
      }
    }
  }
  return directions;
}

/// Eigenvalues of every set of cells that the flow connects.
void add_spectrum(const Pattern& pattern, const ReferenceElement& element, const Vector& velocity, const Vector& theta, Outline& outline) {
  const int np = element.node_count;
  const Eigen::MatrixXcd matrix = bloch_operator(pattern, element, velocity, theta);
  const auto cells = static_cast<int>(pattern.to_space.size());
  std::vector<int> set(static_cast<std::size_t>(cells));
  std::iota(set.begin(), set.end(), 0);
  for (int cell = 0; cell < cells; ++cell) {
    const Eigen::VectorXd speeds = face_speeds(pattern, element, static_cast<std::size_t>(cell), velocity);
    for (int f = 0; f < element.face_count; ++f) {
      if (std::abs(speeds(f)) < 1e-12) continue;
      const int other = pattern.neighbours[static_cast<std::size_t>(cell)][static_cast<std::size_t>(f)].cell;
      const int from = set[static_cast<std::size_t>(other)];
      std::replace(set.begin(), set.end(), from, set[static_cast<std::size_t>(cell)]);
    }
  }
  for (int representative = 0; representative < cells; ++representative) {
    std::vector<int> rows;
    for (int cell = 0; cell < cells; ++cell) {
      for (int i = 0; set[static_cast<std::size_t>(cell)] == representative && i < np; ++i) rows.push_back(cell * np + i);
    }
    if (rows.empty()) continue;
    const Eigen::MatrixXcd block = matrix(rows, rows);
    outline.add(Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(block, false).eigenvalues());
  }
}

}  // namespace

namespace {

/// The largest absolute eigenvalue of a real matrix whose eigenvalues are imaginary, by the growth of L^2 on a vector.
double imaginary_radius(const Eigen::MatrixXd& matrix) {
  constexpr int warm_up = 60, rounds = 120;
  Eigen::VectorXd vector(matrix.rows());
  for (Eigen::Index i = 0; i < vector.size(); ++i) vector(i) = std::sin(1.0 + 2.3 * static_cast<double>(i));
  double growth = 0;
  for (int round = 0; round < rounds; ++round) {
    vector = (matrix * (matrix * vector)).eval();
    const double norm = vector.norm();
    if (norm == 0) return 0;
    vector /= norm;
    if (round >= warm_up) growth = std::max(growth, norm);
  }
  return std::sqrt(growth);
}

}  // namespace

double central_radius(const ReferenceElement& element) {
  if (element.tensor && element.dimension > 1) {
    return central_radius(make_reference_element(mesh::Shape::line, element.order, element.family));
  }
  const Pattern pattern = make_pattern(element);
  double radius = 0;
  for (int axis = 0; axis < element.dimension; ++axis) {
    Vector velocity = Vector::Unit(axis);
    double rate = 0;
    for (std::size_t cell = 0; cell < pattern.to_space.size(); ++cell) {
      rate = std::max(rate, step_rate(pattern, element, cell, velocity));
    }
    velocity /= rate;
    if (element.dimension == 1) {
      constexpr int waves = 32;
      for (int i = 0; i <= waves / 2; ++i) {
        const Eigen::MatrixXcd matrix =
            bloch_operator(pattern, element, velocity, Vector::UnitX() * (2 * std::numbers::pi * i / waves), FaceFlux::central);
        const auto values = Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(matrix, false).eigenvalues();
        radius = std::max(radius, values.cwiseAbs().maxCoeff());
      }
      continue;
    }
    for (int corner = 0; corner < 1 << element.dimension; ++corner) {
      Vector theta = Vector::Zero();
      for (int d = 0; d < element.dimension; ++d) theta(d) = (corner >> d & 1) * std::numbers::pi;
      radius = std::max(radius, imaginary_radius(bloch_operator(pattern, element, velocity, theta, FaceFlux::central).real()));
    }
  }
  return element.dimension == 1 ? radius : 1.02 * radius;
}

SpectrumOutline sample_spectrum(const ReferenceElement& element, const SpectrumSampling& sampling) {
  if (element.tensor && element.dimension > 1) {
    return sample_spectrum(make_reference_element(mesh::Shape::line, element.order, element.family), sampling);
  }
  const Pattern pattern = make_pattern(element);
  const int n = sampling.wave_numbers;
  const bool all = sampling.directions > 0;
  Outline outline;
  for (Vector velocity : velocity_directions(element.dimension, sampling.directions)) {
    double rate = 0;
    for (std::size_t cell = 0; cell < pattern.to_space.size(); ++cell) {
      rate = std::max(rate, step_rate(pattern, element, cell, velocity));
    }
    velocity /= rate;
    // Opposite wave numbers have conjugate spectra: half of the first direction is enough.
    for (int i = 0; i <= n / 2; ++i) {
      for (int j = 0; j < (all && element.dimension > 1 ? n : 1); ++j) {
        for (int k = 0; k < (all && element.dimension > 2 ? n : 1); ++k) {
          add_spectrum(pattern, element, velocity, Vector(i, j, k) * (2 * std::numbers::pi / n), outline);
        }
      }
    }
  }
  return outline.points();
}

}  // namespace dgsolve::solver
