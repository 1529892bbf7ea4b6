// Lists of lists: for every item as many values as the user's statements append, one after another in one array.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// The lists of item i are values starts[i] to starts[i + 1] - 1.
template <class T>
struct ListOfLists {
  Array<std::int64_t> starts;  ///< [item + 1]
  Array<T> values;             ///< [starts[items]]
};

/// The same without the items whose list is empty: list k is that of item items[k], values starts[k] to starts[k + 1] - 1.
template <class T>
struct CompressedLists {
  Array<std::int64_t> items;   ///< [list]
  Array<std::int64_t> starts;  ///< [list + 1]
  Array<T> values;
};

/// Name and type of what is appended to one list of every item.
struct ListDeclaration {
  std::string name, type;
};

struct ListOptions {
  std::string name = "lists";
  std::string preamble{};
  std::vector<ElementType> structures{};
  WorkStyle style = WorkStyle::of_device;
};

/// What a builder made: one list of lists for each declaration.
class BuiltLists {
 public:
  struct Part {
    ListDeclaration declaration;
    Array<std::int64_t> starts;
    ArrayView values;
  };
  explicit BuiltLists(std::vector<Part> parts) : parts_(std::move(parts)) {}
  /// Throws std::invalid_argument for an unknown name or another type.
  template <class T>
  [[nodiscard]] ListOfLists<T> get(std::string_view name) const {
    const Part& found = part(name, element_type<T>().name);
    return {found.starts, Array<T>(found.values)};
  }

 private:
  [[nodiscard]] const Part& part(std::string_view name, std::string_view type) const;
  std::vector<Part> parts_;
};

/// Runs statements for every item i twice: first to count what they append, then to write it.
///
///     const ListBuilder divisors(context, {{"divisor", "int"}}, "const int* n",
///                                "for (int d = 1; d <= n[i]; ++d) if (n[i] % d == 0) APPEND_divisor(d);");
///     const ListOfLists<std::int32_t> lists = divisors.run({n}, n.size()).get<std::int32_t>("divisor");
///
/// The statements see i (int64), item_count and the arguments; they append to the list NAME by APPEND_NAME(value), in the order that the
/// list then has, and must do the same both times: they may not write what they read.
class ListBuilder {
 public:
  /// Builds the kernels. Throws std::invalid_argument for faults of the lists, CompileError for faults of the statements, called NAME.body
  /// in its message.
  ListBuilder(const Context& context, std::vector<ListDeclaration> lists, std::string_view arguments, std::string_view body,
              ListOptions options = {});

  /// Waits for the queue in between: the number of values is needed for their memory. Throws OutOfMemoryError.
  [[nodiscard]] BuiltLists run(std::initializer_list<CustomArgument> arguments, std::int64_t item_count) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Items and starts of the lists that are not empty, with room for all of them, and how many they are.
struct NonEmptyLists {
  Array<std::int64_t> items, starts;
  std::int64_t count = 0;
};
/// Waits for the queue.
[[nodiscard]] NonEmptyLists find_non_empty(const Array<std::int64_t>& starts);

/// Leaves out the empty lists; the values are shared. Waits for the queue.
template <class T>
[[nodiscard]] CompressedLists<T> compress(const ListOfLists<T>& lists) {
  const NonEmptyLists found = find_non_empty(lists.starts);
  return {found.items.slice({.begin = 0, .end = found.count}), found.starts.slice({.begin = 0, .end = found.count + 1}), lists.values};
}

}  // namespace dgsolve::codegen
