// Memory, user's folder, shared folder: who is asked, who is written, what is counted.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <map>

#include "codegen/backends/opencl/pocl_files.h"
#include "codegen/cache.h"
#include "codegen/cache_folder.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string key_a = Cache::key({{"source", "a"}});
const std::string key_b = Cache::key({{"source", "b"}});

class LayeredCache : public testing::Test {
 protected:
  LayeredCache() {
    fs::create_directory(shared());
    fs::permissions(shared(), fs::perms::owner_all);
  }
  [[nodiscard]] fs::path user() const { return folder_.path() / "user"; }
  [[nodiscard]] fs::path shared() const { return folder_.path() / "shared"; }
  [[nodiscard]] CacheOptions options() const { return {user(), shared()}; }
  [[nodiscard]] static fs::path entry(const fs::path& folder, const std::string& key) { return folder / (key + ".kernel"); }
  TemporaryFolder folder_;
};

TEST_F(LayeredCache, are_asked_in_order_and_counted_apart) {
  Cache(shared()).store(key_a, "shared a");
  Cache(shared()).store(key_b, "shared b");
  Cache(user()).store(key_b, "user's b");
  Cache cache(options());
  EXPECT_EQ(cache.find(key_a), "shared a");
  EXPECT_EQ(cache.find(key_b), "user's b");
  EXPECT_EQ(cache.find(key_a), "shared a");
  EXPECT_EQ(cache.find(Cache::key({})), std::nullopt);
  const CacheCounters counters = cache.counters();
  EXPECT_EQ(counters.memory_hits, 1);
  EXPECT_EQ(counters.user_hits, 1);
  EXPECT_EQ(counters.shared_hits, 1);
  EXPECT_EQ(counters.hits, 3);
  EXPECT_EQ(counters.misses, 1);
  EXPECT_FALSE(fs::exists(entry(user(), key_a))) << "a shared hit is copied";
}

TEST_F(LayeredCache, new_entries_never_go_to_the_shared_folder) {
  Cache cache(options());
  cache.store(key_a, "a");
  EXPECT_TRUE(fs::exists(entry(user(), key_a)));
  EXPECT_TRUE(fs::is_empty(shared()));
}

TEST_F(LayeredCache, the_shared_folder_can_be_left_out) {
  Cache(shared()).store(key_a, "shared a");
  Cache cache(options());
  EXPECT_EQ(cache.find(key_a, CacheLayers::without_shared), std::nullopt);
  EXPECT_EQ(cache.find(key_a), "shared a");
}

TEST_F(LayeredCache, a_damaged_shared_entry_is_replaced_in_the_users_folder) {
  Cache(shared()).store(key_a, "shared a");
  fs::resize_file(entry(shared(), key_a), fs::file_size(entry(shared(), key_a)) - 1);
  {
    Cache cache(options());
    EXPECT_EQ(cache.find(key_a), std::nullopt);
    EXPECT_EQ(cache.counters().corrupt, 1);
    cache.store(key_a, "built again");
  }
  Cache later(options());
  EXPECT_EQ(later.find(key_a), "built again");
  EXPECT_EQ(later.counters().user_hits, 1);
}

TEST_F(LayeredCache, a_rejected_shared_entry_stays_and_is_hidden_by_the_next_that_is_stored) {
  Cache(shared()).store(key_a, "the driver refuses this");
  {
    Cache cache(options());
    ASSERT_TRUE(cache.find(key_a));
    cache.reject(key_a);
    EXPECT_EQ(cache.counters().hits, 0);
    EXPECT_EQ(cache.counters().shared_hits, 0);
    EXPECT_EQ(cache.counters().corrupt, 1);
    cache.store(key_a, "built again");
  }
  EXPECT_TRUE(fs::exists(entry(shared(), key_a)));
  EXPECT_EQ(Cache(options()).find(key_a), "built again");
}

TEST_F(LayeredCache, a_shared_folder_that_others_can_write_or_that_is_missing_is_left_out_with_a_warning) {
  Cache(shared()).store(key_a, "shared a");
  fs::permissions(shared(), fs::perms::group_write, fs::perm_options::add);
  Cache open(options());
  EXPECT_EQ(open.find(key_a), std::nullopt);
  EXPECT_THAT(open.warning(), HasSubstr("can be written by other users"));
  open.store(key_a, "a");
  EXPECT_EQ(Cache(user()).find(key_a), "a") << "the user's folder works on";
  const Cache missing(CacheOptions{user(), folder_.path() / "absent"});
  EXPECT_THAT(missing.warning(), HasSubstr("absent cannot be read"));
}

TEST_F(LayeredCache, the_shared_folder_of_another_user_is_read) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  Cache(shared()).store(key_a, "shared a");
  constexpr uid_t somebody = 65534;
  ASSERT_EQ(::chown(shared().c_str(), somebody, somebody), 0);
  EXPECT_EQ(Cache(options()).find(key_a), "shared a");
  EXPECT_EQ(Cache(shared()).find(key_a), std::nullopt) << "as the user's own it is refused";
}

TEST_F(LayeredCache, without_a_folder_of_the_user_the_shared_one_is_read) {
  Cache(shared()).store(key_a, "shared a");
  Cache cache(CacheOptions{{}, shared()});
  EXPECT_EQ(cache.find(key_a), "shared a");
  cache.store(key_b, "b");
  EXPECT_EQ(cache.find(key_b), "b");
  EXPECT_EQ(cache.warning(), "");
}

TEST_F(LayeredCache, the_environment_names_both_folders) {
  EXPECT_EQ(exit_status_of_child([] {
              ::setenv("DGSOLVE_CACHE_DIR", "/own", 1);
              ::setenv("DGSOLVE_CACHE_SHARED", "/shared", 1);
              const CacheOptions found = Cache::default_options();
              return found.folder == "/own" && found.shared == "/shared" ? 0 : 1;
            }),
            0);
}

TEST_F(LayeredCache, an_unused_cache_touches_no_file) {
  { const Cache cache(options()); }
  EXPECT_FALSE(fs::exists(user()));
}

TEST_F(LayeredCache, a_use_is_noted_by_the_hour) {
  Cache(user()).store(key_a, "a");
  const auto now = fs::file_time_type::clock::now();
  const auto used = [this] { return fs::last_write_time(entry(user(), key_a)); };
  fs::last_write_time(entry(user(), key_a), now - std::chrono::minutes(10));
  (void)Cache(user()).find(key_a);
  EXPECT_LT(used(), now - std::chrono::minutes(9)) << "written at every hit";
  fs::last_write_time(entry(user(), key_a), now - std::chrono::hours(10));
  (void)Cache(user()).find(key_a);
  EXPECT_GE(used(), now - std::chrono::minutes(1));
}

TEST_F(LayeredCache, what_a_long_process_stores_is_bounded_too) {
  Cache cache(CacheOptions{user(), {}, 100000});
  for (int i = 0; i < 100; ++i) cache.store(Cache::key({{"number", std::to_string(i)}}), std::string(5000, 'x'));
  std::uintmax_t bytes = 0;
  for (const ListedEntry& listed : CacheFolder::own(user()).list(Scrutiny::headers)) bytes += listed.bytes;
  EXPECT_LT(bytes, 120000u);
  EXPECT_GT(cache.counters().evictions, 50);
}

TEST_F(LayeredCache, the_list_tells_the_facts_of_every_entry) {
  Cache(user()).store(key_a, "payload", {"stage_0", "cuda", "sm_90"});
  Cache(user()).store(key_b, "payload", {"two\nlines", "opencl", std::string(10000, 'n')});
  std::ofstream(user() / (std::string(64, '0') + ".kernel")) << "dgsolve kernel cache 1\nwhatever";
  std::ofstream(user() / (std::string(64, '1') + ".kernel")) << "rubbish";
  std::ofstream(user() / "unrelated") << "rubbish";
  std::map<std::string, ListedEntry> found;
  for (const ListedEntry& listed : CacheFolder::own(user()).list(Scrutiny::every_byte)) found[listed.key] = listed;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[key_a].facts.kernel, "stage_0");
  EXPECT_EQ(found[key_a].facts.backend, "cuda");
  EXPECT_EQ(found[key_a].facts.architecture, "sm_90");
  EXPECT_EQ(found[key_a].bytes, fs::file_size(entry(user(), key_a)));
  EXPECT_EQ(found[key_b].facts.kernel, "two lines");
  EXPECT_EQ(found[key_b].facts.architecture.size(), 512u);
  EXPECT_EQ(found[std::string(64, '0')].state, EntryState::other_version);
  EXPECT_EQ(found[std::string(64, '1')].state, EntryState::damaged);
}

TEST_F(LayeredCache, programs_of_pocl_are_bounded_by_their_last_use) {
  const fs::path pocl = folder_.path() / "pocl";
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 6; ++i) {
    const fs::path program = pocl / "AB" / std::to_string(i);
    fs::create_directories(program / "kernel");
    std::ofstream(program / "program.bc") << std::string(900, 'b');
    std::ofstream(program / "kernel" / "kernel.so") << std::string(100, 's');
    std::ofstream(program / "last_accessed") << "";
    fs::last_write_time(program / "last_accessed", now - std::chrono::hours(i == 0 ? 1 : 24 * i + 1));
  }
  const backends::PoclFiles files(pocl);
  EXPECT_EQ(files.bytes(), 6000u);
  files.collect(6000);
  EXPECT_EQ(files.list().size(), 6u);
  files.collect(4000);  // down to three quarters
  EXPECT_EQ(files.bytes(), 3000u);
  for (const auto& [program, time] : files.list()) EXPECT_LT(std::stoi(program.filename()), 3) << "a younger one went first";
  files.collect(0);
  EXPECT_EQ(files.list().size(), 1u) << "what may be in use goes";
}

}  // namespace
}  // namespace dgsolve::codegen
