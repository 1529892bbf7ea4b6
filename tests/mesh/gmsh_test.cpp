// The Gmsh reader on real files: geometry on its surfaces, exact measures, groups, periodic links, node order.
#include "mesh/gmsh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "gmsh_writer.h"
#include "mesh/box.h"
#include "mesh/check.h"
#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

using std::numbers::pi;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::filesystem::path shipped(const std::string& name) { return std::filesystem::path(DGSOLVE_SOURCE_DIR) / "configs/meshes" / name; }
std::filesystem::path fixture(const std::string& name) { return std::filesystem::path(DGSOLVE_SOURCE_DIR) / "tests/mesh/data" / name; }

double total_measure(const Mesh& mesh) {
  const auto measures = cell_measures(mesh);
  return std::accumulate(measures.begin(), measures.end(), 0.0);
}

/// Calls act(point) for each lattice point of each face in the boundary group.
template <typename Act>
int for_each_boundary_point(const Mesh& mesh, const std::string& group, const Act& act) {
  int count = 0;
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  std::map<Shape, std::vector<std::vector<int>>> faces;
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    auto& indices = faces[mesh.shapes[cell]];
    if (indices.empty()) indices = face_lattice_indices(mesh.shapes[cell], mesh.geometry_order);
    for (std::size_t f = 0; f < indices.size(); ++f) {
      const FaceLink& link = mesh.links[mesh.face_offset[cell] + f];
      if (link.neighbour >= 0 || mesh.boundary_names[static_cast<std::size_t>(link.boundary)] != group) continue;
      ++count;
      for (const int i : indices[f]) {
        std::array<double, 3> x{};
        for (std::size_t d = 0; d < dimension; ++d)
          x[d] = mesh.points[(mesh.point_offset[cell] + static_cast<std::size_t>(i)) * dimension + d];
        act(x);
      }
    }
  }
  return count;
}

void expect_radius(const Mesh& mesh, const std::string& group, double radius, int faces) {
  EXPECT_EQ(
      for_each_boundary_point(
          mesh, group,
          [&](const auto& x) { EXPECT_NEAR(std::hypot(x[0], x[1], mesh.dimension == 3 && group == "sphere" ? x[2] : 0), radius, 1e-9); }),
      faces);
}

TEST(Gmsh, cylinder_of_order_3_quadrilaterals_binary_41) {
  const Mesh mesh = read_gmsh(shipped("cylinder2d-quad-order3-v41bin.msh"));
  EXPECT_EQ(mesh.dimension, 2);
  EXPECT_EQ(mesh.geometry_order, 3);
  EXPECT_EQ(mesh.cell_count(), 740U);
  EXPECT_THAT(mesh.boundary_names, UnorderedElementsAre("wall", "inlet", "outlet", "farfield"));
  expect_radius(mesh, "wall", 0.5, 28);
  EXPECT_NEAR(total_measure(mesh), 200 - pi / 4, 1e-5);
  EXPECT_NO_THROW(check_mesh(mesh));
}

TEST(Gmsh, cylinder_of_order_2_triangles_text_22) {
  const Mesh mesh = read_gmsh(shipped("cylinder2d-tri-order2-v22.msh"));
  EXPECT_EQ(mesh.geometry_order, 2);
  EXPECT_EQ(mesh.cell_count(), 1287U);
  expect_radius(mesh, "wall", 0.5, 27);
  EXPECT_NEAR(total_measure(mesh), 200 - pi / 4, 1e-5);
  for_each_boundary_point(mesh, "inlet", [](const auto& x) { EXPECT_NEAR(x[0], -5, 1e-12); });
  for_each_boundary_point(mesh, "outlet", [](const auto& x) { EXPECT_NEAR(x[0], 15, 1e-12); });
}

TEST(Gmsh, sphere_of_order_2_tetrahedra_text_41) {
  const Mesh mesh = read_gmsh(shipped("sphere3d-tet-order2-v41.msh"));
  EXPECT_EQ(mesh.geometry_order, 2);
  EXPECT_EQ(mesh.cell_count(), 2169U);
  expect_radius(mesh, "sphere", 0.5, 154);
  // The volume of the ball is 0.52; order-2 faces of a quarter of its diameter err in the fourth digit.
  EXPECT_NEAR(total_measure(mesh), 64 - pi / 6, 5e-4);
}

TEST(Gmsh, quarter_annulus_of_order_3_hexahedra_binary_41) {
  const Mesh mesh = read_gmsh(shipped("annulus3d-hex-order3-v41bin.msh"));
  EXPECT_EQ(mesh.geometry_order, 3);
  EXPECT_EQ(mesh.cell_count(), 45U);
  expect_radius(mesh, "inner", 1, 15);
  expect_radius(mesh, "outer", 2, 15);
  EXPECT_NEAR(total_measure(mesh), 0.75 * pi, 1e-5);
  for_each_boundary_point(mesh, "top", [](const auto& x) { EXPECT_NEAR(x[2], 1, 1e-12); });
}

TEST(Gmsh, periodic_tetrahedra_link_across_the_cube) {
  const Mesh mesh = read_gmsh(shipped("periodic3d-tet-v41bin.msh"));
  EXPECT_TRUE(mesh.boundary_names.empty());
  EXPECT_EQ(mesh.cell_count(), 723U);
  EXPECT_NEAR(total_measure(mesh), 1, 1e-12);
  for (const FaceLink& link : mesh.links) EXPECT_GE(link.neighbour, 0);
}

TEST(Gmsh, sides_of_a_box_without_groups_can_be_paired_by_their_names) {
  // This file has neither boundary groups nor $Periodic.
  GmshOptions options;
  options.periodic = {{"left", "right"}, {"bottom", "top"}, {"front", "back"}};
  const Mesh mesh = read_gmsh(shipped("periodic3d-tet-v22bin.msh"), options);
  const Mesh linked = read_gmsh(shipped("periodic3d-tet-v41bin.msh"));
  ASSERT_EQ(mesh.cell_count(), linked.cell_count());
  EXPECT_EQ(mesh.global_number, linked.global_number);
  for (std::size_t i = 0; i < mesh.links.size(); ++i) EXPECT_EQ(mesh.links[i].neighbour, linked.links[i].neighbour);
}

TEST(Gmsh, mixed_triangles_and_quadrilaterals_form_one_mesh) {
  const Mesh mesh = read_gmsh(shipped("mixed2d-tri-quad-v41.msh"));
  EXPECT_EQ(std::count(mesh.shapes.begin(), mesh.shapes.end(), Shape::quadrilateral), 50);
  EXPECT_EQ(std::count(mesh.shapes.begin(), mesh.shapes.end(), Shape::triangle), 128);
  EXPECT_NEAR(total_measure(mesh), 1, 1e-12);
  EXPECT_THAT(mesh.boundary_names, UnorderedElementsAre("bottom", "top", "left", "right"));
}

TEST(Gmsh, prisms_and_pyramids_are_not_yet_supported) {
  for (const char* name : {"prism3d-v41.msh", "mixed3d-hex-pyramid-tet-v41.msh"}) {
    try {
      static_cast<void>(read_gmsh(shipped(name)));
      FAIL();
    } catch (const MeshError& fault) {
      EXPECT_THAT(fault.what(), testing::AllOf(testing::HasSubstr("not yet supported"), testing::HasSubstr(name)));
    }
  }
}

TEST(Gmsh, nodes_of_order_3_and_4_stand_where_the_straight_cell_has_them) {
  for (const std::string shape : {"tri", "quad", "tet", "hex"}) {
    for (const std::string file : {"order3-v41", "order4-v22"}) {
      const Mesh mesh = read_gmsh(fixture("straight-" + shape + "-" + file + ".msh"));
      SCOPED_TRACE(shape + file);
      EXPECT_THAT(mesh.boundary_names, ElementsAre("wall"));
      EXPECT_EQ(mesh.geometry_order, file == "order3-v41" ? 3 : 4);
      const auto lattice = lattice_points(mesh.shapes[0], mesh.geometry_order);
      const auto basis = lattice_basis(mesh.shapes[0], 1, lattice);
      const auto dimension = static_cast<std::size_t>(mesh.dimension);
      const auto corners = vertex_lattice_indices(mesh.shapes[0], mesh.geometry_order);
      const auto linear_corners = vertex_lattice_indices(mesh.shapes[0], 1);
      for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
        const double* points = mesh.points.data() + mesh.point_offset[cell] * dimension;
        for (std::size_t i = 0; i < lattice.size(); ++i) {
          for (std::size_t d = 0; d < dimension; ++d) {
            double straight = 0;
            for (std::size_t v = 0; v < corners.size(); ++v) {
              straight += basis.values[i * basis.lattice + static_cast<std::size_t>(linear_corners[v])] *
                          points[static_cast<std::size_t>(corners[v]) * dimension + d];
            }
            EXPECT_NEAR(points[i * dimension + d], straight, 1e-10);
          }
        }
      }
    }
  }
}

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

/// Cells in file order, with what lies behind their faces in file numbers.
void expect_same_mesh(const Mesh& found, const Mesh& expected, bool same_points) {
  ASSERT_EQ(found.cell_count(), expected.cell_count());
  ASSERT_EQ(found.dimension, expected.dimension);
  ASSERT_EQ(found.geometry_order, expected.geometry_order);
  const auto memory_of = [](const Mesh& mesh) {
    std::vector<std::size_t> memory(mesh.cell_count());
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) memory[static_cast<std::size_t>(mesh.global_number[cell])] = cell;
    return memory;
  };
  const auto there = memory_of(found);
  const auto here = memory_of(expected);
  const auto dimension = static_cast<std::size_t>(expected.dimension);
  for (std::size_t number = 0; number < here.size(); ++number) {
    ASSERT_EQ(found.shapes[there[number]], expected.shapes[here[number]]);
    for (std::size_t f = 0; f < expected.face_offset[1]; ++f) {
      const FaceLink& a = found.links[found.face_offset[there[number]] + f];
      const FaceLink& b = expected.links[expected.face_offset[here[number]] + f];
      ASSERT_EQ(a.neighbour < 0, b.neighbour < 0);
      if (a.neighbour < 0) {
        EXPECT_EQ(found.boundary_names[static_cast<std::size_t>(a.boundary)],
                  expected.boundary_names[static_cast<std::size_t>(b.boundary)]);
        continue;
      }
      EXPECT_EQ(found.global_number[static_cast<std::size_t>(a.neighbour)], expected.global_number[static_cast<std::size_t>(b.neighbour)]);
      EXPECT_EQ(a.face, b.face);
      EXPECT_EQ(a.orientation, b.orientation);
    }
    for (std::size_t i = 0; same_points && i < (expected.point_offset[1]) * dimension; ++i) {
      EXPECT_EQ(found.points[found.point_offset[there[number]] * dimension + i],
                expected.points[expected.point_offset[here[number]] * dimension + i]);
    }
  }
}

const std::vector<Shape> box_shapes{Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron};

TEST(Gmsh, every_shape_order_and_encoding_comes_back_as_written) {
  for (const Shape shape : box_shapes) {
    for (int order = 1; order <= 4; ++order) {
      const Mesh box = make_box(shape, 0, {3, 2, 2}, 0.03, order);
      const WrittenMesh written = write_mesh(box);
      for (const Encoding& encoding : all_encodings) {
        SCOPED_TRACE(testing::Message() << shape_facts(shape).name << " order " << order << " version " << encoding.version << " binary "
                                        << encoding.binary << " swapped " << encoding.swapped);
        const Mesh mesh = read_gmsh_bytes("box.msh", encode(written, encoding));
        expect_same_mesh(mesh, box, true);
        EXPECT_THAT(mesh.boundary_names, testing::UnorderedElementsAreArray(box.boundary_names));
      }
    }
  }
}

TEST(Gmsh, groups_paired_by_translation_give_the_links_of_a_periodic_box) {
  const std::array<std::pair<std::string, std::string>, 3> sides{{{"left", "right"}, {"bottom", "top"}, {"back", "front"}}};
  for (const Shape shape : box_shapes) {
    const int dimension = shape_facts(shape).dimension;
    for (int mask = 1; mask < 1 << dimension; ++mask) {
      for (const auto& cells : {std::array<std::int64_t, 3>{1, 1, 1}, {2, 2, 2}, {1, 2, 3}, {4, 3, 2}}) {
        SCOPED_TRACE(testing::Message() << shape_facts(shape).name << " mask " << mask << " cells " << cells[0] << cells[1] << cells[2]);
        const std::string file = encode(write_mesh(make_box(shape, 0, cells, 0, 1)), {});
        GmshOptions options;
        for (std::size_t d = 0; d < 3; ++d) {
          if (mask >> d & 1) options.periodic.push_back(sides[d]);
        }
        expect_same_mesh(read_gmsh_bytes("box.msh", file, options), make_box(shape, mask, cells, 0, 1), false);
      }
    }
  }
}

TEST(Gmsh, periodic_sections_of_every_encoding_give_the_links_of_a_periodic_box) {
  for (const Shape shape : box_shapes) {
    for (const auto& cells : {std::array<std::int64_t, 3>{1, 1, 1}, {2, 2, 2}, {4, 3, 2}}) {
      WrittenMesh written = write_mesh(make_box(shape, 0, cells, 0, 1));
      WrittenPeriodic link{.dimension = shape_facts(shape).dimension - 1};
      for (std::size_t i = 0; i < written.nodes.size(); ++i) {
        for (std::size_t j = 0; j < written.nodes.size(); ++j) {
          auto moved = written.nodes[j];
          moved[0] += 1;
          if (written.nodes[i] == moved) link.pairs.emplace_back(written.tags[i], written.tags[j]);
        }
      }
      written.periodic = {link};
      for (const Encoding& encoding : all_encodings) {
        SCOPED_TRACE(testing::Message() << shape_facts(shape).name << " version " << encoding.version << " binary " << encoding.binary);
        const std::string file = encode(written, encoding);
        expect_same_mesh(read_gmsh_bytes("box.msh", file), make_box(shape, 1, cells, 0, 1), false);
        // Asking for what the file already links is no fault.
        GmshOptions options;
        options.periodic = {{"left", "right"}};
        expect_same_mesh(read_gmsh_bytes("box.msh", file, options), make_box(shape, 1, cells, 0, 1), false);
      }
    }
  }
}

TEST(Gmsh, mirrored_cells_are_turned) {
  for (const Shape shape : box_shapes) {
    const Mesh box = make_box(shape, 0, {3, 2, 2}, 0.03, 3);
    WrittenMesh written = write_mesh(box);
    for (auto& node : written.nodes) node[0] = -node[0];
    const Mesh mesh = read_gmsh_bytes("mirrored.msh", encode(written, {}));
    EXPECT_NEAR(total_measure(mesh), total_measure(box), 1e-12);
    EXPECT_NO_THROW(check_mesh(mesh));
  }
}

TEST(Gmsh, cells_lie_along_a_curve_and_keep_their_file_numbers) {
  const Mesh mesh = read_gmsh(shipped("cylinder2d-tri-order2-v22.msh"));
  double jumps = 0;
  for (std::size_t cell = 1; cell < mesh.cell_count(); ++cell) {
    const auto a = cell_centre(mesh, cell - 1);
    const auto b = cell_centre(mesh, cell);
    jumps += std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  auto numbers = mesh.global_number;
  std::vector<std::size_t> memory(numbers.size());
  for (std::size_t cell = 0; cell < numbers.size(); ++cell) memory[static_cast<std::size_t>(numbers[cell])] = cell;
  double file_jumps = 0;
  for (std::size_t number = 1; number < numbers.size(); ++number) {
    const auto a = cell_centre(mesh, memory[number - 1]);
    const auto b = cell_centre(mesh, memory[number]);
    file_jumps += std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  EXPECT_LT(jumps, 0.5 * file_jumps);
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<std::int64_t>(i));
}

TEST(Gmsh, cells_outside_every_group_are_left_out) {
  WrittenMesh written = write_mesh(make_box(Shape::quadrilateral, 0, {2, 1, 1}, 0, 1));
  ASSERT_EQ(written.elements.size(), 8U);
  // Without the right cell the left one's right side becomes the boundary; name it.
  written.elements.back().group = 0;
  written.elements.push_back(
      {.type = 1, .dimension = 1, .group = 77, .nodes = {written.elements[6].nodes[1], written.elements[6].nodes[2]}});
  for (const Encoding& encoding : all_encodings) {
    const Mesh mesh = read_gmsh_bytes("part.msh", encode(written, encoding));
    EXPECT_EQ(mesh.cell_count(), 1U);
    // A group without a name has its number as name.
    EXPECT_THAT(mesh.boundary_names, UnorderedElementsAre("left", "bottom", "top", "77"));
  }
}

TEST(Gmsh, an_element_repeated_for_each_of_its_groups_is_one_cell) {
  WrittenMesh written = write_mesh(make_box(Shape::triangle, 0, {2, 2, 1}, 0, 1));
  const auto elements = written.elements;
  for (WrittenElement element : elements) {
    if (element.dimension != 2) continue;
    element.group = 101;
    written.elements.push_back(element);
  }
  EXPECT_EQ(read_gmsh_bytes("twice.msh", encode(written, {22, false, false})).cell_count(), 8U);
}

}  // namespace
}  // namespace dgsolve::mesh
