// Which mapping the rules choose for a problem on a GPU: matrix units, lines or nodes over threads; small problems.
#include <gtest/gtest.h>

#include "io/equation_file.h"
#include "mesh/box.h"
#include "solver/equations/files.h"
#include "solver/geometry.h"
#include "solver/kernel_plan.h"

namespace dgsolve::solver {
namespace {

using codegen::Precision;
using mesh::Shape;

class StageMappingRules : public testing::Test {
 protected:
  StageMappingRules() {
    facts_.backend = "cuda";
    facts_.max_group_size = 1024;
    facts_.shared_bytes = 232448;
    facts_.has_matrix_double = true;
  }

  /// The plan of stages of a periodic box.
  StagePlan plan(Shape shape, int order, Precision precision = Precision::double_precision, const codegen::TuningPoint& pins = {},
                 const std::string& system_name = "acoustics") {
    Problem problem;
    for (const codegen::EmbeddedFile& file : equation_files()) {
      if (file.name == system_name + ".yaml") problem.equations = io::read_equation_text(std::string(file.content), std::string(file.name));
    }
    problem.order = order;
    problem.precision = precision;
    problem.variant = pins;
    mesh::BoxOptions options;
    options.shape = shape;
    options.dimension = mesh::shape_facts(shape).dimension;
    for (std::size_t d = 0; d < static_cast<std::size_t>(options.dimension); ++d) {
      options.cells[d] = 4;
      options.periodic[d] = true;
    }
    const mesh::Mesh mesh = mesh::mesh_box(options);
    const EquationSystem bare(problem, mesh.dimension);
    for (const Quantity& quantity : bare.state()) {
      problem.initial.push_back({quantity.name, {}, {}});
      for (std::size_t c = 0; c < quantity.component_names.size(); ++c) problem.initial.back().components.push_back({"1", {}});
    }
    const EquationSystem system(problem, mesh.dimension);
    ReferenceElement element = make_reference_element(shape, order + overintegration_, NodeFamily::lobatto);
    if (overintegration_ > 0) element = over_integrated(std::move(element), order);
    const Layout layout = make_layout(mesh, affine_cells(mesh), system.variable_count(), element.node_count, width_, mesh.cell_count());
    const PhysicsText physics = stage_physics(system, 0, precision);
    const PlanInput input{problem, system, element, integrator("lsrk54"), layout, physics, physics, facts_, dofs_};
    return plan_stages(input, stage_updates(input));
  }
  std::string source(const StagePlan& stages) { return stages.specs.front().source_name; }

  codegen::DeviceFacts facts_;
  std::int64_t dofs_ = 0;
  int overintegration_ = 0;
  int width_ = 1;
};

constexpr const char* on_matrix_units = "stage_simplex_matrix.kernel.h";
constexpr const char* on_nodes = "stage_simplex_nodes.kernel.h";

TEST_F(StageMappingRules, matrix_units_are_used_where_the_device_has_them) {
  for (const Shape shape : {Shape::triangle, Shape::tetrahedron}) {
    for (int order = 1; order <= 8; ++order) {
      const StagePlan stages = plan(shape, order);
      EXPECT_EQ(source(stages), on_matrix_units) << order;
      EXPECT_EQ(source(plan(shape, order, Precision::single_precision)), on_matrix_units) << order;
      EXPECT_EQ(stages.choices.at("matrix_units"), 1);
      EXPECT_EQ(stages.launches.front().elements_per_group % 8, 0);
      for (const codegen::KernelSpec& spec : stages.specs) {
        // 96 registers or more to a thread: the instruction does not compile with too few.
        EXPECT_LE(spec.min_groups_per_unit * spec.group_size[0] * 96, 65536) << order;
        EXPECT_LE(static_cast<std::size_t>(spec.min_groups_per_unit) * (spec.shared_bytes + 1024), facts_.shared_bytes + 1024) << order;
      }
    }
  }
}

TEST_F(StageMappingRules, over_integrated_elements_of_every_size_have_a_group_that_fits) {
  overintegration_ = 1;
  for (const std::int64_t dofs : {std::int64_t{10'000}, std::int64_t{10'000'000}}) {
    dofs_ = dofs;
    for (const auto& [shape, highest] : {std::pair{Shape::line, 9}, {Shape::quadrilateral, 9}, {Shape::hexahedron, 6}}) {
      for (int order = 1; order <= highest; ++order) {
        SCOPED_TRACE(order);
        for (const char* system : {"advection", "euler"}) {
          const StagePlan stages = plan(shape, order, Precision::double_precision, {}, system);
          for (const codegen::KernelSpec& spec : stages.specs) {
            EXPECT_LE(spec.group_size[0], source(stages) == on_matrix_units ? 65536 / 96 : facts_.max_group_size);
            EXPECT_LE(spec.shared_bytes, facts_.shared_bytes);
          }
        }
      }
    }
  }
}

TEST_F(StageMappingRules, the_plain_mapping_is_taken_without_them_by_a_pin_and_where_a_group_does_not_fit) {
  const StagePlan pinned = plan(Shape::tetrahedron, 3, Precision::double_precision, {{"matrix_units", 0}});
  EXPECT_EQ(source(pinned), on_nodes);
  EXPECT_EQ(pinned.choices.at("matrix_units"), 0);
  facts_.shared_bytes = 49152;
  EXPECT_EQ(source(plan(Shape::tetrahedron, 8, Precision::double_precision, {}, "elasticity")), on_nodes);
  facts_.shared_bytes = 232448;
  facts_.has_matrix_double = false;
  const StagePlan plain = plan(Shape::tetrahedron, 3);
  EXPECT_EQ(source(plain), on_nodes);
  EXPECT_FALSE(plain.choices.contains("matrix_units"));
}

TEST_F(StageMappingRules, small_problems_have_a_warp_for_every_tile_of_nodes) {
  EXPECT_EQ(plan(Shape::tetrahedron, 3).choices.at("node_warps"), 1);
  dofs_ = 10'000;
  EXPECT_EQ(plan(Shape::tetrahedron, 3).choices.at("node_warps"), 3);
  EXPECT_EQ(plan(Shape::quadrilateral, 3).choices.at("lines"), 0);
  dofs_ = 10'000'000;
  EXPECT_EQ(plan(Shape::tetrahedron, 3).choices.at("node_warps"), 1);
  EXPECT_EQ(plan(Shape::quadrilateral, 3).choices.at("lines"), 1);
}

TEST_F(StageMappingRules, lanes_store_large_states_past_the_caches) {
  width_ = 8;
  for (const Shape shape : {Shape::tetrahedron, Shape::quadrilateral}) {
    dofs_ = 0;  // any number
    EXPECT_EQ(plan(shape, 3).choices.at("stream"), 0);
    dofs_ = 1'000'000;
    EXPECT_EQ(plan(shape, 3).choices.at("stream"), 0);
    EXPECT_EQ(plan(shape, 3, Precision::double_precision, {{"stream", 1}}).choices.at("stream"), 1);
    dofs_ = 1'100'000;
    EXPECT_EQ(plan(shape, 3).choices.at("stream"), 1);
    EXPECT_EQ(plan(shape, 3, Precision::single_precision).choices.at("stream"), 0);
  }
}

TEST_F(StageMappingRules, every_choice_of_the_tuning_space_is_a_mapping) {
  for (const bool has : {true, false}) {
    facts_.has_matrix_double = has;
    const ReferenceElement element = make_reference_element(Shape::tetrahedron, 4, NodeFamily::lobatto);
    PhysicsText physics;
    physics.flux_operations = 40;
    const ElementClass group;
    StageTraits traits;
    traits.element = &element;
    traits.physics = &physics;
    traits.group = &group;
    traits.variables = 4;
    traits.shared_limit = facts_.shared_bytes;
    traits.matrix_units = has;
    const auto points = stage_tuning_space(traits).points();
    EXPECT_GT(points.size(), 20U);
    for (const codegen::TuningPoint& point : points) {
      EXPECT_EQ(source(plan(Shape::tetrahedron, 4, Precision::double_precision, point)), has ? on_matrix_units : on_nodes);
    }
  }
}

}  // namespace
}  // namespace dgsolve::solver
