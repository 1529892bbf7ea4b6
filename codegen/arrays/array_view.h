// Where the items of an array are: shape, strides and offset in shared device memory; slices, reshapes and transposes of it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codegen/arrays/context.h"

namespace dgsolve::codegen {

constexpr std::size_t most_dimensions = 6;

/// Items along each dimension of an array, the last dimension fastest. At most `most_dimensions` of them, none negative.
class Shape {
 public:
  Shape() = default;  ///< no dimension: one item
  Shape(std::int64_t items) : Shape({items}) {}
  Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  /// Throws std::invalid_argument.
  explicit Shape(std::span<const std::int64_t> extents);

  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::int64_t operator[](std::size_t dimension) const { return extents_[dimension]; }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return {extents_.data(), rank_}; }
  /// Product of the extents.
  [[nodiscard]] std::int64_t items() const;
  [[nodiscard]] bool operator==(const Shape& other) const { return rank_ == other.rank_ && extents_ == other.extents_; }
  [[nodiscard]] std::string text() const;  ///< "(2, 3)"

 private:
  std::array<std::int64_t, most_dimensions> extents_{};
  std::size_t rank_ = 0;
};

/// Items begin, begin + step, ... before end, as in Python: negative places count from the end, missing ones are the ends, places beyond
/// the ends are moved to them. The step is not zero.
struct Slice {
  std::optional<std::int64_t> begin{};
  std::optional<std::int64_t> end{};
  std::int64_t step = 1;
};

/// Device memory that arrays share.
struct ArrayStorage {
  Context context;
  Buffer buffer;
};

/// Item (i, j, ...) is at offset + i*strides[0] + j*strides[1] + ... in the buffer; all in items.
struct ArrayView {
  std::shared_ptr<ArrayStorage> storage;
  Shape shape;
  std::array<std::int64_t, most_dimensions> strides{};
  std::int64_t offset = 0;

  [[nodiscard]] bool is_contiguous() const;  ///< row-major without gaps
  [[nodiscard]] bool same_items(const ArrayView& other) const;
};

/// Uninitialised memory, row-major. Throws DeviceError if there is not enough, std::length_error beyond 2^63 bytes.
[[nodiscard]] ArrayView make_view(const Context& context, const Shape& shape, std::size_t item_bytes, std::string_view label);
/// All throw std::invalid_argument with the shape and what is allowed.
[[nodiscard]] ArrayView slice_view(ArrayView view, std::size_t dimension, const Slice& slice);
[[nodiscard]] ArrayView index_view(const ArrayView& view, std::size_t dimension, std::int64_t place);
[[nodiscard]] ArrayView reshape_view(ArrayView view, std::span<const std::int64_t> extents);
[[nodiscard]] ArrayView transpose_view(const ArrayView& view, std::span<const std::size_t> order);

}  // namespace dgsolve::codegen
