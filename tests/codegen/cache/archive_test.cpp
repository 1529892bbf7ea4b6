// Archives: what is exported can be imported elsewhere, and nothing else.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "codegen/cache.h"
#include "codegen/cache_archive.h"
#include "codegen/errors.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class CacheArchive : public testing::Test {
 protected:
  CacheArchive() {
    Cache cache(folder_.path() / "from");
    for (int i = 0; i < 5; ++i)
      cache.store(key(i), std::string(1000 * static_cast<std::size_t>(i), 'p'), {"kernel " + std::to_string(i), "cuda", "sm_90"});
  }
  static std::string key(int i) { return Cache::key({{"number", std::to_string(i)}}); }
  [[nodiscard]] CacheFolder from() const { return CacheFolder::own(folder_.path() / "from"); }
  [[nodiscard]] CacheFolder to() const { return CacheFolder::own(folder_.path() / "to"); }
  [[nodiscard]] fs::path archive() const { return folder_.path() / "kernels.archive"; }

  /// The message; the archive must not be taken, not even in part.
  [[nodiscard]] std::string refusal() const {
    try {
      (void)import_cache(to(), archive());
    } catch (const DeviceError& error) {
      EXPECT_TRUE(fs::is_empty(to().path())) << error.what();
      return error.what();
    }
    return "imported";
  }
  TemporaryFolder folder_;
};

TEST_F(CacheArchive, carries_every_entry_with_its_facts) {
  EXPECT_EQ(export_cache(from(), archive()).entries, 5);
  EXPECT_EQ(import_cache(to(), archive()).entries, 5);
  Cache cache(to().path());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cache.find(key(i)), std::string(1000 * static_cast<std::size_t>(i), 'p'));
  EXPECT_EQ(to().list(Scrutiny::headers).front().facts.architecture, "sm_90");
  const ArchiveReport again = import_cache(to(), archive());
  EXPECT_EQ(again.entries, 0);
  EXPECT_EQ(again.left_out, 5);
}

TEST_F(CacheArchive, of_the_same_entries_is_the_same_file) {
  (void)export_cache(from(), archive());
  (void)import_cache(to(), archive());
  (void)export_cache(to(), folder_.path() / "again");
  EXPECT_EQ(read_file(archive()), read_file(folder_.path() / "again"));
}

TEST_F(CacheArchive, leaves_out_damaged_entries_and_those_of_pocl) {
  fs::resize_file(from().path() / (key(3) + ".kernel"), 500);
  Cache(from().path()).store(key(9), "manifest", {"kernel", "pocl", "cpu"});
  const ArchiveReport report = export_cache(from(), archive());
  EXPECT_EQ(report.entries, 4);
  EXPECT_EQ(report.left_out, 2);
  EXPECT_EQ(import_cache(to(), archive()).entries, 4);
}

TEST_F(CacheArchive, a_damaged_entry_that_is_there_is_healed_by_an_import) {
  (void)export_cache(from(), archive());
  fs::resize_file(from().path() / (key(3) + ".kernel"), 500);
  EXPECT_EQ(import_cache(from(), archive()).entries, 1);
  EXPECT_EQ(Cache(from().path()).find(key(3)), std::string(3000, 'p'));
}

TEST_F(CacheArchive, cut_off_anywhere_it_is_refused_as_a_whole) {
  (void)export_cache(from(), archive());
  const std::string whole = read_file(archive());
  for (std::size_t size = 0; size < whole.size(); size += size < 400 ? 7 : 331) {
    write_file(archive(), whole.substr(0, size));
    ASSERT_NE(refusal(), "imported") << size << " bytes";
  }
  write_file(archive(), whole + "x");
  EXPECT_THAT(refusal(), HasSubstr("its end is wrong"));
}

TEST_F(CacheArchive, with_a_flipped_bit_anywhere_it_is_refused_as_a_whole) {
  (void)export_cache(from(), archive());
  const std::string whole = read_file(archive());
  for (std::size_t byte = 0; byte < whole.size(); byte += byte < 500 ? 11 : 223) {
    std::string broken = whole;
    broken[byte] = static_cast<char>(broken[byte] ^ (1 << (byte % 8)));
    write_file(archive(), broken);
    ASSERT_NE(refusal(), "imported") << "byte " << byte;
  }
}

TEST_F(CacheArchive, paths_as_keys_and_absurd_sizes_are_refused) {
  const std::string magic = "dgsolve kernel archive 1\n";
  const std::string path = "../../" + std::string(58, 'a');
  const std::string entry = pack_entry(path, {}, "payload");
  write_file(archive(), magic + "entry " + path + " " + std::to_string(entry.size()) + "\n" + entry + "end 1\n");
  EXPECT_THAT(refusal(), HasSubstr("a key is wrong"));
  write_file(archive(), magic + "entry " + key(1) + " 99999999999999999\nend 1\n");
  EXPECT_THAT(refusal(), HasSubstr("it ends too early"));
  write_file(archive(), magic + "entry " + key(1) + " -1\nend 1\n");
  EXPECT_THAT(refusal(), HasSubstr("a number is wrong"));
  write_file(archive(), magic + "entry " + key(2) + " " + std::to_string(pack_entry(key(1), {}, "x").size()) + "\n" +
                            pack_entry(key(1), {}, "x") + "end 1\n");
  EXPECT_THAT(refusal(), HasSubstr("is not as it was"));
  write_file(archive(), "something else\n");
  EXPECT_THAT(refusal(), HasSubstr("is no archive of kernels"));
  fs::remove(archive());
  EXPECT_THAT(refusal(), HasSubstr("cannot read"));
  EXPECT_FALSE(fs::exists(folder_.path() / (std::string(58, 'a') + ".kernel")));
}

TEST_F(CacheArchive, that_cannot_be_written_says_so_and_leaves_nothing) {
  EXPECT_THROW((void)export_cache(from(), folder_.path() / "absent" / "archive"), DeviceError);
  fs::create_directory(archive());
  EXPECT_THROW((void)export_cache(from(), archive()), DeviceError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2) << "a temporary file is left";
}

}  // namespace
}  // namespace dgsolve::codegen
