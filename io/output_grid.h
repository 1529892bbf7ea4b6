// The mesh as output files show it: Lagrange cells with points of their own, and the way from nodal values to those points.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/point_interpolation.h"
#include "mesh/distribution.h"
#include "mesh/global_rows.h"
#include "solver/elements/reference_element.h"
#include "solver/equations/system.h"

namespace dgsolve::io {

/// The cells that a rank owns, in the mesh's order. In files they stand in the order of their global numbers, so that files depend neither
/// on the order in memory nor on the ranks: `rows` brings them there. Every cell has its own points: a discontinuous solution stays
/// discontinuous.
struct OutputGrid {
  std::vector<double> points;  ///< [cells][points of a cell, VTK's order][3], missing coordinates 0
  std::uint8_t cell_type = 0;  ///< VTK's number, the same for all cells
  std::size_t cell_count = 0;
  std::size_t cell_points = 0;  ///< points of a cell
  PointInterpolation interpolation;
  mesh::GlobalRows rows;

  [[nodiscard]] std::size_t point_count() const { return cell_count * cell_points; }
};

/// Lattice of the element's order, mapped by the cells' own geometry. By all ranks together. Throws mesh::MeshError for cells of a shape
/// other than the element's, or one that cannot be shown.
[[nodiscard]] OutputGrid make_output_grid(const mesh::MeshPart& part, const solver::ReferenceElement& element,
                                          const mesh::Communicator& ranks = {});

/// A field of the file: which component of the evaluated values goes where.
struct OutputField {
  std::string name;
  std::size_t columns = 1;   ///< 1 scalar, 3 vector, 6 symmetric tensor (XX YY ZZ XY YZ XZ)
  std::vector<int> sources;  ///< [columns] component index, -1: zero
};

/// Vectors are padded to three components, symmetric tensors to six; anything else keeps its components.
[[nodiscard]] std::vector<OutputField> make_output_fields(const std::vector<solver::Quantity>& quantities);

/// Fields at the points of some cells. values: [cells in mesh order][components][Np]; of each cell a part for each field is written to its
/// place, [points of a cell][columns].
template <class Value>
void fields_at_points(const OutputGrid& grid, std::span<const OutputField> fields, std::size_t components, std::span<const double> values,
                      std::span<const mesh::GlobalRows::Place<Value>> places);

}  // namespace dgsolve::io
