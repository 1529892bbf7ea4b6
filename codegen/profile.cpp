// Sums of timed launches and their table.
#include "codegen/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/backends/hooks.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t most_pending = 4096;

std::string share_text(const ProfileRow& row, const DeviceLimits& limits) {
  const double rate = row.precision == Precision::double_precision ? limits.double_flops_per_s : limits.single_flops_per_s;
  const double memory = limits.copy_bytes_per_s > 0 ? row.bytes / row.seconds / limits.copy_bytes_per_s : 0;
  const double arithmetic = rate > 0 ? row.flops / row.seconds / rate : 0;
  const double larger = std::max(memory, arithmetic);
  return larger > 0 ? fmt::format("{:.1f}% of {}", 100 * larger, memory >= arithmetic ? "copy" : "flops") : "-";
}

std::string rate_text(double amount, double seconds) {
  const double rate = amount / seconds * 1e-9;
  return amount > 0 ? rate < 1 ? fmt::format("{:.3g}", rate) : fmt::format("{:.1f}", rate) : "-";
}

}  // namespace

namespace backends {

void LaunchProfile::add(const Launch& launch, LaunchTiming timing) {
  const std::scoped_lock lock(mutex_);
  pending_.push_back({launch.kernel, std::move(timing), launch.cost});
  if (pending_.size() >= most_pending) take_pending();
}

void LaunchProfile::take_pending() {
  for (const Pending& launch : pending_) {
    const double seconds = std::max(launch.timing.end->seconds_since(*launch.timing.begin), 1e-9);
    ProfileRow& row = rows_[launch.kernel->spec().name];
    row.kernel = launch.kernel->spec().name;
    row.precision = launch.kernel->spec().precision;
    row.shortest = row.calls == 0 ? seconds : std::min(row.shortest, seconds);
    row.seconds += seconds;
    row.bytes += launch.cost.bytes;
    row.flops += launch.cost.flops;
    ++row.calls;
  }
  pending_.clear();
}

std::vector<ProfileRow> LaunchProfile::rows() {
  const std::scoped_lock lock(mutex_);
  take_pending();
  std::vector<ProfileRow> rows;
  for (const auto& [name, row] : rows_) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return rows;
}

}  // namespace backends

void start_profile(Queue& queue) { queue.backend().hooks.profile = std::make_shared<backends::LaunchProfile>(); }

std::vector<ProfileRow> stop_profile(Queue& queue) {
  const auto profile = std::exchange(queue.backend().hooks.profile, nullptr);
  return profile ? profile->rows() : std::vector<ProfileRow>();
}

std::string profile_table(const std::vector<ProfileRow>& rows, const DeviceLimits& limits) {
  double total = 0;
  std::size_t width = 6;
  for (const ProfileRow& row : rows) {
    total += row.seconds;
    width = std::max(width, row.kernel.size());
  }
  std::string text = fmt::format("{:{}} {:>8} {:>10} {:>6} {:>10} {:>10} {:>8} {:>8}  {}\n", "kernel", width, "calls", "total ms", "time",
                                 "mean us", "least us", "GB/s", "GFLOP/s", "share of limit");
  for (const ProfileRow& row : rows) {
    text += fmt::format("{:{}} {:>8} {:>10.3f} {:>5.1f}% {:>10.2f} {:>10.2f} {:>8} {:>8}  {}\n", row.kernel, width, row.calls,
                        row.seconds * 1e3, 100 * row.seconds / total, row.seconds / static_cast<double>(row.calls) * 1e6,
                        row.shortest * 1e6, rate_text(row.bytes, row.seconds), rate_text(row.flops, row.seconds), share_text(row, limits));
  }
  return text + fmt::format("{:{}} {:>8} {:>10.3f}\n", "all", width, "", total * 1e3);
}

}  // namespace dgsolve::codegen
