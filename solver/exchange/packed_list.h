// The values of several peers in one buffer, one after the other.
#pragma once

#include <span>
#include <vector>

#include "solver/exchange/transport.h"

namespace dgsolve::solver {

enum class Direction { send, receive };

/// One direction of an exchange with the values packed: sizes and places.
class PackedList {
 public:
  PackedList(const ExchangeSetup& setup, Direction direction);
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(count_) * value_bytes_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// In a buffer from its value number `offset` on; what is together in list and buffer is one piece.
  [[nodiscard]] std::vector<ExchangePiece> pieces(codegen::Buffer& buffer, std::int64_t offset = 0) const;
  /// Where the values of a peer begin, in the order of the peers.
  [[nodiscard]] std::span<const std::int64_t> begins() const { return begins_; }
  /// One message a peer, in memory that begins there.
  [[nodiscard]] std::vector<mesh::Communicator::Message> messages(std::byte* memory) const;

 private:
  struct Part {
    int rank = 0;
    std::int64_t first = 0, count = 0;
  };
  std::size_t value_bytes_;
  std::vector<Part> parts_;
  std::vector<std::int64_t> begins_;
  std::int64_t count_ = 0;
};

}  // namespace dgsolve::solver
