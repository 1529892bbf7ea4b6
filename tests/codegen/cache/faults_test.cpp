// Every known failure of other caches ("half-written entries", "locks of dead processes", ...), with files, signals and full disks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "codegen/cache.h"
#include "codegen/cache_folder.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;

const std::string key_a = Cache::key({{"source", "a"}});

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class CacheFaults : public testing::Test {
 protected:
  [[nodiscard]] fs::path entry() const { return folder_.path() / (key_a + ".kernel"); }

  /// A new process misses, rebuilds, and the one after it hits.
  void expect_miss_then_healed(const std::string& what, std::int64_t corrupt = 1) const {
    Cache cache(folder_.path());
    ASSERT_EQ(cache.find(key_a), std::nullopt) << what;
    ASSERT_EQ(cache.counters().corrupt, corrupt) << what;
    ASSERT_EQ(cache.counters().misses, 1) << what;
    cache.store(key_a, "payload");
    ASSERT_EQ(cache.warning(), "") << what;
    Cache later(folder_.path());
    ASSERT_EQ(later.find(key_a), "payload") << what;
    ASSERT_EQ(later.counters().corrupt, 0) << what;
  }
  TemporaryFolder folder_;
};

TEST_F(CacheFaults, entries_of_every_length_are_missed_and_healed) {
  Cache(folder_.path()).store(key_a, "payload", {"kernel", "cuda", "sm_90"});
  const std::string whole = read_file(entry());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(entry(), whole.substr(0, size));
    ASSERT_NO_FATAL_FAILURE(expect_miss_then_healed("cut off at byte " + std::to_string(size)));
  }
  write_file(entry(), std::string(whole.size(), '\0'));
  expect_miss_then_healed("zeroed, as after a crash of the machine");
  write_file(entry(), whole + whole);
  expect_miss_then_healed("twice as long");
}

TEST_F(CacheFaults, whatever_stands_at_the_place_of_an_entry_is_missed_and_healed) {
  const auto plant = [this](const std::string& what, auto make) {
    std::error_code ignored;
    fs::remove_all(entry(), ignored);
    make();
    ASSERT_NO_FATAL_FAILURE(expect_miss_then_healed(what));
    ASSERT_TRUE(fs::is_regular_file(fs::symlink_status(entry()))) << what;
  };
  plant("text", [&] { write_file(entry(), "not an entry"); });
  plant("another program's ELF file", [&] { fs::copy_file("/proc/self/exe", entry()); });
  plant("a folder", [&] { fs::create_directory(entry()); });
  plant("a folder with files", [&] {
    fs::create_directory(entry());
    write_file(entry() / "file", "text");
  });
  plant("a pipe, which would block a reader", [&] { ASSERT_EQ(::mkfifo(entry().c_str(), 0600), 0); });
  plant("a link to nowhere", [&] { fs::create_symlink("/nowhere", entry()); });
  plant("a link to a whole entry elsewhere", [&] {
    const fs::path elsewhere = folder_.path() / "elsewhere";
    Cache(elsewhere).store(key_a, "from elsewhere");
    fs::create_symlink(elsewhere / entry().filename(), entry());
  });
}

TEST_F(CacheFaults, an_entry_of_another_architecture_has_another_key_and_renamed_it_is_missed) {
  const auto key_of = [](const std::string& architecture) { return Cache::key({{"source", "a"}, {"architecture", architecture}}); };
  ASSERT_NE(key_of("sm_80"), key_of("sm_90"));
  Cache(folder_.path()).store(key_of("sm_80"), "payload", {"kernel", "cuda", "sm_80"});
  fs::rename(folder_.path() / (key_of("sm_80") + ".kernel"), entry());
  expect_miss_then_healed("of sm_80");
}

TEST_F(CacheFaults, an_upgrade_of_the_compiler_or_the_driver_is_another_key) {
  const KeyParts parts{{"source", "a"}, {"nvrtc", "13.0 109338064"}, {"versions", "driver 580.1"}};
  KeyParts compiler = parts, driver = parts;
  compiler[1].second = "13.0 109338065";
  driver[2].second = "driver 580.2";
  EXPECT_NE(Cache::key(parts), Cache::key(compiler));
  EXPECT_NE(Cache::key(parts), Cache::key(driver));
}

TEST_F(CacheFaults, parts_that_change_places_do_not_cancel) {
  EXPECT_NE(Cache::key({{"source", "x"}, {"option", "y"}}), Cache::key({{"source", "y"}, {"option", "x"}}));
  EXPECT_NE(Cache::key({{"source", "x"}, {"option", "x"}}), Cache::key({{"source", "y"}, {"option", "y"}}));
}

TEST_F(CacheFaults, locks_of_other_processes_delay_nobody) {
  Cache(folder_.path()).store(key_a, "payload");
  std::vector<int> held;
  for (const std::string& name : {std::string("lock"), std::string(".lock"), key_a + ".lock", "." + key_a + ".lock", key_a + ".kernel"}) {
    const int descriptor = ::open((folder_.path() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
    held.push_back(descriptor);
  }
  EXPECT_EQ(exit_status_of_child([this] {
              ::alarm(5);
              Cache cache(folder_.path());
              const bool found = cache.find(key_a) == "payload";
              cache.store(key_a, "new payload");
              return found && cache.warning().empty() && Cache(folder_.path()).find(key_a) == "new payload" ? 0 : 1;
            }),
            0);
  for (const int descriptor : held) ::close(descriptor);
}

TEST_F(CacheFaults, the_loser_of_a_race_uses_its_own_binary) {
  // The file system still hides the winner's entry, or shows it damaged: what was built is used all the same.
  Cache winner(folder_.path()), loser(folder_.path());
  ASSERT_EQ(loser.find(key_a), std::nullopt);
  winner.store(key_a, "the winner's");
  loser.store(key_a, "the loser's");
  write_file(entry(), "damaged");
  EXPECT_EQ(loser.find(key_a), "the loser's");
  EXPECT_EQ(winner.find(key_a), "the winner's");
  EXPECT_EQ(loser.counters().write_failures, 0);
}

TEST_F(CacheFaults, without_home_kernels_stay_in_memory) {
  EXPECT_EQ(exit_status_of_child([] {
              for (const char* name : {"DGSOLVE_CACHE_DIR", "DGSOLVE_CACHE_SHARED", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
              Cache cache(Cache::default_options());
              const bool missed = cache.find(key_a) == std::nullopt;
              cache.store(key_a, "payload");
              return missed && cache.find(key_a) == "payload" && cache.warning().empty() && cache.folder().empty() ? 0 : 1;
            }),
            0);
}

/// A name space of mounts for this process alone; without privileges one of users too, in which the user stays who it is.
bool enter_own_mounts() {
  const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", user + " " + user + " 1");
    write_file("/proc/self/gid_map", group + " " + group + " 1");
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST_F(CacheFaults, a_disk_that_fills_up_gives_one_warning_and_leaves_whole_entries_only) {
  const int status = exit_status_of_child([this] {
    if (!enter_own_mounts() || ::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=256k,mode=700") != 0) return 77;
    Cache cache(folder_.path());
    for (int i = 0; i < 20; ++i) cache.store(Cache::key({{"number", std::to_string(i)}}), std::string(50000, 'x'));
    const CacheCounters counters = cache.counters();
    if (counters.write_failures != 1 || cache.warning().find("No space left on device") == std::string::npos) return 1;
    for (int i = 0; i < 20; ++i) {
      if (cache.find(Cache::key({{"number", std::to_string(i)}})) != std::string(50000, 'x')) return 2;
    }
    const auto entries = CacheFolder::own(folder_.path()).list(Scrutiny::every_byte);
    if (entries.empty() || entries.size() > 5) return 3;
    if (!std::ranges::all_of(entries, [](const ListedEntry& listed) { return listed.state == EntryState::whole; })) return 4;
    const auto files = std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
    return static_cast<std::size_t>(files) == entries.size() ? 0 : 5;
  });
  if (status == 77) GTEST_SKIP() << "no small file system can be mounted here";
  EXPECT_EQ(status, 0);
}

/// What a process of the crowd does for each kernel: look, build if it is missing, store, use. Slow enough to be killed anywhere.
int work_on(const fs::path& folder, unsigned seed, std::size_t payload_bytes) {
  std::minstd_rand random(seed);
  Cache cache(folder);
  std::vector<int> order(8);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  for (const int number : order) {
    const std::string key = Cache::key({{"number", std::to_string(number)}});
    const std::string expected(payload_bytes, static_cast<char>('a' + number));
    if (const auto found = cache.find(key)) {
      if (*found != expected) return 1;
      continue;
    }
    ::usleep(static_cast<useconds_t>(random() % 3000));  // the compiler
    cache.count_compile(1);
    cache.store(key, expected);
    if (cache.find(key) != expected) return 2;
  }
  return cache.counters().corrupt == 0 && cache.counters().write_failures == 0 && cache.warning().empty() ? 0 : 3;
}

TEST_F(CacheFaults, sixty_four_processes_on_a_cold_cache_with_random_kills) {
  constexpr std::size_t payload_bytes = 200000;
  std::minstd_rand random(20240601);
  std::vector<pid_t> children;
  std::vector<bool> killed(64, false);
  for (unsigned i = 0; i < 64; ++i) children.push_back(fork_child([this, i] { return work_on(folder_.path(), i + 1, payload_bytes); }));
  for (std::size_t i = 0; i < children.size(); i += 3) {
    ::usleep(static_cast<useconds_t>(random() % 2000));
    killed[i] = true;
    ::kill(children[i], SIGKILL);
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const int status = wait_for(children[i]);
    EXPECT_TRUE(status == 0 || (killed[i] && status == -SIGKILL)) << "process " << i << ": " << status;
  }
  EXPECT_EQ(work_on(folder_.path(), 99, payload_bytes), 0);
  Cache cache(folder_.path());
  for (int number = 0; number < 8; ++number) EXPECT_TRUE(cache.find(Cache::key({{"number", std::to_string(number)}})));
  EXPECT_EQ(cache.counters().user_hits, 8);
  EXPECT_EQ(cache.counters().corrupt, 0);
  for (const ListedEntry& listed : CacheFolder::own(folder_.path()).list(Scrutiny::every_byte)) EXPECT_EQ(listed.state, EntryState::whole);
}

TEST_F(CacheFaults, temporary_files_of_the_killed_are_removed_after_a_day) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const pid_t child = fork_child([this] {
      while (true) Cache(folder_.path()).store(key_a, std::string(3000000, 'k'));
      return 0;
    });
    ::usleep(static_cast<useconds_t>(3000 + 1000 * attempt));
    ::kill(child, SIGKILL);
    (void)wait_for(child);
  }
  const auto left = [this] {
    std::vector<fs::path> paths;
    for (const auto& item : fs::directory_iterator(folder_.path())) {
      if (item.path().extension() == ".tmp") paths.push_back(item.path());
    }
    return paths;
  };
  const auto found = left();
  if (found.empty()) write_file(folder_.path() / ("." + key_a + ".host.1.abcdef.tmp"), "half");
  CacheFolder::own(folder_.path()).collect(std::uintmax_t{1} << 30);
  EXPECT_FALSE(left().empty()) << "the writers may live";
  for (const fs::path& path : left()) fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(25));
  CacheFolder::own(folder_.path()).collect(std::uintmax_t{1} << 30);
  EXPECT_TRUE(left().empty());
}

}  // namespace
}  // namespace dgsolve::codegen
