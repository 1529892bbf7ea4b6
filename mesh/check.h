// Checks of a whole mesh: cells that are not folded, links that agree from both sides.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mesh/describe.h"
#include "mesh/mesh.h"

namespace dgsolve::mesh {

/// Length, area or volume of every cell, [cells]: a Gauss rule exact for the cells' mapping.
[[nodiscard]] std::vector<double> cell_measures(const Mesh& mesh);

/// Throws MeshError at the first cell whose Jacobian determinant is not positive at every lattice point and at Gauss points; names
/// the cell and the place. Without a namer, describe_cell names it. `cells`: only so many, those that a rank owns.
void check_jacobians(const Mesh& mesh, const CellNamer& namer = {}, std::optional<std::size_t> cells = std::nullopt);

/// Throws MeshError unless every link names an existing cell and face of the same shape that links back with the inverse orientation,
/// every boundary face has a group, and the lattice points of faces that meet coincide up to a translation (relative to the face's
/// size: 1e-6); names the cell and the place.
void check_links(const Mesh& mesh, const CellNamer& namer = {});

/// check_jacobians and check_links.
void check_mesh(const Mesh& mesh, const CellNamer& namer = {});

}  // namespace dgsolve::mesh
