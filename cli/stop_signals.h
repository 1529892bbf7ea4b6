// Signals that ask a run to stop: SIGTERM, SIGINT, SIGUSR1.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace dgsolve::cli {

/// To be called before a process has other threads, which inherit it: from then on the signals wait for a StopSignals. Handlers would not
/// do: OpenCL compilers install their own, which remove the compiler's files under way.
void block_stop_signals();
/// For commands that they just end.
void unblock_stop_signals();

/// Takes the signals of this process. The first is kept for signal(), the second ends the process as if nobody had caught it.
class StopSignals {
 public:
  /// `first`: called with the name of the first signal, by another thread.
  explicit StopSignals(std::function<void(const char*)> first);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Name of the signal that came; null: none.
  [[nodiscard]] const char* signal() const;

  /// While one lives, no signal ends the process: what is being written is finished.
  class Hold {
   public:
    explicit Hold(StopSignals& signals) : signals_(signals) { signals_.held_ = true; }
    ~Hold() { signals_.held_ = false; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    StopSignals& signals_;
  };

 private:
  void wait();

  std::function<void(const char*)> first_;
  std::atomic<int> caught_{0};
  std::atomic<bool> held_{false}, ended_{false};
  std::thread waiting_;
};

}  // namespace dgsolve::cli
