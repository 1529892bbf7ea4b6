// Tells how a run gets on: one live line on a terminal, sparse lines in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "solver/simulation.h"

namespace dgsolve::io {

enum class ProgressStyle { live, lines, quiet };

/// Live if the stream is a terminal that understands it, else lines.
[[nodiscard]] ProgressStyle progress_style_of(std::FILE* stream);

/// "step 120  t 0.05/1  dt 4.2e-04  5.0 %  ETA 0:12  1.234 GDOF/s"; a DOF counts once per stage. `start`: time at which the run began.
[[nodiscard]] std::string progress_text(const solver::Progress& progress, double start, std::int64_t dofs);
/// Seconds as "0:07", "2:15:03".
[[nodiscard]] std::string duration_text(double seconds);

class ProgressObserver : public solver::Observer {
 public:
  /// `stream` is not owned.
  ProgressObserver(std::FILE* stream, ProgressStyle style) : stream_(stream), style_(style) {}

  [[nodiscard]] double quiet_until(double) const override { return std::numeric_limits<double>::infinity(); }
  void observe(const solver::Progress& progress, solver::DgOperator& op) override;
  void finish(const solver::Progress& progress, solver::DgOperator& op) override;
  /// The same without an operator. `dofs`: degrees of freedom of the whole problem.
  void observe(const solver::Progress& progress, std::int64_t dofs);
  void finish(const solver::Progress& progress, std::int64_t dofs);
  /// Ends a live line, so that other messages start on a line of their own. Call it before printing a fault.
  void break_line();

 private:
  [[nodiscard]] bool is_due(const solver::Progress& progress) const;
  void show(const solver::Progress& progress, std::int64_t dofs);

  std::FILE* stream_;
  ProgressStyle style_;
  std::optional<double> start_;
  double shown_wall_s_ = 0;
  int shown_tenths_ = 0;
  bool line_open_ = false;
};

}  // namespace dgsolve::io
