// Graphs: a sequence of launches, recorded once and enqueued again with one call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "codegen/device.h"

namespace dgsolve::codegen {

/// A recorded sequence of kernel launches, device copies and fills: a shared handle that keeps its kernels and buffers alive.
/// CUDA: a driver graph. OpenCL, which has none: the checked launches, replayed in order.
class Graph {
 public:
  struct State;
  Graph() = default;  ///< empty: nothing is recorded
  explicit Graph(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// Enqueues everything. On a queue that is profiled, captured or recorded the commands are enqueued one by one.
  void launch(Queue& queue) const;
  [[nodiscard]] std::size_t command_count() const;
  [[nodiscard]] bool is_driver_graph() const;

 private:
  std::shared_ptr<const State> state_;
};

/// Calls `work` and records what it enqueues on `queue`; nothing runs. Arguments are fixed: scalars by value, buffers by identity.
/// Allocations by this thread and host copies, events and waits on the queue throw DeviceError. One capture at a time per device.
[[nodiscard]] Graph capture_graph(Queue& queue, const std::function<void()>& work);

}  // namespace dgsolve::codegen
