// Which elements become the lanes of one block.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::solver {

/// The cells of one class (ascending) in an order whose every `width` are a block, so that as often as possible the neighbours of a block's
/// lanes behind a face are the same lanes of another block: then their traces are vector loads. A row of equal cells begins; the neighbours
/// of a block behind a face, if they are met in one way, are the next block. What is in no row stays in the mesh's order, so in meshes
/// without rows all of it. Blocks follow each other as their first cells do in the mesh.
[[nodiscard]] std::vector<std::int32_t> lane_order(const mesh::Mesh& mesh, const std::vector<std::int32_t>& cells, int width);

}  // namespace dgsolve::solver
