// From cells along the curve, as ranks own them, to rows in the order of their global numbers, as files have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/communicator.h"

namespace dgsolve::mesh {

/// Global numbers are 0 to cells - 1, each once. The rows of a rank have consecutive numbers, so that what it writes to a file is one
/// piece: those of whole blocks, of which every rank has as many as the next or one more. Nothing that stays on a rank is sent. Long rows
/// go in several passes; in each, one message at most goes between any two ranks.
class GlobalRows {
 public:
  struct Options {
    std::int64_t block = 1;                              ///< rows of a block
    std::size_t message_bytes = std::size_t{64} << 20U;  ///< about what a rank sends, and receives, in one pass
  };

  /// `numbers`: [owned cells] global numbers. By all ranks together.
  GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells, Options options);
  GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells)
      : GlobalRows(ranks, numbers, cells, Options()) {}

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
  [[nodiscard]] std::int64_t first_of(int rank) const;
  [[nodiscard]] std::size_t bytes_of_pass(std::size_t bytes) const;

  Communicator ranks_;
  Options options_;
  std::int64_t total_, blocks_, first_;
  std::size_t count_;
  std::vector<Peer> sends_, receives_;  ///< among them one to and from this rank itself
};

}  // namespace dgsolve::mesh
