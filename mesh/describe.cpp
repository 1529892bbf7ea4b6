// Names and places of cells and faces for messages.
#include "mesh/describe.h"

#include <fmt/format.h>

#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

std::array<double, 3> mean(std::span<const std::array<double, 3>> points) {
  std::array<double, 3> centre{};
  for (const auto& point : points) {
    for (std::size_t d = 0; d < 3; ++d) centre[d] += point[d] / static_cast<double>(points.size());
  }
  return centre;
}

}  // namespace

std::vector<std::array<double, 3>> cell_vertices(const Mesh& mesh, std::size_t cell) {
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  std::vector<std::array<double, 3>> vertices;
  for (const int index : vertex_lattice_indices(mesh.shapes[cell], mesh.geometry_order)) {
    const double* coordinates = &mesh.points[(mesh.point_offset[cell] + static_cast<std::size_t>(index)) * dimension];
    std::array<double, 3> vertex{};
    for (std::size_t d = 0; d < dimension; ++d) vertex[d] = coordinates[d];
    vertices.push_back(vertex);
  }
  return vertices;
}

std::array<double, 3> cell_centre(const Mesh& mesh, std::size_t cell) { return mean(cell_vertices(mesh, cell)); }

std::array<double, 3> face_centre(const Mesh& mesh, std::size_t cell, std::size_t face) {
  const auto vertices = cell_vertices(mesh, cell);
  std::vector<std::array<double, 3>> corners;
  for (const int v : shape_facts(mesh.shapes[cell]).face_vertices[face]) corners.push_back(vertices[static_cast<std::size_t>(v)]);
  return mean(corners);
}

std::string format_point(std::array<double, 3> point, int dimension) {
  std::string text = "(";
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) text += fmt::format("{}{:.6g}", d == 0 ? "" : ", ", point[d]);
  return text + ")";
}

std::string describe_cell(const Mesh& mesh, std::size_t cell) {
  return fmt::format("cell {} ({})", mesh.global_number[cell], shape_facts(mesh.shapes[cell]).name);
}

std::string name_cell(const Mesh& mesh, std::size_t cell, const CellNamer& namer) {
  return namer ? namer(cell) : describe_cell(mesh, cell);
}

}  // namespace dgsolve::mesh
