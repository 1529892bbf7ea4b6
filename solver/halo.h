// The exchange of traces between ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "mesh/communicator.h"
#include "mesh/distribution.h"
#include "solver/elements/reference_element.h"
#include "solver/exchange/choice.h"
#include "solver/layout.h"

namespace dgsolve::solver {

/// Sends the face values of owned cells to the ranks that need them, and writes those of ghosts into the state (Gauss nodes: the traces).
/// Values are packed and unpacked by kernels, and travel beside what the device computes (solver/exchange/transport.h).
class Halo {
 public:
  /// The two kernels that the constructor takes.
  [[nodiscard]] static std::array<codegen::KernelSpec, 2> specs(codegen::Precision precision, int width);

  /// By all ranks together. `ways`: what there is to choose from; empty: exchange_ways(). Throws DeviceError if `choice` pins what is not
  /// there.
  Halo(const mesh::Communicator& ranks, const mesh::MeshPart& part, const Layout& layout, const ReferenceElement& element,
       const codegen::Device& device, codegen::Queue& queue, codegen::Precision precision, ExchangeKernels kernels, ExchangeChoice choice,
       std::span<const ExchangeWay> ways = {});
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// `values`: the state, or the traces of Gauss elements. begin() enqueues what packs the values to send, as they are by then on the
  /// queue; finish() receives and enqueues what writes the ghosts. Between them other elements may be computed. Called by all ranks, always
  /// with the same queue.
  void begin(codegen::Queue& queue, codegen::Buffer& values);
  void finish(codegen::Queue& queue, codegen::Buffer& values);

  /// From now on events mark the exchanges; stop_timing() gives the mean device time of one from the end of what was computed beside it
  /// to the unpacked values, in seconds; waits for them.
  void start_timing() { marks_.emplace(); }
  [[nodiscard]] double stop_timing();

  [[nodiscard]] std::int64_t bytes_sent() const { return bytes_sent_; }  ///< in one exchange
  [[nodiscard]] int neighbours() const { return neighbours_; }
  [[nodiscard]] const std::string& exchange() const { return chosen_.name; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return chosen_.warnings; }

 private:
  ValueMover pack_, unpack_;
  ChosenExchange chosen_;
  std::int64_t bytes_sent_ = 0;
  int neighbours_ = 0;
  std::optional<std::vector<std::array<codegen::Event, 2>>> marks_;  ///< begin and end, of each exchange while they are timed
};

}  // namespace dgsolve::solver
