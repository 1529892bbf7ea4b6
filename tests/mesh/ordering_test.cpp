// The space-filling curve visits every point of a grid once, in steps of one cell, and is numbered without gaps in any grid.
#include "mesh/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mesh/grid_curve.h"

namespace dgsolve::mesh {
namespace {

/// The cells of a grid sorted by position on the curve through the smallest cube of a power of two around it.
std::vector<GridIndex> sorted_cells(GridIndex cells, int dimension) {
  int bits = 1;
  for (const std::int64_t length : cells) {
    while ((std::int64_t{1} << bits) < length) ++bits;
  }
  std::vector<std::pair<std::uint64_t, GridIndex>> keyed;
  for (std::uint32_t z = 0; z < cells[2]; ++z) {
    for (std::uint32_t y = 0; y < cells[1]; ++y) {
      for (std::uint32_t x = 0; x < cells[0]; ++x) keyed.push_back({hilbert_position({x, y, z}, dimension, bits), {x, y, z}});
    }
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<GridIndex> sorted;
  for (const auto& [position, cell] : keyed) sorted.push_back(cell);
  return sorted;
}

TEST(Ordering, hilbert_curve_steps_from_cell_to_adjacent_cell) {
  for (const int dimension : {2, 3}) {
    const auto cells = sorted_cells({8, 8, dimension == 2 ? 1 : 8}, dimension);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      std::int64_t steps = 0;
      for (std::size_t k = 0; k < 3; ++k) steps += std::abs(cells[i][k] - cells[i - 1][k]);
      ASSERT_EQ(steps, 1) << "dimension " << dimension << " place " << i;
    }
  }
}

TEST(GridCurve, numbers_the_cells_of_any_grid_in_the_order_of_their_positions) {
  struct Grid {
    GridIndex cells;
    int dimension;
  };
  for (const auto& [cells, dimension] : {Grid{{11, 1, 1}, 1}, Grid{{1, 1, 1}, 2}, Grid{{8, 8, 1}, 2}, Grid{{5, 17, 1}, 2},
                                         Grid{{1, 1, 1}, 3}, Grid{{8, 8, 8}, 3}, Grid{{3, 7, 5}, 3}, Grid{{2, 1, 40}, 3}}) {
    const GridCurve curve(cells, dimension);
    const auto sorted = sorted_cells(cells, dimension);
    const auto count = static_cast<std::int64_t>(sorted.size());
    ASSERT_EQ(curve.cell_count(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(curve.position(sorted[static_cast<std::size_t>(i)]), i);
      EXPECT_EQ(curve.cell_at(i), sorted[static_cast<std::size_t>(i)]);
    }
    for (const std::int64_t first : {std::int64_t{0}, count / 3, count}) {
      std::vector<GridIndex> walked;
      curve.walk(first, (first + count) / 2, [&](const GridIndex& cell) { walked.push_back(cell); });
      EXPECT_TRUE(std::equal(walked.begin(), walked.end(), sorted.begin() + first, sorted.begin() + (first + count) / 2));
    }
  }
}

TEST(GridCurve, numbers_beyond_32_bits_lead_back_to_their_cells) {
  for (const auto& cells : {GridIndex{3000, 2500, 4099}, GridIndex{4'000'000, 3, 5000}, GridIndex{5'000'000, 5'000'000, 1}}) {
    const GridCurve curve(cells, cells[2] == 1 ? 2 : 3);
    for (const std::int64_t position : {std::int64_t{1} << 31, (std::int64_t{1} << 32) + 7, curve.cell_count() - 1}) {
      const GridIndex cell = curve.cell_at(position);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(cell[k], cells[k]);
      EXPECT_EQ(curve.position(cell), position);
    }
    // Places far apart are in the order of their positions with gaps.
    const auto with_gaps = [&](const GridIndex& cell) {
      const int dimension = cells[2] == 1 ? 2 : 3, bits = dimension == 2 ? 23 : 21, dropped = cells[0] == 4'000'000 ? 1 : 0;
      std::array<std::uint32_t, 3> point{};
      for (std::size_t k = 0; k < 3; ++k) point[k] = static_cast<std::uint32_t>(cell[k] >> dropped);
      return hilbert_position(point, dimension, cells[0] == 3000 ? 13 : bits);
    };
    for (std::int64_t i = 1; i < 50; ++i)
      EXPECT_LT(with_gaps(curve.cell_at((i - 1) * (curve.cell_count() / 50))), with_gaps(curve.cell_at(i * (curve.cell_count() / 50))));
  }
}

TEST(Ordering, points_on_a_line_are_sorted) {
  const std::vector<double> points{0.5, -3, 7, 0.25};
  EXPECT_EQ(hilbert_order(points, 1), (std::vector<std::int32_t>{1, 3, 0, 2}));
}

TEST(Ordering, points_in_one_place_keep_their_order) {
  const std::vector<double> points{1, 1, 1, 1, 1, 1};
  EXPECT_EQ(hilbert_order(points, 2), (std::vector<std::int32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace dgsolve::mesh
