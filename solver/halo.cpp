// Places of face values, packing, unpacking.
#include "solver/halo.h"

#include <algorithm>
#include <exception>

namespace dgsolve::solver {
namespace {

using std::size_t;

/// Places of [face][variable][point] in the state, or in the traces of Gauss elements.
void append_places(std::vector<std::int64_t>& places, const std::vector<mesh::HaloFace>& faces, const Layout& layout,
                   const ReferenceElement& element) {
  const bool traces = element.tensor && !element.nodes_on_faces;
  const std::int64_t points = traces ? std::int64_t{1} * element.face_count * element.face_node_count : element.node_count;
  const std::int64_t width = layout.width;
  for (const mesh::HaloFace& face : faces) {
    const std::int64_t slot = layout.slot_of_cell[static_cast<size_t>(face.cell)];
    for (std::int64_t v = 0; v < layout.variables; ++v) {
      for (int m = 0; m < element.face_node_count; ++m) {
        const int on_face = face.face * element.face_node_count + m;
        const std::int64_t point = traces ? on_face : element.face_nodes[static_cast<size_t>(on_face)];
        places.push_back(((slot / width * layout.variables + v) * points + point) * width + slot % width);
      }
    }
  }
}

}  // namespace

std::array<codegen::KernelSpec, 2> Halo::specs(codegen::Precision precision, int width) {
  return {mover_spec(true, precision, width), mover_spec(false, precision, width)};
}

Halo::Halo(const mesh::Communicator& ranks, const mesh::MeshPart& part, const Layout& layout, const ReferenceElement& element,
           const codegen::Device& device, codegen::Queue& queue, codegen::Precision precision, ExchangeKernels kernels,
           ExchangeChoice choice, std::span<const ExchangeWay> ways) {
  ExchangeSetup setup{ranks, device, precision == codegen::Precision::double_precision ? sizeof(double) : sizeof(float), {}};
  std::vector<std::int64_t> send, receive;
  for (const mesh::HaloPeer& peer : part.peers) {
    ExchangePeer own{peer.rank, static_cast<std::int64_t>(send.size()), 0, static_cast<std::int64_t>(receive.size()), 0};
    append_places(send, peer.send, layout, element);
    append_places(receive, peer.receive, layout, element);
    own.send_count = static_cast<std::int64_t>(send.size()) - own.send_first;
    own.receive_count = static_cast<std::int64_t>(receive.size()) - own.receive_first;
    setup.peers.push_back(own);
  }
  bytes_sent_ = static_cast<std::int64_t>(send.size() * setup.value_bytes);
  neighbours_ = static_cast<int>(setup.peers.size());
  pack_ = make_mover(device, queue, kernels[0], send, "halo: sent");
  unpack_ = make_mover(device, queue, kernels[1], receive, "halo: received");
  const std::vector<ExchangeWay> all = ways.empty() ? exchange_ways(ranks, device) : std::vector<ExchangeWay>(ways.begin(), ways.end());
  chosen_ = choose_exchange(setup, all, choice, queue, kernels);
}

Halo::~Halo() {
  // Ranks that end for a fault do not wait for one another.
  if (std::uncaught_exceptions() > 0) return;
  for (const auto& transport : chosen_.transports) transport->disconnect();
}

void Halo::begin(codegen::Queue& queue, codegen::Buffer& values) {
  for (const auto& transport : chosen_.transports) pack_.move(queue, values, transport->begin());
  for (const auto& transport : chosen_.transports) transport->send(queue);
}

void Halo::finish(codegen::Queue& queue, codegen::Buffer& values) {
  std::optional<codegen::Event> computed;
  if (marks_) computed = queue.record();
  for (const auto& transport : chosen_.transports) unpack_.move(queue, values, transport->finish(queue));
  if (marks_) marks_->push_back({*computed, queue.record()});
}

double Halo::stop_timing() {
  double sum = 0;
  for (const auto& [computed, unpacked] : *marks_) sum += unpacked.seconds_since(computed);
  const auto count = static_cast<double>(std::max<size_t>(1, marks_->size()));
  marks_.reset();
  return sum / count;
}

}  // namespace dgsolve::solver
