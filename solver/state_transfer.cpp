// Which stored element each node takes its values from, and how.
#include "solver/state_transfer.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>

#include "mesh/describe.h"
#include "solver/point_location.h"

namespace dgsolve::solver {
namespace {

using std::size_t;

/// How far a node is moved to its element's middle to find the side of a face that it is on.
constexpr double inwards = 1e-7;

bool same_elements(const ReferenceElement& a, const ReferenceElement& b) {
  return a.shape == b.shape && a.nodes.rows() == b.nodes.rows() && a.nodes == b.nodes;
}

/// L2 projection of the polynomials of one element on those of another of the same cell: M^-1 B with M_ij = (l_i, l_j) and B_ij = (l_i,
/// s_j), by a quadrature that is exact for both. It keeps means, and a polynomial that both elements have.
Eigen::MatrixXd projection_between(const ReferenceElement& from, const ReferenceElement& to) {
  const Quadrature rule = make_quadrature(to.shape, to.order + std::max(from.order, to.order));
  const Eigen::MatrixXd own = to.interpolation_to(rule.points), stored = from.interpolation_to(rule.points);
  const Eigen::MatrixXd weighted = own.transpose() * rule.weights.asDiagonal();
  return (weighted * own).ldlt().solve(weighted * stored);
}

}  // namespace

StateTransfer::StateTransfer(DgOperator& op, StoredElements from)
    : op_(op), from_(std::move(from)), same_element_(from_.mesh == nullptr && same_elements(from_.element, op.element())) {
  const std::span<const std::int64_t> numbers = op.owned_numbers();
  const ReferenceElement& element = op.element();
  state_.resize(numbers.size() * static_cast<size_t>(op.system().variable_count() * element.node_count));
  if (from_.mesh != nullptr) {
    locate_nodes();
  } else {
    for (size_t cell = 0; cell < numbers.size(); ++cell) targets_.push_back({numbers[cell], cell, -1, {0, 0, 0}});
    if (!same_element_) projection_ = projection_between(from_.element, element);
  }
  std::sort(targets_.begin(), targets_.end(), [](const Target& a, const Target& b) { return a.source < b.source; });
}

void StateTransfer::locate_nodes() {
  const PointLocator locator(*from_.mesh);
  const std::vector<double> points = op_.owned_node_points();
  const auto dim = static_cast<size_t>(op_.element().dimension), nodes = static_cast<size_t>(op_.element().node_count);
  for (size_t cell = 0; cell < op_.owned_numbers().size(); ++cell) {
    std::array<double, 3> middle{0, 0, 0};
    for (size_t node = 0; node < nodes; ++node) {
      for (size_t k = 0; k < dim; ++k) middle[k] += points[(cell * nodes + node) * dim + k] / static_cast<double>(nodes);
    }
    for (size_t node = 0; node < nodes; ++node) {
      std::array<double, 3> point{0, 0, 0}, near{0, 0, 0};
      for (size_t k = 0; k < dim; ++k) {
        point[k] = points[(cell * nodes + node) * dim + k];
        near[k] = point[k] + inwards * (middle[k] - point[k]);
      }
      const auto found = locator.locate(near, point);
      if (!found) {
        throw mesh::MeshError(fmt::format("the mesh of the checkpoint does not reach the point {} of this one",
                                          mesh::format_point(point, op_.element().dimension)));
      }
      targets_.push_back({from_.mesh->global_number[static_cast<size_t>(found->cell)], cell, static_cast<int>(node), found->reference});
    }
  }
}

void StateTransfer::take(std::int64_t first, std::span<const double> values) {
  const size_t of_element = static_cast<size_t>(op_.system().variable_count() * from_.element.node_count);
  const auto end = first + static_cast<std::int64_t>(values.size() / of_element);
  const auto by_source = [](const Target& target, std::int64_t number) { return target.source < number; };
  auto begin = std::lower_bound(targets_.begin(), targets_.end(), first, by_source);
  while (begin != targets_.end() && begin->source < end) {
    const auto next = std::lower_bound(begin, targets_.end(), begin->source + 1, by_source);
    fill({begin, next}, values.subspan(static_cast<size_t>(begin->source - first) * of_element, of_element));
    begin = next;
  }
}

void StateTransfer::fill(std::span<const Target> targets, std::span<const double> values) {
  const int variables = op_.system().variable_count();
  const Eigen::Index nodes = op_.element().node_count, stored = from_.element.node_count;
  const Eigen::Map<const Eigen::MatrixXd> source(values.data(), stored, variables);
  if (from_.mesh == nullptr) {
    double* cell = &state_[targets.front().cell * static_cast<size_t>(nodes * variables)];
    Eigen::Map<Eigen::MatrixXd> own(cell, nodes, variables);
    if (same_element_) {
      own = source;
    } else {
      own.noalias() = projection_ * source;
    }
    return;
  }
  Eigen::MatrixXd points(static_cast<Eigen::Index>(targets.size()), from_.element.dimension);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index d = 0; d < points.cols(); ++d) points(i, d) = targets[static_cast<size_t>(i)].reference[static_cast<size_t>(d)];
  }
  const Eigen::MatrixXd at_points = from_.element.interpolation_to(points) * source;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Target& target = targets[static_cast<size_t>(i)];
    for (Eigen::Index v = 0; v < variables; ++v)
      state_[target.cell * static_cast<size_t>(nodes * variables) + static_cast<size_t>(v * nodes + target.node)] = at_points(i, v);
  }
}

void StateTransfer::finish() {
  const Eigen::MatrixXd& reduce = op_.element().projection;
  if (!same_element_ && reduce.size() > 0) {
    Eigen::Map<Eigen::MatrixXd> columns(state_.data(), reduce.rows(), static_cast<Eigen::Index>(state_.size()) / reduce.rows());
    columns = (reduce * columns).eval();
  }
  op_.set_own_state(state_);
}

}  // namespace dgsolve::solver
