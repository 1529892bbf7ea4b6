// Makes a rank's part of a mesh from links that name cells by their place in the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/distribution.h"

namespace dgsolve::mesh {

/// First the faces of the owned cells are given in memory order, then ghosts() says which cells are needed besides, then their faces are
/// given in that order. Everything else of the cells is the caller's to fill in, before finish().
class PartBuilder {
 public:
  PartBuilder(std::int64_t cells, int rank, int ranks);

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] Mesh& mesh() { return part_.mesh; }

  /// The next face of the next cell. `neighbour`: its place in the memory order of the whole mesh, -1 on a boundary; `link` has the rest.
  void add_face(std::int64_t neighbour, FaceLink link);
  /// Places of the cells of others that share a face with owned ones, ascending. Called once, between the two kinds of cells.
  [[nodiscard]] const std::vector<std::int64_t>& find_ghosts();
  /// face_offset of the mesh must be set.
  [[nodiscard]] MeshPart finish();

 private:
  /// A face of an owned cell behind which lies a cell of another rank.
  struct ForeignFace {
    std::size_t face = 0;  ///< in Mesh::links
    std::int64_t neighbour = 0;
  };
  [[nodiscard]] bool is_owned(std::int64_t cell) const { return cell >= first_ && cell < end_; }
  [[nodiscard]] HaloFace halo_face(std::size_t face) const;
  void add_peers();

  std::int64_t cells_;
  int ranks_;
  std::int64_t first_, end_;
  MeshPart part_;
  std::vector<ForeignFace> foreign_;
  std::vector<std::int64_t> ghosts_;
  bool at_ghosts_ = false;
};

}  // namespace dgsolve::mesh
