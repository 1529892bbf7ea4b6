// Packing parts of meshes, and sending them from rank 0.
#include "mesh/part_transfer.h"

#include <cstring>
#include <type_traits>
#include <vector>

namespace dgsolve::mesh {
namespace {

/// Appends values in the order in which Reader takes them out.
class Writer {
 public:
  template <class Value>
  void operator()(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Value>
  void operator()(const std::vector<Value>& values) {
    (*this)(values.size());
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    } else {
      for (const Value& value : values) (*this)(value);
    }
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  void operator()(const HaloPeer& peer) { visit(*this, peer); }

  template <class Self, class Peer>
  static void visit(Self& self, Peer& peer) {
    self(peer.rank);
    self(peer.send);
    self(peer.receive);
  }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Value>
  void operator()(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    take(&value, sizeof value);
  }
  template <class Value>
  void operator()(std::vector<Value>& values) {
    std::size_t count = 0;
    (*this)(count);
    values.resize(count);
    if constexpr (std::is_trivially_copyable_v<Value>) {
      take(values.data(), count * sizeof(Value));
    } else {
      for (Value& value : values) (*this)(value);
    }
  }
  void operator()(std::string& text) {
    std::size_t count = 0;
    (*this)(count);
    text.resize(count);
    take(text.data(), count);
  }
  void operator()(HaloPeer& peer) { Writer::visit(*this, peer); }

 private:
  void take(void* target, std::size_t count) {
    if (count > 0) std::memcpy(target, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  std::string_view bytes_;
};

/// Every member of a part, in one order.
template <class Action, class Part>
void visit_part(Action& act, Part& part) {
  auto& mesh = part.mesh;
  act(mesh.dimension);
  act(mesh.geometry_order);
  act(mesh.shapes);
  act(mesh.global_number);
  act(mesh.point_offset);
  act(mesh.points);
  act(mesh.face_offset);
  act(mesh.links);
  act(mesh.boundary_names);
  act(part.shapes);
  act(part.cells);
  act(part.first);
  act(part.owned);
  act(part.peers);
}

std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text.data(), text.size())); }

void send(const Communicator& ranks, int target, std::string text) {
  std::uint64_t size = text.size();
  const Communicator::Message length{target, std::as_writable_bytes(std::span(&size, 1))}, content{target, bytes_of(text)};
  ranks.exchange({&length, 1}, {});
  ranks.exchange({&content, 1}, {});
}

std::string receive(const Communicator& ranks, int source) {
  std::uint64_t size = 0;
  const Communicator::Message length{source, std::as_writable_bytes(std::span(&size, 1))};
  ranks.exchange({}, {&length, 1});
  std::string text(size, '\0');
  const Communicator::Message content{source, bytes_of(text)};
  ranks.exchange({}, {&content, 1});
  return text;
}

}  // namespace

std::string pack_part(const MeshPart& part) {
  Writer writer;
  visit_part(writer, part);
  return std::move(writer.bytes);
}

MeshPart unpack_part(std::string_view bytes) {
  MeshPart part;
  Reader reader(bytes);
  visit_part(reader, part);
  return part;
}

MeshPart distribute_mesh(const Communicator& ranks, const std::function<Mesh()>& make) {
  if (ranks.alone()) return whole_part(make());
  Mesh whole;
  std::string fault;
  if (ranks.is_root()) {
    try {
      whole = make();
    } catch (const MeshError& error) {
      fault = error.what();
    }
  }
  ranks.broadcast(fault, 0);
  if (!fault.empty()) throw MeshError(fault);
  if (!ranks.is_root()) return unpack_part(receive(ranks, 0));
  for (int rank = 1; rank < ranks.size(); ++rank) send(ranks, rank, pack_part(mesh_part(whole, rank, ranks.size())));
  return mesh_part(whole, 0, ranks.size());
}

MeshPart make_parts(const Communicator& ranks, const std::function<MeshPart()>& make) {
  MeshPart part;
  std::string fault;
  try {
    part = make();
  } catch (const MeshError& error) {
    fault = error.what();
  }
  if (const auto first = ranks.first_fault(fault)) throw MeshError(first->text);
  return part;
}

}  // namespace dgsolve::mesh
