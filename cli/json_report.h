// What the measuring commands found, as JSON for other programs.
#pragma once

#include <span>
#include <string>

#include "cli/convergence.h"
#include "cli/stage_timing.h"

namespace dgsolve::cli {

/// {"rows": [{"order", "cells", "h", "steps", "errors": {name: {L1, L2, Linf}}, "observed": {name: {L1, L2, Linf}}}]}; an order that
/// cannot be observed is null.
[[nodiscard]] std::string json_of_convergence(std::span<const ConvergenceRow> rows);

/// {"device", "dofs", "elements", "order", "stages_per_step", "steps", "seconds_per_stage", "gdofs_per_s", "bytes_per_dof", ...}
[[nodiscard]] std::string json_of_timing(const StageTiming& timing, const solver::DgOperator& op);

}  // namespace dgsolve::cli
