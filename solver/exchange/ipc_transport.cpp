// Values written straight into the memory of other processes of the node.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "codegen/errors.h"
#include "mesh/repeated_exchange.h"
#include "solver/exchange/packed_list.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::Event;

/// Each rank has memory for the values of two exchanges (a slot for even ones, a slot for odd ones) that its peers write, and two events
/// that they wait for. In exchange n a rank packs into slot n % 2 of its peers, records its event n % 2 behind that on its queue, and sends
/// a notice of one byte to each; when the notices of its peers are there, its queue waits for their events n % 2, then unpacks its own
/// slot. The host never waits for the device.
///
/// Let A write and B read, n any exchange. Everything named is in order on one queue a rank.
/// - B's wait for A's event is for the record of n, no other: A made it before its notice of n, on which B's host waited before it enqueued
///   the wait. A records the event again in n + 2, when it has finished n + 1, so has B's notice of n + 1; B sent that after it had
///   enqueued the wait of n. A wait keeps to the record that was there when it was enqueued.
/// - B reads no half-written slot: its unpacking of n is behind its wait for A's event of n, which is behind all that A packs in n.
/// - A overwrites no unread slot: the next to write there is packing n + 2. On A's queue that is behind A's wait for B's event of n + 1; on
///   B's queue that event is behind B's packing of n + 1, which is behind B's unpacking of n.
class IpcTransport : public ExchangeTransport {
 public:
  explicit IpcTransport(const ExchangeSetup& setup)
      : ranks_(setup.ranks),
        device_(setup.device),
        peers_(setup.peers),
        received_list_(setup, Direction::receive),
        sent_notices_(setup.peers.size()),
        received_notices_(setup.peers.size()) {
    slots_ = device_.allocate_shared(2 * received_list_.bytes(), "exchange: received");
    for (std::size_t parity = 0; parity < 2; ++parity) {
      written_.push_back(device_.make_shared_event());
      received_pieces_[parity] = received_list_.pieces(slots_, static_cast<std::int64_t>(parity) * received_list_.count());
    }
    std::vector<mesh::Communicator::Message> sends, receives;
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      sends.push_back({peers_[p].rank, std::span(sent_notices_).subspan(p, 1)});
      receives.push_back({peers_[p].rank, std::span(received_notices_).subspan(p, 1)});
    }
    notices_ = mesh::RepeatedExchange(setup.ranks, sends, receives, 1);
  }

  void connect() override {
    std::string fault;
    std::vector<Card> own(peers_.size()), theirs(peers_.size());
    try {
      for (std::size_t p = 0; p < peers_.size(); ++p) own[p] = card_for(p);
    } catch (const codegen::DeviceError& error) {
      fault = error.what();
      for (Card& card : own) card.valid = 0;
    }
    std::vector<mesh::Communicator::Message> sends, receives;
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      sends.push_back({peers_[p].rank, std::as_writable_bytes(std::span(own).subspan(p, 1))});
      receives.push_back({peers_[p].rank, std::as_writable_bytes(std::span(theirs).subspan(p, 1))});
    }
    ranks_.exchange(sends, receives);
    if (!fault.empty()) throw codegen::DeviceError(fault);
    remotes_.reserve(peers_.size());
    for (std::size_t p = 0; p < peers_.size(); ++p) open(peers_[p], theirs[p]);
  }

  void disconnect() noexcept override {
    try {
      if (last_queue_) last_queue_->finish();
    } catch (const codegen::DeviceError&) {  // said elsewhere
    }
    remotes_.clear();
    // Memory may be freed when all who had it open are done with it.
    notices_.start_receives();
    notices_.start_sends();
    notices_.finish();
  }

  std::span<const ExchangePiece> begin() override {
    parity_ = 1 - parity_;
    notices_.start_receives();
    return sent_pieces_[parity_];
  }

  void send(codegen::Queue& queue) override {
    queue.record(written_[parity_]);
    notices_.start_sends();
    last_queue_ = queue;
  }

  std::span<const ExchangePiece> finish(codegen::Queue& queue) override {
    notices_.finish();
    for (const Remote& remote : remotes_) queue.wait(remote.written[parity_]);
    return received_pieces_[parity_];
  }

 private:
  /// What a peer needs to write here.
  struct Card {
    std::array<std::byte, 64> memory;
    std::array<std::array<std::byte, 64>, 2> written;  ///< by parity
    std::uint64_t bytes;                               ///< of the memory
    std::array<std::int64_t, 2> offsets;               ///< of the peer's values, by parity
    std::int64_t count;                                ///< of them
    std::int64_t valid;
  };
  struct Remote {
    Buffer slots;
    std::vector<Event> written;  ///< by parity
  };

  [[nodiscard]] Card card_for(std::size_t peer) const {
    const std::int64_t begin = received_list_.begins()[peer];
    return {slots_.handle().bytes,
            {written_[0].handle().bytes, written_[1].handle().bytes},
            slots_.bytes(),
            {begin, received_list_.count() + begin},
            peers_[peer].receive_count,
            1};
  }

  void open(const ExchangePeer& peer, const Card& card) {
    if (card.valid != 1) throw codegen::DeviceError(fmt::format("rank {} cannot share its memory", peer.rank));
    if (card.count != peer.send_count)
      throw codegen::DeviceError(fmt::format("rank {} expects {} values, not {}", peer.rank, card.count, peer.send_count));
    Remote remote{device_.open_shared({card.memory}, card.bytes, fmt::format("exchange: received by rank {}", peer.rank)), {}};
    for (const auto& handle : card.written) remote.written.push_back(device_.open_shared_event({handle}));
    remotes_.push_back(std::move(remote));
    if (peer.send_count == 0) return;
    for (std::size_t parity = 0; parity < 2; ++parity)
      sent_pieces_[parity].push_back({&remotes_.back().slots, card.offsets[parity], peer.send_first, peer.send_count});
  }

  const mesh::Communicator ranks_;
  const codegen::Device device_;
  const std::vector<ExchangePeer> peers_;
  PackedList received_list_;
  Buffer slots_;                ///< [parity][received values]
  std::vector<Event> written_;  ///< by parity: recorded behind what this rank packs
  std::array<std::vector<ExchangePiece>, 2> sent_pieces_, received_pieces_;
  std::vector<Remote> remotes_;  ///< by peer
  std::vector<std::byte> sent_notices_, received_notices_;
  mesh::RepeatedExchange notices_;
  std::optional<codegen::Queue> last_queue_;
  std::size_t parity_ = 0;
};

}  // namespace

std::unique_ptr<ExchangeTransport> make_ipc_transport(const ExchangeSetup& setup) { return std::make_unique<IpcTransport>(setup); }

}  // namespace dgsolve::solver
