// How the program meets the other processes of its job, and leaves with them.
#include "cli/ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/launchers.h"
#include "cli/stop_signals.h"
#include "io/hdf5.h"

namespace dgsolve::cli {
namespace {

/// Time for rank 0 to speak and end all, also on a machine with too few cores for its ranks.
constexpr std::chrono::milliseconds wait_for_root{3000};

}  // namespace

mesh::Communicator launched_ranks() {
  if (!is_launched()) return {};
  io::prepare_hdf5();
  return mesh::Communicator::world();
}

void check_launcher(const mesh::Communicator& ranks) {
  const auto mismatch = launcher_mismatch(ranks.size());
  if (!mismatch) return;
  if (!ranks.alone() || mismatch->rank == 0) throw CommandLineError(mismatch->message);
  unblock_stop_signals();  // by which the launcher ends a process that waits here
  std::this_thread::sleep_for(wait_for_root);
  throw CommandLineError(fmt::format("process {}: mismatched MPI, as process 0 says", mismatch->rank));
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
