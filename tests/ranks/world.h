// The ranks that a test program was started on.
#pragma once

#include "mesh/communicator.h"

namespace dgsolve {

[[nodiscard]] const mesh::Communicator& world();

}  // namespace dgsolve
