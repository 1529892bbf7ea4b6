// Where an element's values lie: blocks of W elements, [block][variable][node][W]. Nothing else knows the layout.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "mesh/mesh.h"

namespace dgsolve::solver {

/// Elements that share kernels: same shape and order, affine or curved, with or without boundary faces; those that other ranks need apart
/// from the rest, if the layout says so. Slots [first, first + count) are
/// real; the rest of the last block is padding that repeats the last element.
struct ElementClass {
  bool affine = true;
  bool boundary = false;
  bool shared = false;  ///< they touch ghosts: other ranks need their face values, and they those of other ranks
  std::int32_t first_block = 0;
  std::int32_t block_count = 0;
  std::int32_t element_count = 0;
  std::vector<std::int32_t> cells;  ///< mesh cell of each element, in slot order

  [[nodiscard]] std::int32_t first_slot(int width) const { return first_block * width; }
};

struct Layout {
  int width = 1;  ///< W
  int variables = 0;
  int nodes = 0;
  bool mixed = false;  ///< the mesh has affine and curved elements; of a part of it, the part has, until somebody says better
  bool apart = false;  ///< classes are told apart by `shared`
  std::int32_t block_count = 0;
  std::vector<ElementClass> classes;
  std::vector<std::int32_t> slot_of_cell;  ///< [cells], ghosts after the classes
  std::vector<std::int32_t> cell_of_slot;  ///< [block_count * W], padding: the element it repeats

  [[nodiscard]] std::size_t state_size() const {
    return static_cast<std::size_t>(block_count) * static_cast<std::size_t>(variables) * static_cast<std::size_t>(nodes) *
           static_cast<std::size_t>(width);
  }
  /// Position of a value in an array [block][components][nodes][W].
  [[nodiscard]] std::size_t at(std::int32_t slot, int component, int node, int components) const {
    const auto w = static_cast<std::size_t>(width);
    const auto s = static_cast<std::size_t>(slot);
    return (((s / w) * static_cast<std::size_t>(components) + static_cast<std::size_t>(component)) * static_cast<std::size_t>(nodes) +
            static_cast<std::size_t>(node)) *
               w +
           s % w;
  }
};

/// `owned`: cells before the ghosts, which get slots after all classes. `apart`: cells that touch ghosts have classes of their own, so that
/// they can be advanced first and the exchange runs beside the others. Interior affine, boundary affine, interior curved, boundary curved
/// elements; On GPUs each class keeps the mesh's order, simplices that of a Hilbert curve through their centres; on CPUs see lane_blocks.h.
[[nodiscard]] Layout make_layout(const mesh::Mesh& mesh, const std::vector<bool>& affine, int variables, int nodes, int width,
                                 std::size_t owned, bool apart = false);

/// W for a device: 1 on GPUs; on CPUs the reals in a vector register (AVX-512: 8 doubles), 4 doubles if unknown.
[[nodiscard]] int lane_count(const codegen::DeviceFacts& facts, codegen::Precision precision);

}  // namespace dgsolve::solver
