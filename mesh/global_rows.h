// From cells along the curve, as ranks own them, to rows in the order of their global numbers, as files have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/communicator.h"

namespace dgsolve::mesh {

/// Global numbers are 0 to cells - 1, each once. Rank r has the rows [first_owned(r), first_owned(r + 1)): consecutive numbers, so that
/// what it writes to a file is one piece. Between any two ranks one message goes at most, and nothing that stays on a rank.
class GlobalRows {
 public:
  /// `numbers`: [owned cells] global numbers. By all ranks together.
  GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells);

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::int64_t total() const { return total_; }

  /// values: [owned cells][per_cell]. Result: [rows][per_cell]. By all ranks together.
  template <class Value>
  [[nodiscard]] std::vector<Value> collect(std::span<const Value> values, std::size_t per_cell) {
    std::vector<Value> rows(count_ * per_cell);
    move(std::as_bytes(values), std::as_writable_bytes(std::span(rows)), per_cell * sizeof(Value));
    return rows;
  }

 private:
  /// What goes to or comes from one rank.
  struct Peer {
    int rank = 0;
    std::vector<std::size_t> places;  ///< of owned cells, or of rows; both sides list them by ascending number
  };
  template <class Fill, class Take>
  void transfer(std::size_t bytes, const Fill& fill, const Take& take);
  void move(std::span<const std::byte> values, std::span<std::byte> rows, std::size_t bytes);

  Communicator ranks_;
  std::int64_t first_, total_;
  std::size_t count_;
  std::vector<Peer> sends_, receives_;  ///< among them one to and from this rank itself
};

}  // namespace dgsolve::mesh
