// Boxes: links from lattice indices, points from tables per direction, cells in bricks along a Hilbert curve; each rank makes its own.
#include "mesh/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "mesh/box_lattice.h"
#include "mesh/box_pattern.h"
#include "mesh/check.h"
#include "mesh/part_builder.h"

namespace dgsolve::mesh {
namespace {

constexpr int largest_geometry_order = 10;
constexpr std::array<std::array<const char*, 2>, 3> side_names{{{"left", "right"}, {"bottom", "top"}, {"front", "back"}}};
constexpr std::array<char, 3> axis_names{'x', 'y', 'z'};

/// Numbers of cells are also kept in doubles.
constexpr std::int64_t most_cells = std::int64_t{1} << 53;
constexpr std::int64_t most_in_a_row = std::numeric_limits<std::int32_t>::max();

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
    if (options.cells[d] > most_in_a_row) {
      throw MeshError(
          fmt::format("box: too many cells in {}, found {}, at most {} are possible", axis_names[d], options.cells[d], most_in_a_row));
    }
    if (options.cells[d] > most_cells / count) throw MeshError(fmt::format("box: too many cells, at most {} are possible", most_cells));
    count *= options.cells[d];
  }
  if (!std::isfinite(options.warp)) throw MeshError(fmt::format("box: warp must be a number, found {}", options.warp));
  if (options.warp != 0 && (options.geometry_order < 1 || options.geometry_order > largest_geometry_order)) {
    throw MeshError(fmt::format("box: geometry order must be 1 to {}, found {}", largest_geometry_order, options.geometry_order));
  }
}

/// Memory order: units of up to 8 grid cells in a row along x, all units along a Hilbert curve; in a unit, part by part, the cells of
/// one part follow each other, so that they are the lanes of one vector block. Units near the owned cells are found in a table, others
/// by the curve's hierarchy.
class BoxOrder {
 public:
  BoxOrder(const GridIndex& cells, int dimension, std::int64_t parts)
      : parts_(parts), width_(unit_width(cells[0])), grid_{cells[0] / width_, cells[1], cells[2]}, curve_(grid_, dimension) {}

  [[nodiscard]] std::int64_t cell_count() const { return curve_.cell_count() * per_unit(); }

  /// Tables of the units of the cells [first, end).
  void own(std::int64_t first, std::int64_t end) {
    first_unit_ = first / per_unit();
    if (first == end) return;
    units_.reserve(static_cast<std::size_t>((end - 1) / per_unit() + 1 - first_unit_));
    low_ = grid_;
    curve_.walk(first_unit_, (end - 1) / per_unit() + 1, [&](const GridIndex& unit) {
      units_.push_back({static_cast<std::int32_t>(unit[0]), static_cast<std::int32_t>(unit[1]), static_cast<std::int32_t>(unit[2])});
      for (std::size_t d = 0; d < 3; ++d) {
        low_[d] = std::min(low_[d], unit[d]);
        high_[d] = std::max(high_[d], unit[d] + 1);
      }
    });
    // A piece of the curve fills a fair part of its bounding box; long thin grids can have pieces that do not.
    const auto volume =
        static_cast<double>(high_[0] - low_[0]) * static_cast<double>(high_[1] - low_[1]) * static_cast<double>(high_[2] - low_[2]);
    if (volume > 16.0 * static_cast<double>(units_.size()) + 4096) return;
    position_.assign(static_cast<std::size_t>(volume), -1);
    for (std::size_t u = 0; u < units_.size(); ++u)
      position_[table_place({units_[u][0], units_[u][1], units_[u][2]})] = static_cast<std::int32_t>(u);
  }
  /// Bounds of the grid cells of the owned units.
  [[nodiscard]] GridIndex low() const { return {low_[0] * width_, low_[1], low_[2]}; }
  [[nodiscard]] GridIndex high() const { return {high_[0] * width_, high_[1], high_[2]}; }

  struct Place {
    GridIndex index;  ///< of the grid cell
    std::size_t part;
  };
  [[nodiscard]] Place place(std::int64_t cell) {
    GridIndex index = unit_at(cell / per_unit());
    index[0] = index[0] * width_ + cell % width_;
    return {index, static_cast<std::size_t>(cell / width_ % parts_)};
  }
  [[nodiscard]] std::int64_t cell(const GridIndex& index, std::int64_t part) {
    return (unit_position({index[0] / width_, index[1], index[2]}) * parts_ + part) * width_ + index[0] % width_;
  }

 private:
  static std::int64_t unit_width(std::int64_t row) { return row % 8 == 0 ? 8 : row % 4 == 0 ? 4 : row % 2 == 0 ? 2 : 1; }
  [[nodiscard]] std::int64_t per_unit() const { return width_ * parts_; }
  [[nodiscard]] std::size_t table_place(const GridIndex& unit) const {
    const auto along = [&](std::size_t d) { return static_cast<std::size_t>(unit[d] - low_[d]); };
    const auto length = [&](std::size_t d) { return static_cast<std::size_t>(high_[d] - low_[d]); };
    return along(0) + length(0) * (along(1) + length(1) * along(2));
  }

  [[nodiscard]] GridIndex unit_at(std::int64_t position) {
    const std::int64_t u = position - first_unit_;
    if (u >= 0 && u < static_cast<std::int64_t>(units_.size())) {
      const auto& unit = units_[static_cast<std::size_t>(u)];
      return {unit[0], unit[1], unit[2]};
    }
    // Units are asked for that were neighbours before.
    if (position != asked_position_) asked_unit_ = asked_.at(asked_position_ = position);
    return asked_unit_;
  }

  [[nodiscard]] std::int64_t unit_position(const GridIndex& unit) {
    bool near = !position_.empty();
    for (std::size_t d = 0; d < 3; ++d) near = near && unit[d] >= low_[d] && unit[d] < high_[d];
    if (near) {
      const std::int32_t u = position_[table_place(unit)];
      if (u >= 0) return first_unit_ + u;
    }
    if (asked_position_ >= 0 && unit == asked_unit_) return asked_position_;
    asked_unit_ = unit;
    asked_position_ = curve_.position(unit);
    asked_.emplace(asked_position_, unit);
    return asked_position_;
  }

  std::int64_t parts_, width_;
  GridIndex grid_;
  GridCurve curve_;
  std::int64_t first_unit_ = 0;
  std::vector<std::array<std::int32_t, 3>> units_;     ///< from first_unit_ on
  GridIndex low_{}, high_{};                           ///< bounds of units_
  std::vector<std::int32_t> position_;                 ///< index in units_ of the units in the bounds, -1: of another rank
  std::unordered_map<std::int64_t, GridIndex> asked_;  ///< units by position that were found by the hierarchy
  std::int64_t asked_position_ = -1;                   ///< the last of them
  GridIndex asked_unit_{};
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
        memory_(cells, options.dimension, static_cast<std::int64_t>(pattern_.size())) {}

  MeshPart build(int rank, int ranks) {
    PartBuilder builder(memory_.cell_count(), rank, ranks);
    Mesh& mesh = builder.mesh();
    name_sides(mesh);
    memory_.own(builder.first(), builder.end());
    const std::size_t faces = facts_.face_shapes.size();
    mesh.links.reserve(static_cast<std::size_t>(builder.end() - builder.first()) * faces);
    for (std::int64_t cell = builder.first(); cell < builder.end(); ++cell) add_faces(builder, cell);
    const std::vector<std::int64_t>& ghosts = builder.find_ghosts();
    mesh.links.reserve(mesh.links.size() + ghosts.size() * faces);
    for (const std::int64_t ghost : ghosts) add_faces(builder, ghost);

    size_arrays(mesh, mesh.links.size() / faces);
    const BoxLattice lattice(options_, order_, memory_.low(), memory_.high());
    double* point = mesh.points.data();
    const auto add = [&](std::int64_t cell) { point = add_cell(mesh, lattice, cell, point); };
    for (std::int64_t cell = builder.first(); cell < builder.end(); ++cell) add(cell);
    for (const std::int64_t ghost : ghosts) add(ghost);
    MeshPart part = builder.finish();
    part.shapes = {options_.shape};
    return part;
  }

 private:
  void name_sides(Mesh& mesh) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(options_.dimension); ++d) {
      if (options_.periodic[d]) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        boundary_[d][side] = static_cast<std::int16_t>(mesh.boundary_names.size());
        mesh.boundary_names.emplace_back(side_names[d][side]);
      }
    }
  }

  void size_arrays(Mesh& mesh, std::size_t count) const {
    const std::size_t points_per_cell = lattices_[0].size();
    mesh.dimension = options_.dimension;
    mesh.geometry_order = order_;
    mesh.shapes.assign(count, options_.shape);
    mesh.global_number.reserve(count);
    mesh.point_offset.resize(count + 1);
    mesh.face_offset.resize(count + 1);
    for (std::size_t cell = 0; cell <= count; ++cell) {
      mesh.point_offset[cell] = cell * points_per_cell;
      mesh.face_offset[cell] = cell * facts_.face_shapes.size();
    }
    mesh.points.resize(count * points_per_cell * static_cast<std::size_t>(options_.dimension));
  }

  void add_faces(PartBuilder& builder, std::int64_t cell) {
    const BoxOrder::Place place = memory_.place(cell);
    for (const PartLink& link : pattern_[place.part].links) {
      FaceLink face{.neighbour = -1,
                    .boundary = -1,
                    .face = static_cast<std::int8_t>(link.face),
                    .orientation = static_cast<std::int8_t>(link.orientation)};
      builder.add_face(neighbour(place.index, link, face), face);
    }
  }

  /// Place of the cell behind a face; -1 on a boundary, whose group `face` then has.
  std::int64_t neighbour(GridIndex index, const PartLink& link, FaceLink& face) {
    if (link.axis >= 0) {
      const auto axis = static_cast<std::size_t>(link.axis);
      index[axis] += link.side == 0 ? -1 : 1;
      if (index[axis] < 0 || index[axis] >= cells_[axis]) {
        if (!options_.periodic[axis]) {
          face = {.boundary = boundary_[axis][static_cast<std::size_t>(link.side)]};
          return -1;
        }
        index[axis] = link.side == 0 ? cells_[axis] - 1 : 0;
      }
    }
    return memory_.cell(index, link.part);
  }

  double* add_cell(Mesh& mesh, const BoxLattice& lattice, std::int64_t cell, double* point) {
    const auto [index, part] = memory_.place(cell);
    const std::int64_t grid_number = index[0] + cells_[0] * (index[1] + cells_[1] * index[2]);
    mesh.global_number.push_back(grid_number * static_cast<std::int64_t>(pattern_.size()) + static_cast<std::int64_t>(part));
    for (const GridIndex& offset : lattices_[part]) {
      lattice.place({index[0] * order_ + offset[0], index[1] * order_ + offset[1], index[2] * order_ + offset[2]}, point);
      point += options_.dimension;
    }
    return point;
  }

  const ShapeFacts& facts_;
  const BoxOptions& options_;
  GridIndex cells_;
  int order_;
  std::vector<Part> pattern_;
  std::vector<std::vector<GridIndex>> lattices_;
  BoxOrder memory_;
  std::array<std::array<std::int16_t, 2>, 3> boundary_{};
};

}  // namespace

Mesh mesh_box(const BoxOptions& options) { return mesh_box_part(options, 0, 1).mesh; }

MeshPart mesh_box_part(const BoxOptions& options, int rank, int ranks) {
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
  MeshPart part = BoxBuilder(options, order, cells).build(rank, ranks);
  if (options.warp != 0) {
    try {
      check_jacobians(part.mesh, {}, part.owned);
    } catch (const MeshError& fault) {
      throw MeshError(fmt::format("box: warp {} is too large: {}", options.warp, fault.what()));
    }
  }
  return part;
}

}  // namespace dgsolve::mesh
