// Straight and warped lattices of a box.
#include "mesh/box_lattice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dgsolve::mesh {
namespace {

double wave(bool periodic, std::size_t kind, std::int64_t i, std::int64_t last) {
  using std::numbers::pi;
  if (i == last || i == 0) {
    if (!periodic) return 0;
    i = 0;
  }
  const double xi = static_cast<double>(i) / static_cast<double>(last);
  if (periodic) return std::sin(2 * pi * xi + pi / 3 * static_cast<double>(kind));
  return kind == 0 ? std::sin(2 * pi * xi) : std::sin(pi * xi);
}

}  // namespace

BoxLattice::BoxLattice(const BoxOptions& options, int order, const GridIndex& low, const GridIndex& high)
    : options_(options), dimension_(static_cast<std::size_t>(options.dimension)) {
  for (std::size_t d = 0; d < dimension_; ++d) {
    last_[d] = options.cells[d] * order;
    first_[d] = low[d] * order;
    for (std::int64_t i = first_[d]; i <= std::min(high[d] * order, last_[d]); ++i) table_[d].push_back(line(d, i));
  }
}

BoxLattice::Line BoxLattice::line(std::size_t d, std::int64_t i) const {
  Line result;
  const double length = options_.upper[d] - options_.lower[d];
  result.straight =
      i == last_[d] ? options_.upper[d] : options_.lower[d] + length * (static_cast<double>(i) / static_cast<double>(last_[d]));
  for (std::size_t c = 0; options_.warp != 0 && c < dimension_; ++c)
    result.wave[c] = wave(options_.periodic[d], (d + 3 - c) % 3, i, last_[d]);
  return result;
}

void BoxLattice::place(const GridIndex& index, double* point) const {
  std::array<Line, 3> unknown;
  std::array<const Line*, 3> lines{};
  for (std::size_t d = 0; d < dimension_; ++d) {
    const std::int64_t i = index[d] - first_[d];
    const bool known = i >= 0 && i < static_cast<std::int64_t>(table_[d].size());
    if (!known) unknown[d] = line(d, index[d]);
    lines[d] = known ? &table_[d][static_cast<std::size_t>(i)] : &unknown[d];
  }
  for (std::size_t c = 0; c < dimension_; ++c) {
    double value = lines[c]->straight;
    if (options_.warp != 0) {
      double displacement = options_.warp * (options_.upper[c] - options_.lower[c]);
      for (std::size_t d = 0; d < dimension_; ++d) displacement *= lines[d]->wave[c];
      value += displacement;
    }
    point[c] = value;
  }
}

}  // namespace dgsolve::mesh
