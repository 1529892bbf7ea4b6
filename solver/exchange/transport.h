// How values travel between ranks: the interface and its implementations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "mesh/communicator.h"

namespace dgsolve::solver {

/// What goes to and comes from one other rank: pieces of the list of sent values and of that of received values.
struct ExchangePeer {
  int rank = 0;
  std::int64_t send_first = 0, send_count = 0, receive_first = 0, receive_count = 0;
};

/// Values [first, first + count) of a list stand in `buffer` from its value number `offset` on.
struct ExchangePiece {
  codegen::Buffer* buffer = nullptr;
  std::int64_t offset = 0, first = 0, count = 0;
};

/// What a transport is made for.
struct ExchangeSetup {
  const mesh::Communicator& ranks;
  const codegen::Device& device;
  std::size_t value_bytes = 8;
  std::vector<ExchangePeer> peers;  ///< each other rank once; A is a peer of B if B is one of A
};

/// Carries values from the devices of some ranks to those of others. All ranks make theirs together, and call the same functions in the
/// same order: connect(), any number of exchanges, disconnect(). An exchange: begin() says where to pack; what packs is enqueued;
/// send(queue); anything else may be enqueued; finish() says where the received values are for what is enqueued on the queue from then on;
/// they are enqueued to be read before the next begin(). All exchanges use one in-order queue. All may throw DeviceError, but never on one
/// rank before others were told what they wait for in connect().
class ExchangeTransport {
 public:
  ExchangeTransport() = default;
  virtual ~ExchangeTransport() = default;
  ExchangeTransport(const ExchangeTransport&) = delete;
  ExchangeTransport& operator=(const ExchangeTransport&) = delete;
  /// Gets what belongs to peers.
  virtual void connect() {}
  /// Lets go of it; needed before the destructor unless the program is about to end for a fault.
  virtual void disconnect() noexcept {}
  [[nodiscard]] virtual std::span<const ExchangePiece> begin() = 0;
  virtual void send(codegen::Queue& queue) = 0;
  [[nodiscard]] virtual std::span<const ExchangePiece> finish(codegen::Queue& queue) = 0;
};

/// Through pinned memory of the host: works everywhere.
[[nodiscard]] std::unique_ptr<ExchangeTransport> make_staged_transport(const ExchangeSetup& setup);
/// By an MPI library that reads and writes the device's memory itself (mesh::Communicator::why_not_cuda_aware, CUDA devices).
[[nodiscard]] std::unique_ptr<ExchangeTransport> make_device_transport(const ExchangeSetup& setup);
/// Between processes of one node whose devices share memory (codegen::Device::why_not_shared): written straight into the receiver's memory.
[[nodiscard]] std::unique_ptr<ExchangeTransport> make_ipc_transport(const ExchangeSetup& setup);

/// A kernel that moves values between places of a state (or of traces) and pieces, in one of the two directions.
struct ValueMover {
  codegen::Kernel kernel;
  codegen::Buffer places;  ///< [list] where each value of the list is
  void move(codegen::Queue& queue, codegen::Buffer& values, std::span<const ExchangePiece> pieces) const;
};
[[nodiscard]] ValueMover make_mover(const codegen::Device& device, codegen::Queue& queue, const codegen::Kernel& kernel,
                                    std::span<const std::int64_t> places, std::string_view label);

/// The kernels that pack and unpack.
[[nodiscard]] codegen::KernelSpec mover_spec(bool pack, codegen::Precision precision, int width);

}  // namespace dgsolve::solver
