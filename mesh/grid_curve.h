// The Hilbert curve through the cells of a grid, walked from any place on it without the cells before.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

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
  /// What the curve does in a cube: a symmetry of the cube turns it into what it does in the whole.
  struct Turn {
    std::array<std::uint8_t, 8> corner{};  ///< which part of the cube comes at each place: bit k is set in the upper half of axis k
    std::array<std::uint8_t, 8> turn{};    ///< what the curve does in that part: index into turns_
  };
  /// A cube of the hierarchy; only the part of it in the grid counts.
  struct Cube {
    GridIndex low{};        ///< in units of 2^dropped cells
    int level = 0;          ///< sides of 2^level units
    std::uint8_t turn = 0;  ///< index into turns_
  };
  struct Walk;
  void make_turns();
  [[nodiscard]] Cube part(const Cube& cube, std::size_t place) const;
  [[nodiscard]] GridIndex low_cell(const Cube& cube) const;
  [[nodiscard]] GridIndex high_cell(const Cube& cube) const;
  [[nodiscard]] std::int64_t cells_of(const Cube& cube) const;
  void descend(const Cube& cube, std::int64_t before, Walk& walk) const;

  GridIndex cells_;
  int dimension_;
  std::int64_t count_ = 1;
  int bits_ = 0;     ///< levels of the hierarchy
  int dropped_ = 0;  ///< a cube of the last level has sides of 2^dropped cells
  std::vector<Turn> turns_;
};

}  // namespace dgsolve::mesh
