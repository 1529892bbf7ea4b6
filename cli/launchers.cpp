// Launchers are known by the variables that they set.
#include "cli/launchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "codegen/environment.h"
#include "mesh/mpi_library.h"

namespace dgsolve::cli {
namespace {

/// Open MPI, MPICH and Intel MPI, PMIx (also srun --mpi=pmix), srun --mpi=pmi2.
constexpr std::array<const char*, 4> launcher_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_FD"};

struct LauncherRow {
  const char* size;
  const char* rank;
  std::string_view who;
  std::string_view without;  ///< options of env for a process that shall be on its own
};

/// Those of MPI first: what they say counts more than the job step around them, in which they may have been started.
constexpr std::array<LauncherRow, 3> launchers{{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun", "-u OMPI_COMM_WORLD_SIZE"},
    {"PMI_SIZE", "PMI_RANK", "mpirun of MPICH, Intel MPI and others, or srun --mpi=pmi2", "-u PMI_SIZE -u PMI_FD"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", "-u SLURM_STEP_NUM_TASKS"},
}};
constexpr const LauncherRow& slurm = launchers.back();

/// The shell of a job (batch, interactive) is a step with a number from here on.
constexpr std::int64_t first_special_step = 4294967280;

/// Nothing if it is not set or no number.
std::optional<std::int64_t> number_of(const char* variable) {
  const std::string text = codegen::environment_value(variable);
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// How many processes a launcher says that it started; nothing if it did not start this one.
std::optional<std::int64_t> size_of(const LauncherRow& launcher) {
  if (&launcher == &slurm && number_of("SLURM_STEP_ID").value_or(first_special_step) >= first_special_step) return std::nullopt;
  return number_of(launcher.size);
}

std::string describe(const LauncherRow& launcher, std::int64_t size, int ranks) {
  return fmt::format(
      "mismatched MPI: the launcher started {} processes ({}={}, set by {}), the MPI library of this program, {}, sees {}: every process "
      "would run the whole problem and write the same files. Start it with the launcher of that library (its own mpirun, or srun with a "
      "--mpi that it supports, see srun --mpi=list), or build the program with the launcher's MPI. For runs that have nothing to do with "
      "each other: env {} dgsolve ...",
      size, launcher.size, size, launcher.who, mesh::mpi_library_name(), ranks, launcher.without);
}

}  // namespace

bool is_launched() {
  return std::any_of(launcher_variables.begin(), launcher_variables.end(),
                     [](const char* name) { return !codegen::environment_value(name).empty(); });
}

std::optional<LauncherMismatch> launcher_mismatch(int ranks) {
  const LauncherRow* other = nullptr;
  for (const LauncherRow& launcher : launchers) {
    // A step counts for a process that has nobody else; it may have been one of a launcher's daemons, or a part of a heterogeneous job.
    if (&launcher == &slurm && (other != nullptr || ranks > 1)) break;
    const auto size = size_of(launcher);
    if (!size) continue;
    if (*size == ranks) return std::nullopt;
    if (other == nullptr) other = &launcher;
  }
  if (other == nullptr) return std::nullopt;
  return LauncherMismatch{static_cast<int>(number_of(other->rank).value_or(0)), describe(*other, *size_of(*other), ranks)};
}

}  // namespace dgsolve::cli
