// The ranks of a job: how the program learns of them, and how it ends with them.
#pragma once

#include "cli/exit_status.h"
#include "mesh/communicator.h"

namespace dgsolve::cli {

/// The processes that a launcher (mpirun, srun) started together; this one alone if the environment knows of no launcher.
[[nodiscard]] mesh::Communicator launched_ranks();

/// Throws CommandLineError if a launcher started more processes than the MPI library sees: each would do the whole work, on the same files.
/// The first process says why, the others refer to it.
void check_launcher(const mesh::Communicator& ranks);

/// Says what failed and ends all ranks with its status. What fails on all of them is said once, by rank 0.
[[noreturn]] void end_all(const mesh::Communicator& ranks, const Failure& failure);

}  // namespace dgsolve::cli
