// When a solution diverges: the state of the elements around the fault as a small VTKHDF data set.
#pragma once

#include <filesystem>
#include <optional>

#include "io/config.h"
#include "mesh/mesh.h"
#include "solver/simulation.h"

namespace dgsolve::io {

/// The first `owned` cells of a mesh that are reached from one (by its global number) through at most so many faces, as a mesh of their
/// own: cells keep their order and numbers, faces to others become boundaries without a group. Empty if there is no such cell.
[[nodiscard]] mesh::Mesh neighbourhood(const mesh::Mesh& mesh, std::size_t owned, std::int64_t number, int faces);

/// DIRECTORY/NAME.fault.vtkhdf: all state components, one time, of the cells of the rank that has the fault. Nothing if the fault has no
/// element, or the files cannot be written: the fault itself is what there is to report. Called by all ranks; all return the file.
[[nodiscard]] std::optional<std::filesystem::path> write_surroundings(solver::DgOperator& op, const Config& config,
                                                                      const solver::DivergedError& fault);

}  // namespace dgsolve::io
