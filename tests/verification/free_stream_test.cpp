// Constants stay constant and integrals stay what they are: compressible Euler on warped boxes of every shape and on curved Gmsh meshes.
#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

struct Element {
  std::string shape;
  int dimension;
  int order;
  std::string nodes;
  int overintegration = 0;
  std::string variant{};
};

std::vector<Element> elements_of(const std::string& shape) {
  const bool simplex = shape == "tri" || shape == "tet";
  const int dimension = shape == "line" ? 1 : shape == "tri" || shape == "quad" ? 2 : 3;
  std::vector<Element> elements;
  for (int order = 1; order <= 4; ++order) {
    elements.push_back({shape, dimension, order, "lobatto"});
    if (!simplex) elements.push_back({shape, dimension, order, "gauss"});
  }
  elements.push_back({shape, dimension, 2, "lobatto", 1});
  if (!simplex && dimension > 1) {  // by rule, lines of nodes are for large problems
    for (const int order : {2, 3}) elements.push_back({shape, dimension, order, "lobatto", 0, "variant: {width: 1, lines: 1}\n"});
  }
  return elements;
}

/// A smooth flow in a warped periodic box; all conserved variables stay positive.
std::string periodic_flow(const Element& element) {
  const auto d = static_cast<std::size_t>(element.dimension);
  const std::string velocity = std::array{"[1]", "[1, 0.7]", "[1, 0.7, 0.4]"}.at(d - 1);
  const std::string axes = std::array{"[x]", "[x, y]", "[x, y, z]"}.at(d - 1);
  const std::string phase = std::array{"x", "x - y", "x - y + z"}.at(d - 1);
  // Odd numbers of cells: no symmetry of the warp hides an error, blocks of vector lanes are not all full.
  const std::string cells = std::array{"[7]", "[5, 3]", "[3, 3, 2]"}.at(d - 1);
  return fmt::format(R"(
equations: euler
mesh: {{box: {{cells: {}, shape: {}, periodic: {}, warp: 0.04, order: {}}}}}
initial:
  rho: 1 + 0.2*sin(2*pi*({}))
  v: {}
  p: 1 + 0.1*cos(2*pi*({}))
order: {}
nodes: {}
overintegration: {}
time: {{end: 1}}
{})",
                     cells, element.shape, axes, std::min(element.order, 3), phase, velocity, phase, element.order, element.nodes,
                     element.overintegration, element.variant);
}

/// The same conserved values at every node.
std::vector<double> uniform_state(const solver::DgOperator& op) {
  const auto variables = static_cast<std::size_t>(op.system().variable_count());
  const auto nodes = static_cast<std::size_t>(op.element().node_count);
  const std::vector<double> values = variables == 3   ? std::vector<double>{1.1, 0.9, 3}
                                     : variables == 4 ? std::vector<double>{1.1, 0.9, 0.5, 3}
                                                      : std::vector<double>{1.1, 0.9, 0.5, 0.3, 3};
  std::vector<double> state(op.mesh().cell_count() * variables * nodes);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = values[i / nodes % variables];
  return state;
}

class PeriodicBox : public codegen::EveryDevice {
 protected:
  /// 100 steps of a uniform state and 100 of a flow, on one operator.
  void run(const std::string& shape) {
    for (const Element& element : elements_of(shape)) {
      SCOPED_TRACE(fmt::format("{} order {} {} overintegration {} {}", shape, element.order, element.nodes, element.overintegration,
                               element.variant));
      DiscreteProblem problem(periodic_flow(element), device_);
      keeps_integrals(problem);
      keeps_constants(problem);
    }
  }

 private:
  static void keeps_integrals(DiscreteProblem& problem) {
    std::vector<std::string> names;
    for (const solver::Quantity& quantity : problem.op->system().state()) names.push_back(quantity.name);
    const std::vector<double> before = problem.integrals(names);
    const std::vector<double> initial = problem.op->state();
    ASSERT_GT(*std::min_element(initial.begin(), initial.end()), 0) << "integrals of the absolute values would be others";
    const double time = problem.take_steps(100);
    const std::vector<double> after = problem.integrals(names, time);
    EXPECT_GT(relative_difference(problem.op->state(), initial, *problem.op), 1e-3) << "nothing moved";
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_LE(std::abs(after[k] - before[k]), 1e-13 * before[k]) << "component " << k;
  }
  static void keeps_constants(DiscreteProblem& problem) {
    const std::vector<double> uniform = uniform_state(*problem.op);
    problem.op->set_state(uniform);
    problem.take_steps(100);
    EXPECT_LE(relative_difference(problem.op->state(), uniform, *problem.op), 1e-12);
  }
};

TEST_P(PeriodicBox, lines_keep_constants_and_integrals) { run("line"); }
TEST_P(PeriodicBox, triangles_keep_constants_and_integrals) { run("tri"); }
TEST_P(PeriodicBox, quadrilaterals_keep_constants_and_integrals) { run("quad"); }
TEST_P(PeriodicBox, tetrahedra_keep_constants_and_integrals) { run("tet"); }
TEST_P(PeriodicBox, hexahedra_keep_constants_and_integrals) { run("hex"); }

class CurvedMesh : public codegen::EveryDevice {
 protected:
  /// A uniform flow through every boundary of a curved mesh.
  void run(const std::string& file, int order, const std::string& nodes = "lobatto") {
    const std::string path = DGSOLVE_SOURCE_DIR "/configs/meshes/" + file;
    const mesh::Mesh curved = mesh::read_gmsh(path);
    ASSERT_GT(curved.geometry_order, 1);
    const std::string velocity = curved.dimension == 2 ? "[0.8, 0.3]" : "[0.8, 0.3, -0.5]";
    std::string text = fmt::format(
        "equations: euler\nmesh: {{file: {}}}\ninitial: {{rho: 1.2, v: {}, p: 1}}\norder: {}\nnodes: {}\ntime: {{end: 1}}\nboundaries:\n",
        path, velocity, order, nodes);
    for (const std::string& group : curved.boundary_names) {
      text += fmt::format("  {}: {{dirichlet: {{rho: 1.2, v: {}, p: 1}}}}\n", group, velocity);
    }
    SCOPED_TRACE(fmt::format("{} order {} {}", file, order, nodes));
    DiscreteProblem problem(text, device_);
    const std::vector<double> initial = problem.op->state();
    problem.take_steps(100);
    EXPECT_LE(relative_difference(problem.op->state(), initial, *problem.op), 1e-12);
  }
};

TEST_P(CurvedMesh, quadrilaterals_around_a_cylinder_keep_a_uniform_flow) {
  run("cylinder2d-quad-order3-v41bin.msh", 4);
  run("cylinder2d-quad-order3-v41bin.msh", 3, "gauss");
}
TEST_P(CurvedMesh, triangles_around_a_cylinder_keep_a_uniform_flow) { run("cylinder2d-tri-order2-v22.msh", 3); }
TEST_P(CurvedMesh, tetrahedra_around_a_sphere_keep_a_uniform_flow) { run("sphere3d-tet-order2-v41.msh", 2); }
TEST_P(CurvedMesh, hexahedra_of_an_annulus_keep_a_uniform_flow) {
  run("annulus3d-hex-order3-v41bin.msh", 3);
  run("annulus3d-hex-order3-v41bin.msh", 2, "gauss");
}

INSTANTIATE_TEST_SUITE_P(Devices, PeriodicBox, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);
INSTANTIATE_TEST_SUITE_P(Devices, CurvedMesh, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
