// Cuts the space-filling curve into pieces.
#include "mesh/distribution.h"

#include <algorithm>
#include <map>

namespace dgsolve::mesh {
namespace {

using std::size_t;

/// The whole mesh's cells as one rank sees them.
class Cut {
 public:
  Cut(const Mesh& whole, int rank, int ranks)
      : whole_(whole),
        ranks_(ranks),
        first_(first_owned(whole.cell_count(), rank, ranks)),
        end_(first_owned(whole.cell_count(), rank + 1, ranks)) {
    for (size_t cell = first_; cell < end_; ++cell) {
      for (size_t f = whole_.face_offset[cell]; f < whole_.face_offset[cell + 1]; ++f) {
        if (is_foreign(whole_.links[f])) ghosts_.push_back(neighbour(whole_.links[f]));
      }
    }
    std::sort(ghosts_.begin(), ghosts_.end());
    ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  }

  [[nodiscard]] MeshPart part() const {
    MeshPart part;
    part.owned = end_ - first_;
    part.first = first_;
    part.mesh.dimension = whole_.dimension;
    part.mesh.geometry_order = whole_.geometry_order;
    part.mesh.boundary_names = whole_.boundary_names;
    part.mesh.point_offset = {0};
    part.mesh.face_offset = {0};
    for (size_t cell = first_; cell < end_; ++cell) add_cell(part.mesh, cell);
    for (const size_t cell : ghosts_) add_cell(part.mesh, cell);
    add_peers(part);
    return part;
  }

 private:
  static size_t neighbour(const FaceLink& link) { return static_cast<size_t>(link.neighbour); }
  [[nodiscard]] bool is_owned(size_t cell) const { return cell >= first_ && cell < end_; }
  [[nodiscard]] bool is_foreign(const FaceLink& link) const { return link.neighbour >= 0 && !is_owned(neighbour(link)); }

  /// Number in the part of an owned cell or a ghost; -1 for others.
  [[nodiscard]] std::int32_t local(size_t cell) const {
    if (is_owned(cell)) return static_cast<std::int32_t>(cell - first_);
    const auto found = std::lower_bound(ghosts_.begin(), ghosts_.end(), cell);
    if (found == ghosts_.end() || *found != cell) return -1;
    return static_cast<std::int32_t>(end_ - first_) + static_cast<std::int32_t>(found - ghosts_.begin());
  }

  void add_cell(Mesh& mesh, size_t cell) const {
    mesh.shapes.push_back(whole_.shapes[cell]);
    mesh.global_number.push_back(whole_.global_number[cell]);
    const auto dimension = static_cast<size_t>(whole_.dimension);
    const auto at = [&](size_t point) { return whole_.points.begin() + static_cast<std::ptrdiff_t>(point * dimension); };
    mesh.points.insert(mesh.points.end(), at(whole_.point_offset[cell]), at(whole_.point_offset[cell + 1]));
    mesh.point_offset.push_back(mesh.points.size() / dimension);
    for (size_t f = whole_.face_offset[cell]; f < whole_.face_offset[cell + 1]; ++f) {
      FaceLink link = whole_.links[f];
      if (link.neighbour >= 0 && (is_owned(cell) || is_owned(neighbour(link)))) {
        link.neighbour = local(neighbour(link));
      } else if (link.neighbour >= 0) {
        link = {};
      }
      mesh.links.push_back(link);
    }
    mesh.face_offset.push_back(mesh.links.size());
  }

  [[nodiscard]] int owner(size_t cell) const {
    int low = 0, high = ranks_;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first_owned(whole_.cell_count(), middle, ranks_) <= cell ? low : high) = middle;
    }
    return low;
  }

  /// Both sides walk the faces of the sending cells in memory order.
  void add_peers(MeshPart& part) const {
    std::map<int, HaloPeer> peers;
    for (size_t cell = first_; cell < end_; ++cell) {
      for (size_t f = whole_.face_offset[cell]; f < whole_.face_offset[cell + 1]; ++f) {
        if (!is_foreign(whole_.links[f])) continue;
        const int rank = owner(neighbour(whole_.links[f]));
        peers[rank].send.push_back({local(cell), static_cast<std::int8_t>(f - whole_.face_offset[cell])});
      }
    }
    for (const size_t cell : ghosts_) {
      for (size_t f = whole_.face_offset[cell]; f < whole_.face_offset[cell + 1]; ++f) {
        const FaceLink& link = whole_.links[f];
        if (link.neighbour < 0 || !is_owned(neighbour(link))) continue;
        peers[owner(cell)].receive.push_back({local(cell), static_cast<std::int8_t>(f - whole_.face_offset[cell])});
      }
    }
    for (auto& [rank, peer] : peers) {
      peer.rank = rank;
      part.peers.push_back(std::move(peer));
    }
  }

  const Mesh& whole_;
  int ranks_;
  size_t first_, end_;
  std::vector<size_t> ghosts_;
};

}  // namespace

std::size_t first_owned(std::size_t cells, int rank, int ranks) {
  const auto r = static_cast<size_t>(rank), n = static_cast<size_t>(ranks);
  return r * (cells / n) + std::min(r, cells % n);
}

MeshPart mesh_part(const Mesh& whole, int rank, int ranks) { return Cut(whole, rank, ranks).part(); }

}  // namespace dgsolve::mesh
