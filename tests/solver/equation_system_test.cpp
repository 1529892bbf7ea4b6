// Equation systems built from definitions: names, generated functions, and all faults in one message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solver/equations/system.h"

namespace dgsolve::solver {
namespace {

using codegen::Precision;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Precision precision = Precision::double_precision;

Formula formula(const std::string& text, int line) { return {text, {"gas.yaml", line, 5}}; }

/// Isothermal gas: rho, m; speed of sound c.
EquationDefinition gas() {
  EquationDefinition gas;
  gas.name = "gas";
  gas.dimensions = {1, 2, 3};
  gas.parameters = {{"c", {formula("2", 1)}, {}}};
  gas.state = formula("rho, m[i]", 2);
  gas.primitive = formula("rho, v[i]", 3);
  gas.from_primitive = {{"m[i]", formula("rho*v[i]", 4)}};
  gas.definitions = {{"v[i]", formula("m[i]/rho", 5)}, {"p", formula("c^2*rho", 6)}};
  gas.flux = {{"rho", formula("m[j]", 7)}, {"m[i]", formula("m[i]*v[j] + p*delta[i,j]", 8)}};
  gas.wave_speeds = {{"slowest", formula("v[j]*n[j] - c", 9)}, {"fastest", formula("v[j]*n[j] + c", 10)}};
  gas.admissible = {{"density", formula("rho", 11)}};
  gas.fields = {{"mach", formula("sqrt(v[i]*v[i])/c", 12)}, {"velocity[i]", formula("v[i]", 13)}};
  gas.boundary_conditions = {{"wall", {}, {{"rho", formula("rho", 14)}, {"m[i]", formula("m[i] - 2*m[j]*n[j]*n[i]", 15)}}, {}},
                             {"still", {}, {{"rho", formula("rho", 16)}, {"v[i]", formula("0*v[i]", 17)}}, {}}};
  return gas;
}

Problem problem_of(EquationDefinition equations) {
  Problem problem;
  problem.equations = std::move(equations);
  return problem;
}

ValueFormulas values(const std::string& name, const std::vector<std::string>& texts) {
  ValueFormulas result{name, {}, {"run.yaml", 20, 3}};
  for (const std::string& text : texts) result.components.push_back({text, {"run.yaml", 20, 8}});
  return result;
}

void add_viscosity(EquationDefinition& equations) {
  equations.gradients = {{"dv[i,j]", formula("v[i]", 30)}};
  equations.viscous_flux = {{"m[i]", formula("0.1*(dv[i,j] + dv[j,i])", 31)}};
  equations.diffusivity = formula("0.2/rho", 32);
}

/// The message of the fault, or "" if there is none.
std::string message_of(const Problem& problem, int dimension = 2) {
  try {
    const EquationSystem system(problem, dimension);
  } catch (const EquationError& error) {
    return error.what();
  }
  return "";
}

TEST(EquationSystem, names_follow_the_dimension) {
  for (const int dimension : {1, 2, 3}) {
    const EquationSystem system(problem_of(gas()), dimension);
    EXPECT_EQ(system.variable_count(), 1 + dimension);
    EXPECT_EQ(system.state().size(), 2U);
    EXPECT_EQ(system.primitive()[1].component_names.size(), static_cast<std::size_t>(dimension));
  }
  const EquationSystem system(problem_of(gas()), 2);
  EXPECT_THAT(system.component_names(), ElementsAre("rho", "m_x", "m_y"));
  EXPECT_THAT(system.admissible_names(), ElementsAre("density"));
  EXPECT_FALSE(system.has_source());
  EXPECT_FALSE(system.has_exact());
}

TEST(EquationSystem, directional_flux_is_minimal_code) {
  const EquationSystem system(problem_of(gas()), 3);
  const PhysicsFunction flux = system.flux_along(precision);
  EXPECT_EQ(flux.code,
            "INLINE void physics_flux_along(const realv* q, const realv* a, const realv* x, real t, realv* f) {\n"
            "  const realv w1 = FMA(q[3], a[2], FMA(q[2], a[1], q[1] * a[0]));\n"
            "  const realv w2 = 4.0 * q[0];\n"
            "  const realv w3 = w1 / q[0];\n"
            "  f[0] = w1;\n"
            "  f[1] = FMA(a[0], w2, q[1] * w3);\n"
            "  f[2] = FMA(a[1], w2, q[2] * w3);\n"
            "  f[3] = FMA(a[2], w2, q[3] * w3);\n"
            "}\n");
  EXPECT_EQ(system.operation_count(flux), 16);
  EXPECT_EQ(flux.outputs, 4);
  EXPECT_FALSE(flux.uses_position);
}

TEST(EquationSystem, texts_of_functions_do_not_depend_on_other_formulas) {
  Problem with_data = problem_of(gas());
  with_data.initial = {values("rho", {"2 + sin(x)*c"}), values("v", {"y", "x"})};
  with_data.boundaries = {{"left", "wall", {}, {}}};
  const EquationSystem plain(problem_of(gas()), 2);
  const EquationSystem other(with_data, 2);
  EXPECT_EQ(plain.flux_along(precision).code, other.flux_along(precision).code);
  EXPECT_EQ(plain.numerical_flux(precision).code, other.numerical_flux(precision).code);
}

TEST(EquationSystem, boundary_function_switches_over_the_conditions) {
  Problem problem = problem_of(gas());
  problem.exact = {values("rho", {"1 + t"}), values("m", {"0", "0"})};
  problem.boundaries = {{"a", "wall", {}, {}},    {"b", "still", {}, {}},
                        {"c", "outflow", {}, {}}, {"d", "dirichlet", {values("rho", {"3*x"}), values("v", {"v[1]", "0"})}, {}},
                        {"e", "exact", {}, {}},   {"f", "inflow", {values("rho", {"7"}), values("m", {"1", "0"})}, {}}};
  const PhysicsFunction function = EquationSystem(problem, 2).boundary_state(precision);
  EXPECT_TRUE(function.uses_position);
  EXPECT_TRUE(function.uses_time);
  EXPECT_THAT(function.code, AllOf(HasSubstr("case 0:"), HasSubstr("case 5:"), HasSubstr("default:")));
  EXPECT_THAT(function.code, HasSubstr("case 2: {\n      qp[0] = q[0];\n      qp[1] = q[1];\n      qp[2] = q[2];\n"));
  EXPECT_THAT(function.code, HasSubstr("case 5: {\n      qp[0] = REALV(7.0);\n      qp[1] = REALV(1.0);\n      qp[2] = REALV(0.0);\n"));
}

/// u carried along by a wind with a default for every dimension; `name` is how the file declares it.
EquationDefinition wind(const std::string& name) {
  EquationDefinition wind;
  wind.name = "wind";
  wind.dimensions = {1, 2, 3};
  wind.parameters = {values(name, {"2", "3", "4"})};
  wind.state = formula("u", 2);
  wind.flux = {{"u", formula("a[j]*u", 3)}};
  wind.wave_speeds = {{"largest", formula("abs(a[j]*n[j])", 4)}};
  return wind;
}

TEST(EquationSystem, of_three_values_of_a_vector_parameter_the_first_ones_count) {
  for (const std::string name : {"a", "a[i]"}) {
    for (const int dimension : {1, 2, 3}) {
      Problem problem = problem_of(wind(name));
      problem.parameters = {values("a", {"5", "6", "7"})};
      Problem short_problem = problem_of(wind(name));
      short_problem.parameters = {values("a", {"5", "6", "7"})};
      short_problem.parameters[0].components.resize(static_cast<std::size_t>(dimension));
      const std::string code = EquationSystem(problem, dimension).flux_along(precision).code;
      EXPECT_THAT(code, HasSubstr("5.0"));
      EXPECT_EQ(code.find("7.0") != std::string::npos, dimension == 3);
      EXPECT_EQ(code, EquationSystem(short_problem, dimension).flux_along(precision).code);
    }
  }
}

TEST(EquationSystem, other_numbers_of_values_of_a_vector_parameter_are_faults) {
  const auto message_with = [](const std::string& name, const std::vector<std::string>& texts, int dimension) {
    Problem problem = problem_of(wind(name));
    problem.parameters = {values("a", texts)};
    return message_of(problem, dimension);
  };
  EXPECT_THAT(message_with("a", {"1", "2"}, 1),
              HasSubstr("parameters.a: 'a' has 1 component here (or 3, of which the first count), 2 given"));
  EXPECT_THAT(message_with("a[i]", {"1", "2", "3", "4"}, 2),
              HasSubstr("'a' has 2 components here (or 3, of which the first count), 4 given"));
  EXPECT_THAT(message_with("a", {"1", "2"}, 3), HasSubstr("'a' has 3 components here, 2 given"));
  EXPECT_THAT(message_with("a[i:2]", {"1", "2"}, 2), HasSubstr("parameters.a[i:2]: 'a' has 2 components here, 3 given"));
}

TEST(EquationSystem, problem_source_adds_to_that_of_the_equations) {
  EquationDefinition definition = gas();
  definition.source = {{"m[i]", formula("-0.5*m[i]", 18)}};
  Problem problem = problem_of(definition);
  problem.source = {values("m", {"x*rho", "0"})};
  const EquationSystem system(problem, 2);
  EXPECT_TRUE(system.has_source());
  EXPECT_THAT(system.source(precision).code, AllOf(HasSubstr("s[0] = REALV(0.0)"), HasSubstr("s[1] = FMA(REALV(-0.5), q[1], x[0] * q[0])"),
                                                   HasSubstr("s[2] = -0.5 * q[2]")));
}

TEST(EquationSystem, single_precision_prints_single_literals) {
  EXPECT_THAT(EquationSystem(problem_of(gas()), 2).flux_along(Precision::single_precision).code, HasSubstr("4.0f * q[0]"));
}

TEST(EquationSystem, fields_are_names_or_expressions) {
  const EquationSystem system(problem_of(gas()), 2);
  const std::vector<FieldSpec> fields{{"velocity", {}, {}}, {"m_y", {}, {}}, {"p", {}, {}}, {"flow", {{"rho*v[1]", {}}, {"x", {}}}, {}}};
  const std::vector<Quantity> quantities = system.resolve_fields(fields);
  ASSERT_EQ(quantities.size(), 4U);
  EXPECT_THAT(quantities[0].component_names, ElementsAre("velocity_x", "velocity_y"));
  EXPECT_EQ(quantities[0].kind, Quantity::Kind::vector);
  EXPECT_EQ(quantities[2].kind, Quantity::Kind::scalar);
  EXPECT_THAT(quantities[3].component_names, ElementsAre("flow_x", "flow_y"));
  const PhysicsFunction function = system.fields(fields, precision);
  EXPECT_EQ(function.outputs, 6);
  EXPECT_TRUE(function.uses_position);
  EXPECT_THAT(function.code, HasSubstr("out[2] = q[2];\n  out[3] = 4.0 * q[0];\n"));
  try {
    static_cast<void>(system.resolve_fields({{"velocty", {}, {"run.yaml", 3, 4}}}));
    FAIL();
  } catch (const EquationError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("run.yaml:3:4"), HasSubstr("did you mean 'velocity'?")));
  }
}

TEST(EquationSystem, components_may_be_given_by_their_names) {
  Problem problem = problem_of(gas());
  problem.initial = {values("m_y", {"2"}), values("rho", {"1"}), values("m_x", {"3"})};
  EXPECT_THAT(EquationSystem(problem, 2).initial(precision).code,
              HasSubstr("q[0] = REALV(1.0);\n  q[1] = REALV(3.0);\n  q[2] = REALV(2.0);"));
}

TEST(EquationSystem, largest_wave_speed_alone_serves_every_generic_flux) {
  EquationDefinition definition = gas();
  definition.wave_speeds = {{"largest", formula("abs(v[j]*n[j]) + c", 9)}};
  for (const std::string flux : {"central", "rusanov", "hll"}) {
    Problem problem = problem_of(definition);
    problem.flux = flux;
    EXPECT_EQ(message_of(problem), "") << flux;
  }
}

TEST(EquationSystem, waves_that_stand_still_have_every_generic_flux) {
  EquationDefinition definition;
  definition.name = "still";
  definition.state = formula("u", 1);
  definition.flux = {{"u", formula("0*u*delta[1,j]", 2)}};
  definition.wave_speeds = {{"slowest", formula("0", 3)}, {"fastest", formula("0", 4)}};
  Problem problem = problem_of(definition);
  problem.flux = "hll";
  EXPECT_EQ(message_of(problem), "");
}

TEST(EquationSystem, gradients_stand_behind_the_state_and_are_the_rates_of_functions_of_their_own) {
  EquationDefinition definition = gas();
  add_viscosity(definition);
  definition.boundary_conditions[0].entries.push_back({"dv[i,j]", formula("2*dv[i,j]", 33)});
  Problem problem = problem_of(definition);
  problem.flux = "central";
  problem.boundaries = {{"left", "wall", {}, {}}, {"right", "outflow", {}, {}}};
  const EquationSystem system(problem, 2);
  EXPECT_EQ(system.gradient_count(), 4);
  EXPECT_EQ(EquationSystem(problem_of(gas()), 2).gradient_count(), 0);
  // q: rho, m_x, m_y, then dv_xx, dv_xy, dv_yx, dv_yy.
  EXPECT_THAT(system.flux_along(precision).code, AllOf(HasSubstr("q[3]"), HasSubstr("q[6]"), Not(HasSubstr("q[7]"))));
  const PhysicsFunction along = system.gradient_flux_along(precision), flux = system.gradient_numerical_flux(precision);
  EXPECT_EQ(along.outputs, 4);
  EXPECT_EQ(flux.outputs, 4);
  EXPECT_THAT(along.code, AllOf(HasSubstr("f[3] = "), HasSubstr("a[1]"), Not(HasSubstr("q[3]"))));
  EXPECT_THAT(system.boundary_state(precision).code, AllOf(HasSubstr("qp[3] = 2.0 * q[3]"), HasSubstr("qp[6] = q[6]")));
  EXPECT_THAT(system.gradient_boundary_state(precision).code, AllOf(HasSubstr("qp[2] = "), Not(HasSubstr("qp[3]"))));
  EXPECT_THAT(system.diffusivity(precision).code, HasSubstr("physics_diffusivity"));
}

TEST(EquationFaults, all_are_reported_at_once_with_place_path_and_advice) {
  EquationDefinition definition = gas();
  definition.definitions[0].formula = formula("m[i]/roh", 5);
  definition.flux[1].formula = formula("m[i]*v[j] + p", 8);
  definition.wave_speeds[0].formula = formula("c/0 - v[j]*n[j]", 9);
  definition.boundary_conditions[0].entries[0].formula = formula("sqr(rho", 14);
  const std::string message = message_of(problem_of(definition));
  EXPECT_THAT(message, AllOf(HasSubstr("gas.yaml:5:10: definitions.v[i]: unknown name 'roh'; did you mean 'rho'?"),
                             HasSubstr("gas.yaml:9:7: wave_speeds.slowest: division by zero"),
                             HasSubstr("gas.yaml:14:8: boundary_conditions.wall.rho: '(' is never closed")));
  EXPECT_THAT(message, HasSubstr("    m[i]/roh\n         ^"));
}

struct FaultCase {
  const char* name;
  void (*spoil)(Problem&);
  const char* message;
};

void PrintTo(const FaultCase& it, std::ostream* out) { *out << it.name; }

class EveryEquationFault : public testing::TestWithParam<FaultCase> {};

TEST_P(EveryEquationFault, ends_in_one_message) {
  Problem problem = problem_of(gas());
  GetParam().spoil(problem);
  const std::string message = message_of(problem);
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, EveryEquationFault,
    testing::Values(
        FaultCase{"gradient_index",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.gradients[0].target = "dv";
                  },
                  "gas.yaml:30:5: gradients.dv: the last index of 'dv' is the derivative's, so it runs over space: e.g. dv[j]"},
        FaultCase{"gradient_name",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.gradients[0].target = "p[i,j]";
                  },
                  "gradients.p: the name 'p' has another meaning"},
        FaultCase{"gradient_formula",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.gradients[0].formula.text = "u[i]";
                  },
                  "gradients.dv[i,j]: unknown name 'u'"},
        FaultCase{"gradient_elsewhere",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.fields.push_back({"shear", {"dv[1,1]", {"gas.yaml", 40, 5}}});
                  },
                  "gradients are known in viscous fluxes and boundary conditions only"},
        FaultCase{"viscous_variable",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.viscous_flux[0].target = "M[i]";
                  },
                  "viscous_flux.M: 'M' is not a variable here; did you mean 'm'?"},
        FaultCase{"viscous_direction",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.viscous_flux[0].formula.text = "0.1*dv[i,1]";
                  },
                  "viscous_flux.m[i]: "},
        FaultCase{"diffusivity_missing",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.diffusivity.reset();
                  },
                  "diffusivity: missing: gradients, viscous_flux and diffusivity belong together"},
        FaultCase{"viscous_flux_missing",
                  [](Problem& p) {
                    add_viscosity(p.equations);
                    p.equations.viscous_flux.clear();
                  },
                  "viscous_flux: missing: gradients, viscous_flux and diffusivity belong together"},
        FaultCase{"flux_name", [](Problem& p) { p.flux = "rusanof"; },
                  "no numerical flux 'rusanof'; did you mean 'rusanov'?; allowed: central, rusanov, hll"},
        FaultCase{"condition_name",
                  [](Problem& p) {
                    p.boundaries = {{"left", "wal", {}, {"run.yaml", 2, 3}}};
                  },
                  "run.yaml:2:3: boundaries.left: 'gas' has no boundary condition 'wal'; did you mean 'wall'?"},
        FaultCase{"exact_missing",
                  [](Problem& p) {
                    p.boundaries = {{"left", "exact", {}, {}}};
                  },
                  "the section `exact` is missing"},
        FaultCase{"dirichlet_empty",
                  [](Problem& p) {
                    p.boundaries = {{"left", "dirichlet", {}, {}}};
                  },
                  "no value for rho, m_x, m_y"},
        FaultCase{"parameter_name", [](Problem& p) { p.parameters = {values("d", {"1"})}; }, "'gas' has no parameter 'd'"},
        FaultCase{"parameter_count",
                  [](Problem& p) {
                    p.parameters = {values("c", {"1", "2"})};
                  },
                  "'c' has 1 component here, 2 given"},
        FaultCase{"parameter_formula", [](Problem& p) { p.parameters = {values("c", {"2*rho"})}; },
                  "run.yaml:20:10: parameters.c: unknown name 'rho'"},
        FaultCase{"initial_name",
                  [](Problem& p) {
                    p.initial = {values("roh", {"1"}), values("m", {"0", "0"})};
                  },
                  "initial.roh: 'roh' is not a variable of 'gas'; did you mean 'rho'?"},
        FaultCase{"initial_missing", [](Problem& p) { p.initial = {values("rho", {"1"})}; }, "initial: no value for m_x, m_y"},
        FaultCase{"initial_count",
                  [](Problem& p) {
                    p.initial = {values("rho", {"1"}), values("m", {"0", "0", "0"})};
                  },
                  "'m' has 2 components here, 3 given"},
        FaultCase{"initial_twice",
                  [](Problem& p) {
                    p.initial = {values("rho", {"1"}), values("m", {"0", "0"}), values("m_x", {"1"})};
                  },
                  "given twice"},
        FaultCase{"initial_mixed",
                  [](Problem& p) {
                    p.initial = {values("m", {"0", "0"}), values("v", {"0", "0"}), values("rho", {"1"})};
                  },
                  "conserved and primitive variables are mixed"},
        FaultCase{"initial_z",
                  [](Problem& p) {
                    p.initial = {values("rho", {"1 + z"}), values("m", {"0", "0"})};
                  },
                  "'z' is not known here: the problem has 2 space dimensions"},
        FaultCase{"initial_state",
                  [](Problem& p) {
                    p.initial = {values("rho", {"rho"}), values("m", {"0", "0"})};
                  },
                  "unknown name 'rho'"},
        FaultCase{"mode", [](Problem& p) { p.mode = "tm"; }, "unknown mode 'tm'"},
        FaultCase{"dimension", [](Problem& p) { p.equations.dimensions = {3}; }, "'gas' does not exist in dimension 2; its dimensions: 3"},
        FaultCase{"flux_missing", [](Problem& p) { p.equations.flux.pop_back(); }, "flux: 'm[i]' is missing"},
        FaultCase{"flux_target", [](Problem& p) { p.equations.flux[0].target = "mass"; }, "flux.mass: 'mass' is not a variable here"},
        FaultCase{"flux_indices", [](Problem& p) { p.equations.flux[1].target = "m"; },
                  "flux.m: the left side needs the indices of 'm[i]'"},
        FaultCase{"flux_direction",
                  [](Problem& p) {
                    p.equations.flux[1] = {"m[j]", formula("m[j]*v[j]", 8)};
                  },
                  "j is the direction of the flux"},
        FaultCase{"flux_without_direction", [](Problem& p) { p.equations.flux[0].formula.text = "rho"; },
                  "the left side has the free index j"},
        FaultCase{"normal_in_flux", [](Problem& p) { p.equations.flux[0].formula.text = "m[j]*m[i]*n[i]"; },
                  "'n' is not known here: n is the normal of a face"},
        FaultCase{"state_reserved", [](Problem& p) { p.equations.state.text = "rho, m[i], t"; }, "the name 't' has a meaning of its own"},
        FaultCase{"state_twice", [](Problem& p) { p.equations.state.text = "rho, m[i], rho"; }, "'rho' is declared twice"},
        FaultCase{"state_syntax", [](Problem& p) { p.equations.state.text = "rho, m[i"; }, "'[' is never closed"},
        FaultCase{"definition_twice",
                  [](Problem& p) {
                    p.equations.definitions.push_back({"p", formula("1", 6)});
                  },
                  "'p' is defined twice"},
        FaultCase{"definition_of_state",
                  [](Problem& p) {
                    p.equations.definitions.push_back({"rho", formula("1", 6)});
                  },
                  "is a state variable or parameter too"},
        FaultCase{"circular",
                  [](Problem& p) {
                    p.equations.definitions[1].formula.text = "2*q";
                    p.equations.definitions.push_back({"q", formula("p", 6)});
                  },
                  "depends on itself: p -> q -> p"},
        FaultCase{"speeds_missing", [](Problem& p) { p.equations.wave_speeds.pop_back(); },
                  "missing: slowest and fastest, or largest alone"},
        FaultCase{"primitive_unknown", [](Problem& p) { p.equations.primitive->text = "rho, w[i]"; },
                  "'w' is neither a state variable nor a definition"},
        FaultCase{"one_sided",
                  [](Problem& p) {
                    p.equations.numerical_fluxes = {{"mine", {}, {{"", formula("mean(flux) - c*rho", 9)}}, {}}};
                  },
                  "'rho' belongs to one side of the face"},
        FaultCase{"flux_alone",
                  [](Problem& p) {
                    p.equations.numerical_fluxes = {{"mine", {}, {{"", formula("flux", 9)}}, {}}};
                  },
                  "'flux' belongs to one side"},
        FaultCase{"nothing_pasted",
                  [](Problem& p) {
                    p.initial = {values("rho", {"1; } int main() {"}), values("m", {"0", "0"})};
                  },
                  "character ';' has no meaning"}));

TEST(EquationFaults, asymmetric_flux_of_a_symmetric_tensor_is_found) {
  EquationDefinition definition;
  definition.name = "tensor";
  definition.state = formula("s[i,k] symmetric, v[i]", 1);
  definition.flux = {{"s[i,k]", formula("v[i]*delta[j,k]", 2)}, {"v[i]", formula("s[i,j]", 3)}};
  definition.wave_speeds = {{"largest", formula("1", 4)}};
  EXPECT_THAT(message_of(problem_of(definition)), HasSubstr("flux.s[i,k]: 's' is symmetric, but this formula is not"));
  definition.flux[0].formula.text = "v[i]*delta[j,k] + v[k]*delta[i,j]";
  EXPECT_EQ(message_of(problem_of(definition)), "");
}

TEST(EquationFaults, mode_must_keep_its_zero_components_zero) {
  EquationDefinition definition;
  definition.name = "wave";
  definition.modes = {{"half", 2, {"w_y", "w[3]"}}};
  definition.state = formula("w[a:3]", 1);
  definition.flux = {{"w[a]", formula("w[j]*w[a]", 2)}};
  definition.wave_speeds = {{"largest", formula("1", 4)}};
  EXPECT_EQ(message_of(problem_of(definition)), "");
  EXPECT_THAT(EquationSystem(problem_of(definition), 2).component_names(), ElementsAre("w_x"));
  definition.flux[0].formula.text = "w[1]*delta[a,j]";
  EXPECT_THAT(message_of(problem_of(definition)), HasSubstr("component 2 of 'w' is zero in this mode, but this formula changes it"));
}

}  // namespace
}  // namespace dgsolve::solver
