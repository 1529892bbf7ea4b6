// Boxes of cells of any shape, with periodic directions and an optional smooth warp.
#pragma once

#include <array>

#include "mesh/distribution.h"
#include "mesh/mesh.h"

namespace dgsolve::mesh {

struct BoxOptions {
  int dimension = 2;
  std::array<double, 3> lower{0, 0, 0};
  std::array<double, 3> upper{1, 1, 1};
  std::array<std::int64_t, 3> cells{1, 1, 1};
  Shape shape = Shape::quadrilateral;
  std::array<bool, 3> periodic{false, false, false};
  double warp =
      0.0;  ///< amplitude relative to the box of a smooth displacement that vanishes on the sides and keeps periodicity; 0: straight
  int geometry_order = 1;  ///< used when warp != 0
};

/// Throws MeshError: no cells, upper <= lower, shape of another dimension, warp that folds cells (names the cell and its coordinates).
[[nodiscard]] Mesh mesh_box(const BoxOptions& options);

/// The same bits as mesh_part(mesh_box(options), rank, ranks), made alone: time and memory are those of the rank's cells and ghosts. There
/// may be up to 2^53 cells in all. Throws MeshError as mesh_box; a warp that folds cells of other ranks is their fault.
[[nodiscard]] MeshPart mesh_box_part(const BoxOptions& options, int rank, int ranks);

}  // namespace dgsolve::mesh
