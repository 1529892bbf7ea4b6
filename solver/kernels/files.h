// Kernel sources of the solver, embedded as text.
#pragma once

#include <span>

#include "codegen/embedded.h"

namespace dgsolve::solver {

[[nodiscard]] std::span<const codegen::EmbeddedFile> kernel_files();

}  // namespace dgsolve::solver
