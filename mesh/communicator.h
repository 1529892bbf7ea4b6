// Processes that share a mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dgsolve::mesh {

/// The processes ("ranks") of a run. One alone uses no MPI. Every call but rank, size and the like is made by all ranks in the same order.
/// A fault of MPI ends all ranks.
class Communicator {
 public:
  Communicator() = default;  ///< this process alone
  /// All processes that a launcher (mpirun, srun) started together; initialises MPI, which ends with the process.
  [[nodiscard]] static Communicator world();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }
  [[nodiscard]] int node_rank() const { return node_rank_; }  ///< among the ranks of this rank's node
  [[nodiscard]] int node_size() const { return node_size_; }
  /// For each rank the lowest rank on its node, [size].
  [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }

  [[nodiscard]] double max(double value) const;
  /// Every value becomes the largest of its place on all ranks.
  void max(std::span<double> values) const;
  /// Every value becomes the sum of its place on all ranks.
  void sum(std::span<std::int64_t> values) const;
  void broadcast(std::string& bytes, int root) const;
  void barrier() const;
  /// A barrier for long waits: those who wait leave the cores to the others.
  void rest() const;
  /// The bytes of every rank, [size], on every rank.
  [[nodiscard]] std::vector<std::string> all_gather(const std::string& bytes) const;
  /// What went wrong on a rank.
  struct Fault {
    int rank = 0;
    std::string text;
  };
  /// The fault of the first rank whose `own` is not empty, on every rank; none: no rank has one.
  [[nodiscard]] std::optional<Fault> first_fault(const std::string& own) const;
  /// The values of all ranks, in their order, on rank 0; elsewhere empty.
  [[nodiscard]] std::vector<double> gather(std::vector<double> values) const;
  /// The same on every rank.
  [[nodiscard]] std::vector<double> all_gather(std::vector<double> values) const;

  /// `values`: [size], one for each rank. Result: [size], what each rank has for this one.
  [[nodiscard]] std::vector<std::int64_t> all_to_all(const std::vector<std::int64_t>& values) const;

  /// A message from or to a rank.
  struct Message {
    int rank = 0;
    std::span<std::byte> bytes;
  };
  /// Sends and receives; returns when all is done. Messages between two ranks arrive in the order of the lists.
  void exchange(std::span<const Message> sends, std::span<const Message> receives) const;

  /// What this rank has sent with exchange(), gather() and RepeatedExchange, by all copies of this together.
  struct Traffic {
    std::int64_t messages = 0, bytes = 0;
  };
  [[nodiscard]] Traffic traffic() const { return *traffic_; }

  /// Why messages cannot lie in the memory of CUDA devices; empty: the MPI library says that they can.
  [[nodiscard]] static std::string why_not_cuda_aware();

  /// Ends all ranks with this exit status.
  [[noreturn]] void abort(int status) const;

 private:
  friend class RepeatedExchange;
  int rank_ = 0, size_ = 1, node_rank_ = 0, node_size_ = 1;
  std::vector<int> nodes_{0};
  std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
};

}  // namespace dgsolve::mesh
