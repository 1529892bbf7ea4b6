// Stable radix sort of arrays of numbers, alone or with values that go with them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

enum class SortOrder { ascending, descending };

struct SortOptions {
  SortOrder order = SortOrder::ascending;
  int first_bit = 0;                       ///< lower bits of the keys do not count
  int end_bit = -1;                        ///< nor do this one and higher ones; -1: all count
  WorkStyle style = WorkStyle::of_device;  ///< the result does not depend on it
};

/// The kernels of a sort but the scan, for compilers without a device; `options.style` must be set. See RadixSort.
[[nodiscard]] std::vector<KernelSpec> sort_specs(const ElementType& key, std::size_t value_bytes, const SortOptions& options,
                                                 bool is_large);

/// Numbers that can be keys.
template <class T>
concept SortKey = std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

/// Sorts keys, with or without values, in place: the least significant digits first, 8 bits or fewer at a time (an even number of passes
/// through scratch memory of the size of the arrays). Equal keys keep their order, also in descending order. -0.0 and 0.0 are equal; NaN,
/// whatever its sign and bits, is larger than every other number, all NaN are equal, and their bits are kept.
/// The bits that SortOptions counts are those of an unsigned number with the order of the keys: of unsigned keys themselves; of signed keys
/// with the highest bit flipped; of real keys with the highest bit flipped, and all other bits too if the key is negative.
class RadixSort {
 public:
  /// `key` is float, double, int, int64, uint32 or uint64; `value_bytes` the size of a value's type, 0: no values. Builds the kernels, for
  /// arrays of less than 2^31 items or, if `is_large`, for all. Throws std::invalid_argument.
  RadixSort(const Context& context, const ElementType& key, std::size_t value_bytes, const SortOptions& options = {},
            bool is_large = false);

  /// Scratch memory is kept for the next sort. Enqueues the sort of two arrays' first `item_count` items. Without values, `values` is not
  /// looked at. Throws OutOfMemoryError.
  void enqueue(const CustomArgument& keys, const CustomArgument& values, std::int64_t item_count) const;

  /// How many passes there are.
  [[nodiscard]] int passes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Enqueues the sort of all items of `keys`, an array without gaps.
template <SortKey Key>
void sort(const Array<Key>& keys, const SortOptions& options = {}) {
  if (keys.size() < 2) return;
  RadixSort(keys.context(), element_type<Key>(), 0, options, keys.size() >> 31 != 0).enqueue(keys, keys, keys.size());
}

void check_same_size(std::int64_t keys, std::int64_t values);

/// The same, with values[i] going where keys[i] goes. Values may be of any type. Throws std::invalid_argument if there are not as many.
template <SortKey Key, class Value>
void sort_by_key(const Array<Key>& keys, const Array<Value>& values, const SortOptions& options = {}) {
  check_same_size(keys.size(), values.size());
  if (keys.size() < 2) return;
  RadixSort(keys.context(), element_type<Key>(), sizeof(Value), options, keys.size() >> 31 != 0).enqueue(keys, values, keys.size());
}

}  // namespace dgsolve::codegen
