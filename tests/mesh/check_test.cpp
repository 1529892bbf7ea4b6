// The checks find what is wrong with a mesh, and say where.
#include "mesh/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mesh/box.h"
#include "mesh/connectivity.h"
#include "mesh/periodic.h"

namespace dgsolve::mesh {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Mesh square() {
  BoxOptions options;
  options.cells = {3, 3, 1};
  return mesh_box(options);
}

std::string fault_of(const Mesh& mesh) {
  try {
    check_mesh(mesh);
  } catch (const MeshError& fault) {
    return fault.what();
  }
  return "no fault";
}

std::size_t inner_face(const Mesh& mesh) {
  std::size_t i = 0;
  while (mesh.links[i].neighbour < 0) ++i;
  return i;
}

TEST(Check, a_sound_mesh_passes) { EXPECT_EQ(fault_of(square()), "no fault"); }

TEST(Check, folded_cells_are_named) {
  Mesh mesh = square();
  mesh.points[mesh.point_offset[4] * 2] += 0.9;
  EXPECT_THAT(fault_of(mesh),
              AllOf(HasSubstr("cell " + std::to_string(mesh.global_number[4]) + " (quadrilateral) is folded"), HasSubstr(" at (")));
  mesh.points[mesh.point_offset[4] * 2] = std::nan("");
  EXPECT_THAT(fault_of(mesh), HasSubstr("is folded"));
}

TEST(Check, links_that_disagree_are_found) {
  Mesh mesh = square();
  mesh.links[inner_face(mesh)].orientation = 1;
  EXPECT_THAT(fault_of(mesh), HasSubstr("the neighbour has another orientation"));
  mesh = square();
  mesh.links[inner_face(mesh)].neighbour = 99;
  EXPECT_THAT(fault_of(mesh), HasSubstr("does not exist"));
  mesh = square();
  mesh.links[inner_face(mesh)].face = 7;
  EXPECT_THAT(fault_of(mesh), HasSubstr("face that does not exist"));
  mesh = square();
  const auto neighbour = static_cast<std::size_t>(mesh.links[inner_face(mesh)].neighbour);
  const auto face = static_cast<std::size_t>(mesh.links[inner_face(mesh)].face);
  mesh.links[mesh.face_offset[neighbour] + face] = {.boundary = 0};
  EXPECT_THAT(fault_of(mesh), HasSubstr("does not link back"));
  mesh = square();
  mesh.links[inner_face(mesh)] = {};
  EXPECT_THAT(fault_of(mesh), HasSubstr("without a group"));
}

TEST(Check, points_that_do_not_coincide_are_found) {
  Mesh mesh = square();
  // The vertex of the first cell that lies inside the square.
  mesh.points[2 * 3] += 1e-3;
  EXPECT_THAT(fault_of(mesh), HasSubstr("do not coincide"));
  // Both sides turned alike still agree with each other, but not with the points.
  mesh = square();
  FaceLink& here = mesh.links[inner_face(mesh)];
  here.orientation = 1;
  mesh.links[mesh.face_offset[static_cast<std::size_t>(here.neighbour)] + static_cast<std::size_t>(here.face)].orientation = 1;
  EXPECT_THAT(fault_of(mesh), HasSubstr("do not coincide"));
}

TEST(Connectivity, orientation_is_found_for_each_code_and_none_for_crossed_quadrilaterals) {
  for (const Shape shape : {Shape::point, Shape::line, Shape::triangle, Shape::quadrilateral}) {
    for (int code = 0; code < orientation_count(shape); ++code) {
      const auto turned = orientation_vertices(shape, code);
      std::vector<std::int32_t> there(turned.size());
      std::vector<std::int32_t> here(turned.size());
      for (std::size_t s = 0; s < turned.size(); ++s) there[s] = static_cast<std::int32_t>(10 + s);
      for (std::size_t s = 0; s < turned.size(); ++s) here[s] = there[static_cast<std::size_t>(turned[s])];
      EXPECT_EQ(find_orientation(shape, here, there), code);
    }
  }
  EXPECT_EQ(find_orientation(Shape::quadrilateral, std::vector<std::int32_t>{0, 1, 2, 3}, std::vector<std::int32_t>{0, 3, 1, 2}),
            std::nullopt);
}

TEST(Connectivity, hexahedra_turned_in_all_ways_meet_with_the_right_code) {
  // Two cubes; the second is given with its vertices rotated by every symmetry that keeps the orientation.
  const std::array<std::array<double, 3>, 12> places{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}}};
  const std::array<std::int32_t, 8> second{1, 8, 3, 9, 5, 10, 7, 11};
  int turned = 0;
  std::array<std::size_t, 3> axes{0, 1, 2};
  do {
    for (unsigned flips = 0; flips < 8; ++flips) {
      const bool odd_axes = (axes[0] > axes[1]) ^ (axes[0] > axes[2]) ^ (axes[1] > axes[2]);
      const bool odd_flips = (flips & 1U) ^ (flips >> 1 & 1U) ^ (flips >> 2 & 1U);
      if (odd_axes != odd_flips) continue;
      CellVertices vertices{{0, 8, 16}, {0, 1, 2, 3, 4, 5, 6, 7}};
      for (unsigned v = 0; v < 8; ++v) {
        unsigned source = 0;
        for (std::size_t d = 0; d < 3; ++d) source |= ((v >> d & 1U) ^ (flips >> d & 1U)) << axes[d];
        vertices.number.push_back(second[source]);
      }
      Mesh mesh;
      mesh.dimension = 3;
      mesh.shapes = {Shape::hexahedron, Shape::hexahedron};
      mesh.global_number = {0, 1};
      mesh.point_offset = {0, 8, 16};
      for (const auto number : vertices.number)
        mesh.points.insert(mesh.points.end(), places[static_cast<std::size_t>(number)].begin(),
                           places[static_cast<std::size_t>(number)].end());
      EXPECT_EQ(match_faces(mesh, vertices).size(), 10U);
      mesh.boundary_names = {"wall"};
      for (FaceLink& link : mesh.links) {
        if (link.neighbour < 0) link.boundary = 0;
      }
      EXPECT_EQ(fault_of(mesh), "no fault");
      ++turned;
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  EXPECT_EQ(turned, 24);
}

TEST(Connectivity, groups_without_a_face_are_dropped) {
  Mesh mesh = square();
  mesh.boundary_names.insert(mesh.boundary_names.begin(), "unused");
  for (FaceLink& link : mesh.links) {
    if (link.boundary >= 0) ++link.boundary;
  }
  drop_empty_groups(mesh);
  EXPECT_EQ(mesh.boundary_names, square().boundary_names);
  EXPECT_EQ(fault_of(mesh), "no fault");
}

TEST(Periodic, sides_of_a_box_made_periodic_later_link_as_if_built_so) {
  Mesh mesh = square();
  make_periodic(mesh, std::vector<std::pair<std::string, std::string>>{{"bottom", "top"}});
  BoxOptions options;
  options.cells = {3, 3, 1};
  options.periodic = {false, true, false};
  const Mesh expected = mesh_box(options);
  EXPECT_EQ(mesh.boundary_names, expected.boundary_names);
  for (std::size_t i = 0; i < mesh.links.size(); ++i) {
    EXPECT_EQ(mesh.links[i].neighbour, expected.links[i].neighbour);
    EXPECT_EQ(mesh.links[i].boundary, expected.links[i].boundary);
    EXPECT_EQ(mesh.links[i].face, expected.links[i].face);
    EXPECT_EQ(mesh.links[i].orientation, expected.links[i].orientation);
  }
}

TEST(Periodic, nearest_name_is_near_or_none) {
  const std::vector<std::string> names{"inlet", "outlet", "wall"};
  EXPECT_EQ(nearest_name("inlett", names), "inlet");
  EXPECT_EQ(nearest_name("wal", names), "wall");
  EXPECT_EQ(nearest_name("zzzzzzzz", names), "");
}

}  // namespace
}  // namespace dgsolve::mesh
