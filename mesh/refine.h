// Uniform refinement: every cell is cut into 2^d of its own shape, curved geometry and groups kept.
#pragma once

#include "mesh/mesh.h"

namespace dgsolve::mesh {

[[nodiscard]] Mesh refine_uniformly(const Mesh& mesh);

}  // namespace dgsolve::mesh
