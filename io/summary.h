// The summary of a run, as summary.json and --json write it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cache.h"
#include "io/json.h"
#include "solver/dg_operator.h"

namespace dgsolve::io {

enum class RunStatus { done, diverged, failed, stopped };

struct Summary {
  RunStatus status = RunStatus::done;
  std::int64_t steps = 0;
  double time = 0;  ///< simulated time reached
  std::int64_t dofs = 0;
  std::int64_t elements = 0;
  std::vector<solver::ErrorNorms> errors;  ///< empty: no exact solution
  double wall_s = 0;                       ///< the time loop
  double setup_s = 0;                      ///< everything before it
  double compile_s = 0;                    ///< the part of it that the run-time compiler took
  double gdofs_per_s = 0;                  ///< 1e-9 * dofs * stages / wall_s
  std::string device;
  std::string exchange;          ///< what carried values between ranks; "none" on one rank
  codegen::CacheCounters cache;  ///< of the kernel cache
  std::string checksum;
};

[[nodiscard]] std::string_view to_text(RunStatus status);
/// Fields in the order of the struct; a number that is not finite is null.
[[nodiscard]] Json to_json(const Summary& summary);
/// Writes the file in one step. Throws OutputError.
void write_summary(const std::filesystem::path& file, const Summary& summary);

}  // namespace dgsolve::io
