// From cells along the curve, as ranks own them, to rows in the order of their global numbers, as files have them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  void collect(std::span<const Value> values, std::size_t per_cell, const Act& act) const {
    const auto copy = [&](std::span<const Place<Value>> places) {
      for (const Place<Value>& place : places) std::copy_n(values.data() + place.cell * per_cell, per_cell, place.part(0, per_cell));
    };
    produce<Value>(std::array{per_cell}, copy, act);
  }

  /// An owned cell and its row in memory that has parts one behind the other, [part][rows][values of a cell].
  template <class Value>
  struct Place {
    std::size_t cell = 0;
    Value* memory = nullptr;
    std::size_t row = 0, rows = 0;
    /// Where the values of a part begin that has `width` values a cell, the parts before it together `before`.
    [[nodiscard]] Value* part(std::size_t before, std::size_t width) const { return memory + before * rows + row * width; }
  };
  /// The same with values that are made when their turn comes, straight into rows and messages: make(places), a span of some Place<Value>,
  /// writes those of each place. widths: of the parts, values a cell; act gets [part][rows][width]. By all ranks together.
  template <class Value, class Make, class Act>
  void produce(std::span<const std::size_t> widths, const Make& make, const Act& act) const {
    const std::size_t per_cell = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
    if (per_cell == 0) return;
    const std::size_t most = rows_of_pass(per_cell * sizeof(Value));
    Buffers<Value> buffers;
    std::vector<Value> rows;
    for (Range pass{0, most}; pass.begin < most_rows(); pass = {pass.end, pass.end + most}) {
      rows.resize((std::min(pass.end, count_) - std::min(pass.begin, count_)) * per_cell);
      fill(rows, widths, per_cell, pass, buffers, make);
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
  template <class Value>
  struct Buffers {
    std::vector<Value> sent, received;
    std::vector<Place<Value>> places;
  };
  /// Fills `rows` with those of the pass. A message has the form of rows too.
  template <class Value, class Make>
  void fill(std::vector<Value>& rows, std::span<const std::size_t> widths, std::size_t per_cell, Range pass, Buffers<Value>& buffers,
            const Make& make) const {
    buffers.sent.resize(std::max(buffers.sent.size(), rows_of_others(sends_, pass) * per_cell));
    buffers.received.resize(std::max(buffers.received.size(), rows_of_others(receives_, pass) * per_cell));
    const std::size_t sent = find_places(rows, per_cell, pass, buffers);
    const std::span<const Place<Value>> places(buffers.places);
    make(places.first(sent));
    exchange(std::as_writable_bytes(std::span(buffers.sent)), std::as_writable_bytes(std::span(buffers.received)), per_cell * sizeof(Value),
             pass);
    make(places.subspan(sent));
    take_received(rows, widths, per_cell, pass, buffers);
  }
  /// Where the cells of a pass go: first into messages, which are counted, then into rows of this rank.
  template <class Value>
  std::size_t find_places(std::vector<Value>& rows, std::size_t per_cell, Range pass, Buffers<Value>& buffers) const {
    buffers.places.clear();
    Value* message = buffers.sent.data();
    const Peer* own = nullptr;
    for (const Peer& peer : sends_) {
      if (peer.rank == ranks_.rank()) {
        own = &peer;
        continue;
      }
      const Range range = range_of(peer, pass);
      for (std::size_t i = range.begin; i < range.end; ++i)
        buffers.places.push_back({peer.cells[i], message, i - range.begin, range.end - range.begin});
      message += (range.end - range.begin) * per_cell;
    }
    const std::size_t sent = buffers.places.size();
    const Range range = own == nullptr ? Range{} : range_of(*own, pass);
    for (std::size_t i = range.begin; i < range.end; ++i)
      buffers.places.push_back({own->cells[i], rows.data(), own->rows[i] - pass.begin, rows.size() / per_cell});
    return sent;
  }
  template <class Value>
  void take_received(std::vector<Value>& rows, std::span<const std::size_t> widths, std::size_t per_cell, Range pass,
                     Buffers<Value>& buffers) const {
    Value* message = buffers.received.data();
    for (const Peer& peer : receives_) {
      const Range range = range_of(peer, pass);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Place<Value> from{0, message, i - range.begin, range.end - range.begin};
        const Place<Value> to{0, rows.data(), peer.rows[i] - pass.begin, rows.size() / per_cell};
        std::size_t before = 0;
        for (const std::size_t width : widths) {
          std::copy_n(from.part(before, width), width, to.part(before, width));
          before += width;
        }
      }
      message += (range.end - range.begin) * per_cell;
    }
  }
  /// The messages of a pass, `bytes` a row, one behind the other.
  void exchange(std::span<std::byte> sent, std::span<std::byte> received, std::size_t bytes, Range pass) const;
  [[nodiscard]] std::size_t rows_of_others(const std::vector<Peer>& peers, Range pass) const;
  [[nodiscard]] std::int64_t first_of(int rank) const;
  [[nodiscard]] std::size_t most_rows() const;
  [[nodiscard]] std::size_t rows_of_pass(std::size_t bytes) const;
  [[nodiscard]] Range range_of(const Peer& peer, Range pass) const;

  Communicator ranks_;
  Options options_;
  std::int64_t total_, blocks_, first_;
  std::size_t count_;
  std::vector<Peer> sends_;     ///< among them one to this rank itself
  std::vector<Peer> receives_;  ///< from others
};

}  // namespace dgsolve::mesh
