// Pools of device and of pinned host memory: blocks come back when their buffers are destroyed and are given out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/device.h"

namespace dgsolve::codegen {

/// Bytes are those of blocks: what was asked for, rounded up to its bin.
struct PoolStatistics {
  std::size_t held_bytes = 0, held_blocks = 0;      ///< free, ready to be given out
  std::size_t active_bytes = 0, active_blocks = 0;  ///< in buffers that live
  std::int64_t allocations = 0, served_from_held = 0;
};

namespace backends {
class BlockPool;
}

/// The least size of block for `bytes`: four significant bits, 1024 bytes or more; wastes at most an eighth.
[[nodiscard]] std::size_t pool_bin(std::size_t bytes);

/// Owner, move-only, safe to use from several threads. Buffers may outlive it. Stream-ordered: a block is given out again at once, which
/// is right because the queue is in order, so work on another queue that uses a buffer must be waited for before the buffer goes.
class MemoryPool {
 public:
  /// Throws DeviceError if the queue is of another device.
  MemoryPool(const Device& device, const Queue& queue);
  ~MemoryPool();
  MemoryPool(MemoryPool&&) noexcept = default;
  MemoryPool& operator=(MemoryPool&& other) noexcept;
  /// Uninitialised memory. If the device has none left, the held blocks are freed first. Then OutOfMemoryError says what is active.
  [[nodiscard]] Buffer allocate(std::size_t bytes, std::string_view label);
  void free_held();
  [[nodiscard]] PoolStatistics statistics() const;
  /// Label and size of every buffer that lives, largest first; empty if there is none.
  [[nodiscard]] std::string active_report() const;

 private:
  std::shared_ptr<backends::BlockPool> state_;
};

/// The same for pinned host memory. A block is given out again once the copies that use it are done; until then another is taken.
class PinnedPool {
 public:
  explicit PinnedPool(const Device& device);
  ~PinnedPool();
  PinnedPool(PinnedPool&&) noexcept = default;
  PinnedPool& operator=(PinnedPool&& other) noexcept;
  [[nodiscard]] PinnedBuffer allocate(std::size_t bytes, std::string_view label);
  void free_held();
  [[nodiscard]] PoolStatistics statistics() const;
  [[nodiscard]] std::string active_report() const;

 private:
  std::shared_ptr<backends::BlockPool> state_;
};

}  // namespace dgsolve::codegen
