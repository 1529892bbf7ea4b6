// A handler may only set flags; these are the process's, as its signals are.
#include "cli/stop_signals.h"

#include <signal.h>

#include <array>

namespace dgsolve::cli {
namespace {

struct SignalRow {
  int number;
  const char* name;
};
constexpr std::array<SignalRow, 3> stop_signals{{{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}}};

volatile sig_atomic_t caught = 0, held = 0;

/// Lets the signal do what it does to a process that does not know it.
void end_by(int number) {
  ::signal(number, SIG_DFL);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  ::raise(number);
  ::sigprocmask(SIG_UNBLOCK, &own, nullptr);
}

void handle(int number) {
  if (caught != 0 && held == 0) end_by(number);
  if (caught == 0) caught = number;
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const SignalRow& row : stop_signals) ::sigaction(row.number, &action, nullptr);
}

const char* stop_signal() {
  for (const SignalRow& row : stop_signals) {
    if (caught == row.number) return row.name;
  }
  return nullptr;
}

SignalHold::SignalHold() { held = 1; }
SignalHold::~SignalHold() { held = 0; }

}  // namespace dgsolve::cli
