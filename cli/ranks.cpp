// Launchers are known by the variables that they set.
#include "cli/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/stop_signals.h"
#include "codegen/environment.h"

namespace dgsolve::cli {
namespace {

/// Open MPI, MPICH and Intel MPI, PMIx (also srun --mpi=pmix), srun --mpi=pmi2.
constexpr std::array<const char*, 4> launcher_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_FD"};

/// Time for rank 0 to speak and end all, also on a machine with too few cores for its ranks.
constexpr std::chrono::milliseconds wait_for_root{3000};

}  // namespace

mesh::Communicator launched_ranks() {
  const bool launched = std::any_of(launcher_variables.begin(), launcher_variables.end(),
                                    [](const char* name) { return !codegen::environment_value(name).empty(); });
  return launched ? mesh::Communicator::world() : mesh::Communicator();
}

void end_all(const mesh::Communicator& ranks, const Failure& failure) {
  unblock_stop_signals();  // by which the launcher ends a rank that waits here
  if (!ranks.is_root()) std::this_thread::sleep_for(wait_for_root);
  const std::string who = ranks.is_root() ? std::string() : fmt::format("rank {}: ", ranks.rank());
  std::fputs(("dgsolve: error: " + who + failure.message + "\n").c_str(), stderr);
  std::fflush(stderr);
  ranks.abort(failure.status);
}

}  // namespace dgsolve::cli
