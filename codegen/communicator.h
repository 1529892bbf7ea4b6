// What the toolkit needs of a message-passing library; the program that uses one adapts it.
#pragma once

#include <string>
#include <vector>

namespace dgsolve::codegen {

/// Processes that work together ("ranks"). Every call but rank, size and nodes is made by all ranks in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// A number for the node on which each rank runs, [size], the same list on every rank.
  [[nodiscard]] virtual std::vector<int> nodes() const = 0;
  /// Every rank ends with the bytes of rank `root`, whose number the others need not know.
  virtual void broadcast(std::string& bytes, int root) = 0;
  virtual void barrier() = 0;
  /// The bytes of every rank, [size], on every rank.
  [[nodiscard]] virtual std::vector<std::string> all_gather(const std::string& bytes) {
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    all[static_cast<std::size_t>(rank())] = bytes;
    for (int root = 0; root < size(); ++root) broadcast(all[static_cast<std::size_t>(root)], root);
    return all;
  }
};

}  // namespace dgsolve::codegen
