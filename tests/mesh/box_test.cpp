// Boxes of every shape: links agree from both sides, measures are right, warps keep sides, faults are named.
#include "mesh/box.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "mesh/check.h"
#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

using testing::HasSubstr;

struct BoxCase {
  Shape shape;
  int periodic_mask;
  std::array<std::int64_t, 3> cells;
  double warp;
  int order;
};

std::vector<BoxCase> box_cases() {
  std::vector<BoxCase> cases;
  for (const Shape shape : {Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    const int dimension = shape_facts(shape).dimension;
    for (int mask = 0; mask < 1 << dimension; ++mask) {
      for (const auto& cells : {std::array<std::int64_t, 3>{1, 1, 1}, {2, 2, 2}, {1, 2, 3}, {8, 3, 2}, {3, 5, 4}, {4, 1, 2}}) {
        cases.push_back({shape, mask, cells, 0.0, 1});
        cases.push_back({shape, mask, cells, 0.03, 1});
        cases.push_back({shape, mask, cells, 0.03, 3});
      }
    }
  }
  return cases;
}

BoxOptions make_options(const BoxCase& c) {
  BoxOptions options;
  options.dimension = shape_facts(c.shape).dimension;
  options.shape = c.shape;
  options.lower = {-1, 0.5, 2};
  options.upper = {2, 2.5, 3};
  options.cells = c.cells;
  for (std::size_t d = 0; d < 3; ++d) options.periodic[d] = (c.periodic_mask >> d & 1) != 0;
  options.warp = c.warp;
  options.geometry_order = c.order;
  return options;
}

double total_measure(const Mesh& mesh) {
  const auto measures = cell_measures(mesh);
  return std::accumulate(measures.begin(), measures.end(), 0.0);
}

TEST(Box, every_shape_period_and_warp_has_symmetric_links_positive_jacobians_and_the_measure_of_the_box) {
  const std::array<double, 4> measures{1, 3, 6, 6};
  for (const BoxCase& c : box_cases()) {
    const BoxOptions options = make_options(c);
    const Mesh mesh = mesh_box(options);
    SCOPED_TRACE(testing::Message() << shape_facts(c.shape).name << " mask " << c.periodic_mask << " cells " << c.cells[0] << c.cells[1]
                                    << c.cells[2] << " warp " << c.warp << " order " << c.order);
    ASSERT_NO_THROW(check_mesh(mesh));
    EXPECT_EQ(mesh.geometry_order, c.warp == 0 ? 1 : c.order);
    EXPECT_NEAR(total_measure(mesh), measures[static_cast<std::size_t>(options.dimension)], 1e-12);
    std::set<std::int64_t> numbers(mesh.global_number.begin(), mesh.global_number.end());
    EXPECT_EQ(numbers.size(), mesh.cell_count());
    EXPECT_EQ(*numbers.rbegin(), static_cast<std::int64_t>(mesh.cell_count()) - 1);
  }
}

TEST(Box, cells_that_meet_share_the_bits_of_their_points) {
  for (const Shape shape : {Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    const Mesh mesh = mesh_box(make_options({shape, 0, {5, 3, 4}, 0.04, 3}));
    const auto faces = face_lattice_indices(shape, 3);
    const auto dimension = static_cast<std::size_t>(mesh.dimension);
    const auto point = [&](std::size_t cell, int index, std::size_t d) {
      return mesh.points[(mesh.point_offset[cell] + static_cast<std::size_t>(index)) * dimension + d];
    };
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
      for (std::size_t f = 0; f < faces.size(); ++f) {
        const FaceLink& link = mesh.links[mesh.face_offset[cell] + f];
        if (link.neighbour < 0) continue;
        const auto turned = orientation_lattice(shape_facts(shape).face_shapes[f], 3, link.orientation);
        for (std::size_t s = 0; s < turned.size(); ++s) {
          for (std::size_t d = 0; d < dimension; ++d) {
            ASSERT_EQ(point(cell, faces[f][s], d),
                      point(static_cast<std::size_t>(link.neighbour),
                            faces[static_cast<std::size_t>(link.face)][static_cast<std::size_t>(turned[s])], d));
          }
        }
      }
    }
  }
}

TEST(Box, sides_are_named_lower_one_first_and_lie_where_they_should) {
  const Mesh mesh = mesh_box(make_options({Shape::tetrahedron, 0, {2, 3, 2}, 0.03, 2}));
  EXPECT_EQ(mesh.boundary_names, (std::vector<std::string>{"left", "right", "bottom", "top", "front", "back"}));
  const std::array<double, 6> place{-1, 2, 0.5, 2.5, 2, 3};
  std::array<int, 6> count{};
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t f = 0; f < 4; ++f) {
      const FaceLink& link = mesh.links[mesh.face_offset[cell] + f];
      if (link.neighbour >= 0) continue;
      const auto side = static_cast<std::size_t>(link.boundary);
      EXPECT_DOUBLE_EQ(face_centre(mesh, cell, f)[side / 2], place[side]);
      ++count[side];
    }
  }
  EXPECT_EQ(count, (std::array<int, 6>{12, 12, 8, 8, 12, 12}));
  const Mesh periodic = mesh_box(make_options({Shape::quadrilateral, 1, {2, 3, 1}, 0, 1}));
  EXPECT_EQ(periodic.boundary_names, (std::vector<std::string>{"bottom", "top"}));
  const Mesh line = mesh_box(make_options({Shape::line, 0, {3, 1, 1}, 0, 1}));
  EXPECT_EQ(line.boundary_names, (std::vector<std::string>{"left", "right"}));
}

TEST(Box, one_periodic_cell_meets_itself_through_opposite_faces) {
  const Mesh mesh = mesh_box(make_options({Shape::hexahedron, 7, {1, 1, 1}, 0, 1}));
  ASSERT_EQ(mesh.cell_count(), 1U);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(mesh.links[f].neighbour, 0);
    EXPECT_EQ(mesh.links[f].face, static_cast<int>(f ^ 1));
    EXPECT_EQ(mesh.links[f].orientation, 0);
  }
}

TEST(Box, global_numbers_are_lexicographic_with_x_fastest) {
  BoxOptions options = make_options({Shape::triangle, 0, {4, 3, 1}, 0, 1});
  const Mesh mesh = mesh_box(options);
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto centre = cell_centre(mesh, cell);
    const auto i = static_cast<std::int64_t>(std::floor((centre[0] + 1) / 0.75));
    const auto j = static_cast<std::int64_t>(std::floor((centre[1] - 0.5) / (2.0 / 3)));
    EXPECT_EQ(mesh.global_number[cell] / 2, i + 4 * j);
  }
}

/// Share of (block, lane) pairs whose neighbour through a face is the same lane of the one block that holds lane 0's neighbour.
double aligned_share(const Mesh& mesh, std::size_t width) {
  const std::size_t faces = mesh.face_offset[1];
  std::size_t aligned = 0;
  std::size_t inner = 0;
  for (std::size_t block = 0; block + width <= mesh.cell_count(); block += width) {
    for (std::size_t f = 0; f < faces; ++f) {
      const auto first = mesh.links[block * faces + f].neighbour;
      for (std::size_t lane = 0; lane < width; ++lane) {
        const auto neighbour = mesh.links[(block + lane) * faces + f].neighbour;
        ++inner;
        if (neighbour >= 0 && neighbour == first + static_cast<std::int32_t>(lane) && first % static_cast<std::int32_t>(width) == 0)
          ++aligned;
      }
    }
  }
  return static_cast<double>(aligned) / static_cast<double>(inner);
}

TEST(Box, blocks_of_eight_meet_one_block_lane_by_lane) {
  const Mesh hexahedra = mesh_box(make_options({Shape::hexahedron, 7, {16, 4, 4}, 0, 1}));
  EXPECT_DOUBLE_EQ(aligned_share(hexahedra, 8), 4.0 / 6.0);
  const Mesh triangles = mesh_box(make_options({Shape::triangle, 3, {16, 4, 1}, 0, 1}));
  EXPECT_DOUBLE_EQ(aligned_share(triangles, 8), 2.0 / 3.0);
  const Mesh tetrahedra = mesh_box(make_options({Shape::tetrahedron, 7, {16, 4, 4}, 0, 1}));
  EXPECT_DOUBLE_EQ(aligned_share(tetrahedra, 8), 5.0 / 6.0);
}

TEST(Box, memory_order_keeps_neighbours_near) {
  const Mesh mesh = mesh_box(make_options({Shape::quadrilateral, 0, {63, 63, 1}, 0, 1}));
  int between_chunks = 0;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t f = 0; f < 4; ++f) {
      const auto neighbour = mesh.links[4 * cell + f].neighbour;
      if (neighbour >= 0 && neighbour / 64 != static_cast<std::int32_t>(cell) / 64) ++between_chunks;
    }
  }
  // Chunks of 64 cells: rows of the grid would cut 2 * 63 * 62 faces, squares of 8 x 8 cells cut 2 * 2 * 7 * 63.
  EXPECT_LT(between_chunks, 63 * 63);
}

TEST(Box, faults_say_what_is_wrong) {
  const auto message = [](BoxOptions options) -> std::string {
    try {
      static_cast<void>(mesh_box(options));
    } catch (const MeshError& fault) {
      return fault.what();
    }
    return "no fault";
  };
  BoxOptions options;
  options.cells = {4, 0, 1};
  EXPECT_THAT(message(options), HasSubstr("cells must be at least 1 in y"));
  options = {};
  options.upper = {1, 0, 1};
  EXPECT_THAT(message(options), HasSubstr("upper must be greater than lower in y"));
  options = {};
  options.shape = Shape::hexahedron;
  EXPECT_THAT(message(options), HasSubstr("a hexahedron has 3 dimensions, but the box has 2"));
  options.shape = Shape::prism;
  EXPECT_THAT(message(options), HasSubstr("not yet supported"));
  options = {};
  options.cells = {100000, 100000, 1};
  EXPECT_THAT(message(options), HasSubstr("too many cells"));
  options = {};
  options.cells = {4, 4, 1};
  options.warp = 0.5;
  options.geometry_order = 2;
  EXPECT_THAT(message(options), testing::AllOf(HasSubstr("warp 0.5 is too large"), HasSubstr("cell "), HasSubstr(" at (")));
  options.warp = 0.1;
  options.geometry_order = 0;
  EXPECT_THAT(message(options), HasSubstr("geometry order"));
  options.warp = std::nan("");
  EXPECT_THAT(message(options), HasSubstr("warp"));
}

}  // namespace
}  // namespace dgsolve::mesh
