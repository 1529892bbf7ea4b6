// Places of face values, packing, messages.
#include "solver/halo.h"

#include "solver/kernels/stage.h"

namespace dgsolve::solver {
namespace {

using codegen::ArgumentType;
using codegen::Intent;
using std::size_t;

constexpr std::int64_t chunk = 1024;

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
  std::array<codegen::KernelSpec, 2> pair;
  for (const bool pack : {true, false}) {
    codegen::KernelSpec& spec = pair[pack ? 0 : 1];
    const int group = width > 1 ? 1 : 128;
    spec.name = pack ? "halo_pack" : "halo_unpack";
    spec.source_name = "halo.kernel.h";
    spec.source = kernel_file(spec.source_name);
    spec.precision = precision;
    spec.group_size = {group, 1, 1};
    spec.constants = {{"PACK", std::int64_t{pack}}, {"CHUNK", chunk}, {"GROUP_SIZE", std::int64_t{group}}};
    spec.arguments = {{"values", ArgumentType::real_buffer, pack ? Intent::in : Intent::in_out, "state or traces"},
                      {"places", ArgumentType::int64_buffer, Intent::in, "[count] of the values"},
                      {"packed", ArgumentType::real_buffer, pack ? Intent::out : Intent::in, "[count]"},
                      {"count", ArgumentType::int64, Intent::in, ""}};
  }
  return pair;
}

Halo::Halo(const mesh::Communicator& ranks, const mesh::MeshPart& part, const Layout& layout, const ReferenceElement& element,
           const codegen::Device& device, codegen::Queue& queue, codegen::Precision precision, std::span<const codegen::Kernel> kernels)
    : ranks_(ranks), copies_(device.make_queue()) {
  const size_t real_bytes = precision == codegen::Precision::double_precision ? 8 : 4;
  std::vector<std::int64_t> send, receive;
  for (const mesh::HaloPeer& peer : part.peers) {
    Peer own{peer.rank, send.size() * real_bytes, 0, receive.size() * real_bytes, 0};
    append_places(send, peer.send, layout, element);
    append_places(receive, peer.receive, layout, element);
    own.send_end = send.size() * real_bytes;
    own.receive_end = receive.size() * real_bytes;
    peers_.push_back(own);
  }
  const auto fill = [&](Side& side, const codegen::Kernel& kernel, const std::vector<std::int64_t>& places, const char* label) {
    side.count = static_cast<std::int64_t>(places.size());
    side.kernel = kernel;
    side.places = device.allocate(places.size() * sizeof(std::int64_t), label);
    side.packed = device.allocate(places.size() * real_bytes, label);
    side.host = device.allocate_pinned(places.size() * real_bytes, label);
    queue.upload(side.places, std::span<const std::int64_t>(places));
  };
  fill(send_, kernels[0], send, "halo: sent");
  fill(receive_, kernels[1], receive, "halo: received");
}

void Halo::Side::launch(codegen::Queue& queue, codegen::Buffer& values) const {
  if (count == 0) return;
  const std::array<codegen::KernelArgument, 4> arguments{&values, &places, &packed, count};
  kernel.launch(queue, {static_cast<std::uint32_t>((count + chunk - 1) / chunk), 1, 1}, arguments);
}

void Halo::begin(codegen::Queue& queue, codegen::Buffer& values) {
  send_.launch(queue, values);
  if (send_.count == 0) return;
  copies_.wait(queue.record());
  fetched_ = copies_.read_async(send_.packed, 0, send_.host, send_.packed.bytes());
}

void Halo::finish(codegen::Queue& queue, codegen::Buffer& values) {
  if (fetched_) fetched_->wait();
  fetched_.reset();
  std::vector<mesh::Communicator::Message> sends, receives;
  for (const Peer& peer : peers_) {
    sends.push_back({peer.rank, send_.host.bytes().subspan(peer.send_begin, peer.send_end - peer.send_begin)});
    receives.push_back({peer.rank, receive_.host.bytes().subspan(peer.receive_begin, peer.receive_end - peer.receive_begin)});
  }
  // The last exchange's messages have left the host's memory: the copy of what is sent came after them on the queue of copies.
  ranks_.exchange(sends, receives);
  if (receive_.count == 0) return;
  copies_.write_async(receive_.packed, 0, receive_.host, receive_.packed.bytes());
  queue.wait(copies_.record());
  receive_.launch(queue, values);
}

}  // namespace dgsolve::solver
