// Counting and walking along a Hilbert curve by its hierarchy of cubes.
#include "mesh/grid_curve.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "mesh/ordering.h"

namespace dgsolve::mesh {

/// The part of a cube of the hierarchy that lies in the grid.
struct GridCurve::Cube {
  std::uint64_t path = 0;  ///< of all cubes of this level along the curve
  int level = 0;           ///< sides of 2^level cubes of the last level
  GridIndex low{}, high{};
  std::int64_t cells = 0;
};

struct GridCurve::Walk {
  std::int64_t first, end;
  const std::function<void(const GridIndex&)>& act;
};

GridCurve::GridCurve(GridIndex cells, int dimension) : cells_(cells), dimension_(dimension) {
  std::int64_t longest = 2;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k >= static_cast<std::size_t>(dimension)) cells_[k] = 1;
    longest = std::max(longest, cells_[k]);
    count_ *= cells_[k];
  }
  const auto full_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest - 1)));
  bits_ = dimension == 3 ? std::min(full_bits, 21) : full_bits;
  dropped_ = full_bits - bits_;
}

GridCurve::Cube GridCurve::cube(std::uint64_t path, int level) const {
  Cube result{path, level, {0, 0, 0}, {1, 1, 1}, 1};
  const auto corner = hilbert_coordinates(path << (dimension_ * level), dimension_, bits_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension_); ++k) {
    const std::int64_t side = std::int64_t{1} << level;
    const std::int64_t low = static_cast<std::int64_t>(corner[k]) & ~(side - 1);
    result.low[k] = std::min(low << dropped_, cells_[k]);
    result.high[k] = std::min((low + side) << dropped_, cells_[k]);
    result.cells *= result.high[k] - result.low[k];
  }
  return result;
}

std::int64_t GridCurve::position(const GridIndex& cell) const {
  if (dimension_ == 1) return cell[0];
  std::array<std::uint32_t, 3> coordinates{};
  for (std::size_t k = 0; k < 3; ++k) coordinates[k] = static_cast<std::uint32_t>(cell[k] >> dropped_);
  const std::uint64_t path = hilbert_position(coordinates, dimension_, bits_);
  std::int64_t before = 0;
  for (int level = bits_ - 1; level >= 0; --level) {
    const std::uint64_t own = path >> (dimension_ * level);
    for (std::uint64_t sibling = own >> dimension_ << dimension_; sibling < own; ++sibling) before += cube(sibling, level).cells;
  }
  const Cube last = cube(path, 0);
  const auto length = [&](std::size_t k) { return last.high[k] - last.low[k]; };
  const auto place = [&](std::size_t k) { return cell[k] - last.low[k]; };
  return before + place(0) + length(0) * (place(1) + length(1) * place(2));
}

GridIndex GridCurve::cell_at(std::int64_t position) const {
  GridIndex found{};
  walk(position, position + 1, [&](const GridIndex& cell) { found = cell; });
  return found;
}

void GridCurve::walk(std::int64_t first, std::int64_t end, const std::function<void(const GridIndex&)>& act) const {
  assert(first >= 0 && end <= count_);
  if (dimension_ == 1) {
    for (std::int64_t x = first; x < end; ++x) act({x, 0, 0});
    return;
  }
  Walk own{first, end, act};
  descend(cube(0, bits_), 0, own);
}

/// `before`: cells on the curve before the cube.
void GridCurve::descend(const Cube& at, std::int64_t before, Walk& walk) const {
  if (before >= walk.end || before + at.cells <= walk.first) return;
  if (at.level > 0) {
    for (std::uint64_t child = at.path << dimension_; child < (at.path + 1) << dimension_; ++child) {
      const Cube below = cube(child, at.level - 1);
      if (below.cells == 0) continue;
      descend(below, before, walk);
      before += below.cells;
      if (before >= walk.end) return;
    }
    return;
  }
  for (std::int64_t z = at.low[2]; z < at.high[2]; ++z) {
    for (std::int64_t y = at.low[1]; y < at.high[1]; ++y) {
      for (std::int64_t x = at.low[0]; x < at.high[0]; ++x, ++before) {
        if (before >= walk.first && before < walk.end) walk.act({x, y, z});
      }
    }
  }
}

}  // namespace dgsolve::mesh
