// Tuning of the stage kernels: right choices only, the state kept, the record found again.
#include <gmock/gmock.h>

#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

class StageTuning : public codegen::EveryDevice {
 protected:
  static std::string text(const std::string& shape, const std::string& more = "") {
    return fmt::format(
        "equations: acoustics\nmesh: {{box: {{upper: [1, 1], cells: [6, 6], shape: {}, periodic: [x]}}}}\n"
        "boundaries: {{bottom: hard_wall, top: hard_wall}}\ninitial: {{p: \"sin(2*pi*x)*cos(pi*y)\", v: [0, 0]}}\norder: 2\nflux: upwind\n"
        "time: {{end: 1}}\n{}",
        shape, more);
  }

  codegen::TuningOptions quick() { return {.sample_seconds = 1e-4, .samples = 1}; }
};

TEST_P(StageTuning, keeps_the_state_and_chooses_what_gives_the_same_solution) {
  for (const std::string shape : {"quad", "tri"}) {
    SCOPED_TRACE(shape);
    DiscreteProblem plain(text(shape), device_), tuned(text(shape), device_);
    plain.take_steps(3);
    tuned.take_steps(3);
    const std::vector<double> before = tuned.op->state();
    EXPECT_EQ(tuned.op->choice_origin(), "rule");
    const auto measured = tuned.op->tune(0, 0.01, 40, quick());
    ASSERT_TRUE(measured.has_value());
    const codegen::TuningResult& result = measured->result;
    EXPECT_EQ(tuned.op->state(), before);
    EXPECT_EQ(tuned.op->choices(), result.best);
    EXPECT_EQ(result.candidates.front().point, plain.op->choices());
    EXPECT_GT(result.candidates.size(), 4U);
    int right = 0;
    for (const codegen::Candidate& candidate : result.candidates) {
      EXPECT_NE(candidate.status, codegen::CandidateStatus::wrong) << codegen::describe(candidate.point) << ": " << candidate.note;
      right += candidate.seconds > 0 ? 1 : 0;
    }
    EXPECT_GT(right, 2);
    plain.op->step(0, 0.01);
    tuned.op->step(0, 0.01);
    EXPECT_LT(relative_difference(tuned.op->state(), plain.op->state(), *plain.op), 1e-13);
  }
}

TEST_P(StageTuning, a_record_is_found_by_the_same_problem_and_by_no_other) {
  DiscreteProblem problem(text("quad"), device_);
  codegen::TuningRecords records;
  records.add(problem.op->tune(0, 0.01, 40, quick())->record);
  const auto origin = [&](const std::string& other, codegen::TuningRecords* known) {
    const io::Config config = read_text(other);
    const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(config.mesh));
    return solver::DgOperator(mesh, config.problem, device_, &kernel_cache(), known).choice_origin();
  };
  EXPECT_EQ(origin(text("quad"), &records), "record");
  EXPECT_EQ(origin(text("quad"), nullptr), "rule");
  EXPECT_EQ(origin(text("tri"), &records), "rule");
  EXPECT_EQ(origin(text("quad", "parameters: {c0: 2}\n"), &records), "rule");
}

TEST_P(StageTuning, with_a_record_is_done_anew_only_where_that_is_asked_for) {
  DiscreteProblem problem(text("quad"), device_);
  using Which = solver::DgOperator::TuneWhich;
  EXPECT_TRUE(problem.op->tune(0, 0.01, 40, quick(), Which::unrecorded).has_value());
  EXPECT_FALSE(problem.op->tune(0, 0.01, 40, quick(), Which::unrecorded).has_value());
  EXPECT_TRUE(problem.op->tune(0, 0.01, 40, quick(), Which::all).has_value());
}

TEST_P(StageTuning, pins_are_not_varied) {
  io::Config config = read_text(text("quad"));
  const std::string name = device_.facts().is_cpu ? "blocks" : "elements";
  config.problem.variant[name] = 2;
  const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(config.mesh));
  solver::DgOperator op(mesh, config.problem, device_, &kernel_cache());
  EXPECT_EQ(op.choices().at(name), 2);
  EXPECT_EQ(op.choice_origin(), "rule and pins");
  op.set_initial(0);
  const auto tuned = op.tune(0, 0.01, 40, quick());
  ASSERT_TRUE(tuned.has_value());
  for (const codegen::Candidate& candidate : tuned->result.candidates) {
    EXPECT_EQ(candidate.point.at(name), 2) << codegen::describe(candidate.point);
  }
}

TEST_P(StageTuning, begins_with_what_the_rules_choose_for_a_small_problem) {
  // The mappings of GPUs, where the size matters; what is pinned leaves few candidates.
  DiscreteProblem problem(text("quad", "variant: {width: 1, elements: 2, min_groups: 4, staged_faces: 1, staged_directions: 2}\n"),
                          device_);
  const codegen::TuningPoint by_rule = problem.op->choices();
  EXPECT_EQ(by_rule.at("lines"), 0);
  EXPECT_EQ(problem.op->tune(0, 0.01, 40, quick())->task.reference, by_rule);
}

INSTANTIATE_TEST_SUITE_P(Devices, StageTuning, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
