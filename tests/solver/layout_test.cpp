// Element classes of a rank's part: each owned cell once, those that touch ghosts apart where asked for.
#include "solver/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "mesh/box.h"
#include "mesh/distribution.h"

namespace dgsolve::solver {
namespace {

mesh::MeshPart middle_part() {
  mesh::BoxOptions options;
  options.dimension = 3;
  options.shape = mesh::Shape::hexahedron;
  options.cells = {6, 5, 4};
  options.periodic = {true, false, true};
  return mesh_part(mesh_box(options), 1, 3);
}

bool touches_ghost(const mesh::MeshPart& part, std::int32_t cell) {
  const auto c = static_cast<std::size_t>(cell);
  return std::any_of(part.mesh.links.begin() + static_cast<std::ptrdiff_t>(part.mesh.face_offset[c]),
                     part.mesh.links.begin() + static_cast<std::ptrdiff_t>(part.mesh.face_offset[c + 1]),
                     [&](const mesh::FaceLink& link) { return link.neighbour >= static_cast<std::int32_t>(part.owned); });
}

TEST(layout, puts_cells_that_touch_ghosts_into_classes_of_their_own) {
  const mesh::MeshPart part = middle_part();
  const std::vector<bool> affine(part.mesh.cell_count(), true);
  for (const bool apart : {false, true}) {
    const Layout layout = make_layout(part.mesh, affine, 5, 8, 1, part.owned, apart);
    std::set<std::int32_t> seen;
    std::int32_t slot = 0;
    std::size_t shared = 0;
    for (const ElementClass& group : layout.classes) {
      EXPECT_EQ(group.first_slot(1), slot);
      for (const std::int32_t cell : group.cells) {
        EXPECT_TRUE(seen.insert(cell).second) << "cell " << cell << " twice";
        EXPECT_LT(static_cast<std::size_t>(cell), part.owned);
        EXPECT_EQ(layout.slot_of_cell[static_cast<std::size_t>(cell)], slot++);
        EXPECT_EQ(group.shared, apart && touches_ghost(part, cell)) << "cell " << cell;
        shared += group.shared ? 1 : 0;
      }
    }
    EXPECT_EQ(seen.size(), part.owned);
    EXPECT_EQ(shared > 0, apart);
    for (std::size_t ghost = part.owned; ghost < part.mesh.cell_count(); ++ghost) EXPECT_EQ(layout.slot_of_cell[ghost], slot++);
  }
}

/// The blocks of a layout, and whether their class is one that others need.
std::map<std::vector<std::int32_t>, bool> blocks_of(const Layout& layout) {
  std::map<std::vector<std::int32_t>, bool> blocks;
  for (const ElementClass& group : layout.classes) {
    for (std::size_t first = 0; first < group.cells.size(); first += static_cast<std::size_t>(layout.width)) {
      const std::size_t last = std::min(group.cells.size(), first + static_cast<std::size_t>(layout.width));
      blocks[{group.cells.begin() + static_cast<std::ptrdiff_t>(first), group.cells.begin() + static_cast<std::ptrdiff_t>(last)}] =
          group.shared;
    }
  }
  return blocks;
}

TEST(layout, keeps_blocks_of_lanes_whole_and_puts_those_that_touch_ghosts_apart) {
  const mesh::MeshPart part = middle_part();
  const std::vector<bool> affine(part.mesh.cell_count(), true);
  for (const int width : {2, 4, 8}) {
    const Layout together = make_layout(part.mesh, affine, 5, 8, width, part.owned, false);
    const Layout apart = make_layout(part.mesh, affine, 5, 8, width, part.owned, true);
    const auto expected = blocks_of(together), found = blocks_of(apart);
    ASSERT_EQ(found.size(), expected.size());
    int shared = 0, others = 0;
    for (const auto& [cells, is_shared] : found) {
      EXPECT_EQ(expected.count(cells), 1U) << "a block was torn, width " << width;
      EXPECT_EQ(is_shared, std::any_of(cells.begin(), cells.end(), [&](std::int32_t cell) { return touches_ghost(part, cell); }));
      ++(is_shared ? shared : others);
    }
    EXPECT_GT(shared, 0);
    if (width < 8) {
      EXPECT_GT(others, 0) << "width " << width;
    }
    for (const ElementClass& group : apart.classes) {
      for (std::size_t i = 0; i < group.cells.size(); ++i)
        EXPECT_EQ(apart.slot_of_cell[static_cast<std::size_t>(group.cells[i])], group.first_slot(width) + static_cast<std::int32_t>(i));
    }
  }
}

}  // namespace
}  // namespace dgsolve::solver
