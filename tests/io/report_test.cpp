// Summary, tables, progress lines and atomic files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/atomic_file.h"
#include "io/monitor_observer.h"
#include "io/output_error.h"
#include "io/progress_observer.h"
#include "io/summary.h"
#include "io/table_file.h"
#include "tests/codegen/temporary_folder.h"
#include "tests/io/file_size_limit.h"

namespace dgsolve::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Folder : public testing::Test {
 protected:
  const codegen::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST(Summary, has_exactly_the_fields_of_its_contract) {
  Summary summary;
  summary.status = RunStatus::diverged;
  summary.steps = 12;
  summary.time = 0.25;
  summary.dofs = 5000000000;
  summary.elements = 16;
  summary.errors = {{"rho", 0.5, 0.25, std::numeric_limits<double>::quiet_NaN()}};
  summary.device = "a \"device\"";
  summary.exchange = "staged";
  summary.checksum = "00ff";
  summary.cache.hits = 9;
  summary.cache.memory_hits = 2;
  summary.cache.user_hits = 3;
  summary.cache.shared_hits = 4;
  summary.cache.misses = 5;
  summary.cache.corrupt = 1;
  summary.cache.compiles = 6;
  summary.cache.compile_milliseconds = 0.5;
  summary.cache.write_failures = 7;
  summary.cache.evictions = 8;
  EXPECT_EQ(to_json(summary).text(),
            "{\n  \"status\": \"diverged\",\n  \"steps\": 12,\n  \"time\": 0.25,\n  \"dofs\": 5000000000,\n  \"elements\": 16,\n"
            "  \"errors\": {\n    \"rho\": {\n      \"L1\": 0.5,\n      \"L2\": 0.25,\n      \"Linf\": null\n    }\n  },\n"
            "  \"wall_s\": 0.0,\n  \"setup_s\": 0.0,\n  \"compile_s\": 0.0,\n  \"gdofs_per_s\": 0.0,\n"
            "  \"device\": \"a \\\"device\\\"\",\n  \"exchange\": \"staged\",\n"
            "  \"cache\": {\n    \"hits\": 9,\n    \"memory_hits\": 2,\n    \"user_hits\": 3,\n    \"shared_hits\": 4,\n"
            "    \"misses\": 5,\n    \"corrupt\": 1,\n    \"compiles\": 6,\n    \"compile_ms\": 0.5,\n"
            "    \"write_failures\": 7,\n    \"evictions\": 8\n  },\n"
            "  \"checksum\": \"00ff\"\n}\n");
  EXPECT_EQ(to_text(RunStatus::done), "done");
  EXPECT_EQ(to_text(RunStatus::stopped), "stopped");
  EXPECT_EQ(to_text(RunStatus::failed), "failed");
}

TEST_F(Folder, a_file_is_replaced_as_a_whole_and_nothing_temporary_remains) {
  write_file_atomically(folder_ / "a.json", "old");
  write_file_atomically(folder_ / "a.json", "new");
  EXPECT_EQ(content_of(folder_ / "a.json"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 1);
}

TEST_F(Folder, a_file_that_is_not_published_leaves_the_old_one) {
  write_file_atomically(folder_ / "a.json", "old");
  {
    AtomicFile file(folder_ / "a.json");
    std::ofstream(file.temporary()) << "half";
  }
  EXPECT_EQ(content_of(folder_ / "a.json"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 1);
}

TEST(AtomicFile, a_full_device_and_a_missing_folder_name_file_and_reason) {
  const auto message_of = [](auto action) {
    try {
      action();
    } catch (const OutputError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EXPECT_THAT(message_of([] { write_file_atomically("/nonexistent/a.json", "x"); }),
              testing::AllOf(HasSubstr("/nonexistent/a.json"), HasSubstr("No such file or directory")));
  EXPECT_THAT(message_of([] { TableFile("/dev/full", {"time"}); }),
              testing::AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
  EXPECT_THAT(message_of([] { make_folder("/dev/null/out"); }), HasSubstr("/dev/null/out"));
}

TEST_F(Folder, tables_have_a_header_all_digits_and_empty_cells) {
  TableFile table(folder_ / "m.csv", {"time", "step", "odd, name"});
  table.append({0.1, 3.0, std::nullopt});
  EXPECT_EQ(content_of(folder_ / "m.csv"), "time,step,\"odd, name\"\n0.1,3,\n");
  table.append({1.0 / 3.0, 4.0, -1e-300});
  EXPECT_EQ(content_of(folder_ / "m.csv"), "time,step,\"odd, name\"\n0.1,3,\n0.3333333333333333,4,-1e-300\n");
}

TEST_F(Folder, a_table_on_a_full_disk_ends_with_a_whole_line) {
  TableFile table(folder_ / "m.csv", {"time", "step"});
  table.append({0.25, 3.0});
  {
    const FileSizeLimit limit(25);  // the next line does not fit
    try {
      table.append({0.123456789, 4.0});
      ADD_FAILURE() << "no fault";
    } catch (const OutputError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("m.csv: cannot be written"), HasSubstr("File too large")));
    }
  }
  EXPECT_EQ(content_of(folder_ / "m.csv"), "time,step\n0.25,3\n");
  table.append({0.5, 5.0});
  EXPECT_EQ(content_of(folder_ / "m.csv"), "time,step\n0.25,3\n0.5,5\n");
}

TEST(MonitorColumns, are_named_after_the_monitor_and_the_components) {
  MonitorSpec monitor;
  monitor.name = "energy";
  EXPECT_THAT(monitor_columns(monitor, {"E"}), ElementsAre("energy"));
  EXPECT_THAT(monitor_columns(monitor, {"m_x", "m_y"}), ElementsAre("energy_m_x", "energy_m_y"));
  monitor.kind = MonitorSpec::Kind::at;
  EXPECT_THAT(monitor_columns(monitor, {"E"}), ElementsAre("energy_E"));
}

solver::Progress progress_at(double time, double wall_s) {
  return {.step = static_cast<std::int64_t>(time * 100),
          .time = time,
          .dt = 0.01,
          .end = 2.0,
          .wall_s = wall_s,
          .stages = static_cast<std::int64_t>(time * 500)};
}

TEST(Progress, a_line_says_step_time_percent_time_left_and_rate) {
  EXPECT_EQ(progress_text(progress_at(0.5, 10), 0.0, 1000000), "step 50  t 0.5/2  dt 1.00e-02  25.0 %  ETA 0:30  0.025 GDOF/s");
  EXPECT_EQ(duration_text(3725), "1:02:05");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "?");
}

/// What a run of 200 steps, one a second, writes in a style.
std::string output_of(ProgressStyle style) {
  std::FILE* file = std::tmpfile();
  {
    ProgressObserver observer(file, style);
    for (int step = 0; step <= 200; ++step) observer.observe(progress_at(step * 0.01, step), 1000);
    observer.finish(progress_at(2.0, 200), 1000);
  }
  std::rewind(file);
  std::string text;
  for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) text += static_cast<char>(letter);
  std::fclose(file);
  return text;
}

TEST(Progress, a_log_gets_sparse_plain_lines) {
  const std::string text = output_of(ProgressStyle::lines);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 10);
  EXPECT_LE(lines, 16);
  EXPECT_THAT(text, testing::Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("100.0 %"));
}

TEST(Progress, a_terminal_gets_one_line_that_changes) {
  const std::string text = output_of(ProgressStyle::live);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_GE(std::count(text.begin(), text.end(), '\r'), 100);
}

TEST(Progress, quiet_is_quiet) { EXPECT_EQ(output_of(ProgressStyle::quiet), ""); }

TEST(Progress, a_file_is_no_terminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(progress_style_of(file), ProgressStyle::lines);
  std::fclose(file);
}

}  // namespace
}  // namespace dgsolve::io
