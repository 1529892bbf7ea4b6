// The mappings of the stage kernels to threads compute the same: lines and nodes over threads, elements as lanes.
#include <gmock/gmock.h>

#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

class StageMappings : public codegen::EveryDevice {
 protected:
  /// The state after a step of the stable size, with pinned choices.
  std::vector<double> after_a_step(const io::Config& config, const codegen::TuningPoint& pins) {
    io::Config pinned = config;
    pinned.problem.variant = pins;
    op_.reset();
    mesh_ = std::make_unique<const mesh::Mesh>(mesh::mesh_box(std::get<mesh::BoxOptions>(config.mesh)));
    op_ = std::make_unique<solver::DgOperator>(*mesh_, pinned.problem, device_, &kernel_cache());
    op_->set_initial(0);
    op_->step(0, 0.5 * op_->stable_step(0));
    return op_->state();
  }

  void expect_equal_mappings(const std::string& text) {
    SCOPED_TRACE(text);
    const io::Config config = read_text(text);
    const std::vector<double> nodes = after_a_step(config, {{"width", 1}, {"lines", 0}});
    EXPECT_EQ(op_->choices().at("lines"), 0);
    const auto difference = [&](const codegen::TuningPoint& pins) {
      const std::vector<double> state = after_a_step(config, pins);
      return relative_difference(state, nodes, *op_);
    };
    EXPECT_LT(difference({{"width", 1}, {"lines", 1}}), 2e-14);
    EXPECT_EQ(op_->choices().at("lines"), 1);
    EXPECT_LT(difference({{"width", 1}, {"lines", 1}, {"elements", 3}, {"in_order", 1}, {"rolled", 1}}), 2e-14);
    if (device_.facts().is_cpu) {
      EXPECT_LT(difference({}), 2e-14);
    }
  }

  std::unique_ptr<const mesh::Mesh> mesh_;
  std::unique_ptr<solver::DgOperator> op_;
};

constexpr const char* quadrilaterals =
    "equations: euler\nmesh: {{box: {{upper: [1, 1], cells: [7, 5], shape: quad, periodic: [x]{}}}}}\n"
    "boundaries: {{bottom: slip_wall, top: outflow}}\n"
    "initial: {{rho: \"1 + 0.2*sin(2*pi*x)\", v: [\"0.3\", \"0.1*sin(2*pi*y)\"], p: 1}}\norder: {}\nflux: {}\n"
    "time: {{end: 1, integrator: {}}}\n";

constexpr const char* hexahedra =
    "equations: euler\nmesh: {{box: {{upper: [1, 1, 1], cells: [3, 4, 3], shape: hex, periodic: [x, y]{}}}}}\n"
    "boundaries: {{front: slip_wall, back: slip_wall}}\n"
    "initial: {{rho: \"1 + 0.2*sin(2*pi*(x + y))\", v: [\"0.3\", \"0.2*cos(2*pi*z)\", 0.25], p: 1}}\norder: {}\nflux: rusanov\n"
    "time: {{end: 1}}\n";

TEST_P(StageMappings, on_quadrilaterals) {
  expect_equal_mappings(fmt::format(quadrilaterals, "", 4, "hllc", "lsrk54"));
  expect_equal_mappings(fmt::format(quadrilaterals, ", warp: 0.04", 3, "rusanov", "ssprk33"));
  expect_equal_mappings(fmt::format(quadrilaterals, "", 1, "rusanov", "rk4"));
}

TEST_P(StageMappings, on_hexahedra) {
  expect_equal_mappings(fmt::format(hexahedra, "", 2));
  expect_equal_mappings(fmt::format(hexahedra, ", warp: 0.03", 3));
}

TEST_P(StageMappings, with_a_source_and_coordinates) {
  expect_equal_mappings(
      "equations: shallow_water\nmesh: {box: {upper: [1, 1], cells: [5, 4], shape: quad, periodic: [x, y]}}\n"
      "initial: {h: \"1 + 0.1*sin(2*pi*x)\", hv: [0.1, \"0.1*cos(2*pi*y)\"]}\n"
      "source: {h: \"0.1*sin(2*pi*(x + t))\", hv: [0, \"0.2*h*cos(2*pi*y)\"]}\norder: 3\nflux: hll\ntime: {end: 1}\n");
  expect_equal_mappings(
      "equations: advection\nparameters: {a: [\"0.5 - y\", \"x - 0.5\"]}\n"
      "mesh: {box: {upper: [1, 1], cells: [4, 5], shape: quad, warp: 0.03}}\n"
      "boundaries: {left: exact, right: exact, bottom: exact, top: exact}\n"
      "initial: {u: \"sin(3*x)*cos(2*y)\"}\nexact: {u: \"sin(3*x)*cos(2*y)\"}\norder: 4\nflux: upwind\ntime: {end: 1}\n");
}

/// A state stored past the caches is the same, and there when the next stage reads it.
TEST_P(StageMappings, of_lanes_store_the_same_bits_past_the_caches) {
  if (!device_.facts().is_cpu) GTEST_SKIP() << device_.facts().selector << " has no lanes";
  for (const std::string& text :
       {fmt::format(quadrilaterals, "", 4, "hllc", "lsrk54"), fmt::format(hexahedra, ", warp: 0.03", 3),
        std::string("equations: acoustics\nmesh: {box: {upper: [1, 1, 1], cells: [11, 9, 10], shape: tet, periodic: [x, y, z]}}\n"
                    "initial: {p: \"sin(2*pi*x)\", v: [0.1, \"cos(2*pi*(y + z))\", 0]}\norder: 3\nflux: upwind\ntime: {end: 1}\n")}) {
    const io::Config config = read_text(text);
    const std::vector<double> through = after_a_step(config, {{"stream", 0}});
    const std::vector<double> past = after_a_step(config, {{"stream", 1}});
    EXPECT_EQ(op_->choices().at("stream"), 1);
    EXPECT_EQ(past, through) << text;
    const std::vector<double> nodes = after_a_step(config, {{"width", 1}});
    EXPECT_LT(relative_difference(past, nodes, *op_), 2e-14) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, StageMappings, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
