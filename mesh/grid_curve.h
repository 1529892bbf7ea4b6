// The Hilbert curve through the cells of a grid, walked from any place on it without the cells before.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dgsolve::mesh {

/// Indices of a grid cell along x, y, z.
using GridIndex = std::array<std::int64_t, 3>;

/// The cells of a grid in the order of their hilbert_position (cells of equal position: x fastest). A grid that is no cube of a power of
/// two has gaps in these positions; here they are numbered without gaps: the cells of every cube of the curve's hierarchy that lies before
/// are counted at once, so that a question takes a time that grows with the logarithm of the grid's length, and memory none.
class GridCurve {
 public:
  /// Every length is at least 1 and below 2^31, and the number of cells below 2^63.
  GridCurve(GridIndex cells, int dimension);

  [[nodiscard]] std::int64_t cell_count() const { return count_; }
  /// Number of cells before this one on the curve.
  [[nodiscard]] std::int64_t position(const GridIndex& cell) const;
  [[nodiscard]] GridIndex cell_at(std::int64_t position) const;
  /// Calls `act` for the cells [first, end) in their order.
  void walk(std::int64_t first, std::int64_t end, const std::function<void(const GridIndex&)>& act) const;

 private:
  struct Cube;
  struct Walk;
  [[nodiscard]] Cube cube(std::uint64_t path, int level) const;
  void descend(const Cube& at, std::int64_t before, Walk& walk) const;

  GridIndex cells_;
  int dimension_;
  std::int64_t count_ = 1;
  int bits_ = 0;     ///< levels of the hierarchy
  int dropped_ = 0;  ///< a cube of the last level has sides of 2^dropped cells
};

}  // namespace dgsolve::mesh
