// Automatic tuning: a space of named integer parameters, candidates checked against a reference, then measured on the user's device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// A value for every parameter of a space.
using TuningPoint = std::map<std::string, std::int64_t>;

struct TuningParameter {
  std::string name;
  std::vector<std::int64_t> values;  ///< in the order in which near-ties are resolved
};

/// All combinations of the parameters' values that `allowed` accepts.
struct TuningSpace {
  std::vector<TuningParameter> parameters;
  std::function<bool(const TuningPoint&)> allowed{};  ///< empty: all

  /// In a fixed order: the last parameter varies fastest.
  [[nodiscard]] std::vector<TuningPoint> points() const;
};

/// What is tuned. A repetition of `run` should last long against a launch, and touch more memory than the caches hold.
struct TuningTask {
  std::string name;
  TuningSpace space;
  TuningPoint reference;  ///< the default choice: the plain variant that the others are compared with; need not be in the space
  /// Kernels of a point. Throws std::invalid_argument or DeviceError for a point that the device cannot run: it is pruned.
  std::function<std::vector<KernelSpec>(const TuningPoint&)> specs;
  /// Enqueues one repetition.
  std::function<void(Queue&, const TuningPoint&, std::span<const Kernel>)> run;
  /// Runs the point on non-constant data and returns how far its result is from the reference's (called with the reference first), as a
  /// fraction of the result's size. NaN counts as wrong.
  std::function<double(Queue&, const TuningPoint&, std::span<const Kernel>)> difference;
  double tolerance = 1e-12;
  double bytes = 0;  ///< moved to and from device memory by a repetition, for the table; 0: unknown
  double flops = 0;  ///< likewise
};

enum class CandidateStatus {
  pruned,      ///< the device cannot run it, or the compiler's report makes it hopeless
  wrong,       ///< its result differs from the reference's
  eliminated,  ///< measured, and slower than others in an early round
  measured     ///< measured to the end
};

struct Candidate {
  TuningPoint point;
  CandidateStatus status = CandidateStatus::pruned;
  std::string note;    ///< why it was pruned or is wrong
  double seconds = 0;  ///< median of a repetition, of the last round it was in
};

struct TuningResult {
  TuningPoint best;
  double reference_seconds = 0, best_seconds = 0;  ///< medians of a repetition in the last round
  std::vector<Candidate> candidates;               ///< the reference first, then the space's order
  [[nodiscard]] double gain() const { return best_seconds > 0 ? reference_seconds / best_seconds : 1; }
};

struct TuningOptions {
  double sample_seconds = 0.01;  ///< shortest time of one sample
  int samples = 3;               ///< of each candidate in a round; the last round takes three times as many
  double tie = 0.015;            ///< candidates this near the fastest are equals: the first of them in the fixed order is taken
  /// Compiler reports that prune a candidate: more spilled bytes than the reference's and these.
  int spilled_bytes = 128;
  std::function<void(const std::string&)> progress{};  ///< told one line now and then; may be empty
};

/// Compiles all candidates in parallel, prunes, verifies, warms up, and measures in interleaved order with successive halving. The
/// reference stays in to the end. Throws DeviceError if the reference itself cannot be built or run.
[[nodiscard]] TuningResult tune(const Device& device, Queue& queue, const TuningTask& task, Cache* cache,
                                const TuningOptions& options = {});

/// "elements=2 min_groups=14"
[[nodiscard]] std::string describe(const TuningPoint& point);

/// The table default against tuned: time, GB/s, GFLOP/s, and the fastest candidates. `copy_bandwidth` in bytes/s, 0: unknown.
[[nodiscard]] std::string tuning_table(const TuningTask& task, const TuningResult& result, double copy_bandwidth = 0);

}  // namespace dgsolve::codegen
