// Metric terms of every cell at the nodes of its element, face normals, coordinates: the host side of the geometry.
#pragma once

#include <vector>

#include "mesh/mesh.h"
#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// Geometry of a list of cells (one element class). `affine` cells store one value per cell where curved ones store one per node.
/// d: reference direction, k: space direction, m: face node. "points" below = 1 if affine else Np (volume) or Nfp (face).
struct Geometry {
  bool affine = true;
  std::size_t cell_count = 0;
  std::vector<double> coordinates;  ///< [cell][node][dim]
  /// [cell][point][d][k]: Ja^d_k (curved), Ja^d_k / J = grad xi^d (affine). Where nodes lie on a face of direction d, Ja^d is +-
  /// face_normal * face_scale in every bit, so both sides of the face have the same to the sign.
  std::vector<double> metric;
  std::vector<double> inverse_jacobian;  ///< [cell][point]: 1/J (affine: also stored, 1 per cell)
  std::vector<double>
      face_normal;  ///< [cell][face][point][k]: the OWNER's unit normal (see docs/architecture.md), bit-identical on both sides
  std::vector<double> face_scale;  ///< [cell][face][point]: surface Jacobian |N| (curved), |N|/J (affine), positive, times nothing else
  std::vector<double> face_coordinates;  ///< [cell][face][m][dim]: the OWNER's coordinates of the face nodes, bit-identical on both sides
  std::vector<signed char>
      face_owner;            ///< [cell][face]: +1 this side owns the face (normal is outward), -1 the other does (normal is inward)
  std::vector<double> size;  ///< [cell] h: J-based size, (measure of cell)^(1/dim)
};

/// Whether Geometry::face_coordinates of affine cells are wanted: no other array needs them.
enum class FaceCoordinates { none, all };

/// Metric terms in 3D in conservative curl form (Kopriva 2006, eq. 36-38; simplices: Chan & Wilcox 2019), so that free streams are
/// preserved; in 1D, 2D the cross-product form, which is exact. Geometry of higher order than the element is interpolated at
/// face-determining nodes first. `cells` lists mesh cells of the element's shape, all affine or all curved as `affine` says.
[[nodiscard]] Geometry make_geometry(const mesh::Mesh& mesh, const ReferenceElement& element, const std::vector<std::int32_t>& cells,
                                     bool affine, FaceCoordinates wanted = FaceCoordinates::all);

/// [cells] whether the mapping of the cell is affine to rounding: to 1e-14 of the cell's size and four units in the last place of its
/// coordinates.
[[nodiscard]] std::vector<bool> affine_cells(const mesh::Mesh& mesh);

/// +1 if `cell` owns its local face, else -1.
[[nodiscard]] int face_sign(const mesh::Mesh& mesh, std::size_t cell, int face);

}  // namespace dgsolve::solver
