// Gmsh files that can not be used: each ends in one MeshError that says where and what, none in a crash or a hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "gmsh_writer.h"
#include "mesh/box.h"
#include "mesh/gmsh.h"

namespace dgsolve::mesh {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

std::string fault_of(const std::filesystem::path& file) {
  try {
    static_cast<void>(read_gmsh(file));
  } catch (const MeshError& fault) {
    return fault.what();
  }
  return "no fault";
}

std::string fault_of_bytes(const std::string& bytes, const GmshOptions& options = {}) {
  try {
    static_cast<void>(read_gmsh_bytes("faulty.msh", bytes, options));
  } catch (const MeshError& fault) {
    return fault.what();
  }
  return "no fault";
}

Mesh square(std::int64_t nx, std::int64_t ny, Shape shape = Shape::quadrilateral) {
  BoxOptions options;
  options.shape = shape;
  options.dimension = shape_facts(shape).dimension;
  options.cells = {nx, ny, 1};
  return mesh_box(options);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string text_square(int version) { return encode(write_mesh(square(2, 2)), {version, false, false}); }

TEST(GmshFaults, file_that_is_missing_empty_a_folder_or_something_else) {
  EXPECT_THAT(fault_of("/nowhere/none.msh"), AllOf(HasSubstr("/nowhere/none.msh"), HasSubstr("no such mesh file")));
  EXPECT_THAT(fault_of(std::filesystem::temp_directory_path()), HasSubstr("a directory"));
  EXPECT_THAT(fault_of_bytes(""), AllOf(HasSubstr("faulty.msh"), HasSubstr("empty")));
  EXPECT_THAT(fault_of_bytes("solid cube\n"), AllOf(HasSubstr("not a Gmsh mesh file"), HasSubstr("2.2 and 4.1")));
}

TEST(GmshFaults, versions_and_encodings_that_are_not_supported) {
  for (const char* version : {"1.0", "2.0", "4.0", "4.2", "5", "x"}) {
    EXPECT_THAT(fault_of_bytes(replaced(text_square(41), "4.1 0 8", std::string(version) + " 0 8")),
                AllOf(HasSubstr(std::string("version ") + version), HasSubstr("supported are 2.2 and 4.1"), HasSubstr("line 2")));
  }
  EXPECT_THAT(fault_of_bytes(replaced(text_square(41), "4.1 0 8", "4.1 7 8")), HasSubstr("file type must be 0"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "2.2 0 8", "2.2 0 4")), HasSubstr("data size 4"));
  std::string binary = encode(write_mesh(square(2, 2)), {41, true, false});
  binary[binary.find("1 8\n") + 4] = 3;
  EXPECT_THAT(fault_of_bytes(binary), HasSubstr("byte order"));
}

TEST(GmshFaults, sections_that_are_missing_doubled_or_wrong) {
  const std::string text = text_square(22);
  EXPECT_THAT(fault_of_bytes(text.substr(0, text.find("$Nodes"))), HasSubstr("no $Nodes section"));
  EXPECT_THAT(fault_of_bytes(text.substr(0, text.find("$Elements"))), HasSubstr("no $Elements section"));
  EXPECT_THAT(fault_of_bytes(text.substr(0, text.find("$Nodes")) + text.substr(text.find("$Elements"))),
              HasSubstr("$Elements stands before $Nodes"));
  EXPECT_THAT(fault_of_bytes(text + text.substr(text.find("$Elements"))), HasSubstr("section occurs twice"));
  EXPECT_THAT(fault_of_bytes(text + "garbage\n"), HasSubstr("expected a section, found 'garbage'"));
  EXPECT_THAT(fault_of_bytes(text + "$Comments\nhello\n"), HasSubstr("$EndComments is missing"));
  EXPECT_EQ(fault_of_bytes(text + "$Comments\nhello\n$EndComments\n"), "no fault");
  EXPECT_THAT(fault_of_bytes(replaced(text_square(41), "$Nodes", "$PartitionedEntities")),
              HasSubstr("partitioned meshes are not supported"));
  EXPECT_THAT(fault_of_bytes(replaced(text, "$EndNodes", "$EndElements")), HasSubstr("expected $EndNodes, found '$EndElements'"));
  EXPECT_THAT(fault_of_bytes(replaced(text, "2 100 \"fluid\"", "2 100 fluid")), HasSubstr("physical name in quotes"));
}

TEST(GmshFaults, numbers_that_are_none) {
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "$Nodes\n9", "$Nodes\nnine")),
              AllOf(HasSubstr("$Nodes"), HasSubstr("'nine'"), ContainsRegex("line [0-9]+")));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "0.5", "0.5x")), HasSubstr("expected a number, found '0.5x'"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "0.5", "nan")), HasSubstr("finite"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "0.5", "1e999")), HasSubstr("expected a number"));
}

TEST(GmshFaults, absurd_counts_are_refused_before_memory_is_taken) {
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "$Nodes\n9", "$Nodes\n900000000000000")), HasSubstr("can not hold them"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "$Nodes\n9", "$Nodes\n-9")), HasSubstr("expected a count"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(22), "$Elements\n12", "$Elements\n1200000000")), HasSubstr("can not hold them"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(41), "$Nodes\n1 9 1 9", "$Nodes\n1 9999999999999 1 9")), HasSubstr("can not hold them"));
  EXPECT_THAT(fault_of_bytes(replaced(text_square(41), "$Nodes\n1 9 1 9", "$Nodes\n1 8 1 9")),
              HasSubstr("8 nodes announced, but the blocks hold 9"));
}

TEST(GmshFaults, nodes_doubled_or_missing) {
  for (const Encoding& encoding : all_encodings) {
    WrittenMesh mesh = write_mesh(square(2, 2));
    mesh.tags[3] = mesh.tags[2];
    EXPECT_THAT(fault_of_bytes(encode(mesh, encoding)), HasSubstr("node 3 occurs twice"));
    mesh.tags[3] = 1000000;
    EXPECT_THAT(fault_of_bytes(encode(mesh, encoding)),
                AllOf(ContainsRegex("element [0-9]+ has node 4"), HasSubstr("not among the nodes")));
  }
}

TEST(GmshFaults, element_types_that_can_not_be_read) {
  const auto with_type = [](int type) {
    WrittenMesh mesh = write_mesh(square(2, 2));
    mesh.elements.back().type = type;
    return fault_of_bytes(encode(mesh, {}));
  };
  EXPECT_THAT(with_type(6), HasSubstr("prism cells are not yet supported"));
  EXPECT_THAT(with_type(119), HasSubstr("pyramid cells are not yet supported"));
  EXPECT_THAT(with_type(16), HasSubstr("serendipity"));
  EXPECT_THAT(with_type(20), HasSubstr("serendipity"));
  EXPECT_THAT(with_type(38), HasSubstr("order above 4"));
  EXPECT_THAT(with_type(200), HasSubstr("unknown element type 200"));
  EXPECT_THAT(with_type(-3), HasSubstr("unknown element type -3"));
}

TEST(GmshFaults, cells_that_are_folded_name_cell_and_place) {
  WrittenMesh mesh = write_mesh(square(2, 2));
  // The middle node, moved out of the square.
  for (auto& node : mesh.nodes) {
    if (node[0] == 0.5 && node[1] == 0.5) node = {-0.6, -0.4, 0};
  }
  EXPECT_THAT(fault_of_bytes(encode(mesh, {})),
              AllOf(HasSubstr("faulty.msh"), ContainsRegex("cell [0-9]+ \\(quadrilateral, element [0-9]+ of the file\\) is folded"),
                    ContainsRegex(" at \\(.*, .*\\)")));
}

TEST(GmshFaults, three_cells_at_one_face_name_cells_and_place) {
  WrittenMesh mesh = write_mesh(square(2, 1));
  mesh.nodes.push_back({0.25, 2, 0});
  mesh.tags.push_back(100);
  // A triangle on the face that the two quadrilaterals share.
  const auto& left = mesh.elements[mesh.elements.size() - 2].nodes;
  mesh.elements.push_back({.type = 2, .dimension = 2, .group = 100, .nodes = {left[1], 100, left[2]}});
  EXPECT_THAT(fault_of_bytes(encode(mesh, {})),
              AllOf(HasSubstr("three cells share this face"), HasSubstr("(0.5, 0.5)"), ContainsRegex("cell [0-9]+ \\(")));
}

TEST(GmshFaults, boundary_faces_without_a_group_name_cell_and_place) {
  for (const Encoding& encoding : all_encodings) {
    WrittenMesh mesh = write_mesh(square(2, 1));
    std::erase_if(mesh.elements, [](const WrittenElement& e) { return e.dimension == 1 && e.group == 2; });
    EXPECT_THAT(fault_of_bytes(encode(mesh, encoding)),
                AllOf(HasSubstr("cell 1 (quadrilateral"), HasSubstr("at (1, 0.5)"), HasSubstr("boundary face without a group")));
  }
}

TEST(GmshFaults, boundary_faces_in_two_groups_name_both) {
  WrittenMesh mesh = write_mesh(square(2, 1));
  WrittenElement again = mesh.elements.front();
  again.group = again.group == 1 ? 2 : 1;
  mesh.elements.push_back(again);
  EXPECT_THAT(fault_of_bytes(encode(mesh, {})), AllOf(HasSubstr("in two boundary groups"), HasSubstr("'left'"), HasSubstr("'right'")));
}

TEST(GmshFaults, periodic_groups_that_are_unknown_or_do_not_match) {
  const std::string bytes = encode(write_mesh(square(2, 3)), {});
  EXPECT_THAT(fault_of_bytes(bytes, {.periodic = {{"left", "rihgt"}}}),
              AllOf(HasSubstr("no boundary group 'rihgt'"), HasSubstr("did you mean 'right'"), HasSubstr("left, bottom, right, top")));
  EXPECT_THAT(fault_of_bytes(bytes, {.periodic = {{"left", "left"}}}), HasSubstr("paired with itself"));
  EXPECT_THAT(fault_of_bytes(bytes, {.periodic = {{"left", "top"}}}), HasSubstr("'left' has 3 faces to be matched, but 'top' has 2"));
  EXPECT_THAT(fault_of_bytes(encode(write_mesh(square(2, 2)), {}), {.periodic = {{"left", "top"}}}),
              AllOf(HasSubstr("has no partner in 'top'"), HasSubstr("cell "), HasSubstr(" at (0, ")));
}

TEST(GmshFaults, orders_and_planes_that_differ) {
  WrittenMesh mesh = write_mesh(square(2, 2));
  mesh.nodes[0][2] = 0.1;
  EXPECT_THAT(fault_of_bytes(encode(mesh, {})), AllOf(HasSubstr("2D cells"), HasSubstr("z must be constant")));
  WrittenMesh line;
  line.nodes = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1.5, 0, 0}};
  line.tags = {1, 2, 3, 4};
  line.elements = {{.type = 1, .dimension = 1, .nodes = {1, 2}}, {.type = 8, .dimension = 1, .nodes = {2, 3, 4}}};
  EXPECT_THAT(fault_of_bytes(encode(line, {})), HasSubstr("elements of order 1 and of order 2"));
  line.elements = {{.type = 15, .dimension = 0, .nodes = {1}}};
  EXPECT_THAT(fault_of_bytes(encode(line, {})), HasSubstr("no cells"));
}

TEST(GmshFaults, every_truncation_of_a_small_file_is_a_fault) {
  WrittenMesh mesh = write_mesh(square(2, 1, Shape::triangle));
  // The two sides in x are linked by $Periodic alone, so that a file without this section is incomplete too.
  std::erase_if(mesh.elements, [](const WrittenElement& e) { return e.dimension == 1 && e.group <= 2; });
  WrittenPeriodic link{.dimension = 1};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    for (std::size_t j = 0; j < mesh.nodes.size(); ++j) {
      if (mesh.nodes[i][0] == 1 && mesh.nodes[j][0] == 0 && mesh.nodes[i][1] == mesh.nodes[j][1])
        link.pairs.emplace_back(mesh.tags[i], mesh.tags[j]);
    }
  }
  mesh.periodic = {link};
  for (const Encoding& encoding : all_encodings) {
    std::string bytes = encode(mesh, encoding);
    ASSERT_EQ(fault_of_bytes(bytes), "no fault");
    while (bytes.back() == '\n') bytes.pop_back();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const std::string fault = fault_of_bytes(bytes.substr(0, length));
      ASSERT_THAT(fault, HasSubstr("faulty.msh: "))
          << "version " << encoding.version << " binary " << encoding.binary << " length " << length;
    }
  }
}

TEST(GmshFaults, truncated_shipped_files_are_faults) {
  for (const char* name :
       {"annulus3d-hex-order3-v41bin.msh", "cylinder2d-tri-order2-v22.msh", "periodic3d-tet-v41bin.msh", "sphere3d-tet-order2-v41.msh"}) {
    std::ifstream stream(std::string(DGSOLVE_SOURCE_DIR) + "/configs/meshes/" + name, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    const std::string bytes = content.str();
    ASSERT_GT(bytes.size(), 1000U);
    for (std::size_t part = 0; part < 40; ++part)
      EXPECT_NE(fault_of_bytes(bytes.substr(0, bytes.size() * part / 40)), "no fault") << name << part;
  }
}

TEST(GmshFaults, coordinates_beyond_all_measure_are_a_fault) {
  WrittenMesh mesh = write_mesh(square(2, 2));
  mesh.nodes[0][0] = -1.5e308;
  mesh.nodes[1][0] = 1.5e308;
  EXPECT_THAT(fault_of_bytes(encode(mesh, {})), HasSubstr("is folded"));
}

TEST(GmshFaults, damaged_bytes_never_crash) {
  std::mt19937 random(7);
  for (const Encoding& encoding : all_encodings) {
    const std::string bytes = encode(write_mesh(square(2, 2)), encoding);
    int faults = 0;
    for (int trial = 0; trial < 400; ++trial) {
      std::string damaged = bytes;
      for (int k = 0; k < 1 + trial % 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      if (fault_of_bytes(damaged) != "no fault") ++faults;
    }
    EXPECT_GT(faults, 100);
  }
}

}  // namespace
}  // namespace dgsolve::mesh
