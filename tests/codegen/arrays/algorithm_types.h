// Structures that the tests of reductions and scans fold: affine maps, whose composition does not commute, and a value with its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/arrays/element_type.h"

namespace dgsolve::codegen {

/// x -> slope x + shift, modulo 2^32.
struct Affine {
  std::uint32_t slope, shift;
  bool operator==(const Affine&) const = default;
};

inline ElementType affine_type() {
  return {"affine", sizeof(Affine), ElementKind::structure, "typedef struct { uint32 slope, shift; } affine;"};
}
template <>
struct ElementTypeOf<Affine> {
  static ElementType get() { return affine_type(); }
};

/// First a, then b.
inline Affine composition(const Affine& a, const Affine& b) { return {a.slope * b.slope, b.slope * a.shift + b.shift}; }
inline const std::string affine_functions = R"(
INLINE affine compose(affine a, affine b) {
  affine result;
  result.slope = a.slope * b.slope;
  result.shift = b.slope * a.shift + b.shift;
  return result;
}
INLINE affine identity(void) {
  affine result;
  result.slope = 1;
  result.shift = 0;
  return result;
}
)";

inline std::vector<Affine> random_affine_maps(std::int64_t count) {
  std::vector<Affine> maps(static_cast<std::size_t>(count));
  std::uint32_t state = 12345;
  for (Affine& map : maps) {
    state = state * 1664525U + 1013904223U;
    map = {(state >> 8) | 1U, state ^ 0x5bd1e995U};
  }
  return maps;
}

/// The largest value so far and its first place.
struct Best {
  std::int64_t place;
  std::int32_t value, unused;
};

inline ElementType best_type() {
  return {"best", sizeof(Best), ElementKind::structure, "typedef struct { int64 place; int value, unused; } best;"};
}
template <>
struct ElementTypeOf<Best> {
  static ElementType get() { return best_type(); }
};
inline const std::string best_functions = R"(
INLINE best best_of(int value, int64 place) {
  best result;
  result.place = place;
  result.value = value;
  result.unused = 0;
  return result;
}
INLINE best better(best a, best b) { return a.value > b.value || (a.value == b.value && a.place < b.place) ? a : b; }
)";

}  // namespace dgsolve::codegen
