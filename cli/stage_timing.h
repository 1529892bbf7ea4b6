// Times the stages of a discretisation and sets the rate against the device's copy bandwidth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"

namespace dgsolve::cli {

/// Bytes that one stage must move at least, per degree of freedom, averaged over the stages of a step.
struct StageTraffic {
  double state = 0;     ///< registers of the integrator that are read or written
  double geometry = 0;  ///< metric terms and connectivity, read once
  [[nodiscard]] double total() const { return state + geometry; }
};

/// From the integrator's rows: u is read and written by every stage, another register only where a coefficient needs it.
[[nodiscard]] double state_bytes_per_dof(const solver::Integrator& method, std::size_t real_bytes);

/// Of a discretisation; geometry and connectivity of this rank's elements.
[[nodiscard]] StageTraffic stage_traffic(const solver::DgOperator& op);

/// What a stage is for one rank.
struct RankTiming {
  std::int64_t elements = 0;
  solver::DgOperator::ExchangeCost exchange;
  /// The part of an exchange that passes while other elements are computed.
  [[nodiscard]] double hidden_s() const { return std::max(0.0, exchange.alone_s - exchange.exposed_s); }
};

struct StageTiming {
  std::int64_t dofs = 0;
  int stages_per_step = 0;
  std::int64_t steps = 0;       ///< in each sample
  std::vector<double> seconds;  ///< of each sample, sorted
  StageTraffic traffic;
  double copy_bandwidth = 0;      ///< bytes/s
  std::vector<RankTiming> ranks;  ///< on rank 0 of several; else empty

  [[nodiscard]] double median_seconds() const { return seconds.at(seconds.size() / 2); }
  [[nodiscard]] double seconds_per_stage() const { return median_seconds() / static_cast<double>(steps * stages_per_step); }
  [[nodiscard]] double gdofs_per_second() const { return static_cast<double>(dofs) / seconds_per_stage() * 1e-9; }
  [[nodiscard]] double bytes_per_second() const { return traffic.total() * gdofs_per_second() * 1e9; }
  /// Mean over largest number of elements of a rank: 1 if all have the same.
  [[nodiscard]] double balance() const;
  [[nodiscard]] double share_of_copy() const { return bytes_per_second() / copy_bandwidth; }
};

/// The size of the first step from the present state; 1 if nothing moves.
[[nodiscard]] double first_step(solver::DgOperator& op, const io::Config& config);

/// Runs steps of the first step's size.
void time_steps(solver::DgOperator& op, const io::Config& config, std::int64_t steps);

/// Warm-up, then five samples of `steps` steps each (none: as many as take about half a second). The initial state must be set.
[[nodiscard]] StageTiming time_stages(solver::DgOperator& op, const io::Config& config, Engine& engine, std::optional<std::int64_t> steps);

}  // namespace dgsolve::cli
