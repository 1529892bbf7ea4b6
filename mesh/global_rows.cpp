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

/// Messages that lie one behind the other in memory that is kept.
class Messages {
 public:
  explicit Messages(std::vector<std::byte>& bytes) : bytes_(bytes) {}
  void add(int rank, size_t size) {
    if (size == 0) return;
    ranks_.push_back(rank);
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + size);
  }
  /// After all sizes are known. Returns the first byte of the first message.
  std::byte* make() {
    if (!ends_.empty()) bytes_.resize(std::max(bytes_.size(), ends_.back()));
    for (size_t i = 0, begin = 0; i < ends_.size(); begin = ends_[i++])
      list_.push_back({ranks_[i], std::span(bytes_).subspan(begin, ends_[i] - begin)});
    return bytes_.data();
  }
  [[nodiscard]] std::span<const Communicator::Message> list() const { return list_; }

 private:
  std::vector<std::byte>& bytes_;
  std::vector<int> ranks_;
  std::vector<size_t> ends_;
  std::vector<Communicator::Message> list_;
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
    if (sends_.empty() || sends_.back().rank != target) sends_.push_back({target, {}, {}});
    sends_.back().cells.push_back(cell);
    sends_.back().rows.push_back(static_cast<size_t>(numbers[cell] - first_of(target)));
    ++counts[static_cast<size_t>(target)];
  }
  counts = ranks.all_to_all(counts);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto count = static_cast<size_t>(counts[static_cast<size_t>(rank)]);
    if (count > 0) receives_.push_back({rank, {}, std::vector<size_t>(count)});
  }
  Buffers buffers;
  transfer(std::as_bytes(numbers), sizeof(std::int64_t), {0, most_rows()}, buffers, [&](size_t& row, const std::byte* source) {
    std::int64_t number = 0;
    std::memcpy(&number, source, sizeof number);
    assert(number >= first_ && number < first_ + static_cast<std::int64_t>(count_));
    row = static_cast<size_t>(number - first_);
  });
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

/// Brings `bytes` for each row from values, [owned cells][bytes]: `take(row, source)` reads them.
template <class Take>
void GlobalRows::transfer(std::span<const std::byte> values, size_t bytes, Range pass, Buffers& buffers, const Take& take) {
  Messages sent(buffers.sent), received(buffers.received);
  const Peer* own = nullptr;
  for (const Peer& peer : sends_) {
    const Range range = range_of(peer, pass);
    if (peer.rank == ranks_.rank()) {
      own = &peer;
    } else {
      sent.add(peer.rank, (range.end - range.begin) * bytes);
    }
  }
  for (const Peer& peer : receives_) {
    const Range range = range_of(peer, pass);
    if (peer.rank != ranks_.rank()) received.add(peer.rank, (range.end - range.begin) * bytes);
  }
  std::byte* target = sent.make();
  for (const Peer& peer : sends_) {
    const Range range = range_of(peer, pass);
    for (size_t i = range.begin; &peer != own && i < range.end; ++i, target += bytes)
      std::memcpy(target, values.data() + peer.cells[i] * bytes, bytes);
  }
  const std::byte* source = received.make();
  ranks_.exchange(sent.list(), received.list());
  for (Peer& peer : receives_) {
    const Range range = range_of(peer, pass);
    const bool from_here = peer.rank == ranks_.rank();
    for (size_t i = range.begin; i < range.end; ++i) {
      take(peer.rows[i], from_here ? values.data() + own->cells[i] * bytes : source);
      if (!from_here) source += bytes;
    }
  }
}

void GlobalRows::move(std::span<const std::byte> values, std::span<std::byte> rows, size_t bytes, Range pass, Buffers& buffers) {
  transfer(values, bytes, pass, buffers,
           [&](size_t row, const std::byte* source) { std::memcpy(rows.data() + (row - pass.begin) * bytes, source, bytes); });
}

}  // namespace dgsolve::mesh
