// Which MPI library the program is built with.
#pragma once

#include <string>

namespace dgsolve::mesh {

/// As it names itself: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
[[nodiscard]] std::string mpi_library_name();

}  // namespace dgsolve::mesh
