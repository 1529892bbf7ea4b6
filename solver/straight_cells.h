// Cells whose mapping is affine: the map, and the normals of flat faces, from vertices alone.
#pragma once

#include <array>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::solver {

/// x = centre + sum_d xi_d edge[d]; components beyond the dimension are 0.
struct AffineMap {
  std::array<double, 3> centre{};
  std::array<std::array<double, 3>, 3> edge{};
};

/// det(dx/dxi).
[[nodiscard]] double determinant(int dimension, const AffineMap& map);
/// Rows Ja^d, the cofactors of the edges.
[[nodiscard]] std::array<std::array<double, 3>, 3> cofactors(int dimension, const AffineMap& map);

/// Answers for every cell of a mesh from its vertices.
class StraightCells {
 public:
  explicit StraightCells(const mesh::Mesh& mesh);

  /// Whether every lattice point lies where the affine map of the vertices has it, to 1e-12 of the cell's size and the rounding of
  /// coordinates.
  [[nodiscard]] bool is_affine(std::size_t cell) const { return affine_[cell] != 0; }
  /// From all vertices on tensor shapes, so that mirrored cells have mirrored maps.
  [[nodiscard]] AffineMap map(std::size_t cell) const;
  /// Outward N of a face whose vertices span it: |N| is its surface Jacobian with respect to the face's (a, b).
  [[nodiscard]] std::array<double, 3> flat_normal(std::size_t cell, int face) const;

 private:
  struct Tables {
    bool tensor = false;
    std::vector<std::size_t> vertices;                     ///< lattice points that are the vertices
    std::vector<std::array<double, 3>> lattice;            ///< reference coordinates
    std::vector<std::array<std::size_t, 3>> face_corners;  ///< [faces] lattice points: origin, end of a, end of b
    std::vector<double> face_sense;                        ///< [faces] sign of outward against the (a, b) parameterisation
  };
  static Tables make_tables(mesh::Shape shape, int order);
  [[nodiscard]] const Tables& tables(std::size_t cell) const { return tables_[static_cast<std::size_t>(mesh_.shapes[cell])]; }
  [[nodiscard]] const double* lattice(std::size_t cell) const { return mesh_.points.data() + mesh_.point_offset[cell] * dimension_; }
  [[nodiscard]] bool test(std::size_t cell) const;

  const mesh::Mesh& mesh_;
  std::size_t dimension_;
  std::array<Tables, 8> tables_;  ///< by shape
  std::vector<char> affine_;      ///< [cells]
};

}  // namespace dgsolve::solver
