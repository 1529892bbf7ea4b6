// What a kernel of array expressions does, apart from addresses and values: distinct memories, operands, layouts; and the key of all that.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "codegen/arrays/array_expression.h"
#include "codegen/arrays/array_launch.h"

namespace dgsolve::codegen {

/// Up to N items without allocation.
template <class T, std::size_t N>
class FixedList {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  FixedList() {}  // the items are left uninitialised
  T& push(const T& item) {
    if (size_ == N) throw std::length_error("an array expression has too many operands: write a part of it to an array first");
    return *std::construct_at(&items_[size_++], item);
  }
  void append(const void* items, std::size_t count) requires(sizeof(T) == 1) {
    if (size_ + count > N) throw std::length_error("an array expression is too long: write a part of it to an array first");
    std::memcpy(&items_[size_], items, count);
    size_ += count;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] const T* begin() const { return items_; }
  [[nodiscard]] const T* end() const { return items_ + size_; }
  [[nodiscard]] T* begin() { return items_; }
  [[nodiscard]] T* end() { return items_ + size_; }

 private:
  std::size_t size_ = 0;
  union {
    T items_[N];
  };
};

/// An item type in kernels.
struct PlannedType {
  ElementCode code = ElementCode::float64;
  ElementType (*element)() = nullptr;
  [[nodiscard]] std::size_t bytes() const { return code == ElementCode::structure ? element().bytes : element_bytes(code); }
  [[nodiscard]] std::string name() const { return code == ElementCode::structure ? element().name : std::string(element_name(code)); }
};

struct ArrayPlan {
  static constexpr std::size_t most = 24;
  using Strides = std::array<std::int64_t, most_dimensions>;

  /// One buffer: one argument, however many operands are in it.
  struct Memory {
    const ArrayStorage* storage = nullptr;
    PlannedType type;
    bool written = false;
  };
  /// An array that has an item, or one for all, for every place.
  struct Operand {
    std::size_t memory = 0;
    std::size_t layout = 0;
    std::int64_t offset = 0;
    bool read = false;
    bool written = false;
  };
  /// An array whose items are found by computed places.
  struct Table {
    std::size_t memory = 0;
    std::int64_t offset = 0, stride = 1, count = 0;
    bool written = false;
  };

  std::span<const ArrayOutput> outputs;
  Shape places;                                      ///< all extents
  FixedList<std::int64_t, most_dimensions> extents;  ///< of the merged dimensions that the kernel sees; at least one
  FixedList<Memory, most> memories;
  FixedList<Operand, most> operands;
  FixedList<Table, most> tables;
  FixedList<Strides, most> layouts;  ///< [layout][merged dimension]
  FixedList<const ArrayLeaf*, 2 * most> scalars;
  FixedList<std::uint8_t, 4 * most> leaves;  ///< for each leaf in order: its operand, table or scalar
  FixedList<std::uint8_t, most> targets;     ///< for each output: its operand, or table if places are computed
  bool flat = false;                         ///< one merged dimension of strides 1 and 0
  bool aligned = false;                      ///< flat and fit for loads of 16 bytes
  bool wide = false;                         ///< indices need 64 bits
  std::int64_t count = 0;                    ///< places

  [[nodiscard]] const Context& context() const { return memories[0].storage->context; }
  /// Stride of the innermost merged dimension.
  [[nodiscard]] std::int64_t inner_stride(std::size_t layout) const { return layouts[layout][extents.size() - 1]; }
  /// True if a memory that is written is also read, or written, at other places.
  [[nodiscard]] bool overlaps() const;
  /// Places for 16 bytes of the largest item type; 1 for structures.
  [[nodiscard]] std::int64_t pack() const;
  using Key = FixedList<char, 1536>;
  /// Equal keys mean equal kernels.
  [[nodiscard]] Key key(WorkStyle style) const;
};

/// Throws std::invalid_argument for shapes that do not fit and arrays of two contexts, std::length_error for too many operands.
[[nodiscard]] ArrayPlan plan_outputs(std::span<const ArrayOutput> outputs);

/// The kernel of a plan. Arguments: one buffer for each memory; scalars; offsets of the operands and tables, strides and counts of the
/// tables, number of places, extents and strides, as `append_arguments` orders them.
[[nodiscard]] KernelSpec array_kernel_spec(const ArrayPlan& plan, WorkStyle style);

/// An index argument of the kernel: called in the order of the kernel's arguments after the scalars, for those that are no constants.
template <class Visit>
void visit_indices(const ArrayPlan& plan, const Visit& visit) {
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    if (plan.operands[k].offset != 0) visit("o", k, std::size_t{0}, plan.operands[k].offset);
  }
  for (std::size_t k = 0; k < plan.tables.size(); ++k) {
    const ArrayPlan::Table& table = plan.tables[k];
    visit("t_offset", k, std::size_t{0}, table.offset);
    visit("t_stride", k, std::size_t{0}, table.stride);
    visit("t_count", k, std::size_t{0}, table.count);
  }
  visit("n", std::size_t{0}, std::size_t{0}, plan.count);
  if (plan.flat) return;
  const std::size_t inner = plan.extents.size() - 1;
  for (std::size_t d = 1; d <= inner; ++d) visit("extent", d, std::size_t{0}, plan.extents[d]);
  for (std::size_t l = 0; l < plan.layouts.size(); ++l) {
    for (std::size_t d = 0; d <= inner; ++d) {
      const std::int64_t stride = plan.layouts[l][d];
      if (d != inner || (stride != 0 && stride != 1)) visit("stride", l, d, stride);
    }
  }
}

/// How the places of a plan are cut.
[[nodiscard]] ItemLaunch launch_of(const ArrayPlan& plan, WorkStyle style);

/// Finds or makes the kernel, and enqueues it. The values do not depend on the style. The plan has places and no overlaps.
void launch_plan(const ArrayPlan& plan, WorkStyle style);

}  // namespace dgsolve::codegen
