// Due times are multiples of an interval, whatever rounding does.
#include "io/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dgsolve::io {
namespace {

using Without = Schedule::WithoutInterval;

TEST(Schedule, the_next_time_is_always_later_and_a_multiple) {
  for (const double interval : {0.1, 0.3, 1e-3, 7.0, 1.0 / 3.0}) {
    const Schedule schedule(interval, Without::never);
    double now = 0;
    for (int count = 1; count <= 1000; ++count) {
      const double next = schedule.next_after(now);
      ASSERT_GT(next, now);
      ASSERT_NEAR(next, count * interval, 1e-9 * interval * count);
      now = next;
    }
  }
}

TEST(Schedule, a_time_that_misses_a_multiple_by_rounding_counts_as_it) {
  const Schedule schedule(0.1, Without::never);
  EXPECT_NEAR(schedule.next_after(0.3 - 1e-16), 0.4, 1e-12);
  EXPECT_NEAR(schedule.next_after(0.29), 0.3, 1e-12);
  EXPECT_TRUE(schedule.is_due(0.2, 0.3 - 1e-13));
  EXPECT_FALSE(schedule.is_due(0.2, 0.2999));
}

TEST(Schedule, a_start_between_multiples_is_followed_by_the_next_multiple) {
  const Schedule schedule(0.5, Without::never);
  EXPECT_EQ(schedule.next_after(0.7), 1.0);
  EXPECT_EQ(schedule.next_after(-0.7), -0.5);
}

TEST(Schedule, several_multiples_in_one_step_make_one_record) {
  const Schedule schedule(0.1, Without::never);
  EXPECT_TRUE(schedule.is_due(0.0, 0.35));
  EXPECT_FALSE(schedule.is_due(0.35, 0.39));
  EXPECT_TRUE(schedule.is_due(0.35, 0.41));
}

TEST(Schedule, an_interval_below_the_resolution_of_time_still_moves_on) {
  const Schedule schedule(1e-12, Without::never);
  EXPECT_GT(schedule.next_after(1e9), 1e9);
}

TEST(Schedule, without_an_interval_every_time_is_due_or_none) {
  EXPECT_TRUE(Schedule(std::nullopt, Without::always).is_due(0, 1e-9));
  EXPECT_FALSE(Schedule(std::nullopt, Without::never).is_due(0, 1));
  EXPECT_TRUE(std::isinf(Schedule(std::nullopt, Without::always).next_after(0)));
}

}  // namespace
}  // namespace dgsolve::io
