// The mesh: cells with curved geometry, how their faces meet, and named boundary groups. Knows no polynomial space and no PDE.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "mesh/shape.h"

namespace dgsolve::mesh {

/// A mesh file, box or boundary specification that cannot be used (exit status 2). One complete message.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What lies behind one face of one cell.
struct FaceLink {
  std::int32_t neighbour = -1;  ///< cell index, or -1 on a boundary
  std::int16_t boundary = -1;   ///< index into Mesh::boundary_names, or -1 inside
  std::int8_t face = 0;         ///< the neighbour's local face
  std::int8_t orientation = 0;  ///< see orientation_vertices(): from this side to the neighbour's
};

/// Cells in memory order (along a space-filling curve); all arrays below are indexed by it.
struct Mesh {
  int dimension = 0;
  int geometry_order = 1;                   ///< g: degree of the cells' mapping
  std::vector<Shape> shapes;                ///< [cells]
  std::vector<std::int64_t> global_number;  ///< [cells] file order; boxes: lexicographic, x fastest
  std::vector<std::size_t> point_offset;    ///< [cells+1] first lattice point of a cell
  std::vector<double> points;               ///< [lattice points][dimension], lattice order of shape.h
  std::vector<std::size_t> face_offset;     ///< [cells+1]
  std::vector<FaceLink> links;              ///< [faces of all cells]
  std::vector<std::string> boundary_names;  ///< groups with at least one boundary face, first seen first

  [[nodiscard]] std::size_t cell_count() const { return shapes.size(); }
};

}  // namespace dgsolve::mesh
