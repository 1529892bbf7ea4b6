// The space-filling curve visits every point of a grid once, in steps of one cell.
#include "mesh/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace dgsolve::mesh {
namespace {

TEST(Ordering, hilbert_curve_steps_from_cell_to_adjacent_cell) {
  for (const int dimension : {2, 3}) {
    const auto order = hilbert_order_of_grid({8, 8, 8}, dimension);
    ASSERT_EQ(order.size(), dimension == 2 ? 64U : 512U);
    std::vector<bool> seen(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_FALSE(seen[static_cast<std::size_t>(order[i])]);
      seen[static_cast<std::size_t>(order[i])] = true;
      if (i == 0) continue;
      const int steps = std::abs(order[i] % 8 - order[i - 1] % 8) + std::abs(order[i] / 8 % 8 - order[i - 1] / 8 % 8) +
                        std::abs(order[i] / 64 - order[i - 1] / 64);
      ASSERT_EQ(steps, 1) << "dimension " << dimension << " place " << i;
    }
  }
}

TEST(Ordering, grids_that_are_no_power_of_two_are_visited_once) {
  const auto order = hilbert_order_of_grid({3, 7, 5}, 3);
  std::vector<bool> seen(105);
  for (const auto cell : order) seen[static_cast<std::size_t>(cell)] = true;
  EXPECT_EQ(order.size(), 105U);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 105);
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
