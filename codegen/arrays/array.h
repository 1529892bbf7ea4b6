// Arrays in device memory. `y = a * x + sin(z)` is one kernel (array_math.h has the operators and functions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/arrays/array_expression.h"
#include "codegen/arrays/array_view.h"
#include "codegen/arrays/element_type.h"
#include "codegen/arrays/structure.h"

namespace dgsolve::codegen {

/// Items of type T in device memory: a handle. Copies of it and its views share the items; the last one frees them. Assignment writes
/// items: `y = x` and `y.row(2) = x` copy values, broadcast to the shape of y by NumPy's rules; only an array without memory gets its own,
/// of the shape of the values. Operations are enqueued on the context's queue; only from_host and to_host wait.
/// T: float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, std::uint8_t, std::complex<float>, std::complex<double>, or
/// a structure (structure.h).
template <class T>
class Array {
 public:
  using Item = T;
  static_assert(std::is_trivially_copyable_v<T>);

  Array() = default;  ///< no memory; size 0
  /// Uninitialised. Throws OutOfMemoryError; DeviceError if the device lays T out otherwise.
  Array(const Context& context, const Shape& shape, std::string_view label = "array") : view_(make_view(context, shape, sizeof(T), label)) {
    if constexpr (!NumericItem<T>) check_structure(context, element_type<T>());
  }
  explicit Array(ArrayView view) : view_(std::move(view)) {}
  /// The values of an expression in new memory.
  template <class U>
  Array(const Expression<U>& values) {
    *this = values;
  }
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  ~Array() = default;

  /// Write the values into the items, in one kernel; reading the same memory at other places is allowed. Scalars and expressions of
  /// integers are converted to real or complex T, never back. Throw std::invalid_argument for shapes that do not fit, naming both.
  Array& operator=(const Array& values) { return assign(values); }
  Array& operator=(Array&& values) {
    if (has_memory() || !values.is_contiguous()) return assign(values);
    view_ = std::move(values.view_);
    return *this;
  }
  template <ArrayOrScalar X>
  Array& operator=(const X& values) {
    return assign(values);
  }
  template <ArrayOrScalar X>
  Array& operator+=(const X& x) {
    return assign(*this + x);
  }
  template <ArrayOrScalar X>
  Array& operator-=(const X& x) {
    return assign(*this - x);
  }
  template <ArrayOrScalar X>
  Array& operator*=(const X& x) {
    return assign(*this * x);
  }
  template <ArrayOrScalar X>
  Array& operator/=(const X& x) {
    return assign(*this / x);
  }
  /// This array stands for the items of another one from now on.
  void rebind(Array other) { view_ = std::move(other.view_); }
  friend void swap(Array& a, Array& b) noexcept { std::swap(a.view_, b.view_); }

  [[nodiscard]] const Shape& shape() const { return view_.shape; }
  /// Number of items.
  [[nodiscard]] std::int64_t size() const { return view_.storage ? view_.shape.items() : 0; }
  [[nodiscard]] bool has_memory() const { return view_.storage != nullptr; }
  [[nodiscard]] const Context& context() const { return storage().context; }
  /// The whole memory, which other views may share: item 0 of this one is at offset().
  [[nodiscard]] const Buffer& buffer() const { return storage().buffer; }
  [[nodiscard]] Buffer& buffer() { return storage().buffer; }
  [[nodiscard]] std::int64_t offset() const { return view_.offset; }                                              ///< in items
  [[nodiscard]] std::span<const std::int64_t> strides() const { return {view_.strides.data(), shape().rank()}; }  ///< in items
  [[nodiscard]] bool is_contiguous() const { return view_.is_contiguous(); }
  [[nodiscard]] const ArrayView& view() const { return view_; }

  // Views: they share the items of this array. All throw std::invalid_argument.
  [[nodiscard]] Array slice(const Slice& places) const { return slice(0, places); }
  [[nodiscard]] Array slice(std::size_t dimension, const Slice& places) const { return Array(slice_view(view_, dimension, places)); }
  /// Item `place` of the first dimension, which goes; negative places count from the end.
  [[nodiscard]] Array row(std::int64_t place) const { return item(0, place); }
  [[nodiscard]] Array item(std::size_t dimension, std::int64_t place) const { return Array(index_view(view_, dimension, place)); }
  /// The items in the same order under another shape; one extent may be -1. Only of contiguous arrays.
  [[nodiscard]] Array reshape(std::initializer_list<std::int64_t> extents) const {
    return Array(reshape_view(view_, std::span(extents.begin(), extents.size())));
  }
  /// All dimensions reversed.
  [[nodiscard]] Array transpose() const {
    std::vector<std::size_t> order(shape().rank());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
    return Array(transpose_view(view_, order));
  }
  /// Dimension d of the result is dimension order[d] of this array.
  [[nodiscard]] Array transpose(std::initializer_list<std::size_t> order) const {
    return Array(transpose_view(view_, std::span(order.begin(), order.size())));
  }

  /// The items as another type, converted when they are used.
  template <class U>
  [[nodiscard]] Expression<U> as() const {
    return Expression<T>(begin_program<T>(*this)).template as<U>();
  }
  /// The same values in memory of their own.
  [[nodiscard]] Array copy() const {
    Array result(context(), shape());
    result = *this;
    return result;
  }
  /// This array, or a copy if it has gaps.
  [[nodiscard]] Array contiguous() const { return is_contiguous() ? *this : copy(); }

  /// The items in row-major order. Waits for the queue.
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> items(static_cast<std::size_t>(size()));
    if (!is_contiguous()) return copy().to_host();
    if (!items.empty()) context().queue().download(buffer(), std::span(items), static_cast<std::size_t>(offset()));
    return items;
  }
  /// Writes all items, given in row-major order. Throws std::invalid_argument for another number of items.
  void from_host(std::span<const T> items) {
    if (static_cast<std::int64_t>(items.size()) != size()) {
      throw std::invalid_argument("from_host: " + std::to_string(items.size()) + " items for an array of shape " + shape().text());
    }
    if (!is_contiguous()) {
      Array dense(context(), shape());
      dense.from_host(items);
      assign(dense);
      return;
    }
    if (!items.empty()) context().queue().upload(buffer(), items, static_cast<std::size_t>(offset()));
  }

 private:
  [[nodiscard]] ArrayStorage& storage() const {
    if (!view_.storage) throw std::invalid_argument("an array without memory (default made) is used");
    return *view_.storage;
  }

  template <class X>
  Array& assign(const X& values) {
    check_assignable<T, item_of<X>>();
    const ArrayProgram program = begin_program<T>(values);
    if (!has_memory()) {
      const Context* values_context = context_of(program);
      if (values_context == nullptr) throw std::invalid_argument("a scalar is assigned to an array without memory");
      view_ = make_view(*values_context, shape_of(program), sizeof(T), "array");
    }
    const ArrayOutput output{view_, element_code<T>(), element_type<T>, &program, nullptr};
    evaluate_outputs(std::span(&output, 1));
    return *this;
  }

  ArrayView view_;
};

/// A copy of host items, of one dimension.
template <class T>
[[nodiscard]] Array<T> to_device(const Context& context, std::span<const T> items, std::string_view label = "array") {
  Array<T> array(context, Shape(static_cast<std::int64_t>(items.size())), label);
  array.from_host(items);
  return array;
}
template <class T>
[[nodiscard]] Array<T> to_device(const Context& context, const std::vector<T>& items, std::string_view label = "array") {
  return to_device(context, std::span<const T>(items), label);
}

}  // namespace dgsolve::codegen

#include "codegen/arrays/array_math.h"
#include "codegen/arrays/array_places.h"
