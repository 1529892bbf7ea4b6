// Element classes of a rank's part: each owned cell once, those that touch ghosts apart where asked for.
#include "solver/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace dgsolve::solver
