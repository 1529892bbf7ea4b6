// How item-by-item work is cut into groups and packs.
#pragma once

#include <cstdint>

#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// CPUs: one work-item for a long run of places. GPUs: every work-item moves `runs` packs of `pack` items, neighbours side by side.
struct ItemLaunch {
  int group = 1;           ///< work-items of a group
  std::int64_t chunk = 1;  ///< consecutive places of one work-item, packs apart
  int runs = 1;
  std::int64_t pack = 1;

  [[nodiscard]] std::int64_t group_items() const { return group * chunk * runs * pack; }
  /// Groups for so many places.
  [[nodiscard]] std::uint32_t groups(std::int64_t places) const {
    return static_cast<std::uint32_t>((places + group_items() - 1) / group_items());
  }
};

/// `pack`: items moved at once, 0 if none can be; `load_bytes`: bytes that a work-item loads for them.
[[nodiscard]] inline ItemLaunch item_launch(WorkStyle style, std::int64_t pack, std::size_t load_bytes) {
  constexpr std::int64_t cpu_chunk = 16384;
  constexpr int gpu_group = 256;
  constexpr std::size_t bytes_in_flight = 16;  // of a work-item: many with one vector each are closer to the copy than few with four
  if (style == WorkStyle::items) return {1, cpu_chunk, 1, 1};
  if (pack == 0) return {gpu_group, 1, 1, 1};
  return {gpu_group, 1, load_bytes > 0 && load_bytes < bytes_in_flight ? 4 : 1, pack};
}

}  // namespace dgsolve::codegen
