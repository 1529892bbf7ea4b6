// Every generated CUDA kernel compiles through NVRTC for the architectures of clusters, on a machine without a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "io/equation_file.h"
#include "mesh/box.h"
#include "solver/equations/files.h"
#include "solver/geometry.h"
#include "solver/kernel_plan.h"

namespace dgsolve::solver {
namespace {

EquationDefinition shipped(const std::string& name) {
  for (const codegen::EmbeddedFile& file : equation_files()) {
    if (file.name == name + ".yaml") return io::read_equation_text(std::string(file.content), std::string(file.name));
  }
  throw std::logic_error("no shipped system " + name);
}

struct Row {
  std::string system;
  mesh::Shape shape;
  int order;
  NodeFamily nodes = NodeFamily::lobatto;
  double warp = 0;
  codegen::Precision precision = codegen::Precision::double_precision;
  std::string integrator = "lsrk54";
  std::size_t shared_bytes = 232448;  // an H200
  codegen::TuningPoint pins{};
  std::string architecture = "sm_90";
  int overintegration = 0;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << fmt::format("{} {} p{}{} {}{}{} {} {} {}", row.system, mesh::shape_facts(row.shape).name, row.order,
                      row.overintegration > 0 ? fmt::format("+{}", row.overintegration) : "",
                      row.nodes == NodeFamily::gauss ? "gauss" : "lobatto", row.warp != 0 ? " warped" : "",
                      row.precision == codegen::Precision::single_precision ? " single" : "", row.integrator, row.shared_bytes,
                      codegen::describe(row.pins)) +
              (row.architecture == "sm_90" ? "" : " " + row.architecture);
}

/// A box with walls on the sides of x, so that interior and boundary elements both occur.
mesh::Mesh box(const Row& row) {
  mesh::BoxOptions options;
  options.shape = row.shape;
  options.dimension = mesh::shape_facts(row.shape).dimension;
  for (std::size_t d = 0; d < 3; ++d) {
    options.cells[d] = static_cast<int>(d) < options.dimension ? 4 : 1;
    options.periodic[d] = d > 0 && static_cast<int>(d) < options.dimension;
  }
  options.warp = row.warp;
  options.geometry_order = row.warp != 0 ? 2 : 1;
  return mesh::mesh_box(options);
}

Problem problem_of(const Row& row, int dimension) {
  Problem problem;
  problem.equations = shipped(row.system);
  problem.order = row.order;
  problem.nodes = row.nodes;
  problem.precision = row.precision;
  problem.integrator = row.integrator;
  problem.variant = row.pins;
  problem.boundaries = {{"left", "outflow", {}, {}}, {"right", "exact", {}, {}}};
  Problem bare = problem;
  bare.boundaries = {{"left", "outflow", {}, {}}};
  const EquationSystem system(bare, dimension);
  for (const Quantity& quantity : system.state()) {
    const bool positive = quantity.name == "E" || quantity.name == "rho" || quantity.name == "h";
    ValueFormulas values{quantity.name, {}, {}};
    for (std::size_t c = 0; c < quantity.component_names.size(); ++c)
      values.components.push_back({positive ? "3 + sin(x)*cos(t)" : "0.1*x", {}});
    problem.initial.push_back(values);
  }
  problem.exact = problem.initial;
  return problem;
}

class CudaOffline : public testing::TestWithParam<Row> {};

TEST_P(CudaOffline, every_kernel_of_the_problem_compiles) {
  const Row& row = GetParam();
  const mesh::Mesh mesh = box(row);
  const Problem problem = problem_of(row, mesh.dimension);
  const EquationSystem system(problem, mesh.dimension);
  ReferenceElement element = make_reference_element(row.shape, row.order + row.overintegration, row.nodes);
  if (row.overintegration > 0) element = over_integrated(std::move(element), row.order);
  codegen::DeviceFacts facts;
  facts.backend = "cuda";
  facts.max_group_size = 1024;
  facts.shared_bytes = row.shared_bytes;
  facts.has_matrix_double = row.shared_bytes > 49152 && row.architecture != "sm_75";
  const Layout layout = make_layout(mesh, affine_cells(mesh), system.variable_count(), element.node_count, lane_count(facts, row.precision),
                                    mesh.cell_count());
  ASSERT_EQ(layout.width, 1);
  const PhysicsText physics = stage_physics(system, static_cast<int>(problem.boundaries.size()), row.precision);
  const PhysicsText gradients =
      system.gradient_count() > 0 ? gradient_physics(system, static_cast<int>(problem.boundaries.size()), row.precision) : PhysicsText{};
  const KernelPlan plan = plan_kernels({problem, system, element, integrator(row.integrator), layout, physics, gradients, facts});
  EXPECT_GE(plan.specs.size(), 4U);
  for (const codegen::KernelSpec& spec : plan.specs) {
    EXPECT_LE(spec.shared_bytes, row.shared_bytes) << spec.name;
    EXPECT_LE(spec.group_size[0], facts.max_group_size) << spec.name;
    const codegen::RenderedKernel rendered = codegen::render(spec, "cuda");
    EXPECT_EQ(rendered.text, codegen::render(spec, "cuda").text) << "rendering must be deterministic";
    try {
      EXPECT_FALSE(codegen::compile_cuda_offline(rendered, row.architecture).empty());
    } catch (const codegen::DeviceError& error) {
      if (!std::string_view(error.what()).starts_with("no NVRTC")) throw;
      GTEST_SKIP() << error.what();
    }
  }
}

std::vector<Row> rows() {
  using mesh::Shape;
  std::vector<Row> list;
  for (const Shape shape : {Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    const bool tensor = mesh::shape_facts(shape).tensor;
    for (const int order : tensor ? std::vector<int>{1, 4, 10} : std::vector<int>{1, 4, 8}) list.push_back({"euler", shape, order});
    list.push_back({"euler", shape, 2, NodeFamily::lobatto, 0.04});
    if (tensor) list.push_back({"euler", shape, 3, NodeFamily::gauss, 0.04});
    list.push_back({"acoustics", shape, 3, NodeFamily::lobatto, 0, codegen::Precision::single_precision});
  }
  for (const char* system : {"advection", "burgers", "maxwell", "elasticity"}) list.push_back({system, Shape::hexahedron, 2});
  list.push_back({"maxwell", Shape::triangle, 2});
  for (const char* system : {"advection", "burgers", "maxwell", "elasticity"}) list.push_back({system, Shape::tetrahedron, 3});
  list.push_back(
      {"euler", Shape::tetrahedron, 3, NodeFamily::lobatto, 0, codegen::Precision::double_precision, "rk4", 166912, {}, "sm_80"});
  list.push_back(
      {"euler", Shape::tetrahedron, 3, NodeFamily::lobatto, 0, codegen::Precision::double_precision, "lsrk54", 65536, {}, "sm_75"});
  list.push_back({"shallow_water", Shape::triangle, 2});
  for (const Shape shape : {Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    list.push_back({"navier_stokes", shape, 3});
    list.push_back({"navier_stokes", shape, 4, NodeFamily::lobatto, 0.04});
  }
  list.push_back({"navier_stokes", Shape::hexahedron, 3, NodeFamily::gauss, 0.04});
  list.push_back({"navier_stokes", Shape::hexahedron, 7});
  list.push_back({"navier_stokes", Shape::tetrahedron, 8});
  list.push_back({"navier_stokes", Shape::hexahedron, 3, NodeFamily::lobatto, 0, codegen::Precision::single_precision});
  list.push_back({"heat", Shape::triangle, 2});
  list.push_back({"advection_diffusion", Shape::quadrilateral, 5, NodeFamily::gauss});
  for (const char* method : {"ssprk33", "ssprk104", "rk4"}) {
    list.push_back({"acoustics", Shape::triangle, 2, NodeFamily::lobatto, 0, codegen::Precision::double_precision, method});
  }
  for (const auto& [shape, order] :
       {std::pair{Shape::line, 3}, {Shape::quadrilateral, 4}, {Shape::hexahedron, 3}, {Shape::hexahedron, 6}}) {
    Row row{"euler", shape, order, NodeFamily::lobatto, 0.04};
    row.overintegration = 1;
    list.push_back(row);
  }
  // Choices that the rules do not make here.
  for (const codegen::TuningPoint& pins : {codegen::TuningPoint{{"lines", 0}}, codegen::TuningPoint{{"in_order", 1}, {"rolled", 1}}}) {
    for (const double warp : {0.0, 0.04}) {
      list.push_back(
          {"euler", Shape::hexahedron, 2, NodeFamily::lobatto, warp, codegen::Precision::double_precision, "lsrk54", 232448, pins});
    }
    list.push_back({"euler", Shape::quadrilateral, 4, NodeFamily::lobatto, 0, codegen::Precision::double_precision, "rk4", 232448, pins});
  }
  // NVIDIA's OpenCL and older devices: 48 KB of shared memory.
  for (const int order : {7, 10}) {
    for (const NodeFamily nodes : {NodeFamily::lobatto, NodeFamily::gauss}) {
      list.push_back({"euler", Shape::hexahedron, order, nodes, 0, codegen::Precision::double_precision, "lsrk54", 49152});
    }
  }
  list.push_back({"elasticity", Shape::tetrahedron, 8, NodeFamily::lobatto, 0, codegen::Precision::double_precision, "lsrk54", 49152});
  return list;
}

INSTANTIATE_TEST_SUITE_P(problems, CudaOffline, testing::ValuesIn(rows()));

}  // namespace
}  // namespace dgsolve::solver
