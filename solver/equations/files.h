// The built-in equation files, embedded in the library as text (`io` parses them like a user's).
#pragma once

#include <span>

#include "codegen/embedded.h"

namespace dgsolve::solver {

[[nodiscard]] std::span<const codegen::EmbeddedFile> equation_files();

}  // namespace dgsolve::solver
