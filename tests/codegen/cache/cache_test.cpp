// The compile cache against what breaks other caches.
#include "codegen/cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>

#include "codegen/digest.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string key_a = Cache::key({{"source", "a"}});
const std::string key_b = Cache::key({{"source", "b"}});

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class CacheTest : public testing::Test {
 protected:
  /// The one entry file of the folder.
  [[nodiscard]] fs::path entry() const { return folder_.path() / (key_a + ".kernel"); }

  void store_a(const std::string& payload = "payload of a") const { Cache(folder_.path()).store(key_a, payload); }

  /// What a new process would find, and what it counts.
  void expect_corrupt_then_healed() const {
    Cache cache(folder_.path());
    EXPECT_EQ(cache.find(key_a), std::nullopt);
    EXPECT_EQ(cache.counters().corrupt, 1);
    EXPECT_EQ(cache.counters().misses, 1);
    EXPECT_EQ(cache.counters().hits, 0);
    cache.store(key_a, "built again");
    Cache later(folder_.path());
    EXPECT_EQ(later.find(key_a), "built again");
    EXPECT_EQ(later.counters().corrupt, 0);
  }

  TemporaryFolder folder_;
};

TEST(Digest, equals_the_published_values) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(CacheKey, separators_order_and_repetition_do_not_collide) {
  const std::vector<KeyParts> lists{{{"option", "-a -b"}},
                                    {{"option", "-a"}, {"option", "-b"}},
                                    {{"option", "-b"}, {"option", "-a"}},
                                    {{"option", "-a-b"}},
                                    {{"option-", "a -b"}},
                                    {{"option", "-a"}, {"option", "-a"}},
                                    {{"option", ""}},
                                    {},
                                    {{"", "option"}},
                                    {{"option", "-a"}, {"", ""}},
                                    {{"option", std::string("-a\0", 3)}},
                                    {{"option", "-a"}}};
  std::set<std::string> keys;
  for (const KeyParts& parts : lists) {
    const std::string key = Cache::key(parts);
    EXPECT_EQ(key.size(), 64u);
    EXPECT_EQ(key, Cache::key(parts));
    keys.insert(key);
  }
  EXPECT_EQ(keys.size(), lists.size());
}

TEST_F(CacheTest, a_stored_payload_is_found_by_another_process_byte_for_byte) {
  std::string payload("binary \0 \n\xff", 11);
  payload.append(1 << 20, '\x7f');
  store_a(payload);
  Cache cache(folder_.path());
  EXPECT_EQ(cache.find(key_a), payload);
  EXPECT_EQ(cache.find(key_b), std::nullopt);
  EXPECT_EQ(cache.counters().hits, 1);
  EXPECT_EQ(cache.counters().misses, 1);
  EXPECT_EQ(cache.warning(), "");
}

TEST_F(CacheTest, an_empty_payload_is_an_entry) {
  store_a("");
  EXPECT_EQ(Cache(folder_.path()).find(key_a), "");
}

TEST_F(CacheTest, a_half_written_entry_is_a_miss_and_healed) {
  store_a();
  fs::resize_file(entry(), fs::file_size(entry()) - 5);
  expect_corrupt_then_healed();
}

TEST_F(CacheTest, a_zero_length_entry_is_a_miss_and_healed) {
  store_a();
  fs::resize_file(entry(), 0);
  expect_corrupt_then_healed();
}

TEST_F(CacheTest, an_entry_with_bytes_behind_its_end_is_a_miss_and_healed) {
  store_a();
  write_file(entry(), read_file(entry()) + "x");
  expect_corrupt_then_healed();
}

TEST_F(CacheTest, an_entry_of_another_key_is_a_miss_and_healed) {
  Cache(folder_.path()).store(key_b, "payload of b");
  fs::rename(folder_.path() / (key_b + ".kernel"), entry());
  expect_corrupt_then_healed();
}

TEST_F(CacheTest, every_flipped_bit_is_noticed) {
  store_a();
  const std::string whole = read_file(entry());
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string broken = whole;
    broken[byte] = static_cast<char>(broken[byte] ^ (1 << (byte % 8)));
    write_file(entry(), broken);
    ASSERT_EQ(Cache(folder_.path()).find(key_a), std::nullopt) << "byte " << byte;
  }
  expect_corrupt_then_healed();
}

TEST_F(CacheTest, a_rejected_hit_is_counted_as_corrupt_and_removed) {
  store_a();
  Cache cache(folder_.path());
  ASSERT_TRUE(cache.find(key_a));
  cache.reject(key_a);
  EXPECT_EQ(cache.counters().hits, 0);
  EXPECT_EQ(cache.counters().misses, 1);
  EXPECT_EQ(cache.counters().corrupt, 1);
  EXPECT_EQ(cache.find(key_a), std::nullopt);
  EXPECT_FALSE(fs::exists(entry()));
}

TEST_F(CacheTest, a_folder_that_others_can_write_is_refused) {
  fs::permissions(folder_.path(), fs::perms::others_write, fs::perm_options::add);
  Cache cache(folder_.path());
  EXPECT_THAT(cache.warning(), HasSubstr("can be written by other users"));
  EXPECT_TRUE(cache.folder().empty());
  cache.store(key_a, "in memory");
  EXPECT_EQ(cache.find(key_a), "in memory");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(CacheTest, a_path_that_is_a_file_means_memory_only) {
  write_file(folder_.path() / "file", "");
  for (const fs::path& path : {folder_.path() / "file", folder_.path() / "file" / "below"}) {
    Cache cache(path);
    EXPECT_THAT(cache.warning(), HasSubstr("kept in memory only")) << path;
    cache.store(key_a, "in memory");
    EXPECT_EQ(cache.find(key_a), "in memory");
    EXPECT_EQ(cache.counters().write_failures, 0);
  }
}

TEST_F(CacheTest, the_folder_is_made_for_this_user_alone) {
  const Cache cache(folder_.path() / "new" / "cache");
  EXPECT_FALSE(fs::exists(folder_.path() / "new")) << "made before it is needed";
  EXPECT_EQ(cache.warning(), "");
  struct stat facts {};
  ASSERT_EQ(::stat((folder_.path() / "new" / "cache").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0700u);
}

/// Runs `body` in a child process; its result is the exit status.
template <class Body>
int exit_status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(CacheTest, a_full_disk_gives_one_warning_and_memory_only_and_no_file) {
  // A limit on the size of files stands for the full disk: write() fails in the middle of the entry.
  const int status = exit_status_of_child([this] {
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    Cache cache(folder_.path());
    cache.store(key_a, std::string(1000, 'a'));
    cache.store(key_b, std::string(1000, 'b'));
    const bool right = cache.counters().write_failures == 1 && cache.warning().find("memory only") != std::string::npos &&
                       cache.find(key_a) == std::string(1000, 'a') && cache.find(key_b) == std::string(1000, 'b');
    return right ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(CacheTest, a_read_only_folder_is_read_and_new_entries_stay_in_memory) {
  constexpr uid_t nobody = 65534;
  store_a();
  if (::geteuid() == 0) {  // root may write anywhere: the child is somebody else
    ASSERT_EQ(::chown(folder_.path().c_str(), nobody, nobody), 0);
    ASSERT_EQ(::chown(entry().c_str(), nobody, nobody), 0);
  }
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const int status = exit_status_of_child([this] {
    if (::geteuid() == 0 && ::setuid(nobody) != 0) return 2;
    Cache cache(folder_.path());
    const bool found = cache.find(key_a) == "payload of a" && cache.warning().empty();
    cache.store(key_b, "b");
    cache.store(key_a, "a");
    const bool kept = cache.find(key_b) == "b" && cache.counters().write_failures == 1;
    return found && kept && cache.warning().find("Permission denied") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(CacheTest, many_processes_storing_and_finding_at_once_see_whole_entries_only) {
  const std::string payload(300000, 'p');
  std::vector<pid_t> children;
  for (int process = 0; process < 6; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool right = true;
      for (int round = 0; round < 25; ++round) {
        Cache cache(folder_.path());
        const auto found = cache.find(key_a);
        right = right && (!found || *found == payload) && cache.counters().corrupt == 0;
        cache.store(key_a, payload);
        right = right && Cache(folder_.path()).find(key_a) == payload;
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1) << "temporary files are left";
}

TEST_F(CacheTest, a_process_killed_while_it_stores_leaves_nothing_that_is_loaded) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) Cache(folder_.path()).store(key_a, std::string(2000000, 'k'));
    }
    ::usleep(static_cast<useconds_t>(500 + 700 * attempt));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Cache cache(folder_.path());
    const auto found = cache.find(key_a);
    ASSERT_TRUE(!found || *found == std::string(2000000, 'k'));
    ASSERT_EQ(cache.counters().corrupt, 0);
    fs::remove(entry());
  }
}

TEST_F(CacheTest, the_entries_not_used_for_longest_are_removed_when_there_is_too_much) {
  std::vector<std::string> keys;
  for (int i = 0; i < 10; ++i) keys.push_back(Cache::key({{"number", std::to_string(i)}}));
  const auto path_of = [this](const std::string& key) { return folder_.path() / (key + ".kernel"); };
  {
    Cache cache(folder_.path());
    for (const std::string& key : keys) cache.store(key, std::string(1000, 'x'));
  }
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(100);
  for (std::size_t i = 0; i < keys.size(); ++i) fs::last_write_time(path_of(keys[i]), long_ago + std::chrono::minutes(i));
  EXPECT_TRUE(Cache(folder_.path(), 100000).find(keys[0]).has_value()) << "used now";
  Cache bounded(folder_.path(), 8000);
  bounded.store(Cache::key({{"number", "10"}}), std::string(1000, 'x'));
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (fs::exists(path_of(keys[i]))) left.insert(i);
  }
  EXPECT_EQ(left, (std::set<std::size_t>{0, 7, 8, 9}));  // and the new one: less than three quarters of the bound
  EXPECT_EQ(bounded.counters().evictions, 6);
}

TEST_F(CacheTest, temporary_files_of_dead_processes_go_and_those_of_living_ones_stay) {
  write_file(folder_.path() / ".old.tmp", "half");
  write_file(folder_.path() / ".new.tmp", "half");
  fs::last_write_time(folder_.path() / ".old.tmp", fs::file_time_type::clock::now() - std::chrono::hours(25));
  store_a();
  EXPECT_FALSE(fs::exists(folder_.path() / ".old.tmp"));
  EXPECT_TRUE(fs::exists(folder_.path() / ".new.tmp"));
}

TEST(CacheFolder, follows_the_environment) {
  const auto folder_with = [](const char* own, const char* xdg, const char* home) {
    const auto set = [](const char* name, const char* value) { value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1); };
    return [=](const std::string& expected) {
      return exit_status_of_child([&] {
        set("DGSOLVE_CACHE_DIR", own);
        set("XDG_CACHE_HOME", xdg);
        set("HOME", home);
        return Cache::default_folder() == fs::path(expected) ? 0 : 1;
      });
    };
  };
  EXPECT_EQ(folder_with("/own", "/xdg", "/home/u")("/own"), 0);
  EXPECT_EQ(folder_with(nullptr, "/xdg", "/home/u")("/xdg/dgsolve"), 0);
  EXPECT_EQ(folder_with(nullptr, "relative", "/home/u")("/home/u/.cache/dgsolve"), 0);
  EXPECT_EQ(folder_with(nullptr, nullptr, "/home/u")("/home/u/.cache/dgsolve"), 0);
  EXPECT_EQ(folder_with(nullptr, nullptr, nullptr)(""), 0);
}

}  // namespace
}  // namespace dgsolve::codegen
