// The equation files that docs/extending.md builds step by step are right as they stand there.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/io/shipped_systems.h"

namespace dgsolve::io {
namespace {

/// The YAML blocks of the page, in order.
std::vector<std::string> yaml_blocks() {
  std::ifstream file(DGSOLVE_SOURCE_DIR "/docs/extending.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> blocks;
  for (std::size_t start = page.find("```yaml\n"); start != std::string::npos; start = page.find("```yaml\n", start)) {
    start += 8;
    const std::size_t end = page.find("```", start);
    blocks.push_back(page.substr(start, end - start));
    start = end + 3;
  }
  return blocks;
}

/// The first block that starts with this text.
std::string block(const std::string& start, int which = 0) {
  for (const std::string& each : yaml_blocks()) {
    if (each.starts_with(start) && which-- == 0) return each;
  }
  ADD_FAILURE() << "no block starts with " << start;
  return "";
}

/// Consistency and conservation of a flux of the system.
void expect_sound(const solver::EquationDefinition& definition, const std::string& flux_name, int dimension) {
  solver::Problem problem;
  problem.equations = definition;
  problem.flux = flux_name;
  const solver::EquationSystem system(problem, dimension);
  HostSystem host(problem, dimension);
  HostFunction flux = host.numerical_flux(flux_name);
  HostFunction physical = host.flux_along();
  RandomStates states({definition.name, dimension, ""});
  for (int k = 0; k < 20; ++k) {
    Vector a = states.state(system.variable_count());
    Vector b = states.state(system.variable_count());
    a(0) = states.uniform(0.1, 0.9);
    b(0) = states.uniform(0.1, 0.9);
    const Vector n = states.unit();
    EXPECT_LE((flux({{"qm", a}, {"qp", a}, {"n", n}}) - physical({{"q", a}, {"a", n}})).norm(), 1e-13);
    EXPECT_LE((flux({{"qm", a}, {"qp", b}, {"n", n}}) + flux({{"qm", b}, {"qp", a}, {"n", -n}})).norm(), 1e-13);
  }
}

TEST(ExtendingPage, smallest_file_is_a_system_with_every_generic_flux) {
  const solver::EquationDefinition lwr = read_equation_text(block("name: lwr"), "extending.md");
  for (const std::string flux : {"central", "rusanov", "hll"}) expect_sound(lwr, flux, 1);
}

TEST(ExtendingPage, gas_with_its_source_conditions_and_fluxes_is_sound) {
  const std::string base = block("name: gas") + block("source:") + block("boundary_conditions:");
  for (const int dimension : {1, 2, 3}) {
    expect_sound(read_equation_text(base + block("numerical_fluxes:"), "extending.md"), "my_rusanov", dimension);
    expect_sound(read_equation_text(base + block("numerical_fluxes:", 1), "extending.md"), "my_hll", dimension);
  }
}

TEST(ExtendingPage, modes_are_those_of_maxwell) {
  const std::string maxwell = "name: m\nflux:\n  E[a]: -epsilon[a,j,b]*H[b]\n  H[a]: epsilon[a,j,b]*E[b]\nwave_speeds:\n  largest: 1\n";
  const solver::EquationDefinition definition = read_equation_text(maxwell + block("dimensions: [2, 3]"), "extending.md");
  solver::Problem problem;
  problem.equations = definition;
  EXPECT_EQ(solver::EquationSystem(problem, 2).variable_count(), 3);
  EXPECT_EQ(solver::EquationSystem(problem, 3).variable_count(), 6);
}

}  // namespace
}  // namespace dgsolve::io
