// Sums without rounding: known sums, any order, any split, and the ends of the range of doubles.
#include "solver/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dgsolve::solver {
namespace {

using Limits = std::numeric_limits<double>;

double sum(const std::vector<double>& terms) {
  ExactSum total;
  for (const double term : terms) total.add(term);
  return total.value();
}

TEST(ExactSum, is_the_double_nearest_to_the_true_sum) {
  EXPECT_EQ(sum({}), 0.0);
  EXPECT_EQ(sum({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum({0.1, 0.2, -0.3}), std::ldexp(1.0, -55));  // the decimals as doubles differ by this
  EXPECT_EQ(sum({1.0, std::ldexp(1.0, -53)}), 1.0) << "a tie goes to the even one";
  EXPECT_EQ(sum({1.0 + Limits::epsilon(), std::ldexp(1.0, -53)}), 1.0 + 2 * Limits::epsilon()) << "a tie goes to the even one";
  EXPECT_EQ(sum({1.0, std::ldexp(1.0, -53), Limits::denorm_min()}), 1.0 + Limits::epsilon()) << "beyond a tie";
  EXPECT_EQ(sum({-1.0, -std::ldexp(1.0, -53), -Limits::denorm_min()}), -1.0 - Limits::epsilon());
}

TEST(ExactSum, reaches_from_the_smallest_to_the_largest_double) {
  EXPECT_EQ(sum({Limits::denorm_min(), Limits::denorm_min()}), 2 * Limits::denorm_min());
  EXPECT_EQ(sum({Limits::min(), -Limits::denorm_min()}), Limits::min() - Limits::denorm_min());
  EXPECT_EQ(sum({Limits::max(), Limits::max(), -Limits::max()}), Limits::max());
  EXPECT_EQ(sum({-Limits::max(), -Limits::max()}), -Limits::infinity());
  EXPECT_EQ(sum({Limits::max(), -Limits::max(), -Limits::denorm_min()}), -Limits::denorm_min());
}

TEST(ExactSum, follows_ieee_arithmetic_beyond_finite_terms) {
  EXPECT_EQ(sum({1.0, Limits::infinity(), -5.0}), Limits::infinity());
  EXPECT_EQ(sum({-Limits::infinity(), 1.0}), -Limits::infinity());
  EXPECT_TRUE(std::isnan(sum({Limits::infinity(), -Limits::infinity()})));
  EXPECT_TRUE(std::isnan(sum({-Limits::quiet_NaN(), 1.0})));
  EXPECT_FALSE(std::signbit(sum({-Limits::quiet_NaN(), 1.0})));
}

TEST(ExactSum, has_the_same_bits_in_any_order_and_any_split) {
  std::mt19937_64 random(5);
  std::vector<double> terms;
  for (int i = 0; i < 3000; ++i) {
    terms.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 400) - 230));
  }
  const double expected = sum(terms);
  for (const std::size_t pieces : {1U, 2U, 7U, 64U}) {
    std::shuffle(terms.begin(), terms.end(), random);
    std::vector<std::int64_t> together(std::tuple_size_v<ExactSum::Parts>, 0);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      ExactSum part;
      for (std::size_t i = piece; i < terms.size(); i += pieces) part.add(terms[i]);
      const ExactSum::Parts& carried = part.carried_parts();
      for (std::size_t i = 0; i < together.size(); ++i) together[i] += carried[i];
    }
    ExactSum total;
    total.set_parts(together);
    EXPECT_EQ(total.value(), expected);
  }
}

TEST(ExactSum, agrees_with_integers_on_many_terms) {
  std::mt19937_64 random(9);
  ExactSum total;
  std::int64_t exact = 0;  // 200000 terms below 2^46
  for (int i = 0; i < 200000; ++i) {
    const auto term = static_cast<std::int64_t>(random()) >> 18;
    exact += term;
    total.add(std::ldexp(static_cast<double>(term), -60));
  }
  EXPECT_EQ(total.value(), std::ldexp(static_cast<double>(exact), -60));
}

}  // namespace
}  // namespace dgsolve::solver
