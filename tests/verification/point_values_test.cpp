// Values at points: the block of the point's element alone gives what all elements together give.
#include "mesh/describe.h"
#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

class PointValues : public codegen::EveryDevice {
 protected:
  /// Points in the corner cells and inside, of a polynomial state and of fields of state, position and time.
  void check(const std::string& mesh, int dimension, const std::string& method) {
    SCOPED_TRACE(mesh + method);
    std::string text = "equations: advection\nparameters: {a: [1, 0.5, 0.25]}\ninitial: {u: 1 + x + x*x}\norder: 3\ntime: {end: 1}\n";
    text += "mesh: {box: {cells: " + same_in_each_direction("5", dimension) + ", " + mesh + "}}\n" + method + "boundaries:\n";
    const std::vector<std::string> sides{"left", "right", "bottom", "top", "front", "back"};
    for (std::size_t k = 0; k < sides.size() && static_cast<int>(k) < 2 * dimension; ++k) text += "  " + sides[k] + ": outflow\n";
    DiscreteProblem problem(text, device_);
    solver::DgOperator& op = *problem.op;
    const std::vector<solver::FieldSpec> fields{{"u", {}, {}}, {"moved", {{"u + 2*x", {}}, {"t*u", {}}}, {}}};
    const std::vector<double> all = op.evaluate(fields, 0.5);
    for (const double x : {0.01, 0.33, 0.5, 0.97}) {
      for (const double y : {0.02, 0.41, 0.99}) {
        const auto point = op.locate({x, y, 0.98});
        ASSERT_TRUE(point.has_value());
        const std::size_t nodes = point->weights.size();
        std::vector<double> expected(3, 0.0);
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t first = (static_cast<std::size_t>(point->cell) * 3 + c) * nodes;
          for (std::size_t m = 0; m < nodes; ++m) expected[c] += point->weights[m] * all[first + m];
        }
        const std::vector<double> found = op.evaluate_at(*point, fields, 0.5);
        EXPECT_EQ(found, expected) << x << " " << y;
        const double u = 1 + x + x * x;
        EXPECT_NEAR(found.at(0), u, 2e-3);  // not a polynomial in the reference coordinates of curved cells
        EXPECT_NEAR(found.at(1), u + 2 * x, 2e-3);
        EXPECT_NEAR(found.at(2), 0.5 * u, 1e-3);
      }
    }
  }
};

TEST_P(PointValues, equal_those_of_all_elements_in_straight_cells) {
  check("shape: line", 1, "");
  check("shape: tri", 2, "");
  check("shape: quad", 2, "nodes: gauss\n");
}

TEST_P(PointValues, equal_those_of_all_elements_in_curved_cells) {
  check("shape: quad, warp: 0.03", 2, "");
  check("shape: tet, warp: 0.02", 3, "");
}

/// More elements than their coordinates are uploaded of at once: each gets its own.
TEST_P(PointValues, of_many_elements_are_at_their_own_places) {
  DiscreteProblem problem(
      "equations: advection\nparameters: {a: [1, 0.5]}\ninitial: {u: x + 2*y}\norder: 3\ntime: {end: 1}\n"
      "mesh: {box: {cells: [401, 300], upper: [40.1, 30], periodic: [y]}}\nboundaries: {left: outflow, right: outflow}\n",
      device_);
  solver::DgOperator& op = *problem.op;
  const std::vector<double> values = op.evaluate({{"u", {}, {}}, {"place", {{"x", {}}, {"y", {}}}, {}}}, 0);
  const auto nodes = static_cast<std::size_t>(op.element().node_count);
  ASSERT_EQ(values.size(), problem.mesh->cell_count() * 3 * nodes);
  for (std::size_t cell = 0; cell < problem.mesh->cell_count(); ++cell) {
    std::array<double, 3> mean{};
    for (std::size_t i = 0; i < 3 * nodes; ++i) mean[i / nodes] += values[cell * 3 * nodes + i] / static_cast<double>(nodes);
    const auto centre = mesh::cell_centre(*problem.mesh, cell);
    ASSERT_NEAR(mean[0], centre[0] + 2 * centre[1], 1e-9) << cell;
    ASSERT_NEAR(mean[1], centre[0], 1e-12) << cell;
    ASSERT_NEAR(mean[2], centre[1], 1e-12) << cell;
  }
  EXPECT_FALSE(op.fault(0).has_value());
  std::vector<double> state = op.state();
  const std::size_t bad = problem.mesh->cell_count() - 3;
  state[bad * nodes + 5] = INFINITY;
  op.set_state(state);
  const auto fault = op.fault(0);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->element, problem.mesh->global_number[bad]);
}

INSTANTIATE_TEST_SUITE_P(Devices, PointValues, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
