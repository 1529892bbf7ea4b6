// Observers in a real run: outputs land on their times, monitors and probes do not change the steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/environment.h"
#include "io/monitor_observer.h"
#include "io/output_observer.h"
#include "solver/simulation.h"

namespace dgsolve::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* advection = R"(equations: advection
parameters: {a: [1, 0]}
mesh: {box: {cells: [6, 3], upper: [1, 0.5], periodic: [x, y]}}
initial: {u: 1 + sin(2*pi*x)}
order: 3
time: {start: 0, end: 0.25, cfl: 0.9}
output: {every: 0.1, fields: [u, {velocity: [1, 0]}, {double: 2*u}]}
monitors:
  mass: {integral: u}
  peak: {max: u, every: 0.05}
  low: {min: u, every: 1}
  probe: {at: [0.3, 0.2], fields: [u, {twice: 2*u}]}
)";

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  [[nodiscard]] std::vector<double> column(const std::string& name) const {
    const auto index = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
    std::vector<double> values;
    for (const auto& row : rows) {
      if (!row.at(index).empty()) values.push_back(std::stod(row[index]));
    }
    return values;
  }
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char letter : line) {
    if (letter == ',') {
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

Table read_table(const std::filesystem::path& file) {
  std::ifstream stream(file);
  Table table;
  std::string line;
  std::getline(stream, line);
  table.columns = split(line);
  while (std::getline(stream, line)) table.rows.push_back(split(line));
  return table;
}

/// Keeps the times and steps of a run.
class Recorder : public solver::Observer {
 public:
  void observe(const solver::Progress& progress, solver::DgOperator& op) override {
    (void)op;
    times.push_back(progress.time);
  }
  std::vector<double> times;
};

class Run : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("run_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Config config(const std::vector<std::string>& overrides = {}) const {
    std::ofstream(folder_ / "case.yaml") << advection;
    return read_config(folder_ / "case.yaml", overrides);
  }
  static std::unique_ptr<solver::DgOperator> make_operator(const Config& config, const mesh::Mesh& mesh) {
    static codegen::Cache cache(codegen::Cache::default_folder());
    auto op = std::make_unique<solver::DgOperator>(mesh, config.problem, codegen::select_device("opencl"), &cache);
    op->set_initial(config.time.start);
    return op;
  }
  [[nodiscard]] OutputPlan plan(const Config& config, const solver::DgOperator& op) const {
    return {folder_ / "out",      config.name,           config.output_every,
            config.output_fields, ValueStorage::float64, describe_origin(config.text, "0", op)};
  }
  std::filesystem::path folder_;
};

TEST_F(Run, outputs_land_on_their_times_and_monitors_do_not_shorten_steps) {
  const Config setup = config();
  const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(setup.mesh));
  const auto op = make_operator(setup, mesh);
  OutputObserver output(*op, plan(setup, *op));
  MonitorObserver monitor(*op, setup.monitors, folder_ / "monitors.csv");
  Recorder recorder;
  solver::run_simulation(*op, setup.time, {&output, &monitor, &recorder});
  EXPECT_EQ(output.series().time_count(), 4U);
  for (const double time : {0.0, 0.1, 0.2, 0.25}) {
    EXPECT_THAT(recorder.times, testing::Contains(testing::DoubleNear(time, 1e-15)));
  }

  const auto alone = make_operator(setup, mesh);
  OutputObserver again(*alone, plan(setup, *alone));
  Recorder without_monitors;
  solver::run_simulation(*alone, setup.time, {&again, &without_monitors});
  EXPECT_EQ(recorder.times, without_monitors.times);

  const Table table = read_table(folder_ / "monitors.csv");
  EXPECT_THAT(table.columns, ElementsAre("time", "step", "mass", "peak", "low", "probe_u", "probe_twice"));
  EXPECT_EQ(table.rows.size(), recorder.times.size());
  for (const double mass : table.column("mass")) EXPECT_NEAR(mass, 0.5, 1e-13);
  // Start, the first step at or after each of 0.05 ... 0.25 (the last of them is the end).
  EXPECT_EQ(table.column("peak").size(), 6U);
  EXPECT_EQ(table.column("low").size(), 2U);
  const auto times = table.column("time");
  const auto values = table.column("probe_u");
  const auto doubled = table.column("probe_twice");
  ASSERT_EQ(values.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(values[i], 1 + std::sin(2 * M_PI * (0.3 - times[i])), 5e-3);
    EXPECT_NEAR(doubled[i], 2 * values[i], 1e-12);
  }
}

TEST_F(Run, without_an_interval_start_and_end_are_written) {
  Config setup = config();
  setup.output_every.reset();
  const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(setup.mesh));
  const auto op = make_operator(setup, mesh);
  OutputObserver output(*op, plan(setup, *op));
  solver::run_simulation(*op, setup.time, {&output});
  EXPECT_EQ(output.series().time_count(), 2U);
}

TEST_F(Run, a_probe_outside_the_domain_names_itself_and_the_point) {
  const Config setup = config({"monitors.probe.at=[0.3, 0.7]"});
  const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(setup.mesh));
  const auto op = make_operator(setup, mesh);
  try {
    MonitorObserver monitor(*op, setup.monitors, folder_ / "monitors.csv");
    FAIL() << "no fault";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(HasSubstr("case.yaml:"), HasSubstr("monitors.probe.at"), HasSubstr("(0.3, 0.7) lies outside")));
  }
}

TEST_F(Run, the_origin_names_configuration_device_and_kernels) {
  const Config setup = config();
  const mesh::Mesh mesh = mesh::mesh_box(std::get<mesh::BoxOptions>(setup.mesh));
  const auto op = make_operator(setup, mesh);
  const auto origin = describe_origin(setup.text, "1.2.3", *op);
  std::map<std::string, std::string> texts(origin.begin(), origin.end());
  EXPECT_EQ(texts["version"], "1.2.3");
  EXPECT_EQ(texts["configuration"], advection);
  EXPECT_THAT(texts["device"], HasSubstr(op->device().facts().name));
  EXPECT_THAT(texts["kernels"], testing::ContainsRegex("[a-z_0-9]+ [0-9a-f]+\n"));
}

}  // namespace
}  // namespace dgsolve::io
