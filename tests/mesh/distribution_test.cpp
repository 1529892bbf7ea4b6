// The pieces of a mesh: every cell has one owner, and what one rank sends is what the other receives.
#include "mesh/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "mesh/box.h"
#include "mesh/part_transfer.h"

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
    EXPECT_EQ(part.first, static_cast<std::int64_t>(next));
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
      const std::size_t original = static_cast<std::size_t>(part.first) + cell;
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

void expect_same(const std::vector<HaloFace>& found, const std::vector<HaloFace>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(std::tie(found[i].cell, found[i].face), std::tie(expected[i].cell, expected[i].face));
}

void expect_same(const MeshPart& found, const MeshPart& expected) {
  EXPECT_EQ(std::tie(found.cells, found.first, found.owned, found.shapes),
            std::tie(expected.cells, expected.first, expected.owned, expected.shapes));
  const Mesh &a = found.mesh, &b = expected.mesh;
  EXPECT_EQ(std::tie(a.dimension, a.geometry_order, a.shapes, a.global_number, a.point_offset, a.points, a.face_offset, a.boundary_names),
            std::tie(b.dimension, b.geometry_order, b.shapes, b.global_number, b.point_offset, b.points, b.face_offset, b.boundary_names));
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t f = 0; f < a.links.size(); ++f) {
    EXPECT_EQ(std::tie(a.links[f].neighbour, a.links[f].boundary, a.links[f].face, a.links[f].orientation),
              std::tie(b.links[f].neighbour, b.links[f].boundary, b.links[f].face, b.links[f].orientation));
  }
  ASSERT_EQ(found.peers.size(), expected.peers.size());
  for (std::size_t p = 0; p < found.peers.size(); ++p) {
    EXPECT_EQ(found.peers[p].rank, expected.peers[p].rank);
    expect_same(found.peers[p].send, expected.peers[p].send);
    expect_same(found.peers[p].receive, expected.peers[p].receive);
  }
}

class BoxPart : public testing::TestWithParam<Shape> {};

TEST_P(BoxPart, made_alone_is_what_cutting_the_whole_gives) {
  BoxOptions options;
  options.shape = GetParam();
  options.dimension = shape_facts(options.shape).dimension;
  options.lower = {-1, 0.5, 2};
  options.upper = {2, 2.5, 3};
  for (const auto& cells : {std::array<std::int64_t, 3>{1, 1, 1}, {8, 3, 2}, {5, 4, 3}, {2, 1, 7}, {16, 2, 4}, {48, 1, 1}}) {
    options.cells = cells;
    for (int mask = 0; mask < 1 << options.dimension; ++mask) {
      for (std::size_t d = 0; d < 3; ++d) options.periodic[d] = (mask >> d & 1) != 0;
      for (const int order : {0, 1, 3}) {
        options.warp = order == 0 ? 0 : 0.02;
        options.geometry_order = std::max(1, order);
        const Mesh whole = mesh_box(options);
        for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 61}) {
          for (int rank = 0; rank<ranks; rank += ranks> 7 ? 5 : 1) {
            SCOPED_TRACE(testing::Message() << "cells " << cells[0] << " " << cells[1] << " " << cells[2] << ", mask " << mask << ", order "
                                            << order << ", rank " << rank << " of " << ranks);
            expect_same(mesh_box_part(options, rank, ranks), mesh_part(whole, rank, ranks));
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST_P(BoxPart, comes_out_of_its_bytes_as_it_went_in) {
  const Mesh whole = box(GetParam(), {5, 3, 2}, true);
  for (const int rank : {0, 2, 39}) {
    const MeshPart part = mesh_part(whole, rank, 40);
    expect_same(unpack_part(pack_part(part)), part);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BoxPart,
                         testing::Values(Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron));

/// Three neighbouring ranks of very many: what two of them share is the same from both sides, though no number fits into 32 bits.
TEST(BoxParts, of_a_box_beyond_32_bits_fits_its_neighbours) {
  for (const Shape shape : {Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron}) {
    BoxOptions options;
    options.shape = shape;
    options.dimension = shape_facts(shape).dimension;
    options.cells =
        options.dimension == 2 ? std::array<std::int64_t, 3>{300'000, 200'003, 1} : std::array<std::int64_t, 3>{4096, 3000, 4096};
    options.periodic = {true, false, true};
    constexpr int ranks = 100'000'000, middle = 70'000'001;
    std::vector<MeshPart> parts;
    for (int rank = middle; rank < middle + 3; ++rank) parts.push_back(mesh_box_part(options, rank, ranks));
    for (int r = 0; r < 3; ++r) {
      const MeshPart& part = parts[static_cast<std::size_t>(r)];
      EXPECT_GT(part.cells, std::int64_t{1} << 32);
      EXPECT_GT(part.first, std::int64_t{1} << 32);
      EXPECT_EQ(part.first, first_owned(part.cells, middle + r, ranks));
      EXPECT_GT(*std::max_element(part.mesh.global_number.begin(), part.mesh.global_number.end()), std::int64_t{1} << 32);
      EXPECT_LT(part.mesh.cell_count(), 8 * part.owned);
      for (const HaloPeer& peer : part.peers) {
        if (peer.rank < middle || peer.rank >= middle + 3) continue;
        const MeshPart& other = parts[static_cast<std::size_t>(peer.rank - middle)];
        const auto back = std::find_if(other.peers.begin(), other.peers.end(), [&](const HaloPeer& p) { return p.rank == middle + r; });
        ASSERT_NE(back, other.peers.end());
        EXPECT_EQ(global_faces(part, peer.send), global_faces(other, back->receive));
      }
    }
    const auto touches = [&](int rank) {
      return std::any_of(parts[1].peers.begin(), parts[1].peers.end(), [&](const HaloPeer& peer) { return peer.rank == rank; });
    };
    EXPECT_TRUE(touches(middle) || touches(middle + 2)) << "the pieces of a curve in unit steps touch";
  }
}

TEST(BoxParts, on_one_rank_of_too_few_says_so) {
  BoxOptions options;
  options.cells = {100'000, 100'000, 1};
  EXPECT_THROW((void)mesh_box_part(options, 1, 2), MeshError);
}

TEST(OwnerOf, is_the_rank_whose_piece_has_the_cell) {
  for (const std::int64_t cells : {1, 2, 7, 64}) {
    for (const int ranks : {1, 3, 7, 70}) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (std::int64_t cell = first_owned(cells, rank, ranks); cell < first_owned(cells, rank + 1, ranks); ++cell)
          EXPECT_EQ(owner_of(cells, cell, ranks), rank);
      }
    }
  }
}

TEST(FirstOwned, gives_the_first_ranks_the_rest_and_needs_no_cells) {
  EXPECT_EQ(first_owned(7, 0, 3), 0);
  EXPECT_EQ(first_owned(7, 1, 3), 3);
  EXPECT_EQ(first_owned(7, 2, 3), 5);
  EXPECT_EQ(first_owned(7, 3, 3), 7);
  EXPECT_EQ(first_owned(1, 1, 4), 1);
  EXPECT_EQ(first_owned(1, 4, 4), 1);
}

}  // namespace
}  // namespace dgsolve::mesh
