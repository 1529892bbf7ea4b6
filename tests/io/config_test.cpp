// Configurations become typed options; every fault names its place, what was found, what is allowed and the nearest name.
#include "io/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace dgsolve::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* scalar_system = R"(equations:
  state: "u, w[i]"
  dimensions: [1, 2, 3]
  parameters: {a: 1}
  flux:
    u: a*w[j]
    w[i]: u*delta[i,j]
  wave_speeds: {largest: a}
  boundary_conditions:
    wall:
      u: u
      w[i]: -w[i]
  numerical_fluxes:
    upwind: mean(flux) - 0.5*a*jump(state)
)";

class ConfigFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("config_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Config read(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return read_config(write("case.yaml", text), overrides);
  }
  std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    try {
      (void)read(text, overrides);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no fault";
  }
  /// The scalar system on a periodic box with more lines at the end.
  static std::string periodic(const std::string& more) {
    return std::string(scalar_system) + "mesh: {box: {cells: [4, 4], periodic: [x, y]}}\ninitial: {u: 1, w: [0, 0]}\n" + more;
  }
  std::filesystem::path folder_;
};

const std::string time_line = "time: {end: 1}\n";

TEST_F(ConfigFile, a_whole_configuration_arrives_typed) {
  const Config config = read(std::string(scalar_system) + R"yaml(parameters: {a: 2}
mesh:
  box: {lower: [0, -1], upper: [2, 1], cells: [4, 8], shape: tri, periodic: x, warp: 0.05}
boundaries:
  bottom: wall
  top: {dirichlet: {u: sin(t), w: [0, 1]}}
initial:
  u: exp(-x^2)
  w: [0, "x + y"]
exact: {u: 1, w: [0, 0]}
source: {u: -u}
order: 2
flux: upwind
precision: single
device: opencl
exchange: staged
time: {start: 0.5, end: 1.5, cfl: 0.4, integrator: ssprk33}
output:
  directory: results
  every: 0.25
  fields: [u, {speed: "sqrt(w[i]*w[i])"}]
monitors:
  mass: {integral: u}
  work: {integral: 0.5*u^2, every: 0.1}
  probe: {at: [0.5, 0.25], fields: [u, w], every: 0.01}
verify: {errors: {u: {L2: 1.0e-4, Linf: 1}}, order: 2.8}
)yaml");
  EXPECT_EQ(config.name, "case");
  EXPECT_EQ(config.problem.equations.name, "inline");
  EXPECT_EQ(config.problem.parameters.at(0).components.at(0).text, "2");
  const auto& box = std::get<mesh::BoxOptions>(config.mesh);
  EXPECT_EQ(box.dimension, 2);
  EXPECT_EQ(box.cells[1], 8);
  EXPECT_EQ(box.lower[1], -1.0);
  EXPECT_EQ(box.shape, mesh::Shape::triangle);
  EXPECT_TRUE(box.periodic[0]);
  EXPECT_FALSE(box.periodic[1]);
  EXPECT_EQ(box.warp, 0.05);
  EXPECT_EQ(box.geometry_order, 2);
  ASSERT_EQ(config.problem.boundaries.size(), 2U);
  EXPECT_EQ(config.problem.boundaries[0].condition, "wall");
  EXPECT_EQ(config.problem.boundaries[1].condition, "dirichlet");
  EXPECT_EQ(config.problem.boundaries[1].values.at(1).components.at(1).text, "1");
  EXPECT_EQ(config.problem.initial.at(1).components.at(1).text, "x + y");
  EXPECT_EQ(config.problem.initial.at(1).components.at(1).where.line, 23);
  EXPECT_EQ(config.problem.initial.at(1).components.at(1).where.column, 11);
  EXPECT_EQ(config.problem.exact.size(), 2U);
  EXPECT_EQ(config.problem.source.at(0).name, "u");
  EXPECT_EQ(config.problem.order, 2);
  EXPECT_EQ(config.problem.flux, "upwind");
  EXPECT_EQ(config.problem.precision, codegen::Precision::single_precision);
  EXPECT_EQ(config.problem.integrator, "ssprk33");
  EXPECT_EQ(config.time.start, 0.5);
  EXPECT_EQ(config.time.end, 1.5);
  EXPECT_EQ(config.time.cfl, 0.4);
  EXPECT_FALSE(config.time.step.has_value());
  EXPECT_EQ(config.output_directory, "results");
  EXPECT_EQ(config.output_every.value(), 0.25);
  ASSERT_EQ(config.output_fields.size(), 2U);
  EXPECT_TRUE(config.output_fields[0].components.empty());
  EXPECT_EQ(config.output_fields[1].name, "speed");
  ASSERT_EQ(config.monitors.size(), 3U);
  EXPECT_EQ(config.monitors[1].fields.at(0).name, "work");
  EXPECT_EQ(config.monitors[1].every.value(), 0.1);
  EXPECT_EQ(config.monitors[2].kind, MonitorSpec::Kind::at);
  EXPECT_EQ(config.monitors[2].point[1], 0.25);
  EXPECT_EQ(config.device, "opencl");
  EXPECT_EQ(config.problem.exchange, solver::ExchangeChoice::staged);
  EXPECT_EQ(config.verify_errors.size(), 2U);
  EXPECT_EQ(config.verify_order.value(), 2.8);
}

TEST_F(ConfigFile, what_is_left_out_has_the_documented_default) {
  const Config config = read(periodic(time_line));
  EXPECT_EQ(config.problem.order, 3);
  EXPECT_EQ(config.problem.nodes, solver::NodeFamily::lobatto);
  EXPECT_EQ(config.problem.flux, "rusanov");
  EXPECT_EQ(config.problem.precision, codegen::Precision::double_precision);
  EXPECT_EQ(config.problem.integrator, "lsrk54");
  EXPECT_EQ(config.time.cfl, 0.9);
  EXPECT_EQ(config.output_directory, "out");
  EXPECT_FALSE(config.output_every.has_value());
  EXPECT_EQ(config.device, "auto");
  EXPECT_EQ(config.problem.exchange, solver::ExchangeChoice::automatic);
  ASSERT_EQ(config.output_fields.size(), 2U);
  EXPECT_EQ(config.output_fields[1].name, "w");
  EXPECT_EQ(std::get<mesh::BoxOptions>(config.mesh).shape, mesh::Shape::quadrilateral);
}

TEST_F(ConfigFile, all_faults_come_in_one_go_each_with_its_place) {
  const std::string message =
      message_of(periodic("ordr: 3\nnodes: lobato\ntime: {end: -1, clf: 1}\norder: 11\nflux: upwnd\nverify: {order: 2}\n"));
  EXPECT_THAT(message, AllOf(HasSubstr("case.yaml:17:1: ordr: unknown key"), HasSubstr("did you mean 'order'?"),
                             HasSubstr("case.yaml:18:8: nodes: found 'lobato', allowed: lobatto, gauss; did you mean 'lobatto'?"),
                             HasSubstr("time.end: found -1, allowed: later than the start, 0"), HasSubstr("time.clf: unknown key"),
                             HasSubstr("did you mean 'cfl'?")));
  EXPECT_THAT(message, AllOf(HasSubstr("case.yaml:20:8: order: found '11', allowed: a whole number from 1 to 10"),
                             HasSubstr("flux: found 'upwnd'"), HasSubstr("did you mean 'upwind'?"), HasSubstr("verify: needs the exact")));
}

TEST_F(ConfigFile, missing_sections_are_named_with_an_example) {
  const std::string message = message_of("order: 2\n");
  EXPECT_THAT(message, AllOf(HasSubstr("equations: missing"), HasSubstr("mesh: missing"), HasSubstr("initial: missing"),
                             HasSubstr("time: missing")));
}

TEST_F(ConfigFile, every_exchange_is_known_by_its_name_and_no_other) {
  using enum solver::ExchangeChoice;
  for (const auto& [name, choice] :
       std::map<std::string, solver::ExchangeChoice>{{"auto", automatic}, {"staged", staged}, {"device", device}, {"ipc", ipc}}) {
    EXPECT_EQ(read(periodic(time_line + "exchange: " + name + "\n")).problem.exchange, choice) << name;
  }
  EXPECT_THAT(message_of(periodic(time_line + "exchange: stagd\n")),
              HasSubstr("exchange: found 'stagd', allowed: auto, staged, device, ipc; did you mean 'staged'?"));
}

TEST_F(ConfigFile, wrong_types_say_what_was_found_and_what_is_allowed) {
  EXPECT_THAT(message_of(periodic(time_line + "order: high\n")), HasSubstr("order: found 'high', allowed: a whole number from 1 to 10"));
  EXPECT_THAT(message_of(periodic(time_line + "order: \"4\"\n")), HasSubstr("order: found the text '4'"));
  EXPECT_THAT(message_of(periodic(time_line + "order: 2.5\n")), HasSubstr("order: found '2.5'"));
  EXPECT_THAT(message_of(periodic(time_line + "order: [3]\n")), HasSubstr("order: found a list of 1"));
  EXPECT_THAT(message_of(periodic(time_line + "order:\n")), HasSubstr("order: found nothing"));
  EXPECT_THAT(message_of(periodic("time: 1\n")), HasSubstr("time: found '1', allowed: a map"));
  EXPECT_THAT(message_of(periodic("time: {end: .inf}\n")), HasSubstr("time.end: found '.inf', allowed: a number"));
  EXPECT_THAT(message_of(periodic("time: {end: 1, cfl: 0}\n")), HasSubstr("time.cfl: found '0', allowed: a number above 0"));
  EXPECT_THAT(message_of(periodic("time: {end: 1, cfl: 1, step: 0.1}\n")), HasSubstr("exclude one another"));
}

TEST_F(ConfigFile, order_out_of_range_depends_on_the_shape) {
  const std::string tail = "initial: {u: 1, w: [0, 0]}\ntime: {end: 1}\norder: 9\n";
  const std::string box = "mesh: {box: {cells: [2, 2], periodic: [x, y], shape: ";
  EXPECT_THAT(message_of(scalar_system + box + "tri}}\n" + tail), HasSubstr("order: found '9', allowed: 1 to 8 on triangles"));
  EXPECT_EQ(read(scalar_system + box + "quad}}\n" + tail).problem.order, 9);
}

TEST_F(ConfigFile, every_side_of_a_box_needs_a_condition_and_no_other_group_exists) {
  const std::string text =
      std::string(scalar_system) + "mesh: {box: {cells: [4, 4], periodic: [x]}}\ninitial: {u: 1, w: [0, 0]}\n" + time_line;
  EXPECT_THAT(message_of(text),
              AllOf(HasSubstr("boundaries.bottom: missing"), HasSubstr("boundaries.top: missing"), Not(HasSubstr("left"))));
  EXPECT_THAT(message_of(text + "boundaries: {botom: wall, top: wall}\n"),
              AllOf(HasSubstr("boundaries.botom: the mesh has no such boundary group, allowed: bottom, top; did you mean 'bottom'?"),
                    HasSubstr("boundaries.bottom: missing")));
}

TEST_F(ConfigFile, forms_of_conditions_are_checked) {
  const std::string text = std::string(scalar_system) + "mesh: {box: {cells: [4]}}\ninitial: {u: 1, w: 0}\n" + time_line;
  EXPECT_THAT(message_of(text + "boundaries: {left: wal, right: exact}\n"),
              AllOf(HasSubstr("boundaries.left: found 'wal', allowed for inline: "), HasSubstr("did you mean 'wall'?"),
                    HasSubstr("boundaries.right: needs the exact solution")));
  EXPECT_THAT(
      message_of(text + "boundaries: {left: dirichlet, right: {dirichlt: {u: 1}}}\n"),
      AllOf(HasSubstr("boundaries.left: dirichlet needs values"),
            HasSubstr("boundaries.right.dirichlt: unknown key; allowed: dirichlet, inflow"), HasSubstr("did you mean 'dirichlet'?")));
  EXPECT_THAT(message_of(text + "boundaries: {left: inflow, right: {inflow: {u: 1, w: 0}, dirichlet: {u: 1, w: 0}}}\n"),
              AllOf(HasSubstr("boundaries.left: inflow needs values"),
                    HasSubstr("boundaries.right: found 2 keys, allowed: one of dirichlet, inflow")));
  EXPECT_THAT(message_of(text + "boundaries: {left: wall, right: {}}\n"), HasSubstr("boundaries.right: found 0 keys"));
  EXPECT_EQ(read(text + "boundaries: {left: wall, right: outflow}\n").problem.boundaries.at(1).condition, "outflow");
}

TEST_F(ConfigFile, inflow_is_another_name_of_dirichlet) {
  const std::string text = std::string(scalar_system) + "mesh: {box: {cells: [4]}}\ninitial: {u: 1, w: 0}\n" + time_line;
  const auto boundaries =
      read(text + "boundaries: {left: {inflow: {u: sin(t), w: 2}}, right: {dirichlet: {u: 1, w: 0}}}\n").problem.boundaries;
  EXPECT_EQ(boundaries.at(0).condition, "inflow");
  ASSERT_EQ(boundaries.at(0).values.size(), 2U);
  EXPECT_EQ(boundaries.at(0).values[0].name, "u");
  EXPECT_EQ(boundaries.at(0).values[0].components.at(0).text, "sin(t)");
  EXPECT_EQ(boundaries.at(0).values[1].components.at(0).text, "2");
}

TEST_F(ConfigFile, a_condition_of_the_system_takes_no_values_even_if_its_name_is_that_of_a_generic_one) {
  std::string system = scalar_system;
  system.replace(system.find("wall"), 4, "inflow");
  const std::string text = system + "mesh: {box: {cells: [4]}}\ninitial: {u: 1, w: 0}\n" + time_line;
  EXPECT_EQ(read(text + "boundaries: {left: inflow, right: outflow}\n").problem.boundaries.at(0).condition, "inflow");
  EXPECT_THAT(message_of(text + "boundaries: {left: {inflow: {u: 1, w: 0}}, right: outflow}\n"),
              HasSubstr("boundaries.left: inflow takes no values here: inline has a condition of its own"));
}

TEST_F(ConfigFile, boxes_that_do_not_fit_together_are_faults) {
  const auto box = [](const std::string& keys) {
    return std::string(scalar_system) + "mesh: {box: {" + keys + "}}\ninitial: {u: 1, w: [0, 0]}\n" + time_line;
  };
  EXPECT_THAT(message_of(box("cells: [4, 4], lower: [0], periodic: [x, y]")), HasSubstr("mesh.box.lower: found 1 number(s), allowed: 2"));
  EXPECT_THAT(message_of(box("cells: [4, 4], upper: [1, 0], periodic: [x, y]")), HasSubstr("mesh.box.upper: found 0 in y"));
  EXPECT_THAT(message_of(box("cells: [4, 0], periodic: [x, y]")), HasSubstr("mesh.box.cells: found '0'"));
  EXPECT_THAT(message_of(box("cells: [4, 4], shape: hex, periodic: [x, y]")), HasSubstr("mesh.box.shape: a hexahedron has 3"));
  EXPECT_THAT(message_of(box("cells: [4, 4], shape: quid, periodic: [x, y]")), HasSubstr("did you mean 'quad'?"));
  EXPECT_THAT(message_of(box("cells: [4, 4], periodic: [x, z]")), HasSubstr("mesh.box.periodic: found 'z'"));
}

TEST_F(ConfigFile, a_mesh_is_a_file_or_a_box) {
  const std::string tail = "initial: {u: 1, w: [0, 0]}\n" + time_line;
  EXPECT_THAT(message_of(scalar_system + std::string("mesh: {file: a.msh, box: {cells: [1]}}\n") + tail),
              HasSubstr("both a file and a box"));
  EXPECT_THAT(message_of(scalar_system + std::string("mesh: {}\n") + tail), HasSubstr("neither a file nor a box"));
  const Config config = read(scalar_system + std::string("mesh: {file: m/a.msh, periodic: [[l, r]]}\nboundaries: {w: wall}\n") + tail);
  const auto& file = std::get<MeshFile>(config.mesh);
  EXPECT_EQ(file.path, folder_ / "m/a.msh");
  EXPECT_THAT(file.options.periodic, ElementsAre(std::pair<std::string, std::string>("l", "r")));
}

TEST_F(ConfigFile, pairs_of_opposite_sides_make_a_box_periodic) {
  const std::string tail = "initial: {u: 1, w: [0, 0]}\n" + time_line;
  const Config config =
      read(scalar_system + std::string("mesh: {box: {cells: [1, 1]}, periodic: [[left, right], [top, bottom]]}\n") + tail);
  EXPECT_TRUE(std::get<mesh::BoxOptions>(config.mesh).periodic[1]);
  EXPECT_THAT(message_of(scalar_system + std::string("mesh: {box: {cells: [1], periodic: x}, periodic: [[left, top]]}\n") + tail),
              HasSubstr("pairs of opposite sides"));
}

TEST_F(ConfigFile, monitors_are_one_kind_each) {
  EXPECT_THAT(message_of(periodic(time_line + "monitors: {a: {integral: u, max: u}, b: {every: 1}, c: {at: [1], fields: [u]}}\n")),
              AllOf(HasSubstr("monitors.a: has 2 of integral, max, min, at"), HasSubstr("monitors.b: has 0 of"),
                    HasSubstr("monitors.c.at: found 1 number(s), allowed: 2")));
}

TEST_F(ConfigFile, formulas_as_fields_need_a_name) {
  EXPECT_THAT(message_of(periodic(time_line + "output: {fields: [u, \"u/2\"]}\n")),
              HasSubstr("output.fields: found 'u/2', allowed: a name"));
  EXPECT_THAT(message_of(periodic(time_line + "output: {fields: [u, u]}\n")), HasSubstr("'u' stands twice"));
  EXPECT_THAT(message_of(periodic(time_line + "output: {fields: [{a: max(u, 0)}]}\n")), HasSubstr("quotes"));
}

TEST_F(ConfigFile, overrides_are_yaml_and_are_validated_like_the_file) {
  const Config config = read(periodic(time_line), {"mesh.box.cells=[8, 2]", "order=5", "initial.u=sin(x)", "output.every=0.5"});
  EXPECT_EQ(std::get<mesh::BoxOptions>(config.mesh).cells[0], 8);
  EXPECT_EQ(config.problem.order, 5);
  EXPECT_EQ(config.problem.initial.at(0).components.at(0).text, "sin(x)");
  EXPECT_EQ(config.problem.initial.at(0).components.at(0).where.file, "--set initial.u=sin(x)");
  EXPECT_THAT(config.text, HasSubstr("# --set order=5"));
  EXPECT_THAT(message_of(periodic(time_line), {"order=99", "oder=1", "nonsense", "time=[1"}),
              AllOf(HasSubstr("--set order=99: order: found '99'"), HasSubstr("--set oder=1: oder: unknown key"),
                    HasSubstr("--set nonsense: not of the form key.path=value"), HasSubstr("--set time=[1")));
}

TEST_F(ConfigFile, equations_come_from_a_file_beside_the_configuration) {
  write("mine.yaml", "state: u\nflux: {u: u}\nwave_speeds: {largest: 1}\n");
  const std::string tail = "mesh: {box: {cells: [4], periodic: x}}\ninitial: {u: 1}\n" + time_line;
  EXPECT_EQ(read("equations: mine.yaml\n" + tail).problem.equations.name, "mine");
  EXPECT_THAT(message_of("equations: other.yaml\n" + tail), HasSubstr("other.yaml: cannot be read"));
  write("mine.yaml", "state: u\nflx: {u: u}\nwave_speeds: {largest: 1}\n");
  EXPECT_THAT(message_of("equations: mine.yaml\nordr: 1\n" + tail),
              AllOf(HasSubstr("mine.yaml:2:1: flx: unknown key"), HasSubstr("case.yaml:2:1: ordr: unknown key")));
}

TEST_F(ConfigFile, faults_of_inline_equations_are_reported_once) {
  const std::string message = message_of(
      "equations: {state: u, flx: {u: u}, wave_speeds: {largest: 1}}\nmesh: {box: {cells: [4], periodic: x}}\ninitial: {u: 1}\n" +
      time_line);
  EXPECT_THAT(message, HasSubstr("equations.flx: unknown key"));
  EXPECT_EQ(message.find("flx"), message.rfind("flx"));
}

TEST_F(ConfigFile, a_built_in_system_is_found_by_name_and_a_typo_gets_the_nearest) {
  const std::string tail = "mesh: {box: {cells: [4], periodic: x}}\ninitial: {rho: 1, v: 0, p: 1}\n" + time_line;
  EXPECT_EQ(read("equations: euler\n" + tail).problem.equations.name, "euler");
  EXPECT_THAT(message_of("equations: eulr\n" + tail),
              AllOf(HasSubstr("case.yaml:1:12: equations: found 'eulr'"), HasSubstr("did you mean 'euler'?")));
  EXPECT_THAT(message_of("equations: euler\nmode: tm\n" + tail), HasSubstr("mode: found 'tm', allowed for euler: none"));
}

TEST(ShippedConfigurations, all_read_without_faults) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(DGSOLVE_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW((void)read_config(entry.path())) << entry.path();
  }
  EXPECT_GE(count, 10);
}

TEST_F(ConfigFile, a_missing_configuration_names_the_nearest_file) {
  write("vortex.yaml", "");
  try {
    (void)read_config(folder_ / "vortx.yaml");
    FAIL() << "no fault";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("there is no such file"), HasSubstr("did you mean 'vortex.yaml'?")));
  }
}

}  // namespace
}  // namespace dgsolve::io
