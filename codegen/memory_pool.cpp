// Binned pools of memory blocks.
#include "codegen/memory_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "codegen/backends/backend.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace backends {

using Block = std::shared_ptr<BufferBackend>;

/// Blocks of one kind of memory. Lives as long as a buffer of it does.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  using Maker = std::function<Block(std::size_t bytes, std::string_view label)>;
  BlockPool(Device device, Maker maker) : device_(std::move(device)), maker_(std::move(maker)) {}

  Block allocate(std::size_t bytes, std::string_view label);
  void free_held();
  void close();  // from now on nothing is held
  PoolStatistics statistics() const;
  std::string active_report() const;

 private:
  class PooledBuffer;
  Block held_block(std::size_t bin);
  Block new_block(std::size_t bytes, std::string_view label);
  void give_back(PooledBuffer& buffer) noexcept;

  Device device_;
  Maker maker_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<std::size_t, std::vector<Block>> held_;  // by size
  std::set<const PooledBuffer*> active_;
  PoolStatistics statistics_;
};

/// A block with the size and label that were asked for.
class BlockPool::PooledBuffer : public BufferBackend {
 public:
  PooledBuffer(std::shared_ptr<BlockPool> pool, Block block, std::size_t bytes, std::string_view label)
      : BufferBackend(block->device(), bytes, label), pool_(std::move(pool)), block_(std::move(block)) {
    capacity_ = block_->capacity();
    native_ = block_->native();
  }
  ~PooledBuffer() override { pool_->give_back(*this); }
  Block take_block() {
    block_->take_uses(*this);
    return std::move(block_);
  }

 private:
  std::shared_ptr<BlockPool> pool_;
  Block block_;
};

Block BlockPool::held_block(std::size_t bin) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(bin);
  if (found == held_.end()) return nullptr;
  const auto last_idle = std::find_if(found->second.rbegin(), found->second.rend(), [](const Block& block) { return block->idle(); });
  if (last_idle == found->second.rend()) return nullptr;
  Block block = std::move(*last_idle);
  found->second.erase(std::next(last_idle).base());
  statistics_.held_bytes -= block->capacity();
  --statistics_.held_blocks;
  ++statistics_.served_from_held;
  return block;
}

Block BlockPool::new_block(std::size_t bytes, std::string_view label) {
  try {
    return maker_(pool_bin(bytes), label);
  } catch (const OutOfMemoryError&) {
    free_held();
  }
  try {
    return maker_(bytes, label);  // no more than needed, now that memory is scarce
  } catch (const OutOfMemoryError& error) {
    const std::string report = active_report();
    throw OutOfMemoryError(fmt::format("{}\nthe memory pool freed what it held; {}", error.what(),
                                       report.empty() ? "none of its buffers are active" : report));
  }
}

Block BlockPool::allocate(std::size_t bytes, std::string_view label) {
  device_.backend().refuse_allocation_in_capture(label);  // a replay would use a block that others have by then
  Block block = held_block(pool_bin(bytes));
  if (!block) block = new_block(bytes, label);
  const std::size_t capacity = block->capacity();
  auto buffer = std::make_shared<PooledBuffer>(shared_from_this(), std::move(block), bytes, label);
  const std::scoped_lock lock(mutex_);
  active_.insert(buffer.get());
  ++statistics_.allocations;
  ++statistics_.active_blocks;
  statistics_.active_bytes += capacity;
  return buffer;
}

void BlockPool::give_back(PooledBuffer& buffer) noexcept {
  Block block = buffer.take_block();  // outlives the lock: freeing may wait for the device
  const std::scoped_lock lock(mutex_);
  active_.erase(&buffer);
  --statistics_.active_blocks;
  statistics_.active_bytes -= block->capacity();
  if (closed_ || block->capacity() != pool_bin(block->capacity())) return;
  statistics_.held_bytes += block->capacity();
  ++statistics_.held_blocks;
  held_[block->capacity()].push_back(std::move(block));
}

void BlockPool::free_held() {
  std::map<std::size_t, std::vector<Block>> freed;  // outlives the lock
  const std::scoped_lock lock(mutex_);
  freed.swap(held_);
  statistics_.held_bytes = statistics_.held_blocks = 0;
}

void BlockPool::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  free_held();
}

PoolStatistics BlockPool::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

std::string BlockPool::active_report() const {
  const std::scoped_lock lock(mutex_);
  if (active_.empty()) return {};
  std::vector<std::pair<std::size_t, std::string>> rows;
  for (const PooledBuffer* buffer : active_) rows.emplace_back(buffer->bytes(), buffer->label());
  std::sort(rows.begin(), rows.end(), std::greater<>());
  std::string text = fmt::format("{} buffers with {} bytes of its blocks are active:", rows.size(), statistics_.active_bytes);
  for (const auto& [bytes, label] : rows) text += fmt::format("\n  '{}' of {} bytes", label, bytes);
  return text;
}

}  // namespace backends

std::size_t pool_bin(std::size_t bytes) {
  constexpr std::size_t least = 1024;
  if (bytes <= least) return least;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

MemoryPool::MemoryPool(const Device& device, const Queue& queue) {
  if (&queue.backend().device() != &device.backend()) {
    throw DeviceError(fmt::format("a memory pool of {} cannot be ordered by a queue of {}", device.facts().selector,
                                  queue.backend().device().facts().selector));
  }
  state_ = std::make_shared<backends::BlockPool>(device, [device, queue](std::size_t bytes, std::string_view label) {
    const Buffer block = device.allocate(bytes, label);
    queue.backend().reserve(*block.backend());
    return block.backend()->shared_from_this();
  });
}

MemoryPool::~MemoryPool() {
  if (state_) state_->close();
}

MemoryPool& MemoryPool::operator=(MemoryPool&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Buffer MemoryPool::allocate(std::size_t bytes, std::string_view label) { return Buffer(state_->allocate(bytes, label)); }
void MemoryPool::free_held() { state_->free_held(); }
PoolStatistics MemoryPool::statistics() const { return state_->statistics(); }
std::string MemoryPool::active_report() const { return state_->active_report(); }

PinnedPool::PinnedPool(const Device& device)
    : state_(std::make_shared<backends::BlockPool>(
          device, [device](std::size_t bytes, std::string_view label) { return device.allocate_pinned(bytes, label).backend(); })) {}

PinnedPool::~PinnedPool() {
  if (state_) state_->close();
}

PinnedPool& PinnedPool::operator=(PinnedPool&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

PinnedBuffer PinnedPool::allocate(std::size_t bytes, std::string_view label) { return PinnedBuffer(state_->allocate(bytes, label)); }
void PinnedPool::free_held() { state_->free_held(); }
PoolStatistics PinnedPool::statistics() const { return state_->statistics(); }
std::string PinnedPool::active_report() const { return state_->active_report(); }

}  // namespace dgsolve::codegen
