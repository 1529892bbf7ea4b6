// "Did you mean".
#include "codegen/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace dgsolve::codegen {
namespace {

const std::vector<std::string> names{"gamma", "pressure", "velocity", "rho", "E", "periodic", "sin", "sinh"};

TEST(NearestName, finds_missing_extra_wrong_and_swapped_letters_in_any_case) {
  EXPECT_EQ(nearest_name("presure", names), "pressure");
  EXPECT_EQ(nearest_name("vellocity", names), "velocity");
  EXPECT_EQ(nearest_name("gamna", names), "gamma");
  EXPECT_EQ(nearest_name("peroidic", names), "periodic");
  EXPECT_EQ(nearest_name("RHO", names), "rho");
  EXPECT_EQ(nearest_name("sinn", names), "sin") << "the first of equals";
}

TEST(NearestName, is_silent_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("temperature", names), std::nullopt);
  EXPECT_EQ(nearest_name("x", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("gamma", {}), std::nullopt);
}

TEST(NearestName, makes_a_sentence) {
  EXPECT_EQ(did_you_mean("presure", names), "; did you mean 'pressure'?");
  EXPECT_EQ(did_you_mean("temperature", names), "");
  EXPECT_EQ(did_you_mean("rho", names), "") << "the name itself is no advice";
}

}  // namespace
}  // namespace dgsolve::codegen
