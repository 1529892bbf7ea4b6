// Items of an array that meet a condition: copy_if, partition, unique.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// What a condition may use besides the items.
struct SelectOptions {
  std::string arguments{};                 ///< as in C, e.g. "float limit, const int* flags"; x, chosen, others, chosen_count are taken
  std::vector<CustomArgument> given{};     ///< their values
  std::string preamble{};                  ///< functions (INLINE) that the condition calls
  std::vector<ElementType> structures{};   ///< types of `arguments` besides the plain ones and the items'
  WorkStyle style = WorkStyle::of_device;  ///< the result does not depend on it
};

/// Items in the first places of an array that has room for all, and how many there are: a number that stays on the device until asked for.
template <class T>
struct Selection {
  Array<T> room;
  Array<std::int64_t> count_on_device;  ///< [1]

  /// Waits for the queue.
  [[nodiscard]] std::int64_t count() const { return count_on_device.to_host().front(); }
  /// A view of the items. Waits for the queue.
  [[nodiscard]] Array<T> items() const { return room.slice({.begin = 0, .end = count()}); }
};

/// The items that meet a condition and the others, both in their order.
template <class T>
struct Partition {
  Selection<T> chosen, others;
};

/// The type-erased work of the functions below. `others` and `others_count` may be null.
struct SelectTargets {
  CustomArgument items, chosen, chosen_count;
  const CustomArgument* others;
  const CustomArgument* others_count;
};
void enqueue_select(const Context& context, std::string_view name, const ElementType& type, std::string_view condition,
                    const SelectTargets& targets, std::int64_t item_count, const SelectOptions& options);
/// A condition with functions of its own, as options: whether item i differs from the one before.
[[nodiscard]] SelectOptions unique_options(const ElementType& type, std::string_view is_equal, SelectOptions options);

/// An empty selection with room for `size` items.
template <class T>
[[nodiscard]] Selection<T> make_selection(const Context& context, std::int64_t size) {
  Selection<T> selection{Array<T>(context, size, "selected items"), Array<std::int64_t>(context, 1, "number of selected items")};
  context.queue().fill_zero(selection.count_on_device.buffer());
  return selection;
}

/// Items for which `condition`, an expression of x[i], i (int64), item_count and options.arguments, is not zero, in their order.
/// Messages of the compiler call the condition copy_if.input. Throws std::invalid_argument, CompileError.
template <class T>
[[nodiscard]] Selection<T> copy_if(const Array<T>& x, std::string_view condition, const SelectOptions& options = {}) {
  Selection<T> chosen = make_selection<T>(x.context(), x.size());
  enqueue_select(x.context(), "copy_if", element_type<T>(), condition, {x, chosen.room, chosen.count_on_device, nullptr, nullptr}, x.size(),
                 options);
  return chosen;
}

/// Items that meet a condition as in copy_if, and those that do not, each in their order.
template <class T>
[[nodiscard]] Partition<T> partition(const Array<T>& x, std::string_view condition, const SelectOptions& options = {}) {
  Partition<T> parts{make_selection<T>(x.context(), x.size()), make_selection<T>(x.context(), x.size())};
  const CustomArgument others(parts.others.room), others_count(parts.others.count_on_device);
  enqueue_select(x.context(), "partition", element_type<T>(), condition,
                 {x, parts.chosen.room, parts.chosen.count_on_device, &others, &others_count}, x.size(), options);
  return parts;
}

/// The first of every run of equal neighbours; `is_equal` is an expression of two items `a` and `b`, `a` before `b`. Messages of the
/// compiler call it unique.is_equal. (After a sort: every different item once.)
template <class T>
[[nodiscard]] Selection<T> unique(const Array<T>& x, std::string_view is_equal = "a == b", const SelectOptions& options = {}) {
  Selection<T> chosen = make_selection<T>(x.context(), x.size());
  enqueue_select(x.context(), "unique", element_type<T>(), "i == 0 || !is_equal_to_previous(x[i - 1], x[i])",
                 {x, chosen.room, chosen.count_on_device, nullptr, nullptr}, x.size(),
                 unique_options(element_type<T>(), is_equal, options));
  return chosen;
}

}  // namespace dgsolve::codegen
