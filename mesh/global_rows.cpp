// Who has which rows, and the messages between.
#include "mesh/global_rows.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "mesh/distribution.h"

namespace dgsolve::mesh {

using std::size_t;

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
    if (sends_.empty() || sends_.back().rank != target) sends_.push_back({target, {}, {}});
    sends_.back().cells.push_back(cell);
    sends_.back().rows.push_back(static_cast<size_t>(numbers[cell] - first_of(target)));
    ++counts[static_cast<size_t>(target)];
  }
  counts = ranks.all_to_all(counts);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto count = static_cast<size_t>(counts[static_cast<size_t>(rank)]);
    if (count > 0 && rank != ranks.rank()) receives_.push_back({rank, {}, std::vector<size_t>(count)});
  }
  const Range all{0, most_rows()};
  std::vector<std::int64_t> sent, received(rows_of_others(receives_, all));
  for (const Peer& peer : sends_) {
    if (peer.rank == ranks.rank()) continue;
    for (const size_t cell : peer.cells) sent.push_back(numbers[cell]);
  }
  exchange(std::as_writable_bytes(std::span(sent)), std::as_writable_bytes(std::span(received)), sizeof(std::int64_t), all);
  auto number = received.begin();
  for (Peer& peer : receives_) {
    for (size_t& row : peer.rows) {
      assert(*number >= first_ && *number < first_ + static_cast<std::int64_t>(count_));
      row = static_cast<size_t>(*number++ - first_);
    }
  }
}

std::int64_t GlobalRows::first_of(int rank) const { return std::min(total_, first_owned(blocks_, rank, ranks_.size()) * options_.block); }

size_t GlobalRows::most_rows() const { return static_cast<size_t>(first_of(1)); }

size_t GlobalRows::rows_of_pass(size_t bytes) const {
  const auto block = static_cast<size_t>(options_.block);
  return std::max<size_t>(options_.bytes_of_pass / std::max<size_t>(bytes, 1) / block, 1) * block;
}

/// Which of a peer's rows, which ascend, are in a pass. All of them need not be known yet.
GlobalRows::Range GlobalRows::range_of(const Peer& peer, Range pass) const {
  const auto place = [&](size_t row) {
    return static_cast<size_t>(std::lower_bound(peer.rows.begin(), peer.rows.end(), row) - peer.rows.begin());
  };
  return {pass.begin == 0 ? 0 : place(pass.begin), pass.end >= most_rows() ? peer.rows.size() : place(pass.end)};
}

size_t GlobalRows::rows_of_others(const std::vector<Peer>& peers, Range pass) const {
  size_t count = 0;
  for (const Peer& peer : peers) {
    const Range range = range_of(peer, pass);
    if (peer.rank != ranks_.rank()) count += range.end - range.begin;
  }
  return count;
}

void GlobalRows::exchange(std::span<std::byte> sent, std::span<std::byte> received, size_t bytes, Range pass) const {
  const auto messages = [&](const std::vector<Peer>& peers, std::span<std::byte> memory) {
    std::vector<Communicator::Message> list;
    for (const Peer& peer : peers) {
      const Range range = range_of(peer, pass);
      const size_t size = (range.end - range.begin) * bytes;
      if (peer.rank == ranks_.rank() || size == 0) continue;
      list.push_back({peer.rank, memory.first(size)});
      memory = memory.subspan(size);
    }
    return list;
  };
  ranks_.exchange(messages(sends_, sent), messages(receives_, received));
}

}  // namespace dgsolve::mesh
