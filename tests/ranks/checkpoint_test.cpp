// Checkpoints on many ranks: each writes its blocks and nothing else, the file has the bytes of one rank's, faults are those of all.
#include "io/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>

#include "io/output_error.h"
#include "mesh/distribution.h"
#include "tests/io/file_size_limit.h"
#include "tests/ranks/shared_folder.h"
#include "tests/ranks/world.h"

namespace dgsolve {
namespace {

using io::CheckpointFile;
using testing::HasSubstr;

/// A block of a checkpoint has 2^20 numbers: four cells. The last one has less.
constexpr std::size_t columns = std::size_t{1} << 18U;
constexpr std::int64_t cells = 14, cells_of_block = 4, blocks = 4;

std::int64_t first_row(int rank) { return std::min(cells, cells_of_block * mesh::first_owned(blocks, rank, world().size())); }
std::int64_t own_rows() { return first_row(world().rank() + 1) - first_row(world().rank()); }

io::CheckpointHeader header(const std::string& precision) {
  io::CheckpointHeader header;
  header.step = 7;
  header.equations = "acoustics";
  header.cells = cells;
  header.precision = precision;
  header.configuration = "equations: acoustics\n";
  return header;
}

/// Of the cells with these numbers.
io::CheckpointState state_of(std::vector<std::int64_t> numbers) {
  std::vector<double> values;
  for (const std::int64_t number : numbers) {
    for (std::size_t i = 0; i < columns; ++i)
      values.push_back(static_cast<float>(std::sin(1e3 * static_cast<double>(number) + static_cast<double>(i))));
  }
  return {std::move(numbers), std::move(values), columns};
}

/// Cells are dealt out along a curve on which their numbers are 0, 5, 10, 1, ... (modulo 14).
std::vector<std::int64_t> own_numbers() {
  std::vector<std::int64_t> numbers;
  const int rank = world().rank(), size = world().size();
  for (std::int64_t at = mesh::first_owned(cells, rank, size); at < mesh::first_owned(cells, rank + 1, size); ++at)
    numbers.push_back(5 * at % cells);
  return numbers;
}

std::vector<std::int64_t> all_numbers() {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; number < cells; ++number) numbers.push_back(number);
  return numbers;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Bytes that this process has given to the system to write; nothing if the system does not count them.
std::optional<std::int64_t> bytes_written() {
  std::ifstream file("/proc/self/io");
  std::string name;
  for (std::int64_t count = 0; file >> name >> count;) {
    if (name == "wchar:") return count;
  }
  return std::nullopt;
}

TEST(CheckpointsOfRanks, every_rank_writes_its_own_blocks_alone) {
  const SharedFolder folder;
  const std::vector<std::int64_t> numbers = own_numbers();
  std::int64_t moved = 0;
  for (const std::int64_t number : numbers) moved += number < first_row(world().rank()) || number >= first_row(world().rank() + 1) ? 1 : 0;
  const auto before = world().traffic();
  const auto written_before = bytes_written();
  io::write_checkpoint(folder.path() / "a.h5", header("double"), state_of(numbers), world());
  // The numbers of the cells go ahead of their values.
  EXPECT_EQ(world().traffic().bytes - before.bytes, moved * static_cast<std::int64_t>((columns + 1) * sizeof(double)));
  if (!written_before) GTEST_SKIP() << "the system does not count what a process writes";
  const std::int64_t rows = own_rows() * static_cast<std::int64_t>(columns * sizeof(double)), rest = 1 << 18;
  EXPECT_GE(*bytes_written() - *written_before, rows);
  EXPECT_LE(*bytes_written() - *written_before, rows + rest);
}

TEST(CheckpointsOfRanks, files_have_the_bytes_that_one_rank_writes) {
  const SharedFolder folder;
  for (const std::string precision : {"double", "single"}) {
    io::write_checkpoint(folder.path() / "together.h5", header(precision), state_of(own_numbers()), world());
    if (!world().is_root()) continue;
    io::write_checkpoint(folder.path() / "alone.h5", header(precision), state_of(all_numbers()));
    EXPECT_TRUE(bytes_of(folder.path() / "together.h5") == bytes_of(folder.path() / "alone.h5")) << precision;
  }
}

TEST(CheckpointsOfRanks, every_rank_gets_every_block_and_one_reads_it) {
  const SharedFolder folder;
  io::write_checkpoint(folder.path() / "a.h5", header("double"), state_of(own_numbers()), world());
  const CheckpointFile file(folder.path() / "a.h5", world());
  EXPECT_EQ(file.header().text(), header("double").text());
  ASSERT_EQ(file.block_count(), static_cast<std::size_t>(blocks));
  for (std::size_t block = 0; block < file.block_count(); ++block) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = file.first_cell(block); number < std::min(cells, file.first_cell(block) + cells_of_block); ++number)
      numbers.push_back(number);
    EXPECT_TRUE(file.block(block) == state_of(numbers).values) << block;
  }
}

TEST(CheckpointsOfRanks, a_changed_byte_of_any_block_is_noticed_by_all) {
  const SharedFolder folder;
  const auto path = folder.path() / "a.h5";
  io::write_checkpoint(path, header("double"), state_of(own_numbers()), world());
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (world().is_root()) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(
          -static_cast<std::streamoff>(((blocks - block) * cells_of_block - 3) * static_cast<std::int64_t>(columns * sizeof(double))),
          std::ios::end);
      const auto place = file.tellp();
      const auto byte = static_cast<char>(file.get() ^ 1);
      file.seekp(place);
      file.put(byte);
    }
    world().barrier();
    std::string fault;
    try {
      const CheckpointFile file(path, world());
    } catch (const io::CheckpointError& error) {
      fault = error.what();
    }
    EXPECT_THAT(fault, HasSubstr("a.h5: damaged")) << block;
    if (world().is_root()) io::write_checkpoint(path, header("double"), state_of(all_numbers()));
    world().barrier();
  }
}

TEST(CheckpointsOfRanks, what_fails_on_one_rank_leaves_the_file_as_it_was) {
  const SharedFolder folder;
  const auto path = folder.path() / "a.h5";
  io::write_checkpoint(path, header("double"), state_of(own_numbers()), world());
  const std::string content = world().is_root() ? bytes_of(path) : "";
  const int last_writer = mesh::owner_of(blocks, blocks - 1, world().size());
  for (const int failing : {0, last_writer}) {
    std::string fault;
    try {
      std::optional<io::FileSizeLimit> limit;
      if (world().rank() == failing) limit.emplace(rlim_t{1 << 20});
      io::write_checkpoint(path, header("single"), state_of(own_numbers()), world());
    } catch (const io::OutputError& error) {
      fault = error.what();
    }
    EXPECT_THAT(fault, testing::AllOf(HasSubstr("a.h5"), HasSubstr("File too large")));
    if (!world().is_root()) continue;
    EXPECT_TRUE(bytes_of(path) == content);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  }
}

}  // namespace
}  // namespace dgsolve
