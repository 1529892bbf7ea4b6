// Shapes and the arithmetic of views.
#include "codegen/arrays/array_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace dgsolve::codegen {
namespace {

void set_row_major(ArrayView& view) {
  std::int64_t stride = 1;
  for (std::size_t d = view.shape.rank(); d-- > 0;) {
    view.strides[d] = stride;
    stride *= std::max<std::int64_t>(view.shape[d], 1);
  }
}

void check_dimension(const ArrayView& view, std::size_t dimension, const char* what) {
  if (dimension >= view.shape.rank())
    throw std::invalid_argument(fmt::format("{} of dimension {}: the array has shape {}", what, dimension, view.shape.text()));
}

/// The view with other extents and strides, all of the given rank.
ArrayView with_layout(const ArrayView& view, std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  ArrayView result{view.storage, Shape(extents), {}, view.offset};
  std::copy(strides.begin(), strides.end(), result.strides.begin());
  return result;
}

}  // namespace

Shape::Shape(std::span<const std::int64_t> extents) : rank_(extents.size()) {
  if (extents.size() > most_dimensions)
    throw std::invalid_argument(fmt::format("an array of {} dimensions; at most {} are possible", extents.size(), most_dimensions));
  std::copy(extents.begin(), extents.end(), extents_.begin());
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent < 0; }))
    throw std::invalid_argument(fmt::format("shape {}: no extent can be negative", text()));
}

std::int64_t Shape::items() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents()) product *= extent;
  return product;
}

std::string Shape::text() const { return fmt::format("({})", fmt::join(extents(), ", ")); }

bool ArrayView::is_contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t d = shape.rank(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected) return shape.items() == 0;
    expected *= shape[d];
  }
  return true;
}

bool ArrayView::same_items(const ArrayView& other) const {
  if (storage != other.storage || offset != other.offset || !(shape == other.shape)) return false;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] != 1 && strides[d] != other.strides[d]) return false;
  }
  return true;
}

ArrayView make_view(const Context& context, const Shape& shape, std::size_t item_bytes, std::string_view label) {
  auto bytes = static_cast<std::int64_t>(item_bytes);
  for (const std::int64_t extent : shape.extents()) {
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      throw std::length_error(fmt::format("an array of shape {} with {} bytes an item", shape.text(), item_bytes));
  }
  if (shape.items() == 0) bytes = 0;
  auto storage = std::make_shared<ArrayStorage>(ArrayStorage{context, context.allocate(static_cast<std::size_t>(bytes), label)});
  ArrayView view{std::move(storage), shape, {}, 0};
  set_row_major(view);
  return view;
}

ArrayView slice_view(ArrayView view, std::size_t dimension, const Slice& slice) {
  check_dimension(view, dimension, "slice");
  if (slice.step == 0 || slice.step == std::numeric_limits<std::int64_t>::min())
    throw std::invalid_argument(fmt::format("slice with step {}", slice.step));
  const std::int64_t extent = view.shape[dimension];
  // Backwards, the places before the first and after the last item are -1 and extent - 1.
  const std::int64_t lowest = slice.step > 0 ? 0 : -1, highest = slice.step > 0 ? extent : extent - 1;
  const auto place = [&](const std::optional<std::int64_t>& given, std::int64_t missing) {
    if (!given) return missing;
    return std::clamp(*given < 0 ? std::max(*given, -extent - 1) + extent : *given, lowest, highest);
  };
  const std::int64_t begin = place(slice.begin, slice.step > 0 ? lowest : highest);
  const std::int64_t end = place(slice.end, slice.step > 0 ? highest : lowest);
  const std::int64_t distance = slice.step > 0 ? end - begin : begin - end, step = std::abs(slice.step);
  const std::int64_t count = distance <= 0 ? 0 : (distance - 1) / step + 1;
  std::array<std::int64_t, most_dimensions> extents{};
  std::copy(view.shape.extents().begin(), view.shape.extents().end(), extents.begin());
  extents[dimension] = count;
  if (count > 0) view.offset += begin * view.strides[dimension];
  if (count > 1) view.strides[dimension] *= slice.step;
  view.shape = Shape(std::span(extents.data(), view.shape.rank()));
  return view;
}

ArrayView index_view(const ArrayView& view, std::size_t dimension, std::int64_t place) {
  check_dimension(view, dimension, "item");
  const std::int64_t extent = view.shape[dimension];
  if (place < -extent || place >= extent)
    throw std::invalid_argument(fmt::format("item {} of dimension {}: the array has shape {}", place, dimension, view.shape.text()));
  std::array<std::int64_t, most_dimensions> extents{}, strides{};
  std::size_t rank = 0;
  for (std::size_t d = 0; d < view.shape.rank(); ++d) {
    if (d == dimension) continue;
    extents[rank] = view.shape[d];
    strides[rank++] = view.strides[d];
  }
  ArrayView result = with_layout(view, std::span(extents.data(), rank), std::span(strides.data(), rank));
  result.offset += (place < 0 ? place + extent : place) * view.strides[dimension];
  return result;
}

ArrayView reshape_view(ArrayView view, std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> full(extents.begin(), extents.end());
  std::int64_t known = 1;
  for (const std::int64_t extent : full) known *= extent == -1 ? 1 : extent;
  const auto free_extent = std::find(full.begin(), full.end(), -1);
  if (free_extent != full.end() && known > 0) *free_extent = view.shape.items() / known;
  const Shape shape{std::span<const std::int64_t>(full)};
  if (shape.items() != view.shape.items())
    throw std::invalid_argument(
        fmt::format("shape {} cannot be read as ({}): {} items", view.shape.text(), fmt::join(extents, ", "), view.shape.items()));
  if (!view.is_contiguous()) {
    throw std::invalid_argument(fmt::format("reshape of a view with gaps (shape {}, strides ({})): make it contiguous() first",
                                            view.shape.text(), fmt::join(std::span(view.strides.data(), view.shape.rank()), ", ")));
  }
  view.shape = shape;
  set_row_major(view);
  return view;
}

ArrayView transpose_view(const ArrayView& view, std::span<const std::size_t> order) {
  std::vector<std::size_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  bool fits = sorted.size() == view.shape.rank();
  for (std::size_t d = 0; fits && d < sorted.size(); ++d) fits = sorted[d] == d;
  if (!fits)
    throw std::invalid_argument(fmt::format("transpose by ({}): the array has shape {}", fmt::join(order, ", "), view.shape.text()));
  std::array<std::int64_t, most_dimensions> extents{}, strides{};
  for (std::size_t d = 0; d < order.size(); ++d) {
    extents[d] = view.shape[order[d]];
    strides[d] = view.strides[order[d]];
  }
  return with_layout(view, std::span(extents.data(), order.size()), std::span(strides.data(), order.size()));
}

}  // namespace dgsolve::codegen
