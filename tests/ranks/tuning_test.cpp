// Tuning on many ranks: one measures, all take its choice or its fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/errors.h"
#include "tests/ranks/world.h"
#include "tests/verification/discrete_problem.h"

namespace dgsolve {
namespace {

constexpr int most_ranks = 8;  ///< each of them compiles and runs kernels

class Tuning : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (world().size() > most_ranks) GTEST_SKIP() << "more than " << most_ranks << " ranks on a machine with few cores";
    op_.emplace(part_, config_.problem, codegen::select_device("auto"), &verification::kernel_cache(), nullptr, world());
    op_->set_initial(0);
  }

  static io::Config configuration() {
    return verification::read_text(
        fmt::format("equations: euler\nmesh: {{box: {{upper: [1, 1], cells: [4, 4], shape: quad, periodic: [x]}}}}\n"
                    "boundaries: {{bottom: slip_wall, top: slip_wall}}\ninitial: {{rho: \"1 + 0.2*sin(2*pi*x)*cos(pi*y)\", v: [0, 0], p: "
                    "1}}\norder: 1\n"
                    "nodes: {}\ntime: {{end: 1}}\n",
                    GetParam()));
  }

  const io::Config config_ = configuration();
  const mesh::MeshPart part_ = mesh::mesh_box_part(std::get<mesh::BoxOptions>(config_.mesh), world().rank(), world().size());
  const codegen::TuningOptions quick_{.sample_seconds = 1e-4, .samples = 1};
  std::optional<solver::DgOperator> op_;
};

TEST_P(Tuning, is_measured_by_rank_0_and_taken_by_all_and_keeps_the_state) {
  op_->step(0, 0.001);
  const std::vector<double> before = op_->own_state();
  const auto tuned = op_->tune(0, 0.001, 40, quick_);
  ASSERT_EQ(tuned.has_value(), world().is_root());
  if (tuned) {
    EXPECT_GT(tuned->result.candidates.size(), 4U);
    for (const codegen::Candidate& candidate : tuned->result.candidates)
      EXPECT_NE(candidate.status, codegen::CandidateStatus::wrong) << codegen::describe(candidate.point) << ": " << candidate.note;
  }
  EXPECT_EQ(op_->own_state(), before);
  std::string best = tuned ? codegen::describe(tuned->result.best) : std::string();
  world().broadcast(best, 0);
  EXPECT_EQ(codegen::describe(op_->choices()), best);
  EXPECT_EQ(op_->choice_origin(), "record");
  op_->step(0.001, 0.001);
  const std::string checksum = op_->checksum();

  solver::DgOperator plain(part_, config_.problem, codegen::select_device("auto"), &verification::kernel_cache(), nullptr, world());
  plain.set_initial(0);
  plain.step(0, 0.001);
  plain.step(0.001, 0.001);
  EXPECT_EQ(checksum, plain.checksum());
}

TEST_P(Tuning, a_record_that_one_rank_has_is_that_of_all_and_one_that_only_others_have_is_none) {
  const auto tuned = op_->tune(0, 0.001, 40, quick_);
  std::string line = tuned ? codegen::TuningRecords::to_line(tuned->record) : std::string();
  world().broadcast(line, 0);
  for (const bool on_root : {true, false}) {
    codegen::TuningRecords records;
    if (world().is_root() == on_root) records.add(*codegen::TuningRecords::from_line(line));
    solver::DgOperator next(part_, config_.problem, codegen::select_device("auto"), &verification::kernel_cache(), &records, world());
    EXPECT_EQ(next.choice_origin(), on_root ? "record" : "rule");
    next.set_initial(0);
    // No rank waits for another that has nothing to do.
    EXPECT_EQ(next.tune(0, 0.001, 40, quick_, solver::DgOperator::TuneWhich::unrecorded).has_value(), !on_root && world().is_root());
  }
}

TEST_P(Tuning, a_fault_of_the_rank_that_measures_is_thrown_on_all) {
  codegen::TuningOptions options = quick_;
  options.progress = [](const std::string&) { throw codegen::DeviceError("the device has gone"); };
  try {
    (void)op_->tune(0, 0.001, 40, options);
    FAIL() << "no fault";
  } catch (const codegen::DeviceError& fault) {
    EXPECT_STREQ(fault.what(), "the device has gone");
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Tuning, testing::Values("lobatto", "gauss"));

}  // namespace
}  // namespace dgsolve
