// How the faces of cells meet, found from the numbers of their vertices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mesh/describe.h"
#include "mesh/mesh.h"

namespace dgsolve::mesh {

/// Vertex numbers of all cells, [cells][vertices of the shape], in the shape's vertex order; equal numbers are the same point.
struct CellVertices {
  std::vector<std::size_t> offset;  ///< [cells+1]
  std::vector<std::int32_t> number;

  [[nodiscard]] std::span<const std::int32_t> of(std::size_t cell) const {
    return std::span(number).subspan(offset[cell], offset[cell + 1] - offset[cell]);
  }
};

/// One face of one cell.
struct CellFace {
  std::int32_t cell = -1;
  std::int8_t face = 0;
};

/// The vertex numbers of a face in ascending order, unused places first and -1.
using FaceKey = std::array<std::int32_t, 4>;
[[nodiscard]] FaceKey face_key(std::span<const std::int32_t> vertices);

/// A face that no other cell shares.
struct OpenFace {
  FaceKey key;
  CellFace face;
};

/// Vertex numbers of one face in its own order.
[[nodiscard]] std::vector<std::int32_t> face_vertex_numbers(const Mesh& mesh, const CellVertices& vertices, CellFace face);

/// The code with which a face meets another: `here[s]` is the same vertex as `there[orientation_vertices(code)[s]]` for all s.
/// Nothing if no code does that.
[[nodiscard]] std::optional<int> find_orientation(Shape face_shape, std::span<const std::int32_t> here,
                                                  std::span<const std::int32_t> there);

/// Links two faces with each other; `orientation` is seen from `here`.
void link_faces(Mesh& mesh, CellFace here, CellFace there, int orientation);

/// Sets face_offset and links of all cells from their shapes and vertex numbers (all >= 0). Returns the faces that nobody shares,
/// sorted by key, their links empty. Throws MeshError where three cells share a face or two meet crosswise; names a cell and the place.
[[nodiscard]] std::vector<OpenFace> match_faces(Mesh& mesh, const CellVertices& vertices, const CellNamer& namer = {});

/// The open face with this key, nullptr if none.
[[nodiscard]] const OpenFace* find_open_face(std::span<const OpenFace> faces, const FaceKey& key);

/// Throws MeshError at the first face that has neither neighbour nor group; `advice` ends the message.
void require_groups(const Mesh& mesh, std::string_view advice = {}, const CellNamer& namer = {});

/// Removes boundary names without a face, keeping the order of the others.
void drop_empty_groups(Mesh& mesh);

}  // namespace dgsolve::mesh
