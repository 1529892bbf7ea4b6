// Who has which rows, and the messages between.
#include "mesh/global_rows.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "mesh/distribution.h"

namespace dgsolve::mesh {
namespace {

using std::size_t;

/// Messages that lie one behind the other.
struct Messages {
  std::vector<std::byte> bytes;
  std::vector<int> ranks;
  std::vector<size_t> ends;
  std::vector<Communicator::Message> list;

  void add(int rank, size_t size) {
    ranks.push_back(rank);
    ends.push_back((ends.empty() ? 0 : ends.back()) + size);
  }
  /// After all sizes are known. Returns the first byte of the first message.
  std::byte* make() {
    bytes.resize(ends.empty() ? 0 : ends.back());
    for (size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++])
      list.push_back({ranks[i], std::span(bytes).subspan(begin, ends[i] - begin)});
    return bytes.data();
  }
};

}  // namespace

GlobalRows::GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells, Options options)
    : ranks_(ranks),
      options_(options),
      total_(cells),
      blocks_((cells + options.block - 1) / options.block),
      first_(first_of(ranks.rank())),
      count_(static_cast<size_t>(first_of(ranks.rank() + 1) - first_)) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  std::vector<std::int64_t> counts(static_cast<size_t>(ranks.size()), 0);
  for (const size_t cell : order) {
    const int target = owner_of(blocks_, numbers[cell] / options.block, ranks.size());
    if (sends_.empty() || sends_.back().rank != target) sends_.push_back({target, {}});
    sends_.back().places.push_back(cell);
    ++counts[static_cast<size_t>(target)];
  }
  counts = ranks.all_to_all(counts);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto count = static_cast<size_t>(counts[static_cast<size_t>(rank)]);
    if (count > 0) receives_.push_back({rank, std::vector<size_t>(count)});
  }
  transfer(
      sizeof(std::int64_t), [&](size_t cell, std::byte* target) { std::memcpy(target, &numbers[cell], sizeof(std::int64_t)); },
      [&](size_t& row, const std::byte* source) {
        std::int64_t number = 0;
        std::memcpy(&number, source, sizeof number);
        assert(number >= first_ && number < first_ + static_cast<std::int64_t>(count_));
        row = static_cast<size_t>(number - first_);
      });
}

std::int64_t GlobalRows::first_of(int rank) const { return std::min(total_, first_owned(blocks_, rank, ranks_.size()) * options_.block); }

/// Messages of `bytes` for each place: `fill(place, target)` writes what is sent, `take(place, source)` reads what came.
template <class Fill, class Take>
void GlobalRows::transfer(size_t bytes, const Fill& fill, const Take& take) {
  Messages sent, received;
  const Peer* own = nullptr;
  for (const Peer& peer : sends_) {
    if (peer.rank == ranks_.rank()) {
      own = &peer;
    } else {
      sent.add(peer.rank, peer.places.size() * bytes);
    }
  }
  for (const Peer& peer : receives_) {
    if (peer.rank != ranks_.rank()) received.add(peer.rank, peer.places.size() * bytes);
  }
  std::byte* target = sent.make();
  for (const Peer& peer : sends_) {
    for (size_t i = 0; &peer != own && i < peer.places.size(); ++i, target += bytes) fill(peer.places[i], target);
  }
  const std::byte* source = received.make();
  ranks_.exchange(sent.list, received.list);
  std::vector<std::byte> stays(bytes);
  for (Peer& peer : receives_) {
    const bool from_here = peer.rank == ranks_.rank();
    for (size_t i = 0; i < peer.places.size(); ++i) {
      if (from_here) fill(own->places[i], stays.data());
      take(peer.places[i], from_here ? stays.data() : source);
      if (!from_here) source += bytes;
    }
  }
}

/// How many bytes of every row go at once: the same on all ranks, whole cache lines.
size_t GlobalRows::bytes_of_pass(size_t bytes) const {
  if (ranks_.alone()) return bytes;
  constexpr size_t line = 64;
  const auto most_rows = static_cast<size_t>(std::max<std::int64_t>(first_of(1), 1));
  return std::min(bytes, std::max<size_t>(options_.message_bytes / most_rows / line, 1) * line);
}

void GlobalRows::move(std::span<const std::byte> values, std::span<std::byte> rows, size_t bytes) {
  const size_t most = bytes_of_pass(bytes);
  for (size_t begin = 0; begin < bytes; begin += most) {
    const size_t part = std::min(most, bytes - begin);
    transfer(
        part, [&](size_t cell, std::byte* target) { std::memcpy(target, values.data() + cell * bytes + begin, part); },
        [&](size_t row, const std::byte* source) { std::memcpy(rows.data() + row * bytes + begin, source, part); });
  }
}

}  // namespace dgsolve::mesh
