// Structures of the host as item types of arrays: described once, defined in kernels by that, their layout checked on the device.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/arrays/context.h"
#include "codegen/arrays/element_type.h"

namespace dgsolve::codegen {

/// Item type and number of items of a member.
template <class M>
struct MemberItems {
  using Item = M;
  static constexpr std::size_t count = 1;
};
template <class M, std::size_t N>
struct MemberItems<M[N]> {
  using Item = M;
  static constexpr std::size_t count = N;
};
template <class M, std::size_t N>
struct MemberItems<std::array<M, N>> {
  using Item = M;
  static constexpr std::size_t count = N;
};

/// A member of structure T: an item of a plain type, or an array of them.
template <class T, class M>
[[nodiscard]] StructureMember member(std::string name, M T::*pointer) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>, "kernels know plain structures only");
  static_assert(sizeof pointer == sizeof(std::ptrdiff_t), "GCC and Clang represent a pointer to a data member by its offset");
  const ElementType type = element_type<typename MemberItems<M>::Item>();
  return {std::move(name), type.name, MemberItems<M>::count, static_cast<std::size_t>(std::bit_cast<std::ptrdiff_t>(pointer))};
}

[[nodiscard]] ElementType make_structure(std::string name, std::size_t bytes, std::vector<StructureMember> members);

/// The type of items T, with all its members in their order:
///
///     template <>
///     struct ElementTypeOf<Particle> {
///       static ElementType get() {
///         return describe_structure<Particle>("particle", {member("x", &Particle::x), member("weight", &Particle::weight)});
///       }
///     };
///
/// `name` is that of the type in kernels. Throws std::invalid_argument for names that are no identifiers, or members that are structures.
template <class T>
[[nodiscard]] ElementType describe_structure(std::string name, std::vector<StructureMember> members) {
  return make_structure(std::move(name), sizeof(T), std::move(members));
}

/// Compares size and offsets with those of the device's compiler, once for each context and type; arrays of structures do it when they are
/// made. Throws DeviceError naming the first member that is elsewhere.
void check_structure(const Context& context, const ElementType& type);

}  // namespace dgsolve::codegen
