// What the measuring commands found, as JSON for other programs.
#pragma once

#include <span>

#include "cli/convergence.h"
#include "cli/stage_timing.h"
#include "io/json.h"

namespace dgsolve::cli {

/// {"rows": [{"order", "cells", "h", "steps", "errors": {name: {L1, L2, Linf}}, "observed": {name: {L1, L2, Linf}}}]}; an order that
/// cannot be observed is null.
[[nodiscard]] io::Json json_of_convergence(std::span<const ConvergenceRow> rows);

/// {"device", "selector", "is_cpu", "exchange", "dofs", "elements", "stages_per_step", "steps", "samples_s", "seconds_per_stage",
/// "gdofs_per_s", "state_bytes_per_dof", "geometry_bytes_per_dof", "bytes_per_dof", "copy_bytes_per_s", "share_of_copy"}; of several ranks
/// also
/// {"balance", "ranks": [{"elements", "neighbours", "bytes_per_stage", "exchange_alone_s", "exchange_exposed_s", "exchange_hidden_s"}]}
[[nodiscard]] io::Json json_of_timing(const StageTiming& timing, const solver::DgOperator& op);

}  // namespace dgsolve::cli
