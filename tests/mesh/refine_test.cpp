// Uniform refinement keeps measures, links, groups, curved geometry and lanes.
#include "mesh/refine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "mesh/box.h"
#include "mesh/check.h"
#include "mesh/gmsh.h"
#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

const std::vector<Shape> box_shapes{Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron};

Mesh make_box(Shape shape, int periodic_mask, std::array<std::int64_t, 3> cells, double warp, int order) {
  BoxOptions options;
  options.dimension = shape_facts(shape).dimension;
  options.shape = shape;
  options.cells = cells;
  options.upper = {1, 2, 3};
  for (std::size_t d = 0; d < 3; ++d) options.periodic[d] = (periodic_mask >> d & 1) != 0;
  options.warp = warp;
  options.geometry_order = order;
  return mesh_box(options);
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::map<std::string, double> boundary_faces(const Mesh& mesh) {
  std::map<std::string, double> count;
  for (const FaceLink& link : mesh.links) {
    if (link.neighbour < 0) ++count[mesh.boundary_names[static_cast<std::size_t>(link.boundary)]];
  }
  return count;
}

TEST(Refine, children_of_every_shape_link_symmetrically_and_keep_measure_and_groups) {
  for (const Shape shape : box_shapes) {
    const int dimension = shape_facts(shape).dimension;
    for (int mask = 0; mask < 1 << dimension; ++mask) {
      for (const auto& cells : {std::array<std::int64_t, 3>{1, 1, 1}, {2, 1, 2}, {3, 2, 2}}) {
        const Mesh coarse = make_box(shape, mask, cells, 0.03, 2);
        const Mesh fine = refine_uniformly(coarse);
        SCOPED_TRACE(testing::Message() << shape_facts(shape).name << " mask " << mask);
        ASSERT_NO_THROW(check_mesh(fine));
        EXPECT_EQ(fine.cell_count(), coarse.cell_count() << dimension);
        EXPECT_EQ(fine.geometry_order, 2);
        EXPECT_NEAR(total(cell_measures(fine)), total(cell_measures(coarse)), 1e-12);
        EXPECT_EQ(fine.boundary_names, coarse.boundary_names);
        auto expected = boundary_faces(coarse);
        for (auto& [name, count] : expected) count *= std::pow(2, dimension - 1);
        EXPECT_EQ(boundary_faces(fine), expected);
        if (coarse.cell_count() < 13) {
          ASSERT_NO_THROW(check_mesh(refine_uniformly(fine)));
        }
      }
    }
  }
}

TEST(Refine, children_fill_their_own_parent) {
  for (const Shape shape : box_shapes) {
    const Mesh coarse = make_box(shape, 0, {2, 3, 2}, 0.04, 2);
    const Mesh fine = refine_uniformly(coarse);
    const auto coarse_measures = cell_measures(coarse);
    const auto fine_measures = cell_measures(fine);
    std::map<std::int64_t, double> of_parent;
    std::set<std::int64_t> numbers;
    for (std::size_t cell = 0; cell < fine.cell_count(); ++cell) {
      of_parent[fine.global_number[cell] >> coarse.dimension] += fine_measures[cell];
      numbers.insert(fine.global_number[cell]);
    }
    EXPECT_EQ(numbers.size(), fine.cell_count());
    for (std::size_t cell = 0; cell < coarse.cell_count(); ++cell) {
      EXPECT_NEAR(of_parent[coarse.global_number[cell]], coarse_measures[cell], 1e-13) << shape_facts(shape).name;
    }
  }
}

TEST(Refine, cells_that_meet_share_the_bits_of_their_points) {
  for (const Shape shape : {Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    const Mesh mesh = refine_uniformly(refine_uniformly(make_box(shape, 0, {2, 2, 2}, 0.04, 3)));
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
        const auto& there = faces[static_cast<std::size_t>(link.face)];
        for (std::size_t s = 0; s < turned.size(); ++s) {
          for (std::size_t d = 0; d < dimension; ++d) {
            ASSERT_EQ(point(cell, faces[f][s], d),
                      point(static_cast<std::size_t>(link.neighbour), there[static_cast<std::size_t>(turned[s])], d));
          }
        }
      }
    }
  }
}

TEST(Refine, straight_boxes_become_the_boxes_of_twice_the_cells) {
  for (const Shape shape : box_shapes) {
    const Mesh fine = refine_uniformly(make_box(shape, 0, {2, 3, 2}, 0, 1));
    const Mesh direct = make_box(shape, 0, {4, 6, 4}, 0, 1);
    const auto vertex_sets = [](const Mesh& mesh) {
      std::set<std::set<std::array<std::int64_t, 3>>> cells;
      for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
        std::set<std::array<std::int64_t, 3>> vertices;
        for (const auto& x : cell_vertices(mesh, cell))
          vertices.insert({std::llround(1e6 * x[0]), std::llround(1e6 * x[1]), std::llround(1e6 * x[2])});
        cells.insert(vertices);
      }
      return cells;
    };
    EXPECT_EQ(vertex_sets(fine), vertex_sets(direct)) << shape_facts(shape).name;
  }
}

TEST(Refine, tetrahedra_do_not_degenerate) {
  Mesh mesh = make_box(Shape::tetrahedron, 0, {1, 1, 1}, 0.05, 1);
  const auto quality = [](const Mesh& m) {
    const auto measures = cell_measures(m);
    double worst = 1e9;
    for (std::size_t cell = 0; cell < m.cell_count(); ++cell) {
      const auto x = cell_vertices(m, cell);
      double longest = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j)
          longest = std::max(longest, std::hypot(x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]));
      }
      worst = std::min(worst, measures[cell] / std::pow(longest, 3));
    }
    return worst;
  };
  mesh = refine_uniformly(mesh);
  const double first = quality(mesh);
  for (int level = 0; level < 3; ++level) mesh = refine_uniformly(mesh);
  EXPECT_GT(quality(mesh), 0.9 * first);
}

TEST(Refine, curved_gmsh_meshes_keep_their_geometry) {
  const std::string folder = std::string(DGSOLVE_SOURCE_DIR) + "/configs/meshes/";
  for (const char* name : {"annulus3d-hex-order3-v41bin.msh", "cylinder2d-quad-order3-v41bin.msh", "cylinder2d-tri-order2-v22.msh",
                           "mixed2d-tri-quad-v41.msh", "periodic3d-tet-v41bin.msh", "sphere3d-tet-order2-v41.msh"}) {
    const Mesh coarse = read_gmsh(folder + name);
    const Mesh fine = refine_uniformly(coarse);
    SCOPED_TRACE(name);
    ASSERT_NO_THROW(check_mesh(fine));
    EXPECT_NEAR(total(cell_measures(fine)), total(cell_measures(coarse)), 1e-9 * total(cell_measures(coarse)));
  }
}

TEST(Refine, blocks_of_eight_stay_blocks_of_eight) {
  const Mesh mesh = refine_uniformly(make_box(Shape::hexahedron, 7, {8, 2, 2}, 0, 1));
  std::size_t aligned = 0;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t f = 0; f < 6; ++f) {
      const auto first = mesh.links[mesh.face_offset[cell - cell % 8] + f].neighbour;
      if (first % 8 == 0 && mesh.links[mesh.face_offset[cell] + f].neighbour == first + static_cast<std::int32_t>(cell % 8)) ++aligned;
    }
  }
  // All faces in y and z, and in x those between siblings: five of six.
  EXPECT_EQ(aligned, 5 * mesh.cell_count());
}

}  // namespace
}  // namespace dgsolve::mesh
