// Simplices on matrix units give what nodes over threads give: every order, walls, curved cells, sources, coordinates in the flux.
#include <array>

#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

class MatrixUnits : public codegen::EveryDevice {
 protected:
  void SetUp() override {
    if (!device_.facts().has_matrix_double) GTEST_SKIP() << device_.facts().name << " has no matrix units in double precision";
  }

  /// The state after three steps, with choices pinned.
  std::vector<double> state(const std::string& text, const codegen::TuningPoint& pins) {
    io::Config config = read_text(text);
    config.problem.variant = pins;
    const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(config.mesh));
    solver::DgOperator op(mesh, config.problem, device_, &kernel_cache());
    op.set_initial(0);
    const double dt = 0.3 * op.stable_step(0);
    for (int step = 0; step < 3; ++step) op.step(step * dt, dt);
    variables_ = static_cast<std::size_t>(op.system().variable_count());
    nodes_ = static_cast<std::size_t>(op.element().node_count);
    return op.state();
  }

  void expect_same(const std::string& text, const codegen::TuningPoint& more = {}, double tolerance = 1e-13) {
    codegen::TuningPoint pins = more;
    pins["matrix_units"] = 1;
    const std::vector<double> plain = state(text, {{"matrix_units", 0}}), matrix = state(text, pins);
    ASSERT_EQ(plain.size(), matrix.size());
    double size = 0;
    for (const double value : plain) size = std::max(size, std::abs(value));
    EXPECT_GT(size, 0);
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR(matrix[i], plain[i], tolerance * size) << "variable " << i / nodes_ % variables_;
  }

  std::size_t variables_ = 1, nodes_ = 1;
};

std::string acoustics(int dimension, int order, const std::string& more = "") {
  // 5 and 7 cells: the last group is not full. Walls: two classes of elements.
  return dimension == 2
             ? fmt::format(
                   "equations: acoustics\nmesh: {{box: {{upper: [1, 1], cells: [5, 7], shape: tri, periodic: [x]{}}}}}\n"
                   "boundaries: {{bottom: hard_wall, top: absorbing}}\ninitial: {{p: \"sin(2*pi*x)*cos(pi*y)\", v: [\"0.1*x*y\", 0]}}\n"
                   "order: {}\nflux: upwind\ntime: {{end: 1}}\n",
                   more, order)
             : fmt::format(
                   "equations: acoustics\nmesh: {{box: {{upper: [1, 1, 1], cells: [3, 4, 3], shape: tet, periodic: [x, z]{}}}}}\n"
                   "boundaries: {{bottom: hard_wall, top: absorbing}}\n"
                   "initial: {{p: \"sin(2*pi*x)*cos(pi*y)\", v: [\"0.1*x*y\", 0, \"z*z\"]}}\n"
                   "order: {}\nflux: upwind\ntime: {{end: 1}}\n",
                   more, order);
}

/// Two tiles of eight nodes to a warp; by rule, problems as small as these have one.
codegen::TuningPoint half_of_the_warps(int nodes) { return {{"node_warps", ((nodes + 7) / 8 + 1) / 2}, {"min_groups", 1}}; }

TEST_P(MatrixUnits, triangles_of_every_order_with_walls_agree_with_nodes_over_threads) {
  for (int order = 1; order <= 8; ++order) {
    SCOPED_TRACE(order);
    expect_same(acoustics(2, order));
    expect_same(acoustics(2, order), half_of_the_warps((order + 1) * (order + 2) / 2));
  }
}

TEST_P(MatrixUnits, tetrahedra_of_every_order_with_walls_agree_with_nodes_over_threads) {
  for (int order = 1; order <= 8; ++order) {
    SCOPED_TRACE(order);
    expect_same(acoustics(3, order));
    expect_same(acoustics(3, order), half_of_the_warps((order + 1) * (order + 2) * (order + 3) / 6));
  }
}

TEST_P(MatrixUnits, single_precision_agrees) {
  for (int order = 1; order <= 8; ++order) {
    SCOPED_TRACE(order);
    expect_same(acoustics(2, order) + "precision: single\n", {}, 2e-6);
    expect_same(acoustics(3, order) + "precision: single\n", {}, 2e-6);
  }
}

TEST_P(MatrixUnits, every_shape_of_a_group_agrees) {
  // Lane elements, pair warps, node warps: the five tiles of order 4 in one, three and five shares, even and uneven.
  for (const auto& [lane_elements, pair_warps, node_warps] : {std::array{1, 1, 1}, {1, 2, 2}, {1, 1, 3}, {2, 2, 1}, {2, 1, 5}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", lane_elements, pair_warps, node_warps));
    expect_same(acoustics(3, 4),
                {{"lane_elements", lane_elements}, {"pair_warps", pair_warps}, {"node_warps", node_warps}, {"min_groups", 1}});
  }
}

TEST_P(MatrixUnits, curved_cells_agree) {
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    expect_same(acoustics(dimension, 3, ", warp: 0.03, order: 2"));
  }
}

TEST_P(MatrixUnits, over_integrated_quadrilaterals_and_hexahedra_agree) {
  const auto tensor = [](std::string text, const std::string& shape, int overintegration) {
    text.replace(text.find("shape: t"), 10, "shape: " + shape);
    return text + fmt::format("overintegration: {}\n", overintegration);
  };
  for (const auto& [order, more] : {std::array{1, 1}, {3, 1}, {5, 2}}) {
    SCOPED_TRACE(order);
    expect_same(tensor(acoustics(2, order), "quad", more));
    expect_same(tensor(acoustics(2, order, ", warp: 0.03, order: 2"), "quad", more));
  }
  for (const auto& [order, more] : {std::array{1, 1}, {2, 1}}) {
    SCOPED_TRACE(order);
    expect_same(tensor(acoustics(3, order), "hex", more));
    expect_same(tensor(acoustics(3, order, ", warp: 0.03, order: 2"), "hex", more));
  }
}

TEST_P(MatrixUnits, sources_coordinates_and_other_numbers_of_variables_agree) {
  const std::string problems = std::string(DGSOLVE_SOURCE_DIR) + "/tests/verification/problems/";
  for (const char* name : {"advection_variable_2d", "advection_variable_3d", "euler_3d", "maxwell_te", "elasticity_3d", "burgers_3d"}) {
    SCOPED_TRACE(name);
    std::ifstream file(problems + name + ".yaml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t box = text.find("box: {");
    ASSERT_NE(box, std::string::npos);
    text.insert(box + 6, std::string(name).find("3d") == std::string::npos ? "shape: tri, " : "shape: tet, ");
    expect_same(text + "order: 3\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, MatrixUnits, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
