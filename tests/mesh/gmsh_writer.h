// Writes small meshes as Gmsh files in every version and encoding, for the tests of the reader.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mesh/mesh.h"

namespace dgsolve::mesh {

struct WrittenElement {
  int type = 0;
  int dimension = 0;
  int entity = 1;
  int group = 0;                      ///< physical tag, 0: none
  std::vector<std::int64_t> nodes{};  ///< tags
};

struct WrittenPeriodic {
  int dimension = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs{};  ///< slave, master
};

struct WrittenMesh {
  std::vector<std::int64_t> tags;
  std::vector<std::array<double, 3>> nodes;
  std::vector<WrittenElement> elements;
  std::vector<std::pair<std::pair<int, int>, std::string>> names;  ///< (dimension, physical tag), name
  std::vector<WrittenPeriodic> periodic;
};

struct Encoding {
  int version = 41;  ///< 22 or 41
  bool binary = false;
  bool swapped = false;  ///< the other byte order
};

inline const std::vector<Encoding> all_encodings{{22, false, false}, {22, true, false}, {22, true, true},
                                                 {41, false, false}, {41, true, false}, {41, true, true}};

/// The file's bytes. In version 4.1 every element has its own block and every (dimension, group) its own entity.
[[nodiscard]] std::string encode(const WrittenMesh& mesh, const Encoding& encoding);

/// The mesh as a Gmsh file would hold it: shared nodes once, boundary faces in groups. The mesh must have no links through
/// periodic directions.
[[nodiscard]] WrittenMesh write_mesh(const Mesh& mesh);

}  // namespace dgsolve::mesh
