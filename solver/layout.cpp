// Sorts the cells of a mesh into element classes and blocks.
#include "solver/layout.h"

#include <algorithm>
#include <numeric>

#include "mesh/ordering.h"
#include "solver/lane_blocks.h"

namespace dgsolve::solver {
namespace {

bool touches_boundary(const mesh::Mesh& mesh, std::size_t cell) {
  for (std::size_t f = mesh.face_offset[cell]; f < mesh.face_offset[cell + 1]; ++f) {
    if (mesh.links[f].neighbour < 0) return true;
  }
  return false;
}

bool touches_ghost(const mesh::Mesh& mesh, std::size_t cell, std::size_t owned) {
  for (std::size_t f = mesh.face_offset[cell]; f < mesh.face_offset[cell + 1]; ++f) {
    if (mesh.links[f].neighbour >= static_cast<std::int32_t>(owned)) return true;
  }
  return false;
}

/// The cells in the order of their slots. GPUs work on groups of neighbouring elements: the more faces lie between two elements of a
/// group, the fewer neighbours are read from memory. Boxes of simplices are ordered for the lanes of CPUs; groups of eight consecutive
/// tetrahedra of a box share no faces in the mesh's order, and 38% of them along a Hilbert curve through the centres.
std::vector<std::int32_t> slot_order(const mesh::Mesh& mesh, int width) {
  const auto simplex = [](mesh::Shape shape) { return shape == mesh::Shape::triangle || shape == mesh::Shape::tetrahedron; };
  if (width > 1 || !std::all_of(mesh.shapes.begin(), mesh.shapes.end(), simplex)) {
    std::vector<std::int32_t> order(mesh.cell_count());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  std::vector<double> centres(mesh.cell_count() * dimension, 0.0);
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const std::size_t first = mesh.point_offset[cell];
    const std::size_t count = mesh.point_offset[cell + 1] - first;
    for (std::size_t i = 0; i < count * dimension; ++i) {
      centres[cell * dimension + i % dimension] += mesh.points[first * dimension + i] / static_cast<double>(count);
    }
  }
  return mesh::hilbert_order(centres, mesh.dimension);
}

}  // namespace

Layout make_layout(const mesh::Mesh& mesh, const std::vector<bool>& affine, int variables, int nodes, int width, std::size_t owned,
                   bool apart) {
  Layout layout;
  layout.width = width;
  layout.variables = variables;
  layout.nodes = nodes;
  layout.apart = apart;
  const auto has = [&](bool kind) { return std::find(affine.begin(), affine.end(), kind) != affine.end(); };
  layout.mixed = has(true) && has(false);
  layout.slot_of_cell.resize(mesh.cell_count());
  const std::vector<std::int32_t> order = slot_order(mesh, width);
  const auto add_class = [&](bool is_affine, bool boundary, bool shared) {
    ElementClass group{is_affine, boundary, shared, layout.block_count, 0, 0, {}};
    for (const std::int32_t cell : order) {
      const auto c = static_cast<std::size_t>(cell);
      if (c >= owned || affine[c] != is_affine || touches_boundary(mesh, c) != boundary) continue;
      if (!apart || touches_ghost(mesh, c, owned) == shared) group.cells.push_back(cell);
    }
    if (group.cells.empty()) return;
    if (width > 1) group.cells = lane_order(mesh, group.cells, width);
    group.element_count = static_cast<std::int32_t>(group.cells.size());
    group.block_count = (group.element_count + width - 1) / width;
    for (std::int32_t i = 0; i < group.block_count * width; ++i) {
      const std::int32_t cell = group.cells[static_cast<std::size_t>(std::min(i, group.element_count - 1))];
      if (i < group.element_count) layout.slot_of_cell[static_cast<std::size_t>(cell)] = layout.block_count * width + i;
      layout.cell_of_slot.push_back(cell);
    }
    layout.block_count += group.block_count;
    layout.classes.push_back(std::move(group));
  };
  for (const bool is_affine : {true, false}) {
    for (const bool boundary : {false, true}) {
      add_class(is_affine, boundary, false);
      if (apart) add_class(is_affine, boundary, true);
    }
  }
  for (std::size_t cell = owned; cell < mesh.cell_count(); ++cell) {
    layout.slot_of_cell[cell] = static_cast<std::int32_t>(layout.cell_of_slot.size());
    layout.cell_of_slot.push_back(static_cast<std::int32_t>(cell));
  }
  while (layout.cell_of_slot.size() % static_cast<std::size_t>(width) != 0) layout.cell_of_slot.push_back(layout.cell_of_slot.back());
  layout.block_count = static_cast<std::int32_t>(layout.cell_of_slot.size()) / width;
  return layout;
}

int lane_count(const codegen::DeviceFacts& facts, codegen::Precision precision) {
  if (!facts.is_cpu) return 1;
  const int doubles = facts.architecture.find("avx512f") != std::string::npos ? 8 : 4;
  return precision == codegen::Precision::double_precision ? doubles : 2 * doubles;
}

}  // namespace dgsolve::solver
