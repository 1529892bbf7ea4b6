// Known failures of other caches that need a compiler to show: on every device.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "codegen/backends/backend.h"
#include "codegen/cache.h"
#include "codegen/cache_folder.h"
#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/cache/number_kernel.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kernel_count = 3;

std::vector<KernelSpec> crowd_specs(const std::string& salt) {
  std::vector<KernelSpec> specs;
  for (int i = 0; i < kernel_count; ++i) specs.push_back(number_kernel(i, salt));
  return specs;
}

/// Runs in the processes that the tests below start: builds and uses some kernels.
TEST(BuildFaultsProcess, DISABLED_builds_kernels) {
  const char* folder = std::getenv("TEST_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "started by the other tests";
  const Device device = device_at(std::stoul(std::getenv("TEST_DEVICE")));
  Cache cache(fs::path(folder) / "cache");
  int number = 0;
  for (const Kernel& kernel : build_kernels(device, crowd_specs(folder), &cache)) {
    if (run_number_kernel(device, kernel) != number++) ::_exit(1);
  }
  ::_exit(cache.counters().corrupt == 0 ? 0 : 2);
}

class BuildFaults : public EveryDevice {
 protected:
  [[nodiscard]] fs::path cache_path() const { return folder_.path() / "cache"; }
  [[nodiscard]] std::string salt() const { return folder_.path().string(); }
  [[nodiscard]] std::string key_of(const KernelSpec& spec) { return device_.backend().cache_key(render(spec, device_.facts().backend)); }
  pid_t start_builder() const {
    return start_test("BuildFaultsProcess.DISABLED_builds_kernels",
                      {{"TEST_FOLDER", folder_.path().string()}, {"TEST_DEVICE", std::to_string(GetParam())}});
  }
  [[nodiscard]] bool keeps_programs() {
    Cache cache(cache_path());
    (void)build_kernels(device_, crowd_specs(salt() + "first"), &cache);
    return !CacheFolder::own(cache_path()).list(Scrutiny::headers).empty();
  }
  TemporaryFolder folder_;
};

TEST_P(BuildFaults, an_edited_header_with_the_same_options_is_another_kernel) {
  KernelSpec spec = number_kernel(1, salt());
  spec.source = "#include \"value.kernel.h\"\n// ${salt} ${number}\n${signature} { out[LOCAL_ID(0)] = value(count); }\n";
  spec.includes["value.kernel.h"] = "INLINE int value(int count) { return count; }\n";
  KernelSpec edited = spec;
  edited.includes["value.kernel.h"] = "INLINE int value(int count) { return count + 1; }\n";
  EXPECT_NE(key_of(spec), key_of(edited));
  Cache cache(cache_path());
  EXPECT_EQ(run_number_kernel(device_, build_kernels(device_, std::span(&spec, 1), &cache).front()), 16);
  EXPECT_EQ(run_number_kernel(device_, build_kernels(device_, std::span(&edited, 1), &cache).front()), 17);
  EXPECT_EQ(cache.counters().compiles, 2);
}

TEST_P(BuildFaults, the_order_in_which_a_spec_is_filled_does_not_matter) {
  KernelSpec spec = number_kernel(1, salt());
  spec.source = "#include \"a.kernel.h\"\n#include \"b.kernel.h\"\n" + spec.source;
  const std::vector<std::pair<std::string, std::string>> includes{{"a.kernel.h", "// a\n"}, {"b.kernel.h", "// b\n"}};
  KernelSpec other = spec;
  spec.includes.insert(includes.begin(), includes.end());
  other.includes.insert(includes.rbegin(), includes.rend());
  other.constants.clear();
  other.constants.emplace("salt", salt());
  other.constants.emplace("number", std::int64_t{1});
  EXPECT_EQ(render(spec, device_.facts().backend).text, render(other, device_.facts().backend).text);
  EXPECT_EQ(key_of(spec), key_of(other));
}

TEST_P(BuildFaults, what_belongs_to_a_kernel_is_in_its_key) {
  const KernelSpec spec = number_kernel(1, salt());
  std::vector<KernelSpec> others(5, spec);
  others[0].name = "another";
  others[1].group_size = {32, 1, 1};
  others[2].precision = Precision::double_precision;
  others[3].constants["number"] = std::int64_t{11};
  others[4].vector_width = 4;
  for (const KernelSpec& other : others) EXPECT_NE(key_of(spec), key_of(other));
}

TEST_P(BuildFaults, a_failed_compilation_leaves_no_entry_and_the_next_one_tells_the_same) {
  KernelSpec spec = number_kernel(1, salt());
  spec.source += "undeclared_type x;\n";
  std::vector<std::string> messages;
  for (int attempt = 0; attempt < 2; ++attempt) {
    Cache cache(cache_path());
    try {
      (void)build_kernels(device_, std::span(&spec, 1), &cache);
    } catch (const CompileError& error) {
      messages.emplace_back(error.what());
    }
    EXPECT_EQ(cache.counters().misses, 1);
  }
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_THAT(messages[0], HasSubstr("undeclared_type"));
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_TRUE(CacheFolder::own(cache_path()).list(Scrutiny::headers).empty());
}

TEST_P(BuildFaults, a_binary_of_another_architecture_is_refused_and_built_again) {
  if (device_.facts().backend != "cuda") GTEST_SKIP() << "only CUDA binaries are made for an architecture by name";
  const KernelSpec spec = number_kernel(5, salt());
  const std::string other = device_.facts().architecture == "sm_80" ? "sm_90" : "sm_80";
  Cache(cache_path()).store(key_of(spec), compile_cuda_offline(render(spec, "cuda"), other));
  Cache cache(cache_path());
  EXPECT_EQ(run_number_kernel(device_, build_kernels(device_, std::span(&spec, 1), &cache).front()), 5);
  EXPECT_EQ(cache.counters().corrupt, 1);
  EXPECT_EQ(cache.counters().compiles, 1);
  Cache later(cache_path());
  EXPECT_EQ(run_number_kernel(device_, build_kernels(device_, std::span(&spec, 1), &later).front()), 5);
  EXPECT_EQ(later.counters().user_hits, 1);
}

TEST_P(BuildFaults, a_signal_in_the_middle_of_compiling_leaves_a_sound_cache) {
  if (!starts_in_children(device_.facts())) GTEST_SKIP() << "this driver does not start in children";
  if (!keeps_programs()) GTEST_SKIP() << "no entry is kept on this device";
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGKILL}) {
    const pid_t child = start_builder();
    ::usleep(static_cast<useconds_t>(150000 + 60000 * signal % 290000));
    ::kill(child, signal);
    (void)wait_for(child);
    for (const ListedEntry& listed : CacheFolder::own(cache_path()).list(Scrutiny::every_byte)) ASSERT_EQ(listed.state, EntryState::whole);
  }
  EXPECT_EQ(wait_for(start_builder()), 0);
  Cache cache(cache_path());
  (void)build_kernels(device_, crowd_specs(salt()), &cache);
  EXPECT_EQ(cache.counters().user_hits, kernel_count);
  EXPECT_EQ(cache.counters().compiles, 0);
}

TEST_P(BuildFaults, processes_that_start_together_on_a_cold_cache_with_kills_all_get_their_kernels) {
  if (!starts_in_children(device_.facts())) GTEST_SKIP() << "this driver does not start in children";
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) children.push_back(start_builder());
  ::usleep(300000);
  ::kill(children[1], SIGKILL);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const int status = wait_for(children[i]);
    EXPECT_TRUE(status == 0 || (i == 1 && status == -SIGKILL)) << "process " << i << ": " << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BuildFaults, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
