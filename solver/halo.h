// The exchange of traces between ranks.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "mesh/communicator.h"
#include "mesh/distribution.h"
#include "solver/elements/reference_element.h"
#include "solver/layout.h"

namespace dgsolve::solver {

/// Sends the face values of owned cells to the ranks that need them, and writes those of ghosts into the state (Gauss nodes: the traces).
/// Messages are packed on the device and go through pinned host memory, on a queue of their own, beside what the device computes.
class Halo {
 public:
  /// The two kernels that the constructor takes.
  [[nodiscard]] static std::array<codegen::KernelSpec, 2> specs(codegen::Precision precision, int width);

  Halo(const mesh::Communicator& ranks, const mesh::MeshPart& part, const Layout& layout, const ReferenceElement& element,
       const codegen::Device& device, codegen::Queue& queue, codegen::Precision precision, std::span<const codegen::Kernel> kernels);

  /// `values`: the state, or the traces of Gauss elements. begin() enqueues what fetches the values to send, as they are by then on the
  /// queue; finish() sends, receives, and enqueues what writes the ghosts. Between them other elements may be computed. Called by all
  /// ranks.
  void begin(codegen::Queue& queue, codegen::Buffer& values);
  void finish(codegen::Queue& queue, codegen::Buffer& values);

 private:
  struct Peer {
    int rank = 0;
    std::size_t send_begin = 0, send_end = 0, receive_begin = 0, receive_end = 0;  ///< bytes
  };
  /// One direction: where its values are in the state, their number, the messages on the device and on the host.
  struct Side {
    std::int64_t count = 0;
    codegen::Kernel kernel;
    codegen::Buffer places, packed;
    codegen::PinnedBuffer host;
    void launch(codegen::Queue& queue, codegen::Buffer& values) const;
  };

  const mesh::Communicator& ranks_;
  codegen::Queue copies_;
  std::optional<codegen::Event> fetched_;
  std::vector<Peer> peers_;
  Side send_, receive_;
};

}  // namespace dgsolve::solver
