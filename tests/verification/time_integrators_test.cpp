// Every time integrator reaches its order of accuracy on a whole discretisation: fixed mesh, steps halved, against a run with far smaller
// ones.
#include <gmock/gmock.h>

#include "codegen/profile.h"
#include "solver/time/integrator.h"
#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

constexpr double end = 0.4;

/// Nonlinear, with a source and a boundary value of time: wrong stage times lower the order.
std::string forced_burgers(const std::string& integrator) {
  return fmt::format(R"(
equations: burgers
mesh: {{box: {{cells: [4], shape: line}}}}
initial: {{u: 1.5 + 0.3*cos(3*x)}}
source: {{u: 2*sin(5*t + x)*u}}
boundaries:
  left: {{dirichlet: {{u: 1.8 + 0.3*sin(4*t)}}}}
  right: outflow
order: 2
time: {{end: {}, integrator: {}}}
)",
                     end, integrator);
}

class TimeIntegrators : public codegen::EveryDevice {
 protected:
  [[nodiscard]] std::vector<double> run(DiscreteProblem& problem, int steps) const {
    problem.op->set_initial(0);
    for (int step = 0; step < steps; ++step) problem.op->step(end * step / steps, end / steps);
    return problem.op->state();
  }
};

TEST_P(TimeIntegrators, reach_their_order) {
  DiscreteProblem fine(forced_burgers("rk4"), device_);
  const std::vector<double> reference = run(fine, 1024);
  for (const solver::Integrator& method : solver::integrators()) {
    SCOPED_TRACE(method.name);
    DiscreteProblem problem(forced_burgers(method.name), device_);
    std::vector<double> errors;
    for (const int steps : {64, 128, 256}) errors.push_back(relative_difference(run(problem, steps), reference, *problem.op));
    ASSERT_LT(errors.front(), 1e-3) << "not in the asymptotic range";
    ASSERT_GT(errors.back(), 1e-13) << "rounding hides the order";
    for (std::size_t k = 1; k < errors.size(); ++k) {
      EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), method.order, 0.2) << errors[k - 1] << " " << errors[k];
    }
  }
}

/// With a CFL-limited step the end is met exactly and two runs give the same bits.
TEST_P(TimeIntegrators, land_on_the_end_with_the_same_bits_every_time) {
  for (const solver::Integrator& method : solver::integrators()) {
    SCOPED_TRACE(method.name);
    DiscreteProblem problem(forced_burgers(method.name), device_);
    const solver::Progress first = solver::run_simulation(*problem.op, problem.config.time, {});
    const std::string checksum = problem.op->checksum();
    EXPECT_EQ(first.time, end);
    problem.op->set_initial(0);
    const solver::Progress second = solver::run_simulation(*problem.op, problem.config.time, {});
    EXPECT_EQ(first.step, second.step);
    EXPECT_EQ(checksum, problem.op->checksum());
    problem.op->set_initial(0);
    EXPECT_NE(checksum, problem.op->checksum());
  }
}

/// A step is replayed from a recording; on a profiled queue its kernels are launched one by one, with the same bits.
TEST_P(TimeIntegrators, replay_what_they_recorded) {
  for (const solver::Integrator& method : solver::integrators()) {
    SCOPED_TRACE(method.name);
    DiscreteProblem replayed(forced_burgers(method.name), device_), launched(forced_burgers(method.name), device_);
    codegen::start_profile(launched.op->queue());
    EXPECT_EQ(run(replayed, 5), run(launched, 5));
    std::int64_t launches = 0;
    for (const codegen::ProfileRow& row : codegen::stop_profile(launched.op->queue())) {
      if (row.kernel.starts_with("stage")) launches += row.calls;
    }
    const std::size_t classes = launches > 0 ? static_cast<std::size_t>(launches) / (5 * method.stages.size()) : 0;
    EXPECT_EQ(classes, 2u) << "interior and boundary";
  }
}

/// Sees every step, so that none is left to the device.
class EveryStep : public solver::Observer {
 public:
  void observe(const solver::Progress&, solver::DgOperator&) override { ++calls; }
  std::int64_t calls = 0;
};

TEST_P(TimeIntegrators, take_the_same_steps_in_batches_as_one_by_one) {
  for (const solver::Integrator& method : solver::integrators()) {
    for (const bool fixed : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", method.name, fixed));
      DiscreteProblem problem(forced_burgers(method.name), device_);
      ASSERT_GT(problem.op->batch_steps(), 0);
      solver::TimeOptions time = problem.config.time;
      time.end = 10;
      if (fixed) time.step = 0.0123;
      problem.op->set_initial(0);
      EveryStep observer;
      const solver::Progress one_by_one = solver::run_simulation(*problem.op, time, {&observer});
      EXPECT_EQ(observer.calls, one_by_one.step + 1);
      ASSERT_GT(one_by_one.step, 4 * problem.op->batch_steps());
      const std::string checksum = problem.op->checksum();
      problem.op->set_initial(0);
      codegen::start_profile(problem.op->queue());
      const solver::Progress batched = solver::run_simulation(*problem.op, time, {});
      std::int64_t by_device = 0;
      for (const codegen::ProfileRow& row : codegen::stop_profile(problem.op->queue()))
        by_device += row.kernel == "advance" ? row.calls : 0;
      EXPECT_GE(by_device, one_by_one.step / 2);
      EXPECT_EQ(batched.step, one_by_one.step);
      EXPECT_EQ(batched.time, one_by_one.time);
      EXPECT_EQ(batched.dt, one_by_one.dt);
      EXPECT_EQ(problem.op->checksum(), checksum);
    }
  }
}

/// A state that becomes inadmissible within a batch is reported as if every step had been looked at.
TEST_P(TimeIntegrators, find_the_same_fault_in_batches_as_one_by_one) {
  const std::string text = R"(
equations: euler
mesh: {box: {cells: [24], shape: line, periodic: [x]}}
initial: {rho: 1 + 0.9*sin(2*pi*x), v: [3*cos(2*pi*x)], p: 0.02}
order: 3
time: {end: 1, cfl: 0.9}
)";
  DiscreteProblem problem(text, device_);
  const auto run = [&](const std::vector<solver::Observer*>& observers) {
    problem.op->set_initial(0);
    try {
      solver::run_simulation(*problem.op, problem.config.time, observers);
    } catch (const solver::DivergedError& error) {
      EXPECT_GT(error.progress().step, 0);
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EveryStep observer;
  const std::string one_by_one = run({&observer});
  EXPECT_THAT(one_by_one, testing::HasSubstr("diverged at step"));
  EXPECT_EQ(run({}), one_by_one);
}

INSTANTIATE_TEST_SUITE_P(Devices, TimeIntegrators, testing::Range<std::size_t>(0, codegen::all_devices().size()),
                         codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
