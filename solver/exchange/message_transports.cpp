// Values in messages of MPI: through pinned memory of the host, or from and to the device's memory.
#include <array>
#include <optional>

#include "mesh/repeated_exchange.h"
#include "solver/exchange/packed_list.h"

namespace dgsolve::solver {
namespace {

using codegen::Buffer;
using codegen::PinnedBuffer;

/// Receives are started when the exchange begins, before its values are packed. What they write is double, by the parity of the exchange:
/// when exchange n + 2 begins, nothing of exchange n is under way any more. Its messages were sent before finish() of n returned. Its copy
/// from the host (of n, on the queue of copies) and its unpacking (on the queue) are over because finish() of n + 1 waited for the copy of
/// the values sent in n + 1, which came after that copy on the queue of copies, and which waited for the packing, which came after that
/// unpacking on the queue.
class StagedTransport : public ExchangeTransport {
 public:
  explicit StagedTransport(const ExchangeSetup& setup)
      : copies_(setup.device.make_queue()), sent_list_(setup, Direction::send), received_list_(setup, Direction::receive) {
    sent_ = setup.device.allocate(sent_list_.bytes(), "exchange: sent");
    received_ = setup.device.allocate(received_list_.bytes(), "exchange: received");
    sent_host_ = setup.device.allocate_pinned(sent_list_.bytes(), "exchange: sent");
    sent_pieces_ = sent_list_.pieces(sent_);
    received_pieces_ = received_list_.pieces(received_);
    const auto sends = sent_list_.messages(sent_host_.bytes().data());
    for (std::size_t parity = 0; parity < 2; ++parity) {
      received_host_[parity] = setup.device.allocate_pinned(received_list_.bytes(), "exchange: received");
      messages_[parity] = mesh::RepeatedExchange(setup.ranks, sends, received_list_.messages(received_host_[parity].bytes().data()));
    }
  }

  std::span<const ExchangePiece> begin() override {
    parity_ = 1 - parity_;
    messages_[parity_].start_receives();
    return sent_pieces_;
  }

  void send(codegen::Queue& queue) override {
    if (sent_list_.count() + received_list_.count() == 0) return;
    copies_.wait(queue.record());
    fetched_ = copies_.read_async(sent_, 0, sent_host_, sent_.bytes());
  }

  std::span<const ExchangePiece> finish(codegen::Queue& queue) override {
    if (fetched_) fetched_->wait();
    messages_[parity_].start_sends();
    messages_[parity_].finish();
    if (received_list_.count() > 0) queue.wait(copies_.write_async(received_, 0, received_host_[parity_], received_.bytes()));
    return received_pieces_;
  }

 private:
  codegen::Queue copies_;
  PackedList sent_list_, received_list_;
  Buffer sent_, received_;
  PinnedBuffer sent_host_;
  std::array<PinnedBuffer, 2> received_host_;
  std::vector<ExchangePiece> sent_pieces_, received_pieces_;
  std::array<mesh::RepeatedExchange, 2> messages_;  ///< by parity
  std::optional<codegen::Event> fetched_;
  std::size_t parity_ = 0;
};

/// The same with the device's memory in place of the host's. finish() waits for the packing, since MPI knows no queue. Received values are
/// double, by parity: when exchange n + 2 begins, those of n are unpacked, because finish() of n + 1 waited for the packing of n + 1, which
/// came after that unpacking on the queue. Packing n + 1 overwrites what was sent before finish() of n returned.
class DeviceTransport : public ExchangeTransport {
 public:
  explicit DeviceTransport(const ExchangeSetup& setup) {
    const PackedList sent_list(setup, Direction::send), received_list(setup, Direction::receive);
    sent_ = setup.device.allocate(sent_list.bytes(), "exchange: sent");
    sent_pieces_ = sent_list.pieces(sent_);
    for (std::size_t parity = 0; parity < 2; ++parity) {
      received_[parity] = setup.device.allocate(received_list.bytes(), "exchange: received");
      received_pieces_[parity] = received_list.pieces(received_[parity]);
      messages_[parity] =
          mesh::RepeatedExchange(setup.ranks, sent_list.messages(address(sent_)), received_list.messages(address(received_[parity])));
    }
  }

  std::span<const ExchangePiece> begin() override {
    parity_ = 1 - parity_;
    messages_[parity_].start_receives();
    return sent_pieces_;
  }

  void send(codegen::Queue& queue) override { packed_ = queue.record(); }

  std::span<const ExchangePiece> finish(codegen::Queue&) override {
    packed_->wait();
    messages_[parity_].start_sends();
    messages_[parity_].finish();
    return received_pieces_[parity_];
  }

 private:
  static std::byte* address(const Buffer& buffer) { return reinterpret_cast<std::byte*>(buffer.native_handle()); }

  Buffer sent_;
  std::array<Buffer, 2> received_;
  std::vector<ExchangePiece> sent_pieces_;
  std::array<std::vector<ExchangePiece>, 2> received_pieces_;
  std::array<mesh::RepeatedExchange, 2> messages_;  ///< by parity
  std::optional<codegen::Event> packed_;
  std::size_t parity_ = 0;
};

}  // namespace

std::unique_ptr<ExchangeTransport> make_staged_transport(const ExchangeSetup& setup) { return std::make_unique<StagedTransport>(setup); }
std::unique_ptr<ExchangeTransport> make_device_transport(const ExchangeSetup& setup) { return std::make_unique<DeviceTransport>(setup); }

}  // namespace dgsolve::solver
