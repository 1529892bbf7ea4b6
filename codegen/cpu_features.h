// The instruction-set features of the host's CPU.
#pragma once

#include <string>

namespace dgsolve::codegen {

/// Names of the vector and arithmetic extensions in alphabetical order, separated by spaces; empty if the system does not tell.
/// Code generated for a CPU device is valid only for this list.
[[nodiscard]] std::string cpu_features();

}  // namespace dgsolve::codegen
