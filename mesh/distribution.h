// The part of a mesh that one rank works on.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::mesh {

/// Of `cells` cells in memory order, rank r of `ranks` owns [first_owned(r), first_owned(r + 1)): a piece of the space-filling curve. The
/// first ranks get one more where it does not come out even; ranks beyond the number of cells get none.
[[nodiscard]] std::int64_t first_owned(std::int64_t cells, int rank, int ranks);
/// The rank that owns a cell.
[[nodiscard]] int owner_of(std::int64_t cells, std::int64_t cell, int ranks);

/// A face through which values go to or come from another rank.
struct HaloFace {
  std::int32_t cell = 0;  ///< of the part
  std::int8_t face = 0;
};

/// What goes to and comes from one other rank. `send` here and `receive` there list the same faces in the same order.
struct HaloPeer {
  int rank = 0;
  std::vector<HaloFace> send;     ///< faces of owned cells
  std::vector<HaloFace> receive;  ///< faces of ghost cells
};

/// The cells of one rank in memory order, then its ghosts: the cells of others that share a face with them. A ghost's links lead to owned
/// cells or nowhere.
struct MeshPart {
  Mesh mesh;
  std::vector<Shape> shapes;    ///< that occur in the whole mesh, ascending
  std::int64_t cells = 0;       ///< of the whole mesh
  std::int64_t first = 0;       ///< of the whole mesh: the first owned cell
  std::size_t owned = 0;        ///< cells before the ghosts
  std::vector<HaloPeer> peers;  ///< by rank
};

[[nodiscard]] MeshPart mesh_part(const Mesh& whole, int rank, int ranks);

/// A mesh that one rank has alone.
[[nodiscard]] MeshPart whole_part(Mesh mesh);

}  // namespace dgsolve::mesh
