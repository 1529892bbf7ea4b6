// Arrays in device memory.
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

#include "codegen/arrays/array_view.h"
#include "codegen/arrays/element_type.h"

namespace dgsolve::codegen {

/// Items of type T in device memory: a handle. Copies of it and its views share the items; the last one frees them.
/// T: float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, std::uint8_t, std::complex<float>, std::complex<double>, or
/// a structure described by ElementTypeOf<T>.
template <class T>
class Array {
 public:
  using Item = T;
  static_assert(std::is_trivially_copyable_v<T>);

  Array() = default;  ///< no memory; size 0
  /// Uninitialised. Throws OutOfMemoryError.
  Array(const Context& context, const Shape& shape, std::string_view label = "array")
      : view_(make_view(context, shape, sizeof(T), label)) {}
  explicit Array(ArrayView view) : view_(std::move(view)) {}

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

  /// The items in row-major order. Waits for the queue. Contiguous arrays only.
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> items(static_cast<std::size_t>(size()));
    if (!is_contiguous()) throw std::invalid_argument("to_host of a view with gaps");
    if (!items.empty()) context().queue().download(buffer(), std::span(items), static_cast<std::size_t>(offset()));
    return items;
  }
  /// Writes all items, given in row-major order. Contiguous arrays only. Throws std::invalid_argument for another number of items.
  void from_host(std::span<const T> items) {
    if (!is_contiguous() || static_cast<std::int64_t>(items.size()) != size()) {
      throw std::invalid_argument("from_host: " + std::to_string(items.size()) + " items for an array of shape " + shape().text() +
                                  (is_contiguous() ? "" : " with gaps"));
    }
    if (!items.empty()) context().queue().upload(buffer(), items, static_cast<std::size_t>(offset()));
  }

 private:
  [[nodiscard]] ArrayStorage& storage() const {
    if (!view_.storage) throw std::invalid_argument("an array without memory (default made) is used");
    return *view_.storage;
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
