// What may stand between Kernel::launch and a queue: the recording of a graph, the capture of one launch, the profile.
#pragma once

#include <map>
#include <vector>

#include "codegen/backends/backend.h"
#include "codegen/capture.h"
#include "codegen/profile.h"

namespace dgsolve::codegen::backends {

/// The commands of a graph while it is captured. Keeps the kernels and buffers alive.
class Recording {
 public:
  using Command = std::function<void(QueueBackend&)>;
  void add(const Launch& launch);
  void add_copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes);
  void add_fill_zero(BufferBackend& target);
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }

 private:
  std::mutex mutex_;
  std::vector<Command> commands_;
};

/// Writes the next launch of a kernel to a file.
class LaunchCapture {
 public:
  explicit LaunchCapture(CaptureOptions options) : options_(std::move(options)) {}
  [[nodiscard]] bool wants(const Launch& launch);
  /// Enqueues the launch, reads its buffers before and after it, writes the bundle.
  void run(QueueBackend& queue, const Launch& launch, LaunchTiming* timing);

 private:
  CaptureOptions options_;
  std::mutex mutex_;
  int seen_ = 0;  // launches of the kernel so far
};

/// Sums of timed launches. Events are read when many have gathered or the rows are asked for.
class LaunchProfile {
 public:
  void add(const Launch& launch, LaunchTiming timing);
  [[nodiscard]] std::vector<ProfileRow> rows();

 private:
  struct Pending {
    std::shared_ptr<KernelBackend> kernel;
    LaunchTiming timing;
    KernelCost cost;
  };
  void take_pending();
  std::mutex mutex_;
  std::vector<Pending> pending_;
  std::map<std::string, ProfileRow> rows_;  // by kernel name
};

}  // namespace dgsolve::codegen::backends
