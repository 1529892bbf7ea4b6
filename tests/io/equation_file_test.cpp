// Equation files become definitions with places; all faults are reported at once.
#include "io/equation_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/config.h"
#include "solver/equations/files.h"

namespace dgsolve::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view euler = R"(name: euler
description: compressible Euler equations
reference: Toro 2009
dimensions: [1, 2, 3]
parameters: {gamma: 1.4, a: [1, "x + y"]}
state: "rho, m[i], E"
primitive: "rho, v[i], p"
from_primitive:
  rho: rho
  m[i]: rho*v[i]
definitions:
  v[i]: m[i]/rho
flux:
  rho: m[j]
  m[i]: m[i]*v[j] + p*delta[i,j]
wave_speeds:
  slowest: v[j]*n[j] - c
  fastest: v[j]*n[j] + c
admissible:
  density: rho
fields:
  mach: sqrt(v[i]*v[i])/c
boundary_conditions:
  slip_wall:
    rho: rho
    m[i]: m[i] - 2*m[j]*n[j]*n[i]
numerical_fluxes:
  rusanov: mean(flux) - jump(state)
  hllc:
    definitions:
      a: mean(c)
    rho: a*jump(rho)
)";

TEST(EquationFile, every_part_of_a_file_arrives_with_its_place) {
  const auto definition = read_equation_text(euler, "euler.yaml");
  EXPECT_EQ(definition.name, "euler");
  EXPECT_EQ(definition.reference, "Toro 2009");
  EXPECT_THAT(definition.dimensions, ElementsAre(1, 2, 3));
  ASSERT_EQ(definition.parameters.size(), 2U);
  EXPECT_EQ(definition.parameters[1].components.at(1).text, "x + y");
  EXPECT_EQ(definition.state.text, "rho, m[i], E");
  EXPECT_EQ(definition.state.where.line, 6);
  EXPECT_EQ(definition.state.where.column, 9);
  EXPECT_EQ(definition.primitive.value().text, "rho, v[i], p");
  EXPECT_EQ(definition.from_primitive.at(1).target, "m[i]");
  EXPECT_EQ(definition.flux.at(1).formula.text, "m[i]*v[j] + p*delta[i,j]");
  EXPECT_EQ(definition.flux.at(1).formula.where.line, 15);
  EXPECT_EQ(definition.flux.at(1).formula.where.column, 9);
  EXPECT_EQ(definition.wave_speeds.size(), 2U);
  EXPECT_EQ(definition.boundary_conditions.at(0).entries.at(1).formula.text, "m[i] - 2*m[j]*n[j]*n[i]");
  ASSERT_EQ(definition.numerical_fluxes.size(), 2U);
  EXPECT_EQ(definition.numerical_fluxes[0].entries.at(0).target, "");
  EXPECT_EQ(definition.numerical_fluxes[1].definitions.at(0).target, "a");
  EXPECT_EQ(definition.numerical_fluxes[1].entries.at(0).target, "rho");
}

TEST(EquationFile, modes_list_the_components_that_vanish) {
  const auto definition = read_equation_text(
      "state: \"E[a:3], H[a:3]\"\nflux: {E: H}\nwave_speeds: {largest: 1}\n"
      "modes: {tm: {dimension: 2, zero: [E_x, E_y]}, te: {dimension: 2, zero: \"E[2], H_x\"}}\n",
      "m.yaml");
  EXPECT_EQ(definition.name, "m");
  EXPECT_THAT(definition.modes.at(0).zero, ElementsAre("E_x", "E_y"));
  EXPECT_THAT(definition.modes.at(1).zero, ElementsAre("E[2]", "H_x"));
  EXPECT_EQ(definition.modes.at(1).dimension, 2);
}

std::string message_of(const std::string& text) {
  try {
    (void)read_equation_text(text, "e.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(EquationFile, all_faults_come_in_one_go) {
  const std::string message =
      message_of("state: [u]\nfluxx: {u: u}\nwave_speeds: {largest: 1, slowest: 2}\nfields: {a: [1, 2]}\ndimensions: [4]\n");
  EXPECT_THAT(message,
              AllOf(HasSubstr("e.yaml:1:8: state: found a list of 1, allowed: a text"), HasSubstr("e.yaml:2:1: fluxx: unknown key"),
                    HasSubstr("did you mean 'flux'?"), HasSubstr("flux: missing"), HasSubstr("slowest and fastest together"),
                    HasSubstr("fields.a: found a list"), HasSubstr("e.yaml:5:14: dimensions: found '4'")));
}

TEST(EquationFile, a_formula_torn_by_braces_is_recognised) {
  const std::string torn = "state: u\nflux: {u: max(u, 0)}\nwave_speeds: {largest: 1}\n";
  EXPECT_THAT(message_of(torn), AllOf(HasSubstr("e.yaml:2:11: flux.u: a torn formula ('max(u')"), HasSubstr("quotes")));
}

TEST(EquationFile, keys_reserved_for_later_are_named_as_such) {
  EXPECT_THAT(message_of("state: u\nflux: {u: u}\nwave_speeds: {largest: 1}\nentropy: {}\n"),
              AllOf(HasSubstr("e.yaml:4:1: entropy"), HasSubstr("reserved")));
}

TEST(EquationFile, a_document_that_is_no_map_is_a_fault) { EXPECT_THAT(message_of("just text\n"), HasSubstr("a map of keys")); }

TEST(EquationFile, every_built_in_file_reads_without_faults_and_says_what_it_is) {
  ASSERT_FALSE(solver::equation_files().empty());
  for (const auto& file : solver::equation_files()) {
    const std::string name(file.name);
    solver::EquationDefinition definition;
    EXPECT_NO_THROW(definition = read_equation_text(file.content, name));
    EXPECT_EQ(definition.name + ".yaml", name);
    EXPECT_FALSE(definition.description.empty()) << name;
    EXPECT_FALSE(definition.reference.empty()) << name;
  }
}

}  // namespace
}  // namespace dgsolve::io
