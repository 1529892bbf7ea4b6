// A digest of many pieces that does not depend on their order, nor on which rank has which.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "mesh/communicator.h"
#include "mesh/mesh.h"

namespace dgsolve::solver {

/// The sum modulo 2^256 of the SHA-256 digests of pieces, each a number that says which piece it is and its content.
class DigestSum {
 public:
  void add(const std::string& bytes);
  /// Over all ranks, 64 hexadecimal digits. Called by all of them.
  [[nodiscard]] std::string total(const mesh::Communicator& ranks) const;

 private:
  std::array<std::uint32_t, 8> limbs_{};  ///< little-endian
};

/// Appends the bytes of numbers as they lie in memory (little-endian on every supported host).
template <class Number, std::size_t Extent>
void append_bytes(std::string& bytes, std::span<Number, Extent> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

/// Of the shapes, numbers and coordinates of a mesh, of which this rank has the first `owned` cells.
[[nodiscard]] std::string mesh_digest(const mesh::Mesh& mesh, std::size_t owned, const mesh::Communicator& ranks);

}  // namespace dgsolve::solver
