// Points of a mesh: the search by a grid of boxes finds what the search through all cells finds.
#include "solver/point_location.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mesh/box.h"

namespace dgsolve::solver {
namespace {

class Shapes : public testing::TestWithParam<mesh::Shape> {
 protected:
  static mesh::Mesh make_mesh() {
    mesh::BoxOptions box;
    box.shape = GetParam();
    box.dimension = mesh::shape_facts(GetParam()).dimension;
    box.lower = {-1, 0.5, 2};
    box.upper = {1, 1.5, 2.5};
    box.cells = {5, 4, 3};
    box.warp = box.dimension > 1 ? 0.05 : 0.0;
    box.geometry_order = 2;
    return mesh::mesh_box(box);
  }
};

TEST_P(Shapes, both_searches_agree) {
  const mesh::Mesh mesh = make_mesh();
  const PointLocator locator(mesh);
  for (int i = 1; i < 200; ++i) {
    // Irrational steps fill the box evenly and hit no face.
    const auto part = [&](double step) { return std::fmod(i * step, 1.0); };
    std::array<double, 3> point{-1 + 2 * part(std::sqrt(2.0)), 0.5 + part(std::sqrt(3.0)), 2 + 0.5 * part(std::sqrt(5.0))};
    for (std::size_t k = static_cast<std::size_t>(mesh.dimension); k < 3; ++k) point[k] = 0;
    const auto slow = locate_point(mesh, mesh.cell_count(), point), fast = locator.locate(point, point);
    ASSERT_TRUE(slow && fast) << i;
    EXPECT_EQ(slow->cell, fast->cell) << i;
    EXPECT_EQ(slow->reference, fast->reference) << i;
  }
}

TEST_P(Shapes, the_side_of_a_face_is_that_of_the_point_nearby) {
  mesh::BoxOptions box;
  box.shape = GetParam();
  box.dimension = mesh::shape_facts(GetParam()).dimension;
  box.cells = {2, 1, 1};
  const mesh::Mesh mesh = mesh::mesh_box(box);
  const PointLocator locator(mesh);
  std::array<double, 3> point{0.5, 0.3, 0.2}, left{0.5 - 1e-6, 0.3, 0.2}, right{0.5 + 1e-6, 0.3, 0.2};
  for (std::size_t k = static_cast<std::size_t>(box.dimension); k < 3; ++k) point[k] = left[k] = right[k] = 0;
  const auto before = locator.locate(left, point), behind = locator.locate(right, point);
  ASSERT_TRUE(before && behind);
  EXPECT_EQ(before->cell, locate_point(mesh, mesh.cell_count(), left)->cell);
  EXPECT_EQ(behind->cell, locate_point(mesh, mesh.cell_count(), right)->cell);
  EXPECT_NE(before->cell, behind->cell);
}

TEST_P(Shapes, points_beyond_the_mesh_are_not_found_but_those_within_rounding_are) {
  const mesh::Mesh mesh = make_mesh();
  const PointLocator locator(mesh);
  std::array<double, 3> inside{-1, 0.9, 2.2}, outside{-1.5, 0.9, 2.2};
  for (std::size_t k = static_cast<std::size_t>(mesh.dimension); k < 3; ++k) inside[k] = outside[k] = 0;
  EXPECT_FALSE(locator.locate(outside, outside));
  inside[0] -= 1e-3;
  EXPECT_TRUE(locator.locate(inside, inside)) << "a curved boundary may be elsewhere by a little";
}

INSTANTIATE_TEST_SUITE_P(PointLocation, Shapes,
                         testing::Values(mesh::Shape::line, mesh::Shape::triangle, mesh::Shape::quadrilateral, mesh::Shape::tetrahedron,
                                         mesh::Shape::hexahedron),
                         [](const auto& row) { return std::string(mesh::shape_facts(row.param).name); });

}  // namespace
}  // namespace dgsolve::solver
