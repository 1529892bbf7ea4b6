// Sums of digests.
#include "solver/digest_sum.h"

#include <fmt/format.h>

#include <cstring>

#include "codegen/digest.h"

namespace dgsolve::solver {
namespace {

using Limbs = std::array<std::uint32_t, 8>;

void add_modulo(Limbs& total, const Limbs& other) {
  std::uint64_t carry = 0;
  for (std::size_t limb = 0; limb < total.size(); ++limb) {
    carry += std::uint64_t{total[limb]} + other[limb];
    total[limb] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

}  // namespace

void DigestSum::add(const std::string& bytes) {
  const std::string digest = codegen::sha256(bytes);
  Limbs limbs{};
  for (std::size_t limb = 0; limb < limbs.size(); ++limb) {
    limbs[limb] = static_cast<std::uint32_t>(std::stoul(digest.substr((limbs.size() - 1 - limb) * 8, 8), nullptr, 16));
  }
  add_modulo(limbs_, limbs);
}

std::string DigestSum::total(const mesh::Communicator& ranks) const {
  const auto parts = ranks.all_gather(std::string(reinterpret_cast<const char*>(limbs_.data()), sizeof limbs_));
  Limbs total{};
  for (const std::string& part : parts) {
    Limbs limbs{};
    std::memcpy(limbs.data(), part.data(), sizeof limbs);
    add_modulo(total, limbs);
  }
  std::string text;
  for (std::size_t limb = total.size(); limb-- > 0;) text += fmt::format("{:08x}", total[limb]);
  return text;
}

std::string mesh_digest(const mesh::Mesh& mesh, std::size_t owned, const mesh::Communicator& ranks) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  DigestSum sum;
  for (std::size_t cell = 0; cell < owned; ++cell) {
    std::string bytes(mesh::shape_facts(mesh.shapes[cell]).name);
    append_bytes(bytes, std::span(&mesh.global_number[cell], 1));
    const std::size_t first = mesh.point_offset[cell] * dim;
    append_bytes(bytes, std::span(mesh.points).subspan(first, mesh.point_offset[cell + 1] * dim - first));
    sum.add(bytes);
  }
  return sum.total(ranks);
}

}  // namespace dgsolve::solver
