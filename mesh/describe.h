// How messages name cells, faces and places.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>

#include "mesh/mesh.h"

namespace dgsolve::mesh {

/// What a message calls a cell.
using CellNamer = std::function<std::string(std::size_t cell)>;

/// The cell's vertices, [vertices][stride 3].
[[nodiscard]] std::vector<std::array<double, 3>> cell_vertices(const Mesh& mesh, std::size_t cell);
/// Mean of the cell's vertices; entries beyond the dimension are 0.
[[nodiscard]] std::array<double, 3> cell_centre(const Mesh& mesh, std::size_t cell);
/// Mean of the vertices of one face of the cell; entries beyond the dimension are 0.
[[nodiscard]] std::array<double, 3> face_centre(const Mesh& mesh, std::size_t cell, std::size_t face);

/// "(0.5, 0.25)"
[[nodiscard]] std::string format_point(std::array<double, 3> point, int dimension);
/// "cell 12 (triangle)", with the global number.
[[nodiscard]] std::string describe_cell(const Mesh& mesh, std::size_t cell);
/// The name that `namer` gives the cell, or that of describe_cell without one.
[[nodiscard]] std::string name_cell(const Mesh& mesh, std::size_t cell, const CellNamer& namer);

}  // namespace dgsolve::mesh
