// Counting and walking along a Hilbert curve by its hierarchy of cubes.
#include "mesh/grid_curve.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "mesh/ordering.h"

namespace dgsolve::mesh {
namespace {

/// Corners of the unit cube, bit k along axis k, in the order in which a curve meets them; in two dimensions the first four.
using Corners = std::array<std::uint8_t, 8>;

/// A symmetry of the cube: axes change places, then some are mirrored.
struct Symmetry {
  std::vector<int> axis;
  std::uint8_t mirror = 0;

  [[nodiscard]] std::uint8_t of(std::uint8_t corner) const {
    unsigned int result = mirror;
    for (std::size_t k = 0; k < axis.size(); ++k) result ^= (corner >> axis[k] & 1U) << k;
    return static_cast<std::uint8_t>(result);
  }
  [[nodiscard]] Corners of(const Corners& corners) const {
    Corners result{};
    std::transform(corners.begin(), corners.end(), result.begin(), [this](std::uint8_t corner) { return of(corner); });
    return result;
  }
};

std::vector<Symmetry> all_symmetries(int dimension) {
  std::vector<int> axis(static_cast<std::size_t>(dimension));
  std::iota(axis.begin(), axis.end(), 0);
  std::vector<Symmetry> all;
  do {
    for (unsigned int mirror = 0; mirror < 1U << dimension; ++mirror) all.push_back({axis, static_cast<std::uint8_t>(mirror)});
  } while (std::next_permutation(axis.begin(), axis.end()));
  return all;
}

/// Points of a grid of two bits an axis in the order of their positions.
std::vector<std::array<std::uint32_t, 3>> two_levels(int dimension) {
  std::vector<std::array<std::uint32_t, 3>> points(std::size_t{1} << (2 * dimension));
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const std::array<std::uint32_t, 3> point{i & 3U, i >> 2 & 3U, i >> 4 & 3U};
    points[hilbert_position(point, dimension, 2)] = point;
  }
  return points;
}

}  // namespace

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
  if (dimension > 1) make_turns();
}

/// The first level of the curve and how the second is turned in each of its parts; what a turned part does is turned likewise.
void GridCurve::make_turns() {
  const auto parts = std::size_t{1} << dimension_;
  const auto points = two_levels(dimension_);
  const auto corner = [&](std::size_t place, int bit) {
    std::uint32_t result = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension_); ++k) result |= (points[place][k] >> bit & 1U) << k;
    return static_cast<std::uint8_t>(result);
  };
  Corners whole{};
  std::array<Corners, 8> inner{};
  for (std::size_t place = 0; place < parts * parts; ++place) {
    whole[place / parts] = corner(place, 1);
    inner[place / parts][place % parts] = corner(place, 0);
  }
  const std::vector<Symmetry> symmetries = all_symmetries(dimension_);
  for (const Symmetry& symmetry : symmetries) turns_.push_back({symmetry.of(whole), {}});
  for (std::size_t s = 0; s < turns_.size(); ++s) {
    for (std::size_t place = 0; place < parts; ++place) {
      const Corners wanted = symmetries[s].of(inner[place]);
      const auto found = std::find_if(turns_.begin(), turns_.end(), [&](const Turn& turn) {
        return std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(parts), turn.corner.begin());
      });
      assert(found != turns_.end());
      turns_[s].turn[place] = static_cast<std::uint8_t>(found - turns_.begin());
    }
  }
}

GridCurve::Cube GridCurve::part(const Cube& cube, std::size_t place) const {
  const Turn& turn = turns_[cube.turn];
  Cube result{cube.low, cube.level - 1, turn.turn[place]};
  for (std::size_t k = 0; k < 3; ++k) result.low[k] += static_cast<std::int64_t>(turn.corner[place] >> k & 1U) << result.level;
  return result;
}

GridIndex GridCurve::low_cell(const Cube& cube) const {
  GridIndex low{};
  for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(cube.low[k] << dropped_, cells_[k]);
  return low;
}

GridIndex GridCurve::high_cell(const Cube& cube) const {
  GridIndex high{};
  for (std::size_t k = 0; k < 3; ++k) high[k] = std::min((cube.low[k] + (std::int64_t{1} << cube.level)) << dropped_, cells_[k]);
  return high;
}

std::int64_t GridCurve::cells_of(const Cube& cube) const {
  const GridIndex low = low_cell(cube), high = high_cell(cube);
  return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
}

std::int64_t GridCurve::position(const GridIndex& cell) const {
  if (dimension_ == 1) return cell[0];
  std::int64_t before = 0;
  Cube cube{{}, bits_, 0};
  while (cube.level > 0) {
    std::uint8_t corner = 0;
    for (std::size_t k = 0; k < 3; ++k) corner |= static_cast<std::uint8_t>((cell[k] >> (dropped_ + cube.level - 1) & 1) << k);
    std::size_t place = 0;
    for (; turns_[cube.turn].corner[place] != corner; ++place) before += cells_of(part(cube, place));
    cube = part(cube, place);
  }
  const GridIndex low = low_cell(cube), high = high_cell(cube);
  return before + cell[0] - low[0] + (high[0] - low[0]) * (cell[1] - low[1] + (high[1] - low[1]) * (cell[2] - low[2]));
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
  descend({{}, bits_, 0}, 0, own);
}

/// `before`: cells on the curve before the cube.
void GridCurve::descend(const Cube& cube, std::int64_t before, Walk& walk) const {
  if (cube.level > 0) {
    for (std::size_t place = 0; place < std::size_t{1} << dimension_ && before < walk.end; ++place) {
      const Cube below = part(cube, place);
      const std::int64_t cells = cells_of(below);
      if (cells > 0 && before + cells > walk.first) descend(below, before, walk);
      before += cells;
    }
    return;
  }
  const GridIndex low = low_cell(cube), high = high_cell(cube);
  for (std::int64_t z = low[2]; z < high[2]; ++z) {
    for (std::int64_t y = low[1]; y < high[1]; ++y) {
      for (std::int64_t x = low[0]; x < high[0]; ++x, ++before) {
        if (before >= walk.first && before < walk.end) walk.act({x, y, z});
      }
    }
  }
}

}  // namespace dgsolve::mesh
