// Blocks of values on which other threads work while the next ones come.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <utility>
#include <vector>

namespace dgsolve::io {

template <class Value>
class BlocksBeside {
 public:
  using Block = std::vector<Value>;

  /// At most so many blocks at a time.
  explicit BlocksBeside(std::size_t threads) : works_(threads) {}

  /// Takes the block and leaves memory for another; act(block) is done on another thread. What an act throws is thrown by a later call.
  void add(Block& block, std::function<void(const Block&)> act) {
    Work& work = works_[count_++ % works_.size()];
    if (work.done.valid()) work.done.get();
    work.block.swap(block);
    work.done = std::async(std::launch::async, [&work, act = std::move(act)] { act(work.block); });
  }
  /// Waits for all.
  void finish() {
    for (Work& work : works_) {
      if (work.done.valid()) work.done.get();
    }
  }

 private:
  struct Work {
    Block block;
    std::future<void> done;  ///< goes before the block, and waits
  };

  std::vector<Work> works_;
  std::size_t count_ = 0;
};

}  // namespace dgsolve::io
