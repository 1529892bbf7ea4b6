// When a solution diverges: the state of the elements around the fault as a small VTKHDF data set.
#pragma once

#include <filesystem>
#include <optional>

#include "io/config.h"
#include "solver/simulation.h"

namespace dgsolve::io {

/// DIRECTORY/NAME.fault.vtkhdf: all state components, one time, of the element that has the fault and of those that are reached from it
/// through one or two faces, on whatever rank, in the order of their global numbers. Nothing if the fault has no element, or the files
/// cannot be written: the fault itself is what there is to report. Called by all ranks; rank 0 writes and returns the file.
[[nodiscard]] std::optional<std::filesystem::path> write_surroundings(solver::DgOperator& op, const Config& config,
                                                                      const solver::DivergedError& fault);

}  // namespace dgsolve::io
