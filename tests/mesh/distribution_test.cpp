// The pieces of a mesh: every cell has one owner, and what one rank sends is what the other receives.
#include "mesh/distribution.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "mesh/box.h"

namespace dgsolve::mesh {
namespace {

Mesh box(Shape shape, std::array<std::int64_t, 3> cells, bool periodic) {
  BoxOptions options;
  options.dimension = shape_facts(shape).dimension;
  options.shape = shape;
  options.cells = cells;
  options.periodic = {periodic, false, periodic};
  return mesh_box(options);
}

using GlobalFace = std::pair<std::int64_t, int>;

std::vector<GlobalFace> global_faces(const MeshPart& part, const std::vector<HaloFace>& faces) {
  std::vector<GlobalFace> list;
  for (const HaloFace& face : faces) list.emplace_back(part.mesh.global_number[static_cast<std::size_t>(face.cell)], face.face);
  return list;
}

class Distribution : public testing::TestWithParam<std::tuple<Shape, int>> {};

TEST_P(Distribution, gives_every_cell_one_owner_and_pairs_the_halo) {
  const auto [shape, ranks] = GetParam();
  const Mesh whole = box(shape, {5, 3, 2}, true);
  std::vector<MeshPart> parts;
  for (int rank = 0; rank < ranks; ++rank) parts.push_back(mesh_part(whole, rank, ranks));

  std::size_t next = 0;
  for (const MeshPart& part : parts) {
    EXPECT_EQ(part.first, next);
    for (std::size_t cell = 0; cell < part.owned; ++cell) EXPECT_EQ(part.mesh.global_number[cell], whole.global_number[next++]);
    EXPECT_LE(part.owned, whole.cell_count() / static_cast<std::size_t>(ranks) + 1);
  }
  EXPECT_EQ(next, whole.cell_count());

  std::size_t sent = 0;
  for (int a = 0; a < ranks; ++a) {
    const MeshPart& sender = parts[static_cast<std::size_t>(a)];
    for (const HaloPeer& peer : sender.peers) {
      const MeshPart& receiver = parts.at(static_cast<std::size_t>(peer.rank));
      const auto back = std::find_if(receiver.peers.begin(), receiver.peers.end(), [&](const HaloPeer& other) { return other.rank == a; });
      ASSERT_NE(back, receiver.peers.end());
      EXPECT_EQ(global_faces(sender, peer.send), global_faces(receiver, back->receive));
      for (const HaloFace& face : peer.send) EXPECT_LT(static_cast<std::size_t>(face.cell), sender.owned);
      for (const HaloFace& face : back->receive) EXPECT_GE(static_cast<std::size_t>(face.cell), receiver.owned);
      sent += peer.send.size();
    }
  }
  EXPECT_EQ(sent > 0, ranks > 1);
}

/// Owned cells keep their points and their links, by global numbers.
TEST_P(Distribution, keeps_geometry_and_links_of_owned_cells) {
  const auto [shape, ranks] = GetParam();
  const Mesh whole = box(shape, {5, 3, 2}, false);
  for (int rank = 0; rank < ranks; ++rank) {
    const MeshPart part = mesh_part(whole, rank, ranks);
    EXPECT_EQ(part.mesh.boundary_names, whole.boundary_names);
    for (std::size_t cell = 0; cell < part.owned; ++cell) {
      const std::size_t original = part.first + cell;
      const std::size_t faces = whole.face_offset[original + 1] - whole.face_offset[original];
      ASSERT_EQ(part.mesh.face_offset[cell + 1] - part.mesh.face_offset[cell], faces);
      for (std::size_t f = 0; f < faces; ++f) {
        const FaceLink& there = whole.links[whole.face_offset[original] + f];
        const FaceLink& here = part.mesh.links[part.mesh.face_offset[cell] + f];
        EXPECT_EQ(std::tie(here.boundary, here.face, here.orientation), std::tie(there.boundary, there.face, there.orientation));
        ASSERT_EQ(here.neighbour < 0, there.neighbour < 0);
        if (here.neighbour < 0) continue;
        EXPECT_EQ(part.mesh.global_number[static_cast<std::size_t>(here.neighbour)],
                  whole.global_number[static_cast<std::size_t>(there.neighbour)]);
      }
      const auto dimension = static_cast<std::size_t>(whole.dimension);
      const std::size_t reals = (whole.point_offset[original + 1] - whole.point_offset[original]) * dimension;
      EXPECT_TRUE(std::equal(part.mesh.points.begin() + static_cast<std::ptrdiff_t>(part.mesh.point_offset[cell] * dimension),
                             part.mesh.points.begin() + static_cast<std::ptrdiff_t>(part.mesh.point_offset[cell] * dimension + reals),
                             whole.points.begin() + static_cast<std::ptrdiff_t>(whole.point_offset[original] * dimension)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Distribution,
                         testing::Combine(testing::Values(Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron,
                                                          Shape::hexahedron),
                                          testing::Values(1, 2, 3, 4, 7)));

TEST(FirstOwned, gives_the_first_ranks_the_rest_and_needs_no_cells) {
  EXPECT_EQ(first_owned(7, 0, 3), 0U);
  EXPECT_EQ(first_owned(7, 1, 3), 3U);
  EXPECT_EQ(first_owned(7, 2, 3), 5U);
  EXPECT_EQ(first_owned(7, 3, 3), 7U);
  EXPECT_EQ(first_owned(1, 1, 4), 1U);
  EXPECT_EQ(first_owned(1, 4, 4), 1U);
}

}  // namespace
}  // namespace dgsolve::mesh
