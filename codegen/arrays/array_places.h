// Items at computed places of arrays.
#pragma once

#include <concepts>

#include "codegen/arrays/array.h"

namespace dgsolve::codegen {

/// What happens for places outside of an array: they read as zero and are not written; or `throws` looks at all places first, which waits
/// for the queue, and throws std::out_of_range naming the first of them.
enum class PlaceCheck { none, throws };

/// Throws std::out_of_range unless every place is in [0, count). Waits for the queue.
void check_places(const ArrayProgram& places, std::int64_t count);

template <class X>
concept ArrayOfPlaces = ArrayOperand<X> && std::integral<item_of<X>>;

/// x[places], of the shape of the places. x has one dimension, or more without gaps (places count row-major items).
template <class T, ArrayOfPlaces P>
[[nodiscard]] Expression<T> take(const Array<T>& x, const P& places, PlaceCheck check = PlaceCheck::none) {
  if (x.shape().rank() != 1 && !x.is_contiguous()) throw std::invalid_argument("take from a view with gaps and several dimensions");
  ArrayProgram program = begin_program<std::int64_t>(places);
  if (check == PlaceCheck::throws) check_places(program, x.size());
  static_cast<void>(x.context());
  program.leaves.push_back({x.view(), element_code<T>(), element_type<T>, {}});
  program.push(ArrayOperation::gather, element_code<T>());
  return Expression<T>(std::move(program));
}

/// x[places] = values, both broadcast to a common shape. If two places are equal, either value is written. x as in `take`.
template <class T, ArrayOfPlaces P, ArrayOrScalar X>
void put(const Array<T>& x, const P& places, const X& values, PlaceCheck check = PlaceCheck::none) {
  if (x.shape().rank() != 1 && !x.is_contiguous()) throw std::invalid_argument("put into a view with gaps and several dimensions");
  static_cast<void>(x.context());
  const ArrayProgram items = begin_program<T>(values), where = begin_program<std::int64_t>(places);
  if (check == PlaceCheck::throws) check_places(where, x.size());
  const ArrayOutput output{x.view(), element_code<T>(), element_type<T>, &items, &where};
  evaluate_outputs(std::span(&output, 1));
}

}  // namespace dgsolve::codegen
