// Blocks of lanes: every cell once; neighbours of blocks are blocks in boxes of any size; other meshes keep their order.
#include "solver/lane_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "mesh/box.h"
#include "mesh/distribution.h"
#include "solver/layout.h"

namespace dgsolve::solver {
namespace {

struct Case {
  mesh::Shape shape;
  std::array<std::int64_t, 3> cells;
  std::array<bool, 3> periodic;
  int width;
  double least_share;
};

mesh::BoxOptions options_of(const Case& c) {
  mesh::BoxOptions options;
  options.dimension = c.shape == mesh::Shape::hexahedron || c.shape == mesh::Shape::tetrahedron ? 3 : 2;
  options.shape = c.shape;
  options.cells = c.cells;
  options.periodic = c.periodic;
  return options;
}

Layout layout_of(const mesh::Mesh& mesh, int width, std::size_t owned) {
  return make_layout(mesh, std::vector<bool>(mesh.cell_count(), true), 1, 1, width, owned);
}

/// The share of the faces of whole blocks behind which the lanes meet the same lanes of a block, or the next, but for one lane.
double aligned_share(const mesh::Mesh& mesh, const Layout& layout) {
  const auto width = static_cast<std::size_t>(layout.width);
  std::size_t aligned = 0, all = 0;
  for (const ElementClass& group : layout.classes) {
    for (std::size_t first = 0; first + width <= group.cells.size(); first += width) {
      const std::size_t faces = mesh.face_offset[1];
      for (std::size_t face = 0; face < faces; ++face) {
        std::array<int, 3> lanes{};  // that meet lane i - 1, i, i + 1 of one block
        const auto link = [&](std::size_t i) { return mesh.links[static_cast<std::size_t>(group.cells[first + i]) * faces + face]; };
        bool alike = true;
        for (std::size_t i = 0; i < width; ++i) {
          alike = alike && link(i).neighbour >= 0 && link(i).face == link(0).face && link(i).orientation == link(0).orientation;
        }
        for (std::size_t shift = 0; alike && shift < 3; ++shift) {
          const auto slot = [&](std::size_t i) { return layout.slot_of_cell[static_cast<std::size_t>(link(i).neighbour)]; };
          const std::int32_t block = slot(width / 2) / layout.width;
          for (std::size_t i = 0; i < width; ++i)
            lanes[shift] += slot(i) == block * layout.width + static_cast<std::int32_t>(i + shift) - 1 ? 1 : 0;
        }
        ++all;
        const int most = layout.width;
        if (lanes[1] == most || lanes[0] == most - 1 || lanes[2] == most - 1) ++aligned;
      }
    }
  }
  return static_cast<double>(aligned) / static_cast<double>(all);
}

TEST(LaneBlocks, meet_blocks_in_boxes_of_any_size_and_hold_every_cell_once) {
  using enum mesh::Shape;
  constexpr std::array all{true, true, true}, none{false, false, false};
  for (const Case& c : {Case{tetrahedron, {24, 24, 24}, all, 8, 1.0}, Case{tetrahedron, {21, 21, 21}, all, 8, 0.96},
                        Case{tetrahedron, {20, 20, 20}, all, 8, 0.97}, Case{tetrahedron, {20, 20, 20}, none, 8, 0.9},
                        Case{tetrahedron, {21, 21, 21}, all, 16, 0.96}, Case{hexahedron, {19, 19, 19}, all, 8, 0.95},
                        Case{hexahedron, {16, 16, 16}, none, 8, 0.78}, Case{hexahedron, {12, 12, 12}, all, 8, 0.92},
                        Case{quadrilateral, {210, 210, 1}, all, 8, 0.98}, Case{triangle, {63, 63, 1}, all, 4, 0.98}}) {
    const mesh::Mesh mesh = mesh_box(options_of(c));
    const Layout layout = layout_of(mesh, c.width, mesh.cell_count());
    std::vector<int> times(mesh.cell_count());
    for (const ElementClass& group : layout.classes) {
      for (const std::int32_t cell : group.cells) ++times[static_cast<std::size_t>(cell)];
    }
    EXPECT_EQ(times, std::vector<int>(mesh.cell_count(), 1));
    EXPECT_GE(aligned_share(mesh, layout), c.least_share)
        << "shape " << static_cast<int>(c.shape) << ", " << c.cells[0] << " cells in x, width " << c.width;
  }
}

TEST(LaneBlocks, of_a_piece_of_a_box_are_mostly_whole) {
  const Case c{mesh::Shape::tetrahedron, {20, 21, 22}, {true, true, true}, 8, 0.9};
  for (const int rank : {0, 1, 2}) {
    const mesh::MeshPart part = mesh_box_part(options_of(c), rank, 3);
    const Layout layout = layout_of(part.mesh, c.width, part.owned);
    EXPECT_GE(aligned_share(part.mesh, layout), c.least_share) << "rank " << rank;
  }
}

/// Two faces of a box, and the two behind them, change partners again and again: rows then branch off and end anywhere.
TEST(LaneBlocks, hold_every_cell_once_in_tangled_meshes) {
  mesh::Mesh mesh = mesh_box(options_of({mesh::Shape::tetrahedron, {9, 8, 7}, {true, true, true}, 8, 0}));
  std::mt19937 numbers(2);
  const auto link = [&](std::int32_t cell, std::int8_t face) -> mesh::FaceLink& {
    return mesh.links[4 * static_cast<std::size_t>(cell) + static_cast<std::size_t>(face)];
  };
  for (int i = 0; i < 150; ++i) {
    const auto c = static_cast<std::int32_t>(numbers() % mesh.cell_count()), d = static_cast<std::int32_t>(numbers() % mesh.cell_count());
    const auto f = static_cast<std::int8_t>(numbers() % 4);
    const mesh::FaceLink behind_c = link(c, f), behind_d = link(d, f);
    if (c == d || behind_c.neighbour == d || behind_c.neighbour == behind_d.neighbour) continue;
    link(c, f) = {.neighbour = d, .face = f};
    link(d, f) = {.neighbour = c, .face = f};
    link(behind_c.neighbour, behind_c.face) = {.neighbour = behind_d.neighbour, .face = behind_d.face};
    link(behind_d.neighbour, behind_d.face) = {.neighbour = behind_c.neighbour, .face = behind_c.face};
  }
  std::vector<std::int32_t> cells(mesh.cell_count());
  std::iota(cells.begin(), cells.end(), 0);
  std::vector<std::int32_t> order = lane_order(mesh, cells, 8);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, cells);
}

/// A box whose faces are turned at random, so that hardly two cells have equal links.
TEST(LaneBlocks, keep_the_order_of_meshes_without_rows) {
  mesh::Mesh mesh = mesh_box(options_of({mesh::Shape::hexahedron, {12, 12, 12}, {true, true, true}, 8, 0}));
  std::mt19937 numbers(1);
  for (mesh::FaceLink& link : mesh.links) link.orientation = static_cast<std::int8_t>(numbers() % 8);
  std::vector<std::int32_t> cells(mesh.cell_count());
  std::iota(cells.begin(), cells.end(), 0);
  EXPECT_EQ(lane_order(mesh, cells, 8), cells);
}

TEST(LaneBlocks, of_a_class_smaller_than_a_block_keep_its_order) {
  const mesh::Mesh mesh = mesh_box(options_of({mesh::Shape::quadrilateral, {8, 8, 1}, {true, true, true}, 8, 0}));
  EXPECT_EQ(lane_order(mesh, {}, 8), std::vector<std::int32_t>{});
  EXPECT_EQ(lane_order(mesh, {3, 5, 9}, 8), (std::vector<std::int32_t>{3, 5, 9}));
}

}  // namespace
}  // namespace dgsolve::solver
