// Random numbers in device memory that depend on nothing but seed, stream and place.
#pragma once

#include <concepts>
#include <cstdint>

#include "codegen/arrays/array.h"

namespace dgsolve::codegen {

/// A sequence of random numbers, and where in it to begin. Sequences with another seed or stream are independent.
struct RandomSequence {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;  ///< the place of the first number: a rank that holds a part of an array passes where its part begins
};

/// Number p of a sequence is made of words of the block p / (numbers of a block) of Philox 4x32-10 (Salmon, Moraes, Dror, Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3", SC11) with the seed as key and (block, stream) as counter: whatever device, group size,
/// or number of ranks makes it, it has the same bits. The functions write the items in row-major order.
///
/// The words themselves, 32 bits each.
void fill_random_bits(const Array<std::uint32_t>& target, const RandomSequence& sequence);
/// Evenly in [0, 1), multiples of 2^-24 (float) or 2^-53 (double).
template <std::floating_point T>
void fill_random_uniform(const Array<T>& target, const RandomSequence& sequence);
/// Mean 0, variance 1: the inverse of the normal distribution (Wichura, Algorithm AS 241, 1988) of 32 bits (float: relative error 1e-6,
/// up to 6.3) or 64 bits (double: 1e-15, up to 9.2), in operations that all devices round alike.
template <std::floating_point T>
void fill_random_normal(const Array<T>& target, const RandomSequence& sequence);

template <std::floating_point T>
[[nodiscard]] Array<T> random_uniform(const Context& context, const Shape& shape, const RandomSequence& sequence) {
  const Array<T> result(context, shape, "random numbers");
  fill_random_uniform(result, sequence);
  return result;
}
template <std::floating_point T>
[[nodiscard]] Array<T> random_normal(const Context& context, const Shape& shape, const RandomSequence& sequence) {
  const Array<T> result(context, shape, "random numbers");
  fill_random_normal(result, sequence);
  return result;
}

}  // namespace dgsolve::codegen
