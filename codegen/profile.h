// The per-kernel profile of a queue: calls, device time and, where the launches declare them, bytes and floating-point operations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/device.h"
#include "codegen/device_limits.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// Sums over all launches of one kernel.
struct ProfileRow {
  std::string kernel;
  Precision precision = Precision::double_precision;
  std::int64_t calls = 0;
  double seconds = 0, shortest = 0;  ///< on the device
  double bytes = 0, flops = 0;       ///< 0: not declared
};

/// Times every launch on a queue from now on, by events on the device; the host never waits for a single launch.
/// The queue must be idle in the host's other threads when this is called.
void start_profile(Queue& queue);

/// Waits for the launches and ends the profile: the rows, longest total time first. Empty without start_profile.
[[nodiscard]] std::vector<ProfileRow> stop_profile(Queue& queue);

/// A table: calls, time, share of the time, GB/s, GFLOP/s, and the larger of the shares of the copy bandwidth and of the arithmetic rate.
[[nodiscard]] std::string profile_table(const std::vector<ProfileRow>& rows, const DeviceLimits& limits);

}  // namespace dgsolve::codegen
