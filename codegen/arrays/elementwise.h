// Custom kernels that do the same for every item of arrays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

struct ElementwiseOptions {
  std::string preamble{};                  ///< functions (INLINE) and macros that the operation calls
  std::vector<ElementType> structures{};   ///< types of arguments besides the plain ones
  WorkStyle style = WorkStyle::of_device;  ///< the values do not depend on it
};

/// What an element-wise kernel is made for.
struct ElementwiseVariant {
  WorkStyle style = WorkStyle::groups;
  bool packed = true;  ///< arrays begin at multiples of 16 bytes; groups only
};

/// Executes statements for i = 0, 1, ..., in any order and at the same time: what one item reads, another one must not write.
///
///     ElementwiseKernel axpy(context, "double a, const double* x, double* y", "y[i] = a * x[i] + y[i]", "axpy");
///     axpy(2.0, x, y);
///
/// Where every array is used as `name[i]` only, GPUs move packs of 16 bytes; any other use (`x[i + 1]`, a pointer given on) is possible
/// and moves single items. The handle may be copied.
class ElementwiseKernel {
 public:
  /// `arguments` as in C: values, `const T*` read, `T*` read and written; names that end in '_', i and item_count are taken.
  /// `operation`: statements of the dialect that see the arguments, the number `i` of the item and `item_count`, both int64.
  /// Kernels are built at their first call. Throws std::invalid_argument for a wrong argument list.
  ElementwiseKernel(const Context& context, std::string_view arguments, std::string_view operation, std::string name,
                    ElementwiseOptions options = {});

  /// The same from formulas in mathematical notation, `target = formula` separated by ';', e.g. "y = a*x^2 + exp(-x); z = 2*y": arrays
  /// stand for their items, and all of them are read before any is written. All arguments have one type, float or double. Products that
  /// feed a sum are rounded once (fma). Throws FormulaError, std::invalid_argument.
  [[nodiscard]] static ElementwiseKernel from_formulas(const Context& context, std::string_view arguments, std::string_view formulas,
                                                       std::string name);

  /// Enqueues the kernel over the items of the arrays, which all have as many. They may be views, but without gaps. Throws
  /// std::invalid_argument naming kernel and argument for another number of arguments, types, sizes; DeviceError if an array is given
  /// twice and written.
  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    const std::array<CustomArgument, sizeof...(Arguments)> given{CustomArgument(arguments)...};
    const std::array<std::int64_t, sizeof...(Arguments)> sizes{size_of(arguments)...};
    enqueue(given, common_size(sizes));
  }
  /// Enqueues the kernel over `item_count` items, whatever the sizes of the arrays.
  void enqueue(CustomArguments arguments, std::int64_t item_count) const;

  /// What is built, for compilers without a device.
  [[nodiscard]] KernelSpec spec(const ElementwiseVariant& variant) const;

 private:
  template <class T>
  [[nodiscard]] static std::int64_t size_of(const Array<T>& array) {
    return array.size();
  }
  template <class T>
  [[nodiscard]] static std::int64_t size_of(const T&) {
    return -1;  // a value has none
  }
  /// The size of all arrays; -1 stands for a value.
  [[nodiscard]] std::int64_t common_size(std::span<const std::int64_t> sizes) const;

  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dgsolve::codegen
