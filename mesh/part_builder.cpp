// Numbers of neighbours in a part, ghosts, and what ranks exchange.
#include "mesh/part_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace dgsolve::mesh {

PartBuilder::PartBuilder(std::int64_t cells, int rank, int ranks)
    : cells_(cells), ranks_(ranks), first_(first_owned(cells, rank, ranks)), end_(first_owned(cells, rank + 1, ranks)) {
  // Ghosts are numbered with the same 32 bits.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
  if (end_ - first_ > most) {
    throw MeshError(
        fmt::format("too many cells on one rank: {} of {}, at most {} are possible; use more ranks", end_ - first_, cells, most));
  }
  part_.cells = cells;
  part_.owned = static_cast<std::size_t>(end_ - first_);
  part_.first = first_;
}

void PartBuilder::add_face(std::int64_t neighbour, FaceLink link) {
  if (neighbour >= 0) {
    link.neighbour = is_owned(neighbour) ? static_cast<std::int32_t>(neighbour - first_) : -1;
    if (link.neighbour < 0 && at_ghosts_) link = {};
    if (link.neighbour < 0 && !at_ghosts_) foreign_.push_back({part_.mesh.links.size(), neighbour});
  }
  part_.mesh.links.push_back(link);
}

const std::vector<std::int64_t>& PartBuilder::find_ghosts() {
  at_ghosts_ = true;
  ghosts_.reserve(foreign_.size());
  for (const ForeignFace& face : foreign_) ghosts_.push_back(face.neighbour);
  std::sort(ghosts_.begin(), ghosts_.end());
  ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  for (const ForeignFace& face : foreign_) {
    const auto ghost = std::lower_bound(ghosts_.begin(), ghosts_.end(), face.neighbour) - ghosts_.begin();
    part_.mesh.links[face.face].neighbour = static_cast<std::int32_t>(part_.owned) + static_cast<std::int32_t>(ghost);
  }
  return ghosts_;
}

HaloFace PartBuilder::halo_face(std::size_t face) const {
  const auto& offset = part_.mesh.face_offset;
  const auto cell = std::upper_bound(offset.begin(), offset.end(), face) - offset.begin() - 1;
  return {static_cast<std::int32_t>(cell), static_cast<std::int8_t>(face - offset[static_cast<std::size_t>(cell)])};
}

/// Both sides walk the faces of the sending cells in memory order.
void PartBuilder::add_peers() {
  std::map<int, HaloPeer> peers;
  for (const ForeignFace& face : foreign_) peers[owner_of(cells_, face.neighbour, ranks_)].send.push_back(halo_face(face.face));
  for (std::size_t i = 0; i < ghosts_.size(); ++i) {
    const std::size_t cell = part_.owned + i;
    std::vector<HaloFace>& receive = peers[owner_of(cells_, ghosts_[i], ranks_)].receive;
    for (std::size_t f = part_.mesh.face_offset[cell]; f < part_.mesh.face_offset[cell + 1]; ++f) {
      if (part_.mesh.links[f].neighbour < 0) continue;
      receive.push_back({static_cast<std::int32_t>(cell), static_cast<std::int8_t>(f - part_.mesh.face_offset[cell])});
    }
  }
  for (auto& [rank, peer] : peers) {
    peer.rank = rank;
    part_.peers.push_back(std::move(peer));
  }
}

MeshPart PartBuilder::finish() {
  add_peers();
  return std::move(part_);
}

}  // namespace dgsolve::mesh
