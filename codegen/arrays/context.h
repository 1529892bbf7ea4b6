// What arrays and custom kernels run on: a device, an in-order queue, a memory source, a cache, and the kernels built so far.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "codegen/memory_pool.h"

namespace dgsolve::codegen {

/// A shared handle, cheap to copy; all members may be used by several threads.
class Context {
 public:
  /// `cache` may be null (kernels are compiled anew in every process) and must outlive the context.
  explicit Context(Device device, Cache* cache = nullptr);

  [[nodiscard]] bool operator==(const Context& other) const { return state_ == other.state_; }
  [[nodiscard]] const Device& device() const;
  [[nodiscard]] Queue& queue() const;
  [[nodiscard]] Cache* cache() const;
  /// Where the memory of arrays comes from and goes back to, in the order of the queue.
  [[nodiscard]] MemoryPool& pool() const;
  [[nodiscard]] Buffer allocate(std::size_t bytes, std::string_view label) const;
  /// The kernel known under `key`; the first call with a key builds what `make_spec` returns. Equal keys must mean equal specs.
  [[nodiscard]] const Kernel& kernel(std::string_view key, const std::function<KernelSpec()>& make_spec) const;
  /// Runs `action` unless it ran under this key before; one that throws did not run.
  void once(std::string_view key, const std::function<void()>& action) const;
  /// How many kernels were built (or loaded from the cache) so far.
  [[nodiscard]] std::size_t kernels_built() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dgsolve::codegen
