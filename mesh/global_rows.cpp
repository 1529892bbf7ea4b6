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

GlobalRows::GlobalRows(const Communicator& ranks, std::span<const std::int64_t> numbers, std::int64_t cells)
    : ranks_(ranks),
      first_(first_owned(cells, ranks.rank(), ranks.size())),
      total_(cells),
      count_(static_cast<size_t>(first_owned(cells, ranks.rank() + 1, ranks.size()) - first_)) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  std::vector<std::int64_t> counts(static_cast<size_t>(ranks.size()), 0);
  for (const size_t cell : order) {
    const int target = owner_of(cells, numbers[cell], ranks.size());
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

void GlobalRows::move(std::span<const std::byte> values, std::span<std::byte> rows, size_t bytes) {
  transfer(
      bytes, [&](size_t cell, std::byte* target) { std::memcpy(target, values.data() + cell * bytes, bytes); },
      [&](size_t row, const std::byte* source) { std::memcpy(rows.data() + row * bytes, source, bytes); });
}

}  // namespace dgsolve::mesh
