// Checkpoints as files: headers, digests, the folder they are in, its lock; tables and series that go on.
#include "io/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>

#include "io/checkpoint_folder.h"
#include "io/folder_lock.h"
#include "io/output_error.h"
#include "io/table_file.h"
#include "io/yaml.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Checkpoints : public testing::Test {
 protected:
  /// Of a problem with 3 cells, 2 variables, 2 nodes.
  static CheckpointHeader header() {
    CheckpointHeader header;
    header.step = 12345678901;
    header.time = 0.1 + 0.2;
    header.dt = 4.9e-324;
    header.equations = "acoustics";
    header.components = "p v_x";
    header.precision = "double";
    header.cells = 3;
    header.variant = {{"blocks", 4}, {"lines", 0}};
    header.results.output_times = {0, 1.0 / 3, 1e300};
    header.results.output_steps = {0, 5, 7};
    header.results.monitor_times = {{"mass", -std::numeric_limits<double>::infinity()}, {"probe", 0.25}};
    header.configuration = "equations: acoustics\n# a comment\n";
    return header;
  }
  static std::vector<double> values() { return {0, -0.0, 1, 2, 3, 4, 5, 6, 7, 8, 1.0 / 3, -1e-310}; }

  static CheckpointState state() { return {{0, 1, 2}, values(), 4}; }

  void change_byte(const std::filesystem::path& file, const std::string& content) const {
    std::string bytes = read_text_file(file);
    const std::size_t at = bytes.find(content);
    ASSERT_NE(at, std::string::npos);
    bytes[at] ^= 1;
    std::ofstream(file, std::ios::binary) << bytes;
  }

  static std::string fault_of(const std::filesystem::path& file) {
    try {
      const CheckpointFile checkpoint(file);
    } catch (const CheckpointError& fault) {
      return fault.what();
    }
    return "";
  }

  const codegen::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(Checkpoints, headers_keep_every_bit_of_their_numbers) {
  const CheckpointHeader before = header(), after = CheckpointHeader::from_text(before.text());
  EXPECT_EQ(after.text(), before.text());
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.time, before.time);
  EXPECT_EQ(after.dt, before.dt);
  EXPECT_EQ(after.variant, before.variant);
  EXPECT_EQ(after.results.output_times, before.results.output_times);
  EXPECT_EQ(after.results.output_steps, before.results.output_steps);
  EXPECT_EQ(after.results.monitor_times, before.results.monitor_times);
  EXPECT_EQ(after.configuration, before.configuration);
}

TEST_F(Checkpoints, headers_with_missing_or_bad_values_are_refused) {
  EXPECT_THROW((void)CheckpointHeader::from_text(""), CheckpointError);
  std::string text = header().text();
  text.replace(text.find("12345678901"), 5, "1x345");
  EXPECT_THROW((void)CheckpointHeader::from_text(text), CheckpointError);
}

TEST_F(Checkpoints, files_give_back_the_same_bits) {
  const auto file = folder_ / "a.h5";
  write_checkpoint(file, header(), state());
  const CheckpointFile checkpoint(file);
  EXPECT_EQ(checkpoint.header().text(), header().text());
  ASSERT_EQ(checkpoint.block_count(), 1U);
  const std::vector<double> found = checkpoint.block(0);
  ASSERT_EQ(found, values());
  EXPECT_TRUE(std::signbit(found[1]));
}

TEST_F(Checkpoints, long_states_come_in_blocks) {
  CheckpointHeader of_many = header();
  of_many.cells = 700'001;
  std::vector<double> values(static_cast<std::size_t>(of_many.cells) * 3);
  std::iota(values.begin(), values.end(), 0.0);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(of_many.cells));
  std::iota(numbers.begin(), numbers.end(), 0);
  write_checkpoint(folder_ / "a.h5", of_many, {numbers, values, 3});
  const CheckpointFile checkpoint(folder_ / "a.h5");
  EXPECT_EQ(checkpoint.block_count(), 3U);
  std::vector<double> all;
  for (std::size_t i = 0; i < checkpoint.block_count(); ++i) {
    EXPECT_EQ(checkpoint.first_cell(i), static_cast<std::int64_t>(all.size() / 3));
    const auto block = checkpoint.block(i);
    all.insert(all.end(), block.begin(), block.end());
  }
  EXPECT_EQ(all, values);
}

TEST_F(Checkpoints, every_changed_byte_is_noticed) {
  const auto file = folder_ / "a.h5";
  const double third = 1.0 / 3;
  for (const std::string& content : {std::string("acoustics"), std::string(reinterpret_cast<const char*>(&third), sizeof third)}) {
    write_checkpoint(file, header(), state());
    EXPECT_EQ(fault_of(file), "");
    change_byte(file, content);
    EXPECT_THAT(fault_of(file), HasSubstr("a.h5"));
  }
  change_byte(file, std::string(reinterpret_cast<const char*>(&third) + 1, sizeof third - 1));
  EXPECT_THAT(fault_of(file), HasSubstr("damaged"));
}

TEST_F(Checkpoints, cut_and_foreign_files_are_refused) {
  const auto file = folder_ / "a.h5";
  write_checkpoint(file, header(), state());
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(fault_of(file), HasSubstr("of no use"));
  Hdf5Writer other(folder_ / "b.h5");
  other.text_attribute("/", "program", "dgsolve");
  other.close();
  EXPECT_THAT(fault_of(folder_ / "b.h5"), HasSubstr("no checkpoint"));
  EXPECT_THAT(fault_of(folder_ / "absent.h5"), HasSubstr("no such file"));
}

TEST_F(Checkpoints, a_folder_counts_on_and_keeps_the_newest) {
  const CheckpointFolder folder(folder_, "case");
  EXPECT_THAT(folder.files(), ElementsAre());
  for (const char* name : {"000000.h5", "000001.h5", "000002.h5"}) {
    const auto next = folder.next();
    EXPECT_EQ(next, folder.path() / name);
    std::ofstream(next) << "x";
  }
  std::ofstream(folder.path() / "notes.h5") << "x";
  std::ofstream(folder.path() / "999999.txt") << "x";
  folder.remove_older(2);
  EXPECT_THAT(folder.files(), ElementsAre(folder.path() / "000002.h5", folder.path() / "000001.h5"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "notes.h5"));
  EXPECT_EQ(folder.next(), folder.path() / "000003.h5");
}

TEST_F(Checkpoints, one_lock_a_folder) {
  {
    const FolderLock first(folder_);
    try {
      const FolderLock second(folder_);
      FAIL() << "two have the lock";
    } catch (const OutputError& fault) {
      EXPECT_THAT(fault.what(), testing::AllOf(HasSubstr(folder_.string()), HasSubstr("process " + std::to_string(::getpid()))));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  std::ofstream(folder_ / ".dgsolve.lock") << "process 1 on a machine that is gone";
  EXPECT_NO_THROW(FolderLock{folder_});
}

TEST_F(Checkpoints, a_table_goes_on_after_the_lines_that_stay) {
  const auto file = folder_ / "t.csv";
  const auto early = [](std::string_view line) { return line[0] < '3'; };
  { EXPECT_FALSE(TableFile(file, {"n", "x"}, early).continues()); }
  EXPECT_EQ(read_text_file(file), "n,x\n");
  std::ofstream(file) << "n,x\n1,0.5\n2,\n3,7\n4,8";  // the last one is not whole
  {
    TableFile table(file, {"n", "x"}, early);
    EXPECT_TRUE(table.continues());
    table.append({9.0, std::nullopt});
  }
  EXPECT_EQ(read_text_file(file), "n,x\n1,0.5\n2,\n9,\n");
  EXPECT_THROW(TableFile(file, {"n", "y"}, early), ConfigError);
  EXPECT_EQ(read_text_file(file), "n,x\n1,0.5\n2,\n9,\n");
}

}  // namespace
}  // namespace dgsolve::io
