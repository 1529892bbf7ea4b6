// Recording of commands and their replay.
#include "codegen/graph.h"

#include <fmt/format.h>

#include "codegen/backends/hooks.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace backends {

void Recording::add(const Launch& launch) {
  std::vector<LaunchArgument> arguments(launch.arguments.begin(), launch.arguments.end());
  std::vector<std::shared_ptr<const BufferBackend>> alive;
  for (const LaunchArgument& argument : arguments) {
    if (argument.buffer != nullptr) alive.push_back(argument.buffer->shared_from_this());
  }
  const std::scoped_lock lock(mutex_);
  commands_.push_back([kernel = launch.kernel, groups = launch.groups, cost = launch.cost, arguments = std::move(arguments),
                       alive = std::move(alive)](QueueBackend& queue) {
    enqueue(queue, {kernel, groups, arguments, cost});
  });
}

void Recording::add_copy(const BufferBackend& source, BufferBackend& target, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  commands_.push_back([from = source.shared_from_this(), to = target.shared_from_this(), bytes](QueueBackend& queue) {
    if (queue.hooks.recording) return queue.hooks.recording->add_copy(*from, *to, bytes);
    queue.copy(*from, *to, bytes);
  });
}

void Recording::add_fill_zero(BufferBackend& target) {
  const std::scoped_lock lock(mutex_);
  commands_.push_back([to = target.shared_from_this()](QueueBackend& queue) {
    if (queue.hooks.recording) return queue.hooks.recording->add_fill_zero(*to);
    queue.fill_zero(*to);
  });
}

}  // namespace backends

struct Graph::State {
  std::shared_ptr<backends::DeviceBackend> device;
  std::shared_ptr<const backends::Recording> recording;
  std::shared_ptr<backends::GraphBackend> driver_graph;

  void enqueue_all(backends::QueueBackend& queue) const {
    for (const auto& command : recording->commands()) command(queue);
  }
};

namespace {

/// Recording of one queue by the calling thread.
class CaptureScope {
 public:
  explicit CaptureScope(backends::QueueBackend& queue, backends::DeviceBackend& device) : queue_(queue), device_(device) {
    std::thread::id nobody;
    if (!device_.capturing_thread.compare_exchange_strong(nobody, std::this_thread::get_id()))
      throw DeviceError(fmt::format("a graph is already being captured on {}", device_.facts().selector));
    queue_.hooks.recording = std::make_shared<backends::Recording>();
  }
  ~CaptureScope() {
    queue_.hooks.recording = nullptr;
    device_.capturing_thread = std::thread::id();
  }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;

 private:
  backends::QueueBackend& queue_;
  backends::DeviceBackend& device_;
};

}  // namespace

Graph capture_graph(Queue& queue, const std::function<void()>& work) {
  auto state = std::make_shared<Graph::State>();
  state->device = queue.backend().device().shared_from_this();
  {
    const CaptureScope scope(queue.backend(), *state->device);
    state->recording = queue.backend().hooks.recording;
    work();
  }
  if (!state->recording->commands().empty())
    state->driver_graph = state->device->make_graph([&](backends::QueueBackend& scratch) { state->enqueue_all(scratch); });
  return Graph(std::move(state));
}

void Graph::launch(Queue& queue) const {
  if (!state_) throw DeviceError("launch of a graph that was never captured");
  backends::QueueBackend& target = queue.backend();
  if (&target.device() != state_->device.get()) {
    throw DeviceError(
        fmt::format("a graph of {} was launched on a queue of {}", state_->device->facts().selector, target.device().facts().selector));
  }
  if (state_->driver_graph && !target.hooks.any()) return state_->driver_graph->launch(target);
  state_->enqueue_all(target);
}

std::size_t Graph::command_count() const { return state_ ? state_->recording->commands().size() : 0; }
bool Graph::is_driver_graph() const { return state_ && state_->driver_graph; }

}  // namespace dgsolve::codegen
