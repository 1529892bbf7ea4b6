// Building together: processes with sockets stand for the ranks of a job on two nodes.
#include "codegen/collective_build.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/backends/backend.h"
#include "codegen/cache.h"
#include "codegen/errors.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/cache/number_kernel.h"
#include "tests/codegen/cache/socket_communicator.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kernel_count = 3;
const std::vector<int> nodes{0, 0, 1, 1};  // leaders: ranks 0 and 2

/// What a rank found.
struct Report {
  std::int64_t hits = 0, misses = 0, compiles = 0, corrupt = 0;
  std::vector<int> values;  ///< of the kernels, in order
  std::string error;
};

std::ostream& operator<<(std::ostream& out, const Report& report) {
  out << report.hits << ' ' << report.misses << ' ' << report.compiles << ' ' << report.corrupt << ' ' << report.values.size();
  for (const int value : report.values) out << ' ' << value;
  return out << '\n' << report.error;
}

Report read_report(const fs::path& path) {
  std::ifstream file(path);
  Report report;
  std::size_t count = 0;
  file >> report.hits >> report.misses >> report.compiles >> report.corrupt >> count;
  report.values.resize(count);
  for (int& value : report.values) file >> value;
  file.ignore();
  report.error.assign(std::istreambuf_iterator<char>(file), {});
  if (!file) report.error = "no report";
  return report;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::vector<int> numbers(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<int>(stream), {}};
}

/// The kernels of a rank in a case.
std::vector<KernelSpec> specs_of(const std::string& name, int rank, const Device& device, const std::string& salt) {
  std::vector<KernelSpec> specs;
  const int first = name == "different" && rank % 2 == 1 ? 10 : 0;
  for (int i = 0; i < kernel_count; ++i) specs.push_back(number_kernel(first + i, salt));
  if (name == "faulty") specs[2].source += "third fault\n";
  if (name == "faulty") specs[1].source += "second fault\n";
  if (name == "too large" && rank == 1) specs[2].group_size = {device.facts().max_group_size, 2, 1};
  return specs;
}

/// Runs in the processes that the tests below start.
TEST(CollectiveBuildRank, DISABLED_builds_its_kernels) {
  if (variable("TEST_RANK").empty()) GTEST_SKIP() << "started by the other tests";
  const int rank = std::stoi(variable("TEST_RANK"));
  const fs::path folder = variable("TEST_FOLDER");
  SocketCommunicator communicator(rank, numbers(variable("TEST_NODES")), numbers(variable("TEST_SOCKETS")));
  const Device device = device_at(std::stoul(variable("TEST_DEVICE")));
  Cache cache(folder / ("cache" + std::to_string(rank)));
  Report report;
  try {
    const auto specs = specs_of(variable("TEST_CASE"), rank, device, folder.string());
    for (const Kernel& kernel : build_kernels_collectively(device, specs, &cache, communicator))
      report.values.push_back(run_number_kernel(device, kernel));
  } catch (const CompileError& error) {
    report.error = std::string("CompileError: ") + error.what();
  } catch (const DeviceError& error) {
    report.error = std::string("DeviceError: ") + error.what();
  } catch (const std::exception& error) {
    report.error = error.what();
  }
  const CacheCounters counters = cache.counters();
  report.hits = counters.hits;
  report.misses = counters.misses;
  report.compiles = counters.compiles;
  report.corrupt = counters.corrupt;
  std::ofstream(folder / ("report" + std::to_string(rank))) << report;
}

class CollectiveBuild : public EveryDevice {
 protected:
  void SetUp() override {
    if (!starts_in_children(device_.facts())) GTEST_SKIP() << "this driver does not start in children";
  }

  [[nodiscard]] bool images_travel() { return device_.backend().images_travel(); }

  /// Four ranks on two nodes, each with a folder of its own.
  std::vector<Report> run_ranks(const std::string& name) {
    const std::size_t size = nodes.size();
    std::string all_nodes;
    for (const int node : nodes) all_nodes += std::to_string(node) + " ";
    std::vector<std::string> sockets(size);
    std::vector<int> open;
    sockets[0] = "-1";
    for (std::size_t rank = 1; rank < size; ++rank) {
      int pair[2];
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
      open.insert(open.end(), {pair[0], pair[1]});
      sockets[0] += " " + std::to_string(pair[0]);
      sockets[rank] = std::to_string(pair[1]);
    }
    std::vector<pid_t> ranks;
    for (std::size_t rank = 0; rank < size; ++rank) {
      ranks.push_back(start_test("CollectiveBuildRank.DISABLED_builds_its_kernels", {{"TEST_RANK", std::to_string(rank)},
                                                                                     {"TEST_NODES", all_nodes},
                                                                                     {"TEST_SOCKETS", sockets[rank]},
                                                                                     {"TEST_FOLDER", folder_.path().string()},
                                                                                     {"TEST_DEVICE", std::to_string(GetParam())},
                                                                                     {"TEST_CASE", name}}));
    }
    for (const int socket : open) ::close(socket);
    std::vector<Report> reports;
    for (std::size_t rank = 0; rank < size; ++rank) {
      EXPECT_EQ(wait_for(ranks[rank]), 0) << "rank " << rank;
      reports.push_back(read_report(folder_.path() / ("report" + std::to_string(rank))));
    }
    return reports;
  }

  /// Ranks that lead no node.
  void expect_others_touched_nothing(const std::vector<Report>& reports) {
    for (const std::size_t rank : {1u, 3u}) {
      EXPECT_EQ(reports[rank].hits + reports[rank].misses + reports[rank].compiles + reports[rank].corrupt, 0) << "rank " << rank;
      EXPECT_FALSE(fs::exists(folder_.path() / ("cache" + std::to_string(rank)))) << "rank " << rank;
    }
  }

  TemporaryFolder folder_;
};

const std::vector<int> expected_values{0, 1, 2};

TEST_P(CollectiveBuild, one_rank_per_node_builds_its_share_and_the_others_touch_no_file) {
  const auto reports = run_ranks("plain");
  for (const Report& report : reports) {
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.values, expected_values);
  }
  expect_others_touched_nothing(reports);
  // Dealt over the nodes, or where images do not travel each node for itself.
  EXPECT_EQ(reports[0].compiles, images_travel() ? 2 : kernel_count);
  EXPECT_EQ(reports[2].compiles, images_travel() ? 1 : kernel_count);
}

TEST_P(CollectiveBuild, all_ranks_throw_the_error_of_the_first_kernel_that_does_not_compile) {
  const auto reports = run_ranks("faulty");
  for (const Report& report : reports) {
    EXPECT_THAT(report.error, HasSubstr("CompileError: kernel 'number' does not compile"));
    EXPECT_THAT(report.error, HasSubstr("second"));
    EXPECT_EQ(report.error, reports[0].error);
  }
  expect_others_touched_nothing(reports);
}

TEST_P(CollectiveBuild, uneven_hits_do_not_dead_lock) {
  {
    Cache cache(folder_.path() / "cache0");
    auto specs = specs_of("plain", 0, device_, folder_.path().string());
    specs.resize(1);
    (void)build_kernels(device_, specs, &cache);
    ASSERT_EQ(cache.counters().compiles, 1);
  }
  const auto reports = run_ranks("plain");
  for (const Report& report : reports) {
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.values, expected_values);
  }
  expect_others_touched_nothing(reports);
  EXPECT_EQ(reports[0].hits, 1);
  EXPECT_EQ(reports[0].compiles, images_travel() ? 1 : 2);
  EXPECT_EQ(reports[2].hits, 0);
  EXPECT_EQ(reports[2].compiles, images_travel() ? 1 : kernel_count);
}

TEST_P(CollectiveBuild, a_fault_of_one_rank_before_it_builds_is_thrown_by_all) {
  const auto reports = run_ranks("too large");
  for (const Report& report : reports) {
    EXPECT_THAT(report.error, HasSubstr("DeviceError: kernel 'number': a group of "));
    EXPECT_EQ(report.error, reports[0].error);
    EXPECT_EQ(report.compiles, 0);
  }
}

TEST_P(CollectiveBuild, ranks_with_other_kernels_build_apart) {
  const auto reports = run_ranks("different");
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    EXPECT_EQ(reports[rank].error, "");
    EXPECT_EQ(reports[rank].values, rank % 2 == 0 ? expected_values : (std::vector<int>{10, 11, 12}));
    EXPECT_GT(reports[rank].compiles, 0) << "each is the only one of its kind on its node";
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CollectiveBuild, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
