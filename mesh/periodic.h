// Periodic directions of meshes from files: pairs of boundary faces that become neighbours.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "mesh/connectivity.h"

namespace dgsolve::mesh {

/// Links every open face all of whose vertices `partner` maps with the open face of the mapped vertices. Faces already linked stay.
void link_by_vertices(Mesh& mesh, const CellVertices& vertices, std::span<const OpenFace> open,
                      const std::unordered_map<std::int32_t, std::int32_t>& partner);

/// Links the boundary faces of the first group with those of the second by the translation between the means of their centres. Both
/// groups may have been linked before (then nothing happens). Where a group is not known but is the name of a side of a box (left,
/// right, bottom, top, front, back), faces without any group on that side of the mesh's bounding box are taken.
/// Throws MeshError: unknown group (names the nearest), the same group twice, numbers of faces that differ, and the first face without
/// a partner, with cell and place. Vertices match to 1e-6 of the face's size.
void link_by_translation(Mesh& mesh, const std::pair<std::string, std::string>& groups, const CellNamer& namer = {});

/// link_by_translation for every pair, then drop_empty_groups: makes pairs of sides of any finished mesh periodic.
void make_periodic(Mesh& mesh, std::span<const std::pair<std::string, std::string>> pairs, const CellNamer& namer = {});

/// The candidate with the least edit distance to the name, "" if none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace dgsolve::mesh
