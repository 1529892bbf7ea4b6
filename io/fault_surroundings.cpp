// Some cells of the mesh, and the state that goes with them, from all ranks to rank 0.
#include "io/fault_surroundings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "io/output_error.h"
#include "io/vtkhdf.h"

namespace dgsolve::io {
namespace {

/// How many faces away an element still belongs to the surroundings.
constexpr int reach = 2;

/// Global numbers of the cells within `reach` faces of one; the same on every rank.
std::set<std::int64_t> numbers_around(const solver::DgOperator& op, std::int64_t middle) {
  const mesh::Mesh& mesh = op.mesh();
  std::set<std::int64_t> found{middle};
  for (int step = 0; step < reach; ++step) {
    std::vector<double> reached;
    for (std::size_t cell = 0; cell < op.owned_numbers().size(); ++cell) {
      if (!found.contains(mesh.global_number[cell])) continue;
      for (std::size_t face = mesh.face_offset[cell]; face < mesh.face_offset[cell + 1]; ++face) {
        const std::int32_t neighbour = mesh.links[face].neighbour;
        if (neighbour >= 0) reached.push_back(static_cast<double>(mesh.global_number[static_cast<std::size_t>(neighbour)]));
      }
    }
    for (const double number : op.ranks().all_gather(std::move(reached))) found.insert(std::llround(number));
  }
  return found;
}

/// What travels of a cell: its number, its points, its state.
struct CellRecord {
  std::size_t point_values = 0, state_values = 0;
  [[nodiscard]] std::size_t size() const { return 1 + point_values + state_values; }
};

/// The records of all ranks' cells among `numbers`, one after the other, on rank 0; elsewhere empty.
std::vector<double> gather_records(solver::DgOperator& op, const std::set<std::int64_t>& numbers, const CellRecord& record) {
  const std::vector<double> state = op.own_state();
  std::vector<double> records;
  for (std::size_t cell = 0; cell < op.owned_numbers().size(); ++cell) {
    const std::int64_t number = op.owned_numbers()[cell];
    if (!numbers.contains(number)) continue;
    records.push_back(static_cast<double>(number));
    const auto points = op.mesh().points.begin() + static_cast<std::ptrdiff_t>(cell * record.point_values);
    records.insert(records.end(), points, points + static_cast<std::ptrdiff_t>(record.point_values));
    const auto values = state.begin() + static_cast<std::ptrdiff_t>(cell * record.state_values);
    records.insert(records.end(), values, values + static_cast<std::ptrdiff_t>(record.state_values));
  }
  return op.ranks().gather(std::move(records));
}

std::vector<OutputField> component_fields(const solver::EquationSystem& system) {
  std::vector<OutputField> fields;
  for (const std::string& name : system.component_names()) fields.push_back({name, 1, {static_cast<int>(fields.size())}});
  return fields;
}

/// The cells of the records in the order of their numbers, as a mesh of their own, and their state.
std::pair<mesh::Mesh, std::vector<double>> piece_of(const solver::DgOperator& op, std::span<const double> records,
                                                    const CellRecord& record) {
  mesh::Mesh piece;
  piece.dimension = op.element().dimension;
  piece.geometry_order = op.mesh().geometry_order;
  piece.point_offset = {0};
  piece.face_offset = {0};
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < records.size(); at += record.size()) begins.push_back(at);
  std::sort(begins.begin(), begins.end(), [&](std::size_t a, std::size_t b) { return records[a] < records[b]; });
  std::vector<double> state;
  for (const std::size_t at : begins) {
    const auto points = records.subspan(at + 1, record.point_values),
               values = records.subspan(at + 1 + record.point_values, record.state_values);
    piece.global_number.push_back(static_cast<std::int64_t>(piece.shapes.size()));
    piece.shapes.push_back(op.element().shape);
    piece.points.insert(piece.points.end(), points.begin(), points.end());
    piece.point_offset.push_back(piece.points.size() / static_cast<std::size_t>(piece.dimension));
    piece.face_offset.push_back(piece.face_offset.back() + static_cast<std::size_t>(op.element().face_count));
    state.insert(state.end(), values.begin(), values.end());
  }
  piece.links.resize(piece.face_offset.back());
  return {std::move(piece), std::move(state)};
}

}  // namespace

std::optional<std::filesystem::path> write_surroundings(solver::DgOperator& op, const Config& config, const solver::DivergedError& fault) {
  if (fault.fault().element < 0) return std::nullopt;
  const CellRecord record{
      mesh::lattice_points(op.element().shape, op.mesh().geometry_order).size() * static_cast<std::size_t>(op.element().dimension),
      static_cast<std::size_t>(op.system().variable_count()) * static_cast<std::size_t>(op.element().node_count)};
  const std::vector<double> records = gather_records(op, numbers_around(op, fault.fault().element), record);
  if (!op.ranks().is_root()) return std::nullopt;
  try {
    auto [piece, state] = piece_of(op, records, record);
    VtkhdfSeries series(config.output_directory, config.name + ".fault", make_output_grid(mesh::whole_part(std::move(piece)), op.element()),
                        component_fields(op.system()), ValueStorage::float64, {{"program", "dgsolve"}, {"fault", fault.what()}});
    series.write(fault.progress().time, fault.progress().step, state);
    return series.main_file();
  } catch (const OutputError&) {
    return std::nullopt;
  }
}

}  // namespace dgsolve::io
