// Signals that ask a run to stop: SIGTERM, SIGINT, SIGUSR1.
#pragma once

namespace dgsolve::cli {

/// From now on the first of them is kept for stop_signal(), and the second ends the process as if nobody caught it.
void catch_stop_signals();

/// Name of the signal that came; null: none.
[[nodiscard]] const char* stop_signal();

/// As long as one of these lives, no signal ends the process: what is being written is finished.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;
};

}  // namespace dgsolve::cli
