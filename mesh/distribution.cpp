// Cuts the space-filling curve into pieces.
#include "mesh/distribution.h"

#include <algorithm>
#include <set>

#include "mesh/part_builder.h"

namespace dgsolve::mesh {
namespace {

void add_faces(PartBuilder& builder, const Mesh& whole, std::int64_t place) {
  const auto cell = static_cast<std::size_t>(place);
  for (std::size_t f = whole.face_offset[cell]; f < whole.face_offset[cell + 1]; ++f)
    builder.add_face(whole.links[f].neighbour, whole.links[f]);
}

void add_cell(Mesh& mesh, const Mesh& whole, std::int64_t place) {
  const auto cell = static_cast<std::size_t>(place);
  const auto dimension = static_cast<std::size_t>(whole.dimension);
  const auto at = [&](std::size_t point) { return whole.points.begin() + static_cast<std::ptrdiff_t>(point * dimension); };
  mesh.shapes.push_back(whole.shapes[cell]);
  mesh.global_number.push_back(whole.global_number[cell]);
  mesh.points.insert(mesh.points.end(), at(whole.point_offset[cell]), at(whole.point_offset[cell + 1]));
  mesh.point_offset.push_back(mesh.points.size() / dimension);
  mesh.face_offset.push_back(mesh.face_offset.back() + whole.face_offset[cell + 1] - whole.face_offset[cell]);
}

std::vector<Shape> shapes_of(const Mesh& mesh) {
  const std::set<Shape> shapes(mesh.shapes.begin(), mesh.shapes.end());
  return {shapes.begin(), shapes.end()};
}

}  // namespace

std::int64_t first_owned(std::int64_t cells, int rank, int ranks) {
  return rank * (cells / ranks) + std::min<std::int64_t>(rank, cells % ranks);
}

int owner_of(std::int64_t cells, std::int64_t cell, int ranks) {
  const std::int64_t share = cells / ranks, longer = cells % ranks;
  const std::int64_t in_longer = longer * (share + 1);
  return static_cast<int>(cell < in_longer ? cell / (share + 1) : longer + (cell - in_longer) / share);
}

MeshPart mesh_part(const Mesh& whole, int rank, int ranks) {
  PartBuilder builder(static_cast<std::int64_t>(whole.cell_count()), rank, ranks);
  for (std::int64_t cell = builder.first(); cell < builder.end(); ++cell) add_faces(builder, whole, cell);
  const std::vector<std::int64_t>& ghosts = builder.find_ghosts();
  for (const std::int64_t cell : ghosts) add_faces(builder, whole, cell);
  Mesh& mesh = builder.mesh();
  mesh.dimension = whole.dimension;
  mesh.geometry_order = whole.geometry_order;
  mesh.boundary_names = whole.boundary_names;
  mesh.point_offset = {0};
  mesh.face_offset = {0};
  for (std::int64_t cell = builder.first(); cell < builder.end(); ++cell) add_cell(mesh, whole, cell);
  for (const std::int64_t cell : ghosts) add_cell(mesh, whole, cell);
  MeshPart part = builder.finish();
  part.shapes = shapes_of(whole);
  return part;
}

MeshPart whole_part(Mesh mesh) {
  MeshPart part;
  part.cells = static_cast<std::int64_t>(mesh.cell_count());
  part.owned = mesh.cell_count();
  part.shapes = shapes_of(mesh);
  part.mesh = std::move(mesh);
  return part;
}

}  // namespace dgsolve::mesh
