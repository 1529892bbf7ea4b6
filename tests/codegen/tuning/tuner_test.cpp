// The tuner on every device: what is pruned, what is found wrong, what wins.
#include "codegen/tuning/tuner.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "codegen/cache.h"
#include "codegen/errors.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

/// y[i] = x[i] + 1, computed after `work` rounds of arithmetic whose result counts for nothing; `fault` breaks one item, or the source.
KernelSpec work_spec(std::int64_t work, std::int64_t fault) {
  KernelSpec spec;
  spec.name = "work";
  spec.source_name = "work.kernel.h";
  spec.source = R"(${signature} {
  const int i = GROUP_ID(0) * 64 + LOCAL_ID(0);
  float sum = x[i];
  for (int k = 0; k < ${work}; ++k) sum = FMA(sum, 0.5f, x[i]);
  y[i] = x[i] + (sum < -1.0e30f ? 7.0f : 1.0f) + (${fault} == 1 && i == 77 ? 0.5f : 0.0f);
#if ${fault} == 2
  this is no code
#endif
}
)";
  spec.constants = {{"work", work}, {"fault", fault}};
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[item]"}, {"y", ArgumentType::real_buffer, Intent::out, "[item]"}};
  spec.precision = Precision::single_precision;
  spec.group_size = {64, 1, 1};
  return spec;
}

class TunerOnDevice : public EveryDevice {
 protected:
  TunerOnDevice()
      : items_(device_.facts().is_cpu ? 1U << 12 : 1U << 22), x_(device_.allocate(items_ * 4, "x")), y_(device_.allocate(items_ * 4, "y")) {
    for (std::size_t i = 0; i < items_; ++i) values_.push_back(static_cast<float>(i % 97));
    queue_.upload<float>(x_, values_);
  }

  TuningTask task() {
    TuningTask task;
    task.name = "work";
    task.space.parameters = {{"work", {4000, 1, 500}}, {"fault", {0, 1, 2, 3}}};
    task.reference = {{"work", 500}, {"fault", 0}};
    task.specs = [](const TuningPoint& point) {
      if (point.at("fault") == 3) throw std::invalid_argument("three is too many");
      return std::vector<KernelSpec>{work_spec(point.at("work"), point.at("fault"))};
    };
    task.run = [this](Queue& queue, const TuningPoint&, std::span<const Kernel> kernels) {
      kernels[0].launch(queue, static_cast<std::uint32_t>(items_ / 64), {&x_, &y_});
    };
    task.difference = [this](Queue& queue, const TuningPoint&, std::span<const Kernel> kernels) {
      queue.fill_zero(y_);
      kernels[0].launch(queue, static_cast<std::uint32_t>(items_ / 64), {&x_, &y_});
      std::vector<float> found(items_);
      queue.download<float>(y_, found);
      double largest = 0;
      for (std::size_t i = 0; i < found.size(); ++i) largest = std::max(largest, std::abs(double{found[i]} - values_[i] - 1));
      return largest / 97;
    };
    task.bytes = static_cast<double>(items_) * 8;
    return task;
  }

  std::size_t items_;  ///< enough for the work to outlast a launch
  Buffer x_, y_;
  std::vector<float> values_;
};

TEST_P(TunerOnDevice, finds_the_fastest_right_candidate) {
  const TuningTask task = this->task();
  const TuningResult result = tune(device_, queue_, task, nullptr, {.sample_seconds = 1e-3});
  EXPECT_EQ(result.best, (TuningPoint{{"fault", 0}, {"work", 1}}));
  EXPECT_GE(result.gain(), 1.0);
  ASSERT_EQ(result.candidates.size(), 12U);
  EXPECT_EQ(result.candidates.front().point, task.reference);
  for (const Candidate& candidate : result.candidates) {
    SCOPED_TRACE(describe(candidate.point));
    switch (candidate.point.at("fault")) {
      case 0:
        EXPECT_GT(candidate.seconds, 0);
        EXPECT_TRUE(candidate.status == CandidateStatus::measured || candidate.status == CandidateStatus::eliminated);
        break;
      case 1:
        EXPECT_EQ(candidate.status, CandidateStatus::wrong);
        EXPECT_THAT(candidate.note, HasSubstr("differs from the reference by 0.005"));
        break;
      case 2:
        EXPECT_EQ(candidate.status, CandidateStatus::pruned);
        EXPECT_THAT(candidate.note, HasSubstr("work.kernel.h:7"));
        break;
      default:
        EXPECT_EQ(candidate.status, CandidateStatus::pruned);
        EXPECT_EQ(candidate.note, "three is too many");
    }
  }
  EXPECT_THAT(tuning_table(task, result), testing::AllOf(HasSubstr("default"), HasSubstr("fault=0 work=1"), HasSubstr("3 wrong")));
}

TEST_P(TunerOnDevice, equals_resolve_to_the_first) {
  TuningTask task = this->task();
  task.space.parameters = {{"work", {1}}, {"fault", {0}}, {"unused", {5, 4, 3}}};
  task.reference = {{"work", 4000}, {"fault", 0}};
  const TuningResult result = tune(device_, queue_, task, nullptr, {.sample_seconds = 1e-4, .tie = 1e9});
  EXPECT_EQ(result.best, task.reference);  // everything is a tie
  const TuningResult again = tune(device_, queue_, task, nullptr, {.sample_seconds = 1e-3, .tie = 2});
  EXPECT_EQ(again.best, (TuningPoint{{"fault", 0}, {"unused", 5}, {"work", 1}}));
}

TEST_P(TunerOnDevice, a_reference_that_cannot_be_built_is_an_error) {
  TuningTask task = this->task();
  task.reference = {{"work", 1}, {"fault", 2}};
  EXPECT_THROW(static_cast<void>(tune(device_, queue_, task, nullptr)), CompileError);
}

INSTANTIATE_TEST_SUITE_P(Devices, TunerOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

TEST(TuningSpace, points_are_all_allowed_combinations_in_a_fixed_order) {
  TuningSpace space{{{"a", {2, 1}}, {"b", {10, 20}}}, [](const TuningPoint& point) { return point.at("a") * point.at("b") != 20; }};
  EXPECT_EQ(space.points(), (std::vector<TuningPoint>{{{"a", 2}, {"b", 20}}, {{"a", 1}, {"b", 10}}}));
  space.allowed = nullptr;
  EXPECT_EQ(space.points().size(), 4U);
  EXPECT_EQ(TuningSpace{}.points().size(), 1U);
}

}  // namespace
}  // namespace dgsolve::codegen
