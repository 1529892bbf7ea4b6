// Uniform refinement: points from the parents' mappings, links from the parents' links.
#include "mesh/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "mesh/connectivity.h"
#include "mesh/mapping.h"
#include "mesh/refine_pattern.h"

namespace dgsolve::mesh {
namespace {

constexpr std::size_t lanes = 8;

/// How one point of the lattice of order 2g follows from the parent's lattice of order g.
struct FinePoint {
  std::vector<int> sources;
  std::vector<double> weights;
  bool on_face = false;
};

/// prod_{j<m} (z - j)/(j + 1) at z = k/2.
double silvester_at_half(int m, int k) {
  double value = 1;
  for (int j = 0; j < m; ++j) value = value * (0.5 * k - j) / (j + 1);
  return value;
}

/// Lattice indices per axis, and behind them what is left of the order on each axis (tensor) or in all (simplex).
std::vector<int> barycentric_indices(const ShapeFacts& facts, int order, const std::array<double, 3>& point) {
  std::vector<int> indices;
  int rest = order;
  for (std::size_t d = 0; d < static_cast<std::size_t>(facts.dimension); ++d) {
    const int i = static_cast<int>(std::lround(0.5 * (1 + point[d]) * order));
    indices.push_back(i);
    if (facts.tensor) indices.push_back(order - i);
    rest -= i;
  }
  if (!facts.tensor) indices.push_back(rest);
  return indices;
}

/// The weight of a source lattice point at a fine one. The factors are multiplied in an order that does not depend on how the cell
/// numbers its vertices, so that cells that meet find the same bits.
double fine_weight(const std::vector<int>& source, const std::vector<int>& fine) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < source.size(); ++i) factors.push_back(silvester_at_half(source[i], fine[i]));
  std::sort(factors.begin(), factors.end());
  double weight = 1;
  for (const double factor : factors) weight *= factor;
  return weight;
}

std::vector<FinePoint> make_fine_points(Shape shape, int order) {
  const ShapeFacts& facts = shape_facts(shape);
  const auto coarse = lattice_points(shape, order);
  std::vector<FinePoint> fine_points;
  for (const auto& point : lattice_points(shape, 2 * order)) {
    const auto fine = barycentric_indices(facts, 2 * order, point);
    FinePoint result;
    result.on_face = std::find(fine.begin(), fine.end(), 0) != fine.end();
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      const double weight = fine_weight(barycentric_indices(facts, order, coarse[i]), fine);
      if (weight == 0) continue;
      result.sources.push_back(static_cast<int>(i));
      result.weights.push_back(weight);
    }
    fine_points.push_back(std::move(result));
  }
  return fine_points;
}

/// Places of each child's lattice points in the parent's lattice of order 2g, [children][lattice].
std::vector<std::vector<int>> make_child_lattices(Shape shape, int order, const RefinePattern& pattern) {
  const ShapeFacts& facts = shape_facts(shape);
  const auto fine = lattice_points(shape, 2 * order);
  const auto steps = [&](double reference, int n) { return static_cast<int>(std::lround(0.5 * (1 + reference) * n)); };
  const auto dimension = static_cast<std::size_t>(facts.dimension);
  std::vector<std::vector<int>> lattices;
  for (const auto& corners : pattern.children) {
    std::vector<int> places;
    for (const auto& point : lattice_points(shape, order)) {
      std::array<int, 3> place{};
      for (std::size_t d = 0; d < dimension; ++d) place[d] = order * corners[0][d];
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        const std::size_t corner = facts.tensor ? std::size_t{1} << axis : axis + 1;
        for (std::size_t d = 0; d < dimension; ++d) place[d] += steps(point[axis], order) * (corners[corner][d] - corners[0][d]);
      }
      const auto found = std::find_if(fine.begin(), fine.end(), [&](const auto& candidate) {
        for (std::size_t d = 0; d < dimension; ++d) {
          if (steps(candidate[d], 2 * order) != place[d]) return false;
        }
        return true;
      });
      assert(found != fine.end());
      places.push_back(static_cast<int>(found - fine.begin()));
    }
    lattices.push_back(places);
  }
  return lattices;
}

/// Everything about refining cells of one shape.
struct ShapeRefinement {
  RefinePattern pattern;
  std::vector<FinePoint> fine_points;
  std::vector<std::vector<int>> child_lattices;
};

class Refiner {
 public:
  explicit Refiner(const Mesh& coarse) : coarse_(coarse), dimension_(static_cast<std::size_t>(coarse.dimension)) {}

  Mesh refine() {
    const std::size_t children = std::size_t{1} << dimension_;
    const std::size_t count = coarse_.cell_count() * children;
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw MeshError(fmt::format("refining {} cells gives {} cells, more than can be numbered", coarse_.cell_count(), count));
    }
    fine_.dimension = coarse_.dimension;
    fine_.geometry_order = coarse_.geometry_order;
    fine_.boundary_names = coarse_.boundary_names;
    number_children();
    for (std::size_t i = 0; i < order_.size(); ++i) append_cell(order_[i].parent, static_cast<std::size_t>(order_[i].child));
    return std::move(fine_);
  }

 private:
  struct Child {
    std::size_t parent;
    int child;
  };

  const ShapeRefinement& of(Shape shape) {
    auto& refinement = refinements_[static_cast<std::size_t>(shape)];
    if (!refinement) {
      if (shape == Shape::prism || shape == Shape::pyramid) {
        throw MeshError(fmt::format("refinement of {} cells is not yet supported", shape_facts(shape).name));
      }
      refinement = std::make_unique<ShapeRefinement>();
      refinement->pattern = refine_pattern(shape);
      refinement->fine_points = make_fine_points(shape, coarse_.geometry_order);
      refinement->child_lattices = make_child_lattices(shape, coarse_.geometry_order, refinement->pattern);
    }
    return *refinement;
  }

  /// Children follow their parents' order; of up to eight parents of one shape first all children 0, then all children 1, and so on, so
  /// that parents that are the lanes of a vector block have children that are.
  void number_children() {
    const std::size_t children = std::size_t{1} << dimension_;
    order_.reserve(coarse_.cell_count() * children);
    memory_.resize(coarse_.cell_count() * children);
    for (std::size_t first = 0; first < coarse_.cell_count();) {
      std::size_t last = first + 1;
      while (last < coarse_.cell_count() && last - first < lanes && coarse_.shapes[last] == coarse_.shapes[first]) ++last;
      for (std::size_t child = 0; child < children; ++child) {
        for (std::size_t parent = first; parent < last; ++parent) {
          memory_[parent * children + child] = static_cast<std::int32_t>(order_.size());
          order_.push_back({parent, static_cast<int>(child)});
        }
      }
      first = last;
    }
  }

  [[nodiscard]] std::int32_t memory(std::size_t parent, int child) const {
    return memory_[(parent << dimension_) + static_cast<std::size_t>(child)];
  }

  double fine_coordinate(std::size_t parent, const FinePoint& point, std::size_t d) {
    const double* lattice = coarse_.points.data() + coarse_.point_offset[parent] * dimension_ + d;
    terms_.clear();
    for (std::size_t i = 0; i < point.sources.size(); ++i)
      terms_.push_back(point.weights[i] * lattice[static_cast<std::size_t>(point.sources[i]) * dimension_]);
    // In the order of their values the terms have one sum on both sides of a face.
    if (point.on_face) std::sort(terms_.begin(), terms_.end());
    double sum = 0;
    for (const double term : terms_) sum += term;
    return sum;
  }

  void append_cell(std::size_t parent, std::size_t child) {
    const Shape shape = coarse_.shapes[parent];
    const ShapeRefinement& refinement = of(shape);
    if (fine_.shapes.empty()) {
      fine_.point_offset.push_back(0);
      fine_.face_offset.push_back(0);
    }
    fine_.shapes.push_back(shape);
    fine_.global_number.push_back((coarse_.global_number[parent] << dimension_) + static_cast<std::int64_t>(child));
    for (const int place : refinement.child_lattices[child]) {
      for (std::size_t d = 0; d < dimension_; ++d) {
        fine_.points.push_back(fine_coordinate(parent, refinement.fine_points[static_cast<std::size_t>(place)], d));
      }
    }
    fine_.point_offset.push_back(fine_.point_offset.back() + refinement.child_lattices[child].size());
    const auto& links = refinement.pattern.links[child];
    for (std::size_t face = 0; face < links.size(); ++face) {
      fine_.links.push_back(links[face].child >= 0
                                ? FaceLink{.neighbour = memory(parent, links[face].child),
                                           .boundary = -1,
                                           .face = static_cast<std::int8_t>(links[face].face),
                                           .orientation = static_cast<std::int8_t>(links[face].orientation)}
                                : outer_link(parent, static_cast<int>(child), static_cast<int>(face), refinement.pattern));
    }
    fine_.face_offset.push_back(fine_.links.size());
  }

  /// The link of a child's face that lies on a face of the parent.
  FaceLink outer_link(std::size_t parent, int child, int face, const RefinePattern& pattern) {
    for (std::size_t parent_face = 0; parent_face < pattern.on_parent.size(); ++parent_face) {
      for (const ChildFace& here : pattern.on_parent[parent_face]) {
        if (here.child == child && here.face == face) return cross_link(parent, parent_face, here);
      }
    }
    assert(!"a child's face has a sibling or lies on a face of the parent");
    return {};
  }

  FaceLink cross_link(std::size_t parent, std::size_t parent_face, const ChildFace& here) {
    const FaceLink& link = coarse_.links[coarse_.face_offset[parent] + parent_face];
    if (link.neighbour < 0) return link;
    const Shape face_shape = shape_facts(coarse_.shapes[parent]).face_shapes[parent_face];
    const auto neighbour = static_cast<std::size_t>(link.neighbour);
    const auto& turned = turned_lattice(face_shape, link.orientation);
    std::vector<std::int32_t> corners;
    for (const int corner : here.corners) corners.push_back(turned[static_cast<std::size_t>(corner)]);
    for (const ChildFace& there : of(coarse_.shapes[neighbour]).pattern.on_parent[static_cast<std::size_t>(link.face)]) {
      const auto orientation = find_orientation(face_shape, corners, there.corners);
      if (!orientation) continue;
      return {.neighbour = memory(neighbour, there.child),
              .boundary = -1,
              .face = static_cast<std::int8_t>(there.face),
              .orientation = static_cast<std::int8_t>(*orientation)};
    }
    assert(!"faces of both sides are cut alike");
    return {};
  }

  const std::vector<int>& turned_lattice(Shape face_shape, int orientation) {
    auto& codes = turned_[static_cast<std::size_t>(face_shape)];
    if (codes.empty()) {
      for (int code = 0; code < orientation_count(face_shape); ++code) codes.push_back(orientation_lattice(face_shape, 2, code));
    }
    return codes[static_cast<std::size_t>(orientation)];
  }

  const Mesh& coarse_;
  std::size_t dimension_;
  Mesh fine_;
  std::vector<Child> order_;          // by memory index
  std::vector<std::int32_t> memory_;  // [parents][children]
  std::vector<double> terms_;
  std::array<std::unique_ptr<ShapeRefinement>, 8> refinements_;
  std::array<std::vector<std::vector<int>>, 8> turned_;
};

}  // namespace

Mesh refine_uniformly(const Mesh& mesh) { return Refiner(mesh).refine(); }

}  // namespace dgsolve::mesh
