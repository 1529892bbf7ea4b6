// Set-up and output on many ranks: memory is that of a rank's own cells, messages go between those that share something alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "io/output_error.h"
#include "io/shared_file.h"
#include "mesh/box.h"
#include "mesh/global_rows.h"
#include "mesh/part_transfer.h"
#include "solver/exact_sum.h"
#include "tests/io/file_size_limit.h"
#include "tests/ranks/shared_folder.h"
#include "tests/ranks/world.h"

namespace dgsolve {
namespace {

using mesh::MeshPart;
using testing::HasSubstr;
using Traffic = mesh::Communicator::Traffic;

/// 8^3 cells of a shape, so that 64 ranks have eight each.
mesh::BoxOptions small_box(mesh::Shape shape, std::int64_t cells = 8) {
  mesh::BoxOptions box;
  box.dimension = 3;
  box.shape = shape;
  box.cells = {cells, cells, cells};
  box.periodic = {true, false, true};
  return box;
}

MeshPart own_part(const mesh::BoxOptions& box) { return mesh::mesh_box_part(box, world().rank(), world().size()); }

Traffic sent_since(const Traffic& before) {
  const Traffic now = world().traffic();
  return {now.messages - before.messages, now.bytes - before.bytes};
}

std::int64_t total(std::int64_t value) {
  world().sum(std::span(&value, 1));
  return value;
}

std::size_t bytes_of(const MeshPart& part) {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  const auto& mesh = part.mesh;
  std::size_t bytes = size(mesh.shapes) + size(mesh.global_number) + size(mesh.point_offset) + size(mesh.points) + size(mesh.face_offset) +
                      size(mesh.links);
  for (const auto& peer : part.peers) bytes += size(peer.send) + size(peer.receive);
  return bytes;
}

TEST(Box, a_part_is_made_without_messages_in_the_memory_of_its_cells) {
  const Traffic before = world().traffic();
  for (const mesh::Shape shape : {mesh::Shape::hexahedron, mesh::Shape::tetrahedron}) {
    const mesh::BoxOptions box = small_box(shape);
    const MeshPart part = own_part(box);
    const std::int64_t faces_of_cell = shape == mesh::Shape::hexahedron ? 6 : 4;
    EXPECT_EQ(total(static_cast<std::int64_t>(part.owned)), part.cells);
    EXPECT_LE(part.mesh.cell_count() - part.owned, part.owned * static_cast<std::size_t>(faces_of_cell));
    // Shape, number, offsets, 8 corners of 3 coordinates, 6 links of 8 bytes: 268; halo faces 8 bytes each way, with room to grow.
    EXPECT_LE(bytes_of(part), 16 + part.mesh.cell_count() * 268 + part.owned * static_cast<std::size_t>(faces_of_cell) * 8 * 4);
  }
  EXPECT_EQ(sent_since(before).messages, 0);
}

TEST(Box, a_warp_that_folds_cells_somewhere_is_the_same_fault_on_all) {
  mesh::BoxOptions box = small_box(mesh::Shape::hexahedron);
  box.warp = 0.2;
  box.geometry_order = 2;
  std::string whole, parts;
  try {
    (void)mesh::mesh_box(box);
  } catch (const mesh::MeshError& error) {
    whole = error.what();
  }
  try {
    (void)mesh::make_parts(world(), [&] { return own_part(box); });
  } catch (const mesh::MeshError& error) {
    parts = error.what();
  }
  EXPECT_THAT(whole, HasSubstr("too large"));
  EXPECT_EQ(parts, whole);
}

/// A box with 64 times the cells on 64 times the ranks takes what a small one takes on one.
TEST(Box, memory_of_a_rank_does_not_grow_with_the_number_of_ranks) {
  const MeshPart one_of_few = mesh::mesh_box_part(small_box(mesh::Shape::hexahedron, 16), 3, 8);
  const MeshPart one_of_many = mesh::mesh_box_part(small_box(mesh::Shape::hexahedron, 1024), 131072 + world().rank(), 8 * 64 * 64 * 64);
  EXPECT_EQ(one_of_many.owned, one_of_few.owned);
  EXPECT_LE(bytes_of(one_of_many), bytes_of(one_of_few) * 3 / 2);
}

/// tests/benchmarks/scaling_model.py: at most 12.5 n^(2/3) faces to other ranks and 14 of these; 268 bytes a cell and 290 a ghost. The
/// parts of 10,000 ranks, as many of them as there are ranks here, of a box that the curve does not fit.
TEST(Box, parts_are_what_the_model_of_scaling_takes_them_for) {
  constexpr int ranks = 10'000;
  const int rank = static_cast<int>((std::int64_t{world().rank()} * ranks + ranks / 2) / world().size());
  const MeshPart part = mesh::mesh_box_part(small_box(mesh::Shape::hexahedron, 400), rank, ranks);
  const auto cells = static_cast<double>(part.owned);
  EXPECT_EQ(part.owned, 6400U);
  double faces = 0;
  for (const mesh::HaloPeer& peer : part.peers) faces += static_cast<double>(peer.send.size());
  EXPECT_LE(faces, 12.5 * std::cbrt(cells * cells));
  EXPECT_GE(faces, 6 * std::cbrt(cells * cells) * 0.99);  // a cube's
  EXPECT_LE(part.peers.size(), 14U);
  const auto ghosts = static_cast<double>(part.mesh.cell_count()) - cells;
  EXPECT_LE(ghosts, faces);
  EXPECT_LE(static_cast<double>(bytes_of(part)), 1.1 * (268 * cells + 290 * ghosts));
}

TEST(Halo, one_message_goes_to_each_neighbour_and_holds_the_faces_between) {
  const MeshPart part = own_part(small_box(mesh::Shape::hexahedron));
  std::vector<std::vector<std::int64_t>> sent, received;
  std::vector<mesh::Communicator::Message> sends, receives;
  std::int64_t faces = 0;
  for (const mesh::HaloPeer& peer : part.peers) {
    sent.emplace_back();
    for (const mesh::HaloFace& face : peer.send)
      sent.back().push_back(part.mesh.global_number[static_cast<std::size_t>(face.cell)] * 8 + face.face);
    received.emplace_back(peer.receive.size());
    faces += static_cast<std::int64_t>(peer.send.size());
  }
  for (std::size_t p = 0; p < part.peers.size(); ++p) {
    sends.push_back({part.peers[p].rank, std::as_writable_bytes(std::span(sent[p]))});
    receives.push_back({part.peers[p].rank, std::as_writable_bytes(std::span(received[p]))});
  }
  const Traffic before = world().traffic();
  world().exchange(sends, receives);
  const Traffic traffic = sent_since(before);
  EXPECT_EQ(traffic.messages, static_cast<std::int64_t>(part.peers.size()));
  EXPECT_EQ(traffic.bytes, faces * 8);
  if (world().size() == 64) {
    EXPECT_LE(part.peers.size(), 26U);
  }
  for (std::size_t p = 0; p < part.peers.size(); ++p) {
    for (std::size_t i = 0; i < received[p].size(); ++i) {
      const mesh::HaloFace& face = part.peers[p].receive[i];
      EXPECT_EQ(received[p][i], part.mesh.global_number[static_cast<std::size_t>(face.cell)] * 8 + face.face);
    }
  }
}

TEST(MeshFile, every_rank_gets_its_part_in_two_messages_from_rank_0) {
  const mesh::BoxOptions box = small_box(mesh::Shape::tetrahedron, 4);
  const Traffic before = world().traffic();
  int made = 0;
  const MeshPart part = mesh::distribute_mesh(world(), [&] {
    ++made;
    return mesh::mesh_box(box);
  });
  EXPECT_EQ(made, world().is_root() ? 1 : 0);
  EXPECT_EQ(sent_since(before).messages, world().is_root() ? 2 * (world().size() - 1) : 0);
  const MeshPart alone = own_part(box);
  EXPECT_EQ(std::tie(part.cells, part.first, part.owned, part.shapes), std::tie(alone.cells, alone.first, alone.owned, alone.shapes));
  EXPECT_EQ(std::tie(part.mesh.global_number, part.mesh.points, part.mesh.boundary_names),
            std::tie(alone.mesh.global_number, alone.mesh.points, alone.mesh.boundary_names));
  EXPECT_EQ(part.peers.size(), alone.peers.size());
}

TEST(Ranks, the_first_fault_is_that_of_the_lowest_rank_that_has_one_everywhere) {
  const int rank = world().rank(), size = world().size();
  EXPECT_FALSE(world().first_fault(""));
  const auto last = world().first_fault(rank == size - 1 ? "no room" : "");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->rank, size - 1);
  EXPECT_EQ(last->text, "no room");
  const auto first = world().first_fault(rank >= size / 2 ? "fault " + std::to_string(rank) : "");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rank, size / 2);
  EXPECT_EQ(first->text, "fault " + std::to_string(size / 2));
}

TEST(MeshFile, a_fault_on_rank_0_is_thrown_on_all) {
  try {
    (void)mesh::distribute_mesh(world(), []() -> mesh::Mesh { throw mesh::MeshError("no such mesh file"); });
    FAIL() << "no fault";
  } catch (const mesh::MeshError& error) {
    EXPECT_STREQ(error.what(), "no such mesh file");
  }
}

/// All passes together.
template <class Value>
std::vector<Value> collect(mesh::GlobalRows& rows, const std::vector<Value>& values, std::size_t per_cell) {
  std::vector<Value> all;
  rows.collect(std::span<const Value>(values), per_cell, [&](std::int64_t number, const std::vector<Value>& some) {
    EXPECT_EQ(number, rows.first() + static_cast<std::int64_t>(all.size() / per_cell));
    all.insert(all.end(), some.begin(), some.end());
  });
  return all;
}

TEST(Rows, stand_in_global_order_and_come_from_those_that_had_them) {
  const MeshPart part = own_part(small_box(mesh::Shape::hexahedron));
  const std::span<const std::int64_t> numbers = std::span(part.mesh.global_number).first(part.owned);
  std::set<int> targets;
  std::int64_t moved = 0;
  for (const std::int64_t number : numbers) {
    const int target = mesh::owner_of(part.cells, number, world().size());
    if (target != world().rank()) targets.insert(target), ++moved;
  }
  const Traffic at_start = world().traffic();
  mesh::GlobalRows rows(world(), numbers, part.cells);
  EXPECT_EQ(sent_since(at_start).messages, static_cast<std::int64_t>(targets.size()));
  std::vector<double> values;
  for (const std::int64_t number : numbers)
    values.insert(values.end(), {static_cast<double>(number), -1.0, 0.5 * static_cast<double>(number)});
  const Traffic before = world().traffic();
  const std::vector<double> found = collect(rows, values, 3);
  EXPECT_EQ(sent_since(before).messages, static_cast<std::int64_t>(targets.size()));
  EXPECT_EQ(sent_since(before).bytes, moved * 3 * 8);
  ASSERT_EQ(found.size(), rows.count() * 3);
  EXPECT_EQ(total(static_cast<std::int64_t>(rows.count())), part.cells);
  for (std::size_t row = 0; row < rows.count(); ++row) {
    EXPECT_EQ(found[3 * row], static_cast<double>(rows.first()) + static_cast<double>(row));
    EXPECT_EQ(found[3 * row + 2], 0.5 * found[3 * row]);
  }
}

TEST(Rows, come_in_passes_of_whole_blocks) {
  const MeshPart part = own_part(small_box(mesh::Shape::hexahedron, 7));
  const std::span<const std::int64_t> numbers = std::span(part.mesh.global_number).first(part.owned);
  constexpr std::size_t columns = 100;
  constexpr std::int64_t block = 5, blocks = 69;  // of 343 cells; the last one has three
  mesh::GlobalRows rows(world(), numbers, part.cells, {.block = block, .bytes_of_pass = 2 * block * columns * sizeof(double) + 1});
  const int rank = world().rank(), size = world().size();
  EXPECT_EQ(rows.first(), std::min(part.cells, block * mesh::first_owned(blocks, rank, size)));
  EXPECT_EQ(total(static_cast<std::int64_t>(rows.count())), part.cells);
  std::vector<double> values;
  std::set<std::pair<int, std::int64_t>> messages;  // rank and its pass
  std::int64_t moved = 0;
  for (const std::int64_t number : numbers) {
    for (std::size_t i = 0; i < columns; ++i) values.push_back(static_cast<double>(number) + 0.001 * static_cast<double>(i));
    const int target = mesh::owner_of(blocks, number / block, size);
    if (target != rank) messages.emplace(target, (number / block - mesh::first_owned(blocks, target, size)) / 2), ++moved;
  }
  const Traffic before = world().traffic();
  std::size_t passes = 0;
  rows.collect(std::span<const double>(values), columns, [&](std::int64_t number, const std::vector<double>& some) {
    EXPECT_EQ(number, rows.first() + static_cast<std::int64_t>(passes++) * 2 * block);
    EXPECT_LE(some.size(), 2 * block * columns);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::int64_t row = number + static_cast<std::int64_t>(i / columns);
      ASSERT_EQ(some[i], static_cast<double>(row) + 0.001 * static_cast<double>(i % columns));
    }
  });
  EXPECT_EQ(passes, (rows.count() + 2 * block - 1) / (2 * block));
  EXPECT_EQ(sent_since(before).bytes, moved * static_cast<std::int64_t>(columns * sizeof(double)));
  EXPECT_EQ(sent_since(before).messages, static_cast<std::int64_t>(messages.size()));
}

TEST(Rows, of_several_parts_stand_part_by_part_and_are_made_once) {
  const MeshPart part = own_part(small_box(mesh::Shape::hexahedron, 7));
  const std::span<const std::int64_t> numbers = std::span(part.mesh.global_number).first(part.owned);
  const mesh::GlobalRows rows(world(), numbers, part.cells, {.block = 1, .bytes_of_pass = 100 * 6 * sizeof(float)});
  constexpr std::array<std::size_t, 3> widths{2, 1, 3};
  std::vector<int> made(part.owned, 0);
  const auto value = [](std::int64_t number, std::size_t i) { return static_cast<float>(10 * number) + static_cast<float>(i); };
  const auto make = [&](std::span<const mesh::GlobalRows::Place<float>> places) {
    for (const auto& place : places) {
      ++made[place.cell];
      std::size_t before = 0;
      for (const std::size_t width : widths) {
        for (std::size_t i = 0; i < width; ++i) place.part(before, width)[i] = value(numbers[place.cell], before + i);
        before += width;
      }
    }
  };
  std::int64_t next = rows.first();
  rows.produce<float>(widths, make, [&](std::int64_t number, const std::vector<float>& some) {
    EXPECT_EQ(number, next);
    const std::size_t count = some.size() / 6;
    std::size_t before = 0;
    for (const std::size_t width : widths) {
      for (std::size_t i = 0; i < count * width; ++i) {
        ASSERT_EQ(some[before * count + i], value(number + static_cast<std::int64_t>(i / width), before + i % width));
      }
      before += width;
    }
    next += static_cast<std::int64_t>(count);
  });
  EXPECT_EQ(next, rows.first() + static_cast<std::int64_t>(rows.count()));
  EXPECT_EQ(made, std::vector<int>(part.owned, 1));
}

TEST(Rows, need_no_cells_on_a_rank) {
  // All cells on the last rank.
  std::vector<std::int64_t> numbers;
  if (world().rank() == world().size() - 1) numbers = {2, 0, 1};
  mesh::GlobalRows rows(world(), numbers, 3);
  const std::vector<std::int64_t> found = collect(rows, numbers, 1);
  for (std::size_t row = 0; row < found.size(); ++row) EXPECT_EQ(found[row], rows.first() + static_cast<std::int64_t>(row));
  EXPECT_EQ(total(static_cast<std::int64_t>(found.size())), 3);
}

TEST(Gathering, keeps_what_every_rank_gave_in_the_order_of_ranks) {
  const int rank = world().rank(), size = world().size();
  const std::vector<std::string> texts =
      world().all_gather(std::string(static_cast<std::size_t>(rank % 3), static_cast<char>('a' + rank % 26)));
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(size));
  std::vector<double> expected;
  for (int r = 0; r < size; ++r) {
    EXPECT_EQ(texts[static_cast<std::size_t>(r)], std::string(static_cast<std::size_t>(r % 3), static_cast<char>('a' + r % 26)));
    if (r % 2 == 1) expected.push_back(r);
  }
  EXPECT_EQ(world().all_gather(rank % 2 == 1 ? std::vector<double>{static_cast<double>(rank)} : std::vector<double>()), expected);
  std::vector<std::int64_t> to(static_cast<std::size_t>(size));
  std::iota(to.begin(), to.end(), 100 * rank);
  const std::vector<std::int64_t> from = world().all_to_all(to);
  for (int r = 0; r < size; ++r) EXPECT_EQ(from[static_cast<std::size_t>(r)], 100 * r + rank);
}

TEST(Sums, have_the_bits_of_one_rank) {
  std::mt19937_64 random(3);
  solver::ExactSum all, own;
  for (int i = 0; i < 1000; ++i) {
    const double term = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 200) - 100);
    all.add(term);
    if (i % world().size() == world().rank()) own.add(term);
  }
  solver::ExactSum::Parts parts = own.carried_parts();
  world().sum(parts);
  own.set_parts(parts);
  EXPECT_EQ(own.value(), all.value());
}

void describe(io::SharedHdf5File::Layout& layout) {
  layout.writer().integer_attribute("/", "ranks", std::array{std::int64_t{world().size()}});
  layout.dataset("/numbers", io::Hdf5Type::float64, static_cast<std::uint64_t>(world().size()) * 10, 0);
}

void write_own(io::SharedHdf5File& file) {
  std::vector<double> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 10.0 * world().rank());
  file.write("/numbers", static_cast<std::uint64_t>(world().rank()) * 10, std::span<const double>(numbers));
}

TEST(SharedFile, is_there_when_all_have_written_and_not_before) {
  const SharedFolder folder;
  {
    io::SharedHdf5File file(folder.path() / "a.h5", world(), describe);
    write_own(file);
    world().barrier();
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.h5"));
    world().barrier();
    file.close();
  }
  world().barrier();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "a.h5"));
}

TEST(SharedFile, what_fails_on_one_rank_is_thrown_on_all_and_leaves_nothing) {
  const SharedFolder folder;
  std::string message;
  try {
    io::SharedHdf5File file(folder.path() / "b.h5", world(), describe);
    {
      std::optional<io::FileSizeLimit> limit;
      if (world().rank() == world().size() - 1) limit.emplace(rlim_t{64});
      write_own(file);
    }
    file.close();
  } catch (const io::OutputError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, testing::AllOf(HasSubstr("b.h5"), HasSubstr("File too large")));
  world().barrier();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SharedFile, what_rank_0_cannot_make_is_thrown_on_all) {
  EXPECT_THROW(io::SharedHdf5File("absent-folder/c.h5", world(), describe), io::OutputError);
  world().barrier();
}

}  // namespace
}  // namespace dgsolve
