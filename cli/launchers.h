// What launchers (mpirun, srun) tell a process by the variables that they set.
#pragma once

#include <optional>
#include <string>

namespace dgsolve::cli {

/// Whether this process was started by a launcher that can be MPI's.
[[nodiscard]] bool is_launched();

/// Two that do not know each other: a launcher that started other processes with this one, and an MPI library that does not see them.
struct LauncherMismatch {
  int rank = 0;  ///< as the launcher numbers its processes
  std::string message;
};

/// `ranks`: as many as the MPI library sees, 1 without it. Nothing if a launcher tells the same number or none tells any. An allocation of
/// a batch system is no launcher: only processes of a job step (srun) have others beside them.
[[nodiscard]] std::optional<LauncherMismatch> launcher_mismatch(int ranks);

}  // namespace dgsolve::cli
