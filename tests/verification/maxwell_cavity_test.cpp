// Light in a perfectly conducting unit cube: mode (1, 1, 0) oscillates with the angular frequency pi sqrt(2) (Jackson 1999, Classical
// Electrodynamics, section 8.7), its energy stays with the central flux and decays with upwind.
#include <numbers>

#include "tests/verification/discrete_problem.h"

namespace dgsolve::verification {
namespace {

constexpr double frequency = std::numbers::pi * std::numbers::sqrt2;

std::string cavity(const std::string& shape, const std::string& flux) {
  return fmt::format(R"(
equations: maxwell
mesh: {{box: {{cells: {}, shape: {}}}}}
boundaries: {{left: perfect_conductor, right: perfect_conductor, bottom: perfect_conductor, top: perfect_conductor,
             front: perfect_conductor, back: perfect_conductor}}
initial:
  E: ["0", "0", sin(pi*x)*sin(pi*y)]
  H: [0, 0, 0]
exact:
  E: ["0", "0", sin(pi*x)*sin(pi*y)*cos(pi*sqrt(2)*t)]
  H: [-sin(pi*x)*cos(pi*y)*sin(pi*sqrt(2)*t)/sqrt(2), cos(pi*x)*sin(pi*y)*sin(pi*sqrt(2)*t)/sqrt(2), "0"]
order: 4
flux: {}
time: {{end: 1}}
)",
                     shape == "hex" ? "[3, 3, 3]" : "[2, 2, 2]", shape, flux);
}

class MaxwellCavity : public codegen::EveryDevice {
 protected:
  struct Record {
    std::vector<double> zeros;   ///< times at which E_z at the probe changes sign
    std::vector<double> energy;  ///< every step
  };

  /// Half the squared norm of the state in the mass matrix of the scheme: epsilon = mu = 1. All cells have the same volume.
  static double energy(DiscreteProblem& problem) {
    const std::vector<double> state = problem.op->state();
    const solver::ReferenceElement& element = problem.op->element();
    const Eigen::Index nodes = element.node_count;
    const Eigen::Map<const Eigen::MatrixXd> values(state.data(), nodes, static_cast<Eigen::Index>(state.size()) / nodes);
    const double volume = 1 / static_cast<double>(problem.mesh->cell_count());
    return 0.5 * (values.array() * (element.mass * values).array()).sum() * volume / element.mass.sum();
  }

  /// Two periods. The probe lies off the centre, on no node.
  static Record observe(DiscreteProblem& problem) {
    const auto place = problem.op->locate({0.4, 0.55, 0.3});
    const auto variables = static_cast<std::size_t>(problem.op->system().variable_count());
    const std::size_t nodes = place->weights.size();
    const auto probe = [&] {
      const std::vector<double> state = problem.op->state();
      const std::size_t first = (static_cast<std::size_t>(place->cell) * variables + 2) * nodes;
      double value = 0;
      for (std::size_t i = 0; i < nodes; ++i) value += place->weights[i] * state[first + i];
      return value;
    };
    Record record;
    std::vector<double> times{0}, values{probe()};
    const double dt = 0.5 * problem.op->stable_step(0);
    while (times.back() < 4 * std::numbers::pi / frequency) {
      record.energy.push_back(energy(problem));
      problem.op->step(times.back(), dt);
      times.push_back(times.back() + dt);
      values.push_back(probe());
    }
    for (std::size_t k = 1; k < values.size(); ++k) {
      if (values[k - 1] * values[k] >= 0) continue;
      record.zeros.push_back(times[k - 1] + dt * values[k - 1] / (values[k - 1] - values[k]));
    }
    return record;
  }

  void run(const std::string& shape, double frequency_tolerance) {
    DiscreteProblem central(cavity(shape, "central"), device_);
    const Record kept = observe(central);
    ASSERT_EQ(kept.zeros.size(), 4U);
    EXPECT_NEAR(3 * std::numbers::pi / (kept.zeros.back() - kept.zeros.front()), frequency, frequency_tolerance * frequency);
    const auto [least, most] = std::minmax_element(kept.energy.begin(), kept.energy.end());
    EXPECT_LT((*most - *least) / *most, 1e-7) << "what the Runge-Kutta method loses";

    DiscreteProblem upwind(cavity(shape, "upwind"), device_);
    const Record decayed = observe(upwind);
    ASSERT_EQ(decayed.zeros.size(), 4U);
    EXPECT_NEAR(3 * std::numbers::pi / (decayed.zeros.back() - decayed.zeros.front()), frequency, frequency_tolerance * frequency);
    for (std::size_t k = 1; k < decayed.energy.size(); ++k) EXPECT_LT(decayed.energy[k], decayed.energy[k - 1]) << "step " << k;
    const double central_loss = 1 - kept.energy.back() / kept.energy.front();
    const double upwind_loss = 1 - decayed.energy.back() / decayed.energy.front();
    EXPECT_GT(upwind_loss, 5 * std::abs(central_loss)) << central_loss;
    EXPECT_LT(upwind_loss, 1e-2);
    RecordProperty("central_loss", fmt::format("{:.2e}", central_loss));
    RecordProperty("upwind_loss", fmt::format("{:.2e}", upwind_loss));
    RecordProperty("central_frequency", fmt::format("{:.8f}", 3 * std::numbers::pi / (kept.zeros.back() - kept.zeros.front())));
    RecordProperty("upwind_frequency", fmt::format("{:.8f}", 3 * std::numbers::pi / (decayed.zeros.back() - decayed.zeros.front())));
  }
};

TEST_P(MaxwellCavity, of_hexahedra_sounds_its_mode) { run("hex", 2e-5); }
TEST_P(MaxwellCavity, of_tetrahedra_sounds_its_mode) { run("tet", 2e-4); }

INSTANTIATE_TEST_SUITE_P(Devices, MaxwellCavity, testing::Range<std::size_t>(0, codegen::all_devices().size()), codegen::device_test_name);

}  // namespace
}  // namespace dgsolve::verification
