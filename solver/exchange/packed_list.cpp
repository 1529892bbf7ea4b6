// Sizes and places of packed values.
#include "solver/exchange/packed_list.h"

namespace dgsolve::solver {

PackedList::PackedList(const ExchangeSetup& setup, Direction direction) : value_bytes_(setup.value_bytes) {
  for (const ExchangePeer& peer : setup.peers) {
    const bool send = direction == Direction::send;
    parts_.push_back({peer.rank, send ? peer.send_first : peer.receive_first, send ? peer.send_count : peer.receive_count});
    begins_.push_back(count_);
    count_ += parts_.back().count;
  }
}

std::vector<ExchangePiece> PackedList::pieces(codegen::Buffer& buffer, std::int64_t offset) const {
  std::vector<ExchangePiece> pieces;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto& [rank, first, count] = parts_[p];
    if (count == 0) continue;
    if (!pieces.empty() && pieces.back().first + pieces.back().count == first) {
      pieces.back().count += count;
    } else {
      pieces.push_back({&buffer, offset + begins_[p], first, count});
    }
  }
  return pieces;
}

std::vector<mesh::Communicator::Message> PackedList::messages(std::byte* memory) const {
  std::vector<mesh::Communicator::Message> messages;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::byte* begin = memory + static_cast<std::size_t>(begins_[p]) * value_bytes_;
    messages.push_back({parts_[p].rank, {begin, static_cast<std::size_t>(parts_[p].count) * value_bytes_}});
  }
  return messages;
}

}  // namespace dgsolve::solver
