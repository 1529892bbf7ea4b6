// How all ranks get their parts of a mesh: made by each, or by rank 0 for all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "mesh/communicator.h"
#include "mesh/distribution.h"

namespace dgsolve::mesh {

/// A part as bytes, for ranks of the same program on machines of the same kind.
[[nodiscard]] std::string pack_part(const MeshPart& part);
[[nodiscard]] MeshPart unpack_part(std::string_view bytes);

/// Rank 0 makes the mesh, cuts it and sends every rank its part, one after the other; what is the whole's is free when this returns. Every
/// other rank never has more than its part and its message. A MeshError of `make` is thrown on all ranks. By all ranks together.
[[nodiscard]] MeshPart distribute_mesh(const Communicator& ranks, const std::function<Mesh()>& make);

/// Every rank makes its own part. The MeshError of the lowest rank that has one is thrown on all ranks: since parts follow the memory
/// order, it is that of the whole mesh. By all ranks together.
[[nodiscard]] MeshPart make_parts(const Communicator& ranks, const std::function<MeshPart()>& make);

}  // namespace dgsolve::mesh
