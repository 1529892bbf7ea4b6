// A thread waits for the signals, which all others block.
#include "cli/stop_signals.h"

#include <signal.h>

#include <array>
#include <ctime>
#include <utility>

namespace dgsolve::cli {
namespace {

struct SignalRow {
  int number;
  const char* name;
};
constexpr std::array<SignalRow, 3> stop_signals{{{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}}};

/// How long it takes the thread at most to see that it is no longer wanted.
constexpr timespec glance{0, 20'000'000};

sigset_t all_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const SignalRow& row : stop_signals) sigaddset(&set, row.number);
  return set;
}

/// Lets the signal do what it does to a process that does not know it.
void end_by(int number) {
  ::signal(number, SIG_DFL);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  ::raise(number);
  ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
}

}  // namespace

void block_stop_signals() {
  const sigset_t set = all_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void unblock_stop_signals() {
  const sigset_t set = all_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

StopSignals::StopSignals(std::function<void(const char*)> first) : first_(std::move(first)), waiting_([this] { wait(); }) {}

StopSignals::~StopSignals() {
  ended_ = true;
  waiting_.join();
}

void StopSignals::wait() {
  const sigset_t set = all_signals();
  while (!ended_) {
    const int number = ::sigtimedwait(&set, nullptr, &glance);
    if (number <= 0) continue;
    int none = 0;
    if (caught_.compare_exchange_strong(none, number)) {
      first_(signal());
    } else if (!held_) {
      end_by(number);
    }
  }
}

const char* StopSignals::signal() const {
  for (const SignalRow& row : stop_signals) {
    if (caught_ == row.number) return row.name;
  }
  return nullptr;
}

}  // namespace dgsolve::cli
