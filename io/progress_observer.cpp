// Progress lines.
#include "io/progress_observer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace dgsolve::io {
namespace {

constexpr double live_interval_s = 0.1;
constexpr double shortest_line_interval_s = 2.0;
constexpr double longest_line_interval_s = 60.0;

double fraction_done(const solver::Progress& progress, double start) {
  const double span = progress.end - start;
  return span > 0 ? std::clamp((progress.time - start) / span, 0.0, 1.0) : 1.0;
}

}  // namespace

ProgressStyle progress_style_of(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0 ? ProgressStyle::live : ProgressStyle::lines; }

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 3.6e8) return "?";
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string progress_text(const solver::Progress& progress, double start, std::int64_t dofs) {
  const double done = fraction_done(progress, start);
  const double left_s = done > 0 ? progress.wall_s * (1 - done) / done : std::nan("");
  const double rate = progress.wall_s > 0 ? static_cast<double>(dofs) * static_cast<double>(progress.stages) / progress.wall_s * 1e-9 : 0.0;
  return fmt::format("step {}  t {:.6g}/{:.6g}  dt {:.2e}  {:.1f} %  ETA {}  {:.3g} GDOF/s", progress.step, progress.time, progress.end,
                     progress.dt, 100 * done, duration_text(left_s), rate);
}

void ProgressObserver::observe(const solver::Progress& progress, solver::DgOperator& op) { observe(progress, op.dof_count()); }
void ProgressObserver::finish(const solver::Progress& progress, solver::DgOperator& op) { finish(progress, op.dof_count()); }

void ProgressObserver::observe(const solver::Progress& progress, std::int64_t dofs) {
  if (!start_) start_ = progress.time;
  if (progress.step > 0 && style_ != ProgressStyle::quiet && is_due(progress)) show(progress, dofs);
}

void ProgressObserver::finish(const solver::Progress& progress, std::int64_t dofs) {
  if (style_ == ProgressStyle::quiet) return;
  if (!start_) start_ = progress.time;
  show(progress, dofs);
  break_line();
}

void ProgressObserver::break_line() {
  if (line_open_) fmt::print(stream_, "\n");
  line_open_ = false;
}

bool ProgressObserver::is_due(const solver::Progress& progress) const {
  const double since = progress.wall_s - shown_wall_s_;
  if (style_ == ProgressStyle::live) return since >= live_interval_s;
  const int tenths = static_cast<int>(10 * fraction_done(progress, *start_));
  return since >= longest_line_interval_s || (since >= shortest_line_interval_s && tenths > shown_tenths_);
}

void ProgressObserver::show(const solver::Progress& progress, std::int64_t dofs) {
  const std::string text = progress_text(progress, *start_, dofs);
  if (style_ == ProgressStyle::live) {
    // Back to the line's begin, and away with what a longer line left.
    fmt::print(stream_, "\r{}\x1b[K", text);
    line_open_ = true;
  } else {
    fmt::print(stream_, "{}\n", text);
  }
  std::fflush(stream_);
  shown_wall_s_ = progress.wall_s;
  shown_tenths_ = static_cast<int>(10 * fraction_done(progress, *start_));
}

}  // namespace dgsolve::io
