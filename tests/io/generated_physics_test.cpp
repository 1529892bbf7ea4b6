// Generated physics functions run as kernels on every device and give what the host evaluator of the expressions gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/device_fixture.h"
#include "tests/io/shipped_systems.h"

namespace dgsolve::io {
namespace {

using codegen::Precision;

constexpr int group_count = 8;

struct Variant {
  Precision precision;
  int width;
  double tolerance;
};

/// One field of every name that the system has.
std::vector<solver::FieldSpec> all_fields(const solver::Problem& problem) {
  std::vector<solver::FieldSpec> fields;
  for (const auto& entry : problem.equations.fields) fields.push_back({entry.target.substr(0, entry.target.find('[')), {}, {}});
  return fields;
}

/// Every function and operator of the language in one equation.
solver::Problem functions_problem() {
  solver::Problem problem;
  problem.equations.name = "functions";
  problem.equations.state = {"u, w", {}};
  problem.equations.flux = {{"u", {"0*u*delta[1,j]", {}}}, {"w", {"0*w*delta[1,j]", {}}}};
  problem.equations.wave_speeds = {{"largest", {"1", {}}}};
  for (const char* text : {"sqrt(abs(u))",
                           "exp(u)",
                           "log(u^2 + 0.1)",
                           "log10(u^2 + 0.1)",
                           "pow(abs(u) + 0.1, w)",
                           "u^3",
                           "(u^2 + 1)^1.5",
                           "sin(u)",
                           "cos(u)",
                           "tan(u)",
                           "asin(0.9*u)",
                           "acos(0.9*u)",
                           "atan(u)",
                           "atan2(u, w)",
                           "sinh(u)",
                           "cosh(u)",
                           "tanh(u)",
                           "abs(u)",
                           "sign(u)",
                           "min(u, w, 0)",
                           "max(u, w, 0)",
                           "floor(5*u)",
                           "if(u > 0 && w > 0 || !(u < w), u, w + 2)",
                           "if(u >= w, 1, 2) + if(u <= 0, 3, 4) + if(u != 0, 5, 6) + if(w == 0, 7, 8)",
                           "t*u + sin(t)",
                           "x[1]*u/(w^2 + 1) + x[1]/(w^2 + 1)"}) {
    problem.equations.fields.push_back({fmt::format("f{}", problem.equations.fields.size()), {text, {}}});
  }
  return problem;
}

/// Calls every function once per lane: in [group][qm, qp, n, x][W], out [group][results][W].
codegen::KernelSpec make_spec(const solver::EquationSystem& system, const solver::Problem& problem, const Variant& variant, int& results) {
  const auto fields = all_fields(problem);
  const std::vector<solver::PhysicsFunction> functions{system.flux_along(variant.precision),     system.numerical_flux(variant.precision),
                                                       system.max_wave_speed(variant.precision), system.source(variant.precision),
                                                       system.admissible(variant.precision),     system.boundary_state(variant.precision),
                                                       system.fields(fields, variant.precision)};
  std::string physics;
  for (const auto& function : functions) physics += function.code;
  const int count = system.variable_count();
  const int components = functions.back().outputs;
  const int conditions = static_cast<int>(problem.boundaries.size());
  results = 3 * count + 2 + conditions * count + components;
  codegen::KernelSpec spec;
  spec.name = "physics_probe";
  spec.source_name = "physics_probe.kernel.h";
  spec.source = R"(
#define NVAR ${NVAR}
#define DIM ${DIM}
#include "physics"
${signature} {
  realv q[2 * NVAR + 2 * DIM];
  realv r[${RESULTS}];
  GLOBAL const real* mine = given + GROUP_ID(0) * (2 * NVAR + 2 * DIM) * VECTOR_WIDTH;
  for (int k = 0; k < 2 * NVAR + 2 * DIM; ++k) q[k] = VLOAD(mine + k * VECTOR_WIDTH);
  const realv* n = q + 2 * NVAR;
  const realv* x = n + DIM;
  physics_flux_along(q, n, x, time, r);
  physics_numerical_flux(q, q + NVAR, n, x, time, r + NVAR);
  physics_source(q, x, time, r + 2 * NVAR);
  r[3 * NVAR] = physics_max_wave_speed(q, n, x, time);
  r[3 * NVAR + 1] = physics_admissible(q, x, time);
  for (int c = 0; c < ${CONDITIONS}; ++c) physics_boundary_state(c, q, n, x, time, r + 3 * NVAR + 2 + c * NVAR);
  physics_fields(q, x, time, r + 3 * NVAR + 2 + ${CONDITIONS} * NVAR);
  for (int k = 0; k < ${RESULTS}; ++k) VSTORE(r[k], found + (GROUP_ID(0) * ${RESULTS} + k) * VECTOR_WIDTH);
}
)";
  spec.constants = {{"NVAR", std::int64_t{count}},
                    {"DIM", std::int64_t{system.dimension()}},
                    {"CONDITIONS", std::int64_t{conditions}},
                    {"RESULTS", std::int64_t{results + 1}}};
  spec.includes["physics"] = physics;
  spec.arguments = {{"given", codegen::ArgumentType::real_buffer, codegen::Intent::in, "[group][value][W]"},
                    {"found", codegen::ArgumentType::real_buffer, codegen::Intent::out, "[group][result][W]"},
                    {"time", codegen::ArgumentType::real, codegen::Intent::in, ""}};
  spec.precision = variant.precision;
  spec.vector_width = variant.width;
  return spec;
}

/// The same results on the host, from the graphs.
class HostProbe {
 public:
  HostProbe(const solver::Problem& problem, int dimension)
      : system_(problem, dimension),
        flux_(system_.flux_along()),
        numerical_(system_.numerical_flux(problem.flux)),
        speed_(system_.max_wave_speed()),
        source_(solver::build_source(system_.model, faults_)),
        admissible_(solver::build_admissible(system_.model, faults_)),
        fields_(solver::build_fields(system_.model, all_fields(problem), quantities_, faults_)) {
    for (const auto& boundary : problem.boundaries) conditions_.push_back(system_.boundary(boundary.condition));
  }
  std::vector<double> operator()(const Vector& qm, const Vector& qp, const Vector& n, const Vector& x, double t) {
    const std::map<std::string, Vector> arrays{{"q", qm}, {"qm", qm}, {"qp", qp}, {"n", n}, {"a", n}, {"x", x}, {"t", Vector{{t}}}};
    std::vector<double> result;
    for (HostFunction* function : {&flux_, &numerical_, &source_, &speed_, &admissible_}) append(*function, arrays, result);
    for (HostFunction& condition : conditions_) append(condition, arrays, result);
    append(fields_, arrays, result);
    return result;
  }
  int count() const { return system_.model.state.count; }

 private:
  static void append(HostFunction& function, const std::map<std::string, Vector>& arrays, std::vector<double>& result) {
    const Vector values = function(arrays);
    result.insert(result.end(), values.begin(), values.end());
  }
  solver::EquationFaults faults_;
  std::vector<solver::Quantity> quantities_;
  HostSystem system_;
  HostFunction flux_, numerical_, speed_, source_, admissible_, fields_;
  std::vector<HostFunction> conditions_;
};

class PhysicsOnDevice : public codegen::EveryDevice {
 protected:
  template <class Real>
  void expect_same(const codegen::Kernel& kernel, const SystemCase& it, const solver::Problem& problem, const Variant& variant,
                   int results) {
    HostProbe host(problem, it.dimension);
    RandomStates states(it, 5);
    const auto width = static_cast<std::size_t>(variant.width);
    const auto given_count = static_cast<std::size_t>(2 * host.count() + 2 * it.dimension);
    const auto result_count = static_cast<std::size_t>(results + 1);
    std::vector<Real> given(group_count * given_count * width);
    std::vector<std::vector<double>> expected;
    const double time = 0.75;
    for (std::size_t item = 0; item < group_count * width; ++item) {
      Vector all(static_cast<Eigen::Index>(given_count));
      const Vector x = Vector::Constant(it.dimension, states.uniform(-1, 1));
      all << states.state(host.count()), states.state(host.count()), states.unit(), x;
      for (std::size_t k = 0; k < given_count; ++k) {
        const Real rounded = static_cast<Real>(all(static_cast<Eigen::Index>(k)));
        given[((item / width) * given_count + k) * width + item % width] = rounded;
        all(static_cast<Eigen::Index>(k)) = static_cast<double>(rounded);
      }
      const Eigen::Index count = host.count();
      expected.push_back(
          host(all.head(count), all.segment(count, count), all.segment(2 * count, it.dimension), all.tail(it.dimension), time));
    }
    const codegen::Buffer given_buffer = buffer_with(given);
    const codegen::Buffer found_buffer = buffer_with(std::vector<Real>(group_count * result_count * width));
    kernel.launch(queue_, group_count, {&given_buffer, &found_buffer, time});
    const std::vector<Real> found = values_of<Real>(found_buffer);
    for (std::size_t item = 0; item < expected.size(); ++item) {
      for (std::size_t k = 0; k < expected[item].size(); ++k) {
        const double value = static_cast<double>(found[((item / width) * result_count + k) * width + item % width]);
        ASSERT_NEAR(value, expected[item][k], variant.tolerance * (1 + std::abs(expected[item][k]))) << "result " << k;
      }
    }
  }

  /// Every numerical flux of the system in the largest dimension, each with another precision or width.
  void run(const SystemCase& it) {
    std::vector<Variant> variants{{Precision::single_precision, 1, 2e-4}, {Precision::single_precision, 4, 2e-4}};
    if (device_.facts().has_double) {
      variants.push_back({Precision::double_precision, 1, 1e-12});
      variants.push_back({Precision::double_precision, 4, 1e-12});
    }
    std::vector<std::string> fluxes = solver::flux_names(shipped_definition(it.name));
    std::vector<codegen::KernelSpec> specs;
    std::vector<solver::Problem> problems;
    std::vector<int> results;
    for (std::size_t k = 0; k < variants.size(); ++k) {
      problems.push_back(problem_of(it, fluxes[k % fluxes.size()]));
      const solver::EquationSystem system(problems.back(), it.dimension);
      specs.push_back(make_spec(system, problems.back(), variants[k], results.emplace_back()));
    }
    const std::vector<codegen::Kernel> kernels = codegen::build_kernels(device_, specs, nullptr);
    for (std::size_t k = 0; k < variants.size(); ++k) {
      SCOPED_TRACE(fmt::format("{} {}D {}, {} bits, width {}", it.name, it.dimension, problems[k].flux,
                               variants[k].precision == Precision::double_precision ? 64 : 32, variants[k].width));
      if (variants[k].precision == Precision::double_precision) {
        expect_same<double>(kernels[k], it, problems[k], variants[k], results[k]);
      } else {
        expect_same<float>(kernels[k], it, problems[k], variants[k], results[k]);
      }
    }
  }
};

TEST_P(PhysicsOnDevice, scalar_laws_equal_the_host) {
  run({"advection", 3, ""});
  run({"burgers", 2, ""});
}
TEST_P(PhysicsOnDevice, acoustics_equals_the_host) { run({"acoustics", 3, ""}); }
TEST_P(PhysicsOnDevice, maxwell_equals_the_host) {
  run({"maxwell", 3, "3d"});
  run({"maxwell", 2, "te"});
}
TEST_P(PhysicsOnDevice, euler_equals_the_host) { run({"euler", 3, ""}); }
TEST_P(PhysicsOnDevice, shallow_water_equals_the_host) { run({"shallow_water", 2, ""}); }
TEST_P(PhysicsOnDevice, elasticity_equals_the_host) { run({"elasticity", 3, ""}); }

TEST_P(PhysicsOnDevice, all_functions_of_the_language_equal_the_host) {
  const solver::Problem problem = functions_problem();
  const SystemCase it{"functions", 1, ""};
  for (const Variant& variant : {Variant{Precision::double_precision, 1, 1e-12}, Variant{Precision::double_precision, 4, 1e-12},
                                 Variant{Precision::single_precision, 4, 2e-5}}) {
    if (variant.precision == Precision::double_precision && !device_.facts().has_double) continue;
    SCOPED_TRACE(variant.width);
    int results = 0;
    const solver::EquationSystem system(problem, 1);
    const std::vector<codegen::KernelSpec> specs{make_spec(system, problem, variant, results)};
    const codegen::Kernel kernel = codegen::build_kernels(device_, specs, nullptr).front();
    if (variant.precision == Precision::double_precision) {
      expect_same<double>(kernel, it, problem, variant, results);
    } else {
      expect_same<float>(kernel, it, problem, variant, results);
    }
  }
}

struct NvrtcCase {
  SystemCase system;
  std::string flux;
  int width;
};

std::vector<NvrtcCase> nvrtc_cases() {
  std::vector<NvrtcCase> cases;
  for (const int width : {1, 4}) {
    cases.push_back({{"advection", 1, ""}, "upwind", width});
    cases.push_back({{"functions", 1, ""}, "central", width});
    cases.push_back({{"euler", 3, ""}, "hllc", width});
    cases.push_back({{"euler", 3, ""}, "roe", width});
    cases.push_back({{"maxwell", 3, "3d"}, "upwind", width});
    cases.push_back({{"elasticity", 3, ""}, "upwind", width});
    cases.push_back({{"shallow_water", 2, ""}, "hll", width});
  }
  return cases;
}

void PrintTo(const NvrtcCase& it, std::ostream* out) { *out << it.system.name << " " << it.flux << ", width " << it.width; }

/// Without a GPU: systems through NVRTC.
class PhysicsThroughNvrtc : public testing::TestWithParam<NvrtcCase> {};

TEST_P(PhysicsThroughNvrtc, compiles) {
  const NvrtcCase& it = GetParam();
  const solver::Problem problem = it.system.name == "functions" ? functions_problem() : problem_of(it.system, it.flux);
  const solver::EquationSystem system(problem, it.system.dimension);
  for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
    int results = 0;
    const codegen::KernelSpec spec = make_spec(system, problem, {precision, it.width, 0}, results);
    try {
      EXPECT_FALSE(codegen::compile_cuda_offline(codegen::render(spec, "cuda"), "sm_90").empty());
    } catch (const codegen::CompileError&) {
      throw;
    } catch (const codegen::DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, PhysicsThroughNvrtc, testing::ValuesIn(nvrtc_cases()));

INSTANTIATE_TEST_SUITE_P(Devices, PhysicsOnDevice, testing::Range<std::size_t>(0, codegen::all_devices().size()),
                         codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::io
