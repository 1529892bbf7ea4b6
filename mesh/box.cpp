// Boxes: links from lattice indices, points from tables per direction, cells in bricks along a Hilbert curve.
#include "mesh/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mesh/box_pattern.h"
#include "mesh/check.h"
#include "mesh/ordering.h"

namespace dgsolve::mesh {
namespace {

constexpr int largest_geometry_order = 10;
constexpr std::array<std::array<const char*, 2>, 3> side_names{{{"left", "right"}, {"bottom", "top"}, {"front", "back"}}};
constexpr std::array<char, 3> axis_names{'x', 'y', 'z'};

using GridIndex = std::array<std::int64_t, 3>;

void check_options(const BoxOptions& options, std::int64_t parts) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimension); ++d) {
    if (!std::isfinite(options.lower[d]) || !std::isfinite(options.upper[d]) || !(options.upper[d] > options.lower[d])) {
      throw MeshError(fmt::format("box: upper must be greater than lower in {}: lower = {}, upper = {}", axis_names[d], options.lower[d],
                                  options.upper[d]));
    }
  }
  std::int64_t count = parts;
  for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimension); ++d) {
    if (options.cells[d] < 1) {
      throw MeshError(fmt::format("box: cells must be at least 1 in {}, found {}", axis_names[d], options.cells[d]));
    }
    if (options.cells[d] > std::numeric_limits<std::int32_t>::max() / count) {
      throw MeshError(fmt::format("box: too many cells, at most {} are possible", std::numeric_limits<std::int32_t>::max()));
    }
    count *= options.cells[d];
  }
  if (!std::isfinite(options.warp)) throw MeshError(fmt::format("box: warp must be a number, found {}", options.warp));
  if (options.warp != 0 && (options.geometry_order < 1 || options.geometry_order > largest_geometry_order)) {
    throw MeshError(fmt::format("box: geometry order must be 1 to {}, found {}", largest_geometry_order, options.geometry_order));
  }
}

/// Places of the lattice points of the whole box, from one table per direction, so that cells that share a point have its very bits.
///
/// The warp displaces coordinate c by warp * L_c * prod_k f_ck(xi_k), xi_k in [0, 1] along direction k. Across a side
/// f_ck vanishes: sin(2 pi xi) for k = c, sin(pi xi) otherwise. In a periodic direction f_ck = sin(2 pi xi + phase), phase 0 for
/// k = c, pi/3 and 2 pi/3 otherwise.
class BoxLattice {
 public:
  BoxLattice(const BoxOptions& options, int order) : dimension_(static_cast<std::size_t>(options.dimension)), warped_(options.warp != 0) {
    for (std::size_t d = 0; d < dimension_; ++d) {
      const std::int64_t last = options.cells[d] * order;
      const double length = options.upper[d] - options.lower[d];
      for (std::int64_t i = 0; i <= last; ++i) {
        straight_[d].push_back(i == last ? options.upper[d]
                                         : options.lower[d] + length * (static_cast<double>(i) / static_cast<double>(last)));
      }
      if (!warped_) continue;
      amplitude_[d] = options.warp * length;
      for (std::size_t c = 0; c < dimension_; ++c) {
        for (std::int64_t i = 0; i <= last; ++i) {
          wave_[c][d].push_back(wave(options.periodic[d], (d + 3 - c) % 3, i, last));
        }
      }
    }
  }

  void place(const GridIndex& index, double* point) const {
    for (std::size_t c = 0; c < dimension_; ++c) {
      double value = straight_[c][static_cast<std::size_t>(index[c])];
      if (warped_) {
        double displacement = amplitude_[c];
        for (std::size_t d = 0; d < dimension_; ++d) displacement *= wave_[c][d][static_cast<std::size_t>(index[d])];
        value += displacement;
      }
      point[c] = value;
    }
  }

 private:
  static double wave(bool periodic, std::size_t kind, std::int64_t i, std::int64_t last) {
    using std::numbers::pi;
    if (i == last || i == 0) {
      if (!periodic) return 0;
      i = 0;
    }
    const double xi = static_cast<double>(i) / static_cast<double>(last);
    if (periodic) return std::sin(2 * pi * xi + pi / 3 * static_cast<double>(kind));
    return kind == 0 ? std::sin(2 * pi * xi) : std::sin(pi * xi);
  }

  std::size_t dimension_;
  bool warped_;
  std::array<double, 3> amplitude_{};
  std::array<std::vector<double>, 3> straight_;
  std::array<std::array<std::vector<double>, 3>, 3> wave_;
};

/// Memory order: units of up to 8 grid cells in a row along x, all units along a Hilbert curve; in a unit, part by part, the cells of
/// one part follow each other, so that they are the lanes of one vector block.
class BoxOrder {
 public:
  BoxOrder(GridIndex cells, int dimension, std::int64_t parts) : parts_(parts) {
    for (const std::int64_t width : {2, 4, 8}) {
      if (cells[0] % width == 0) width_ = width;
    }
    grid_ = {cells[0] / width_, cells[1], cells[2]};
    units_ = hilbert_order_of_grid(grid_, dimension);
    position_.resize(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u) position_[static_cast<std::size_t>(units_[u])] = static_cast<std::int32_t>(u);
  }

  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] std::size_t unit_count() const { return units_.size(); }
  /// Grid index of the first cell of the unit.
  [[nodiscard]] GridIndex first_cell(std::size_t unit) const {
    const std::int64_t u = units_[unit];
    return {u % grid_[0] * width_, u / grid_[0] % grid_[1], u / (grid_[0] * grid_[1])};
  }
  [[nodiscard]] std::int32_t cell(const GridIndex& index, std::int64_t part) const {
    const std::int64_t unit = position_[static_cast<std::size_t>(index[0] / width_ + grid_[0] * (index[1] + grid_[1] * index[2]))];
    return static_cast<std::int32_t>((unit * parts_ + part) * width_ + index[0] % width_);
  }

 private:
  std::int64_t parts_;
  std::int64_t width_ = 1;
  GridIndex grid_{};
  std::vector<std::int32_t> units_;
  std::vector<std::int32_t> position_;
};

/// Lattice points of each part in units of the box lattice, relative to the grid cell: [part][lattice].
std::vector<std::vector<GridIndex>> part_lattices(const std::vector<Part>& pattern, const ShapeFacts& facts, int order) {
  std::vector<std::vector<GridIndex>> lattices;
  for (const Part& part : pattern) {
    std::vector<GridIndex> lattice;
    for (const auto& reference : lattice_points(facts.shape, order)) {
      GridIndex index{};
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(facts.dimension); ++axis) {
        const auto steps = static_cast<int>(std::lround(0.5 * (1 + reference[axis]) * order));
        // Corner 1 + axis of a simplex, corner 2^axis of a tensor shape lies along reference axis `axis` from corner 0.
        const std::size_t corner = facts.tensor ? std::size_t{1} << axis : axis + 1;
        for (std::size_t d = 0; d < 3; ++d) {
          const int edge = part.corners[corner][d] - part.corners[0][d];
          index[d] += steps * edge;
        }
      }
      for (std::size_t d = 0; d < 3; ++d) index[d] += order * part.corners[0][d];
      lattice.push_back(index);
    }
    lattices.push_back(lattice);
  }
  return lattices;
}

class BoxBuilder {
 public:
  BoxBuilder(const BoxOptions& options, int order, GridIndex cells)
      : facts_(shape_facts(options.shape)),
        options_(options),
        cells_(cells),
        order_(order),
        pattern_(box_pattern(options.shape)),
        lattices_(part_lattices(pattern_, facts_, order)),
        lattice_(options, order),
        memory_(cells, options.dimension, static_cast<std::int64_t>(pattern_.size())) {}

  Mesh build() {
    name_sides();
    const auto count = static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]) * pattern_.size();
    const std::size_t points_per_cell = lattices_[0].size();
    const std::size_t faces = facts_.face_shapes.size();
    mesh_.dimension = options_.dimension;
    mesh_.geometry_order = order_;
    mesh_.shapes.assign(count, options_.shape);
    mesh_.global_number.reserve(count);
    mesh_.point_offset.resize(count + 1);
    mesh_.face_offset.resize(count + 1);
    for (std::size_t cell = 0; cell <= count; ++cell) {
      mesh_.point_offset[cell] = cell * points_per_cell;
      mesh_.face_offset[cell] = cell * faces;
    }
    mesh_.points.resize(count * points_per_cell * static_cast<std::size_t>(options_.dimension));
    mesh_.links.reserve(count * faces);
    point_ = mesh_.points.data();
    for (std::size_t unit = 0; unit < memory_.unit_count(); ++unit) {
      for (std::size_t part = 0; part < pattern_.size(); ++part) {
        GridIndex index = memory_.first_cell(unit);
        for (std::int64_t lane = 0; lane < memory_.width(); ++lane, ++index[0]) add_cell(index, part);
      }
    }
    return std::move(mesh_);
  }

 private:
  void name_sides() {
    for (std::size_t d = 0; d < static_cast<std::size_t>(options_.dimension); ++d) {
      if (options_.periodic[d]) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        boundary_[d][side] = static_cast<std::int16_t>(mesh_.boundary_names.size());
        mesh_.boundary_names.emplace_back(side_names[d][side]);
      }
    }
  }

  void add_cell(const GridIndex& index, std::size_t part) {
    const std::int64_t grid_number = index[0] + cells_[0] * (index[1] + cells_[1] * index[2]);
    mesh_.global_number.push_back(grid_number * static_cast<std::int64_t>(pattern_.size()) + static_cast<std::int64_t>(part));
    for (const GridIndex& offset : lattices_[part]) {
      lattice_.place({index[0] * order_ + offset[0], index[1] * order_ + offset[1], index[2] * order_ + offset[2]}, point_);
      point_ += options_.dimension;
    }
    for (const PartLink& link : pattern_[part].links) mesh_.links.push_back(resolve(index, link));
  }

  [[nodiscard]] FaceLink resolve(GridIndex index, const PartLink& link) const {
    if (link.axis >= 0) {
      const auto axis = static_cast<std::size_t>(link.axis);
      index[axis] += link.side == 0 ? -1 : 1;
      if (index[axis] < 0 || index[axis] >= cells_[axis]) {
        if (!options_.periodic[axis]) return {.boundary = boundary_[axis][static_cast<std::size_t>(link.side)]};
        index[axis] = link.side == 0 ? cells_[axis] - 1 : 0;
      }
    }
    return {.neighbour = memory_.cell(index, link.part),
            .boundary = -1,
            .face = static_cast<std::int8_t>(link.face),
            .orientation = static_cast<std::int8_t>(link.orientation)};
  }

  const ShapeFacts& facts_;
  const BoxOptions& options_;
  GridIndex cells_;
  int order_;
  std::vector<Part> pattern_;
  std::vector<std::vector<GridIndex>> lattices_;
  BoxLattice lattice_;
  BoxOrder memory_;
  std::array<std::array<std::int16_t, 2>, 3> boundary_{};
  Mesh mesh_;
  double* point_ = nullptr;
};

}  // namespace

Mesh mesh_box(const BoxOptions& options) {
  if (options.dimension < 1 || options.dimension > 3) {
    throw MeshError(fmt::format("box: dimension must be 1, 2 or 3, found {}", options.dimension));
  }
  const ShapeFacts& facts = shape_facts(options.shape);
  if (options.shape == Shape::prism || options.shape == Shape::pyramid) {
    throw MeshError(fmt::format(
        "box: boxes of shape {} are not yet supported; supported are line, triangle, quadrilateral, tetrahedron, hexahedron", facts.name));
  }
  if (facts.dimension != options.dimension) {
    throw MeshError(fmt::format("box: a {} has {} dimension{}, but the box has {}", facts.name, facts.dimension,
                                facts.dimension == 1 ? "" : "s", options.dimension));
  }
  check_options(options, facts.tensor ? 1 : facts.dimension == 2 ? 2 : 6);
  GridIndex cells{1, 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimension); ++d) cells[d] = options.cells[d];
  const int order = options.warp != 0 ? options.geometry_order : 1;
  Mesh mesh = BoxBuilder(options, order, cells).build();
  if (options.warp != 0) {
    try {
      check_jacobians(mesh);
    } catch (const MeshError& fault) {
      throw MeshError(fmt::format("box: warp {} is too large: {}", options.warp, fault.what()));
    }
  }
  return mesh;
}

}  // namespace dgsolve::mesh
