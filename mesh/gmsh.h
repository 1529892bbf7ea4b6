// Gmsh MSH files: 2.2 and 4.1, text and binary, orders 1 to 4, physical groups, $Periodic.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::mesh {

struct GmshOptions {
  /// Pairs of boundary groups matched by translation, besides the file's own $Periodic links.
  std::vector<std::pair<std::string, std::string>> periodic;
};

/// Throws MeshError naming file, and section, line or byte, cell and coordinates as they apply.
[[nodiscard]] Mesh read_gmsh(const std::filesystem::path& file, const GmshOptions& options = {});
/// The same from the bytes of a file; `name` stands in messages.
[[nodiscard]] Mesh read_gmsh_bytes(std::string name, std::string bytes, const GmshOptions& options = {});

}  // namespace dgsolve::mesh
