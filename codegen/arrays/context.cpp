// The state behind a Context: kernels by key, built once.
#include "codegen/arrays/context.h"

#include <map>
#include <mutex>
#include <set>

namespace dgsolve::codegen {

struct Context::State {
  State(Device given_device, Cache* given_cache)
      : device(std::move(given_device)), queue(device.make_queue()), pool(device, queue), cache(given_cache) {}

  Device device;
  Queue queue;
  MemoryPool pool;
  Cache* cache;
  std::mutex mutex;
  std::map<std::string, Kernel, std::less<>> kernels;
  std::set<std::string, std::less<>> done;
};

Context::Context(Device device, Cache* cache) : state_(std::make_shared<State>(std::move(device), cache)) {}

const Device& Context::device() const { return state_->device; }
Queue& Context::queue() const { return state_->queue; }
Cache* Context::cache() const { return state_->cache; }
MemoryPool& Context::pool() const { return state_->pool; }
Buffer Context::allocate(std::size_t bytes, std::string_view label) const { return state_->pool.allocate(bytes, label); }

const Kernel& Context::kernel(std::string_view key, const std::function<KernelSpec()>& make_spec) const {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->kernels.find(key);
  if (found != state_->kernels.end()) return found->second;
  const KernelSpec spec = make_spec();
  Kernel built = build_kernels(state_->device, std::span(&spec, 1), state_->cache).front();
  return state_->kernels.emplace(std::string(key), std::move(built)).first->second;
}

void Context::once(std::string_view key, const std::function<void()>& action) const {
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->done.contains(key)) return;
  }
  action();
  const std::scoped_lock lock(state_->mutex);
  state_->done.emplace(key);
}

std::size_t Context::kernels_built() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->kernels.size();
}

}  // namespace dgsolve::codegen
