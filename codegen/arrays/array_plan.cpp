// Broadcasting, merging of dimensions, and the search for equal operands and for overlaps.
#include "codegen/arrays/array_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace dgsolve::codegen {
namespace {

using Strides = ArrayPlan::Strides;

/// Items beyond which indices have 64 bits: what is left up to 2^31 covers the last tile.
constexpr std::int64_t narrow_items = (std::int64_t{1} << 31) - (std::int64_t{1} << 20);

/// `shape` widened to hold `other` by NumPy's rules, or nothing.
bool broadcast_into(Shape& shape, const Shape& other) {
  if (shape == other) return true;
  std::array<std::int64_t, most_dimensions> extents{};
  const std::size_t rank = std::max(shape.rank(), other.rank());
  for (std::size_t back = 1; back <= rank; ++back) {
    const std::int64_t a = back <= shape.rank() ? shape[shape.rank() - back] : 1;
    const std::int64_t b = back <= other.rank() ? other[other.rank() - back] : 1;
    if (a != b && a != 1 && b != 1) return false;
    extents[rank - back] = a == 1 ? b : a;
  }
  shape = Shape(std::span<const std::int64_t>(extents.data(), rank));
  return true;
}

/// Strides over the places of a kernel: 0 along dimensions that the view has not or of one item.
Strides broadcast_strides(const ArrayView& view, const Shape& places) {
  Strides strides{};
  const std::size_t shift = places.rank() - view.shape.rank();
  for (std::size_t d = 0; d < view.shape.rank(); ++d) strides[d + shift] = view.shape[d] == 1 ? 0 : view.strides[d];
  return strides;
}

class Planner {
 public:
  explicit Planner(ArrayPlan& plan) : plan_(plan) {}

  void run() {
    find_places();
    plan_.count = plan_.places.items();
    if (plan_.count == 0) return;
    for (const ArrayOutput& output : plan_.outputs) {
      add_leaves(*output.values);
      if (output.places != nullptr) add_leaves(*output.places);
      add_target(output);
    }
    merge_dimensions();
    choose_widths();
  }

 private:
  void find_places() {
    bool first = true;
    for (const ArrayOutput& output : plan_.outputs) {
      if (!output.target.storage) throw std::invalid_argument("values are written to an array without memory");
      Shape shape = shape_of(*output.values);
      if (output.places != nullptr && !broadcast_into(shape, shape_of(*output.places))) {
        throw std::invalid_argument(
            fmt::format("values of shape {} for places of shape {}", shape.text(), shape_of(*output.places).text()));
      }
      if (output.places == nullptr) {
        Shape both = output.target.shape;
        if (!broadcast_into(both, shape) || !(both == output.target.shape)) {
          throw std::invalid_argument(
              fmt::format("values of shape {} do not fit an array of shape {}", shape.text(), output.target.shape.text()));
        }
        shape = output.target.shape;
      }
      if (!first && !(shape == plan_.places)) {
        throw std::invalid_argument(fmt::format("arrays of shapes {} and {} are written by one kernel", plan_.places.text(), shape.text()));
      }
      plan_.places = shape;
      first = false;
    }
  }

  std::size_t memory_of(const ArrayView& view, const PlannedType& type, bool written) {
    std::size_t m = 0;
    while (m < plan_.memories.size() && plan_.memories[m].storage != view.storage.get()) ++m;
    if (m == plan_.memories.size()) {
      plan_.memories.push({view.storage.get(), type, false});
      if (!(view.storage->context == plan_.context())) throw std::invalid_argument("arrays of two contexts in one expression");
    }
    if (plan_.memories[m].type.code != type.code) throw std::invalid_argument("one memory is used as items of two types in one expression");
    plan_.memories[m].written |= written;
    return m;
  }

  std::size_t operand_of(const ArrayView& view, const PlannedType& type, bool written) {
    const std::size_t memory = memory_of(view, type, written);
    const Strides strides = broadcast_strides(view, plan_.places);
    std::size_t l = 0;
    while (l < plan_.layouts.size() && plan_.layouts[l] != strides) ++l;
    if (l == plan_.layouts.size()) plan_.layouts.push(strides);
    std::size_t k = 0;
    const auto same = [&](const ArrayPlan::Operand& one) { return one.memory == memory && one.layout == l && one.offset == view.offset; };
    while (k < plan_.operands.size() && !same(plan_.operands[k])) ++k;
    if (k == plan_.operands.size()) plan_.operands.push({memory, l, view.offset, false, false});
    (written ? plan_.operands[k].written : plan_.operands[k].read) = true;
    return k;
  }

  std::size_t table_of(const ArrayView& view, const PlannedType& type, bool written) {
    const std::size_t memory = memory_of(view, type, written);
    const std::int64_t stride = view.shape.rank() == 1 ? view.strides[0] : 1;
    plan_.tables.push({memory, view.offset, stride, view.shape.items(), written});
    return plan_.tables.size() - 1;
  }

  void add_leaves(const ArrayProgram& program) {
    const ArrayLeaf* leaf = program.leaves.data();
    for (const ArrayToken token : program.tokens) {
      if (token.operation != ArrayOperation::array && token.operation != ArrayOperation::scalar &&
          token.operation != ArrayOperation::gather) {
        continue;
      }
      std::size_t number = plan_.scalars.size();
      const PlannedType type{leaf->type, leaf->element};
      if (token.operation == ArrayOperation::array) {
        number = operand_of(leaf->view, type, false);
      } else if (token.operation == ArrayOperation::gather) {
        number = table_of(leaf->view, type, false);
      } else {
        plan_.scalars.push(leaf);
      }
      plan_.leaves.push(static_cast<std::uint8_t>(number));
      ++leaf;
    }
  }

  void add_target(const ArrayOutput& output) {
    const PlannedType type{output.type, output.element};
    const std::size_t number = output.places == nullptr ? operand_of(output.target, type, true) : table_of(output.target, type, true);
    plan_.targets.push(static_cast<std::uint8_t>(number));
  }

  /// Drops dimensions of one item, puts the rest in the order of the first target's strides, and merges neighbours that every layout
  /// crosses without a gap.
  void merge_dimensions() {
    std::array<std::size_t, most_dimensions> order{};
    std::size_t rank = 0;
    for (std::size_t d = 0; d < plan_.places.rank(); ++d) {
      if (plan_.places[d] != 1) order[rank++] = d;
    }
    if (plan_.outputs[0].places == nullptr) {
      const Strides& strides = plan_.layouts[plan_.operands[plan_.targets[0]].layout];
      std::stable_sort(order.begin(), order.begin() + rank,
                       [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); });
    }
    const FixedList<Strides, ArrayPlan::most> full = plan_.layouts;
    std::size_t merged = 0;
    for (std::size_t r = 0; r < rank; ++r) {
      const std::size_t d = order[r];
      const std::int64_t extent = plan_.places[d];
      bool joins = merged > 0;
      for (std::size_t l = 0; joins && l < plan_.layouts.size(); ++l) {
        joins = plan_.layouts[l][merged - 1] == full[l][d] * extent;
      }
      if (joins) {
        plan_.extents[merged - 1] *= extent;
      } else {
        plan_.extents.push(extent);
        ++merged;
      }
      for (std::size_t l = 0; l < plan_.layouts.size(); ++l) plan_.layouts[l][merged - 1] = full[l][d];
    }
    if (merged == 0) {
      plan_.extents.push(1);
      for (Strides& strides : plan_.layouts) strides[0] = 1;
    }
  }

  void choose_widths() {
    plan_.flat = plan_.extents.size() == 1;
    for (const Strides& strides : plan_.layouts) plan_.flat = plan_.flat && (strides[0] == 0 || strides[0] == 1);
    plan_.wide = plan_.count >= narrow_items;
    for (const ArrayPlan::Memory& memory : plan_.memories) {
      plan_.wide |= static_cast<std::int64_t>(memory.storage->buffer.bytes() / memory.type.bytes()) >= narrow_items;
    }
    plan_.aligned = plan_.flat;
    const std::int64_t pack = plan_.pack();
    for (const ArrayPlan::Operand& operand : plan_.operands) plan_.aligned = plan_.aligned && operand.offset % pack == 0;
  }

  ArrayPlan& plan_;
};

/// First and last item of an operand.
std::pair<std::int64_t, std::int64_t> range_of(const ArrayPlan& plan, const ArrayPlan::Operand& operand) {
  std::int64_t low = operand.offset, high = operand.offset;
  for (std::size_t d = 0; d < plan.extents.size(); ++d) {
    const std::int64_t reach = plan.layouts[operand.layout][d] * (plan.extents[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

}  // namespace

bool ArrayPlan::overlaps() const {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& target = operands[i];
    if (!target.written) continue;
    const auto [low, high] = range_of(*this, target);
    for (std::size_t j = 0; j < operands.size(); ++j) {
      if (j == i || operands[j].memory != target.memory) continue;
      const auto [other_low, other_high] = range_of(*this, operands[j]);
      if (other_low <= high && low <= other_high) return true;
    }
    for (const Table& table : tables) {
      if (table.memory == target.memory) return true;
    }
  }
  for (const Table& target : tables) {
    if (!target.written) continue;
    for (const Operand& operand : operands) {
      if (operand.memory == target.memory) return true;
    }
    for (const Table& table : tables) {
      if (&table != &target && table.memory == target.memory) return true;
    }
  }
  return false;
}

std::int64_t ArrayPlan::pack() const {
  std::size_t largest = 1;
  for (const Memory& memory : memories) {
    if (memory.type.code == ElementCode::structure) return 1;
    largest = std::max(largest, element_bytes(memory.type.code));
  }
  return static_cast<std::int64_t>(16 / largest);
}

ArrayPlan::Key ArrayPlan::key(WorkStyle style) const {
  Key key;
  const auto put = [&key](auto value) { key.push(static_cast<char>(value)); };
  const auto put_type = [&](const PlannedType& type) {
    put(type.code);
    if (type.code == ElementCode::structure) key.append(&type.element, sizeof type.element);
  };
  const auto put_program = [&](const ArrayProgram* program) {
    if (program != nullptr) key.append(program->tokens.data(), program->tokens.size() * sizeof(ArrayToken));
    put(ArrayOperation::array);  // ends it: no type is 0xff
    put(0xff);
  };
  key.append("array:", 6);
  put((flat ? 1 : 0) + (aligned ? 2 : 0) + (wide ? 4 : 0) + (style == WorkStyle::items ? 8 : 0));
  put(extents.size());
  put(memories.size());
  put(operands.size());
  put(tables.size());
  put(layouts.size());
  for (const Memory& memory : memories) {
    put_type(memory.type);
    put(memory.written);
  }
  for (const Operand& operand : operands) {
    put(operand.memory);
    put(operand.layout);
    put((operand.offset != 0 ? 1 : 0) + (operand.read ? 2 : 0) + (operand.written ? 4 : 0));
  }
  for (const Table& table : tables) put(table.memory);
  for (std::size_t l = 0; l < layouts.size(); ++l) put(inner_stride(l) == 0 ? 0 : inner_stride(l) == 1 ? 1 : 2);
  for (const std::uint8_t number : leaves) put(number);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    put(targets[k]);
    put_program(outputs[k].values);
    put_program(outputs[k].places);
  }
  return key;
}

ArrayPlan plan_outputs(std::span<const ArrayOutput> outputs) {
  ArrayPlan plan;
  plan.outputs = outputs;
  Planner(plan).run();
  return plan;
}

Shape shape_of(const ArrayProgram& program) {
  Shape shape;
  const ArrayLeaf* leaf = program.leaves.data();
  for (const ArrayToken token : program.tokens) {
    const bool is_array = token.operation == ArrayOperation::array;
    if (is_array && !broadcast_into(shape, leaf->view.shape)) {
      throw std::invalid_argument(fmt::format("arrays of shapes {} and {} cannot be combined", shape.text(), leaf->view.shape.text()));
    }
    if (is_array || token.operation == ArrayOperation::scalar || token.operation == ArrayOperation::gather) ++leaf;
  }
  return shape;
}

const Context* context_of(const ArrayProgram& program) {
  for (const ArrayLeaf& leaf : program.leaves) {
    if (leaf.view.storage) return &leaf.view.storage->context;
  }
  return nullptr;
}

}  // namespace dgsolve::codegen
