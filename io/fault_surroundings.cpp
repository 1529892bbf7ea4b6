// A part of the mesh, and the part of the state that goes with it.
#include "io/fault_surroundings.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/output_error.h"
#include "io/vtkhdf.h"

namespace dgsolve::io {
namespace {

/// How many faces away an element still belongs to the surroundings.
constexpr int reach = 2;

/// Cells, of the first `owned`, within so many faces of one, in mesh order.
std::set<std::size_t> cells_around(const mesh::Mesh& mesh, std::size_t owned, std::size_t middle, int faces) {
  std::set<std::size_t> found{middle}, edge{middle};
  for (int step = 0; step < faces; ++step) {
    std::set<std::size_t> next;
    for (const std::size_t cell : edge) {
      for (std::size_t face = mesh.face_offset[cell]; face < mesh.face_offset[cell + 1]; ++face) {
        const std::int32_t neighbour = mesh.links[face].neighbour;
        if (neighbour >= 0 && static_cast<std::size_t>(neighbour) < owned) next.insert(static_cast<std::size_t>(neighbour));
      }
    }
    found.insert(next.begin(), next.end());
    edge = std::move(next);
  }
  return found;
}

std::vector<OutputField> component_fields(const solver::EquationSystem& system) {
  std::vector<OutputField> fields;
  for (const std::string& name : system.component_names()) fields.push_back({name, 1, {static_cast<int>(fields.size())}});
  return fields;
}

/// [cells of the piece][variable][node] out of those of the rank.
std::vector<double> values_of(const mesh::Mesh& piece, std::span<const std::int64_t> numbers, const std::vector<double>& state) {
  const std::size_t of_cell = state.size() / numbers.size();
  std::vector<double> values;
  std::size_t next = 0;  // both are in mesh order
  for (std::size_t cell = 0; cell < numbers.size() && next < piece.cell_count(); ++cell) {
    if (numbers[cell] != piece.global_number[next]) continue;
    const auto first = state.begin() + static_cast<std::ptrdiff_t>(cell * of_cell);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(of_cell));
    ++next;
  }
  return values;
}

/// 0, 1, ... in the order of the numbers: the rows of a file.
void number_from_zero(mesh::Mesh& piece) {
  std::vector<std::int64_t> sorted = piece.global_number;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t& number : piece.global_number) number = std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
}

/// By one rank, alone. Empty if the files cannot be written.
std::string write_piece(solver::DgOperator& op, const Config& config, const solver::DivergedError& fault) {
  try {
    mesh::Mesh piece = neighbourhood(op.mesh(), op.owned_numbers().size(), fault.fault().element, reach);
    const std::vector<double> values = values_of(piece, op.owned_numbers(), op.own_state());
    number_from_zero(piece);
    VtkhdfSeries series(config.output_directory, config.name + ".fault", make_output_grid(mesh::whole_part(std::move(piece)), op.element()),
                        component_fields(op.system()), ValueStorage::float64, {{"program", "dgsolve"}, {"fault", fault.what()}});
    series.write(fault.progress().time, fault.progress().step, values);
    return series.main_file().string();
  } catch (const OutputError&) {
    return {};
  }
}

}  // namespace

mesh::Mesh neighbourhood(const mesh::Mesh& mesh, std::size_t owned, std::int64_t number, int faces) {
  mesh::Mesh part;
  part.dimension = mesh.dimension;
  part.geometry_order = mesh.geometry_order;
  part.point_offset = {0};
  part.face_offset = {0};
  const auto end = mesh.global_number.begin() + static_cast<std::ptrdiff_t>(owned);
  const auto middle = std::find(mesh.global_number.begin(), end, number);
  if (middle == end) return part;
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  for (const std::size_t cell : cells_around(mesh, owned, static_cast<std::size_t>(middle - mesh.global_number.begin()), faces)) {
    part.shapes.push_back(mesh.shapes[cell]);
    part.global_number.push_back(mesh.global_number[cell]);
    const auto first = mesh.points.begin() + static_cast<std::ptrdiff_t>(mesh.point_offset[cell] * dim);
    const std::size_t points = mesh.point_offset[cell + 1] - mesh.point_offset[cell];
    part.points.insert(part.points.end(), first, first + static_cast<std::ptrdiff_t>(points * dim));
    part.point_offset.push_back(part.point_offset.back() + points);
    part.face_offset.push_back(part.face_offset.back() + mesh.face_offset[cell + 1] - mesh.face_offset[cell]);
  }
  part.links.resize(part.face_offset.back());
  return part;
}

std::optional<std::filesystem::path> write_surroundings(solver::DgOperator& op, const Config& config, const solver::DivergedError& fault) {
  if (fault.fault().element < 0) return std::nullopt;
  std::string file;
  if (op.ranks().rank() == fault.fault().rank) file = write_piece(op, config, fault);
  op.ranks().broadcast(file, fault.fault().rank);
  if (file.empty()) return std::nullopt;
  return file;
}

}  // namespace dgsolve::io
