// From cells along the curve, as ranks own them, to rows in the order of their global numbers, as files have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/communicator.h"

namespace dgsolve::mesh {

/// Global numbers are 0 to cells - 1, each once. The rows of a rank have consecutive numbers, so that what it writes to a file is one
/// piece: those of whole blocks, of which every rank has as many as the next or one more. They come in passes, the same number on all
/// ranks, so that memory is that of a pass. In one pass there is one message at most between any two ranks; nothing that stays on a rank is
/// sent.
class GlobalRows {
 public:
  struct Options {
    std::int64_t block = 1;                             ///< rows of a block
    std::size_t bytes_of_pass = std::size_t{8} << 20U;  ///< about what a rank gets in one pass: whole blocks, at least one
  };

  /// `numbers`: [owned cells] global numbers. By all ranks together.
  GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells, Options options);
  GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells)
      : GlobalRows(ranks, numbers, cells, Options()) {}

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::int64_t total() const { return total_; }

  /// values: [owned cells][per_cell]. Calls act(number, rows) with the number of a row and a vector of the values of some rows from it on,
  /// [rows][per_cell], until all of this rank's rows have come in their order; `act` may swap the vector for another. By all ranks
  /// together.
  template <class Value, class Act>
  void collect(std::span<const Value> values, std::size_t per_cell, const Act& act) {
    const std::size_t most = rows_of_pass(per_cell * sizeof(Value));
    Buffers buffers;
    std::vector<Value> rows;
    for (Range pass{0, most}; pass.begin < most_rows(); pass = {pass.end, pass.end + most}) {
      rows.resize((std::min(pass.end, count_) - std::min(pass.begin, count_)) * per_cell);
      move(std::as_bytes(values), std::as_writable_bytes(std::span(rows)), per_cell * sizeof(Value), pass, buffers);
      if (!rows.empty()) act(first_ + static_cast<std::int64_t>(pass.begin), rows);
    }
  }

 private:
  /// What goes to or comes from one rank, by ascending number on both sides.
  struct Peer {
    int rank = 0;
    std::vector<std::size_t> cells;  ///< owned cells that are sent; empty for what comes
    std::vector<std::size_t> rows;   ///< of the rank that gets them, from its first
  };
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  struct Buffers {
    std::vector<std::byte> sent, received;
  };
  template <class Take>
  void transfer(std::span<const std::byte> values, std::size_t bytes, Range pass, Buffers& buffers, const Take& take);
  void move(std::span<const std::byte> values, std::span<std::byte> rows, std::size_t bytes, Range pass, Buffers& buffers);
  [[nodiscard]] std::int64_t first_of(int rank) const;
  [[nodiscard]] std::size_t most_rows() const;
  [[nodiscard]] std::size_t rows_of_pass(std::size_t bytes) const;
  [[nodiscard]] Range range_of(const Peer& peer, Range pass) const;

  Communicator ranks_;
  Options options_;
  std::int64_t total_, blocks_, first_;
  std::size_t count_;
  std::vector<Peer> sends_, receives_;  ///< among them one to and from this rank itself
};

}  // namespace dgsolve::mesh
