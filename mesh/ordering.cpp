// Hilbert curve positions by Skilling's transform, and the sorting along them.
#include "mesh/ordering.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dgsolve::mesh {
namespace {

std::vector<std::int32_t> sorted_indices(std::vector<std::pair<std::uint64_t, std::int32_t>>& keyed) {
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::int32_t> order;
  order.reserve(keyed.size());
  for (const auto& [position, index] : keyed) order.push_back(index);
  return order;
}

/// Extents beyond the range of doubles give NaN here, which counts as 0.
std::uint32_t grid_coordinate(double scaled, int bits) {
  const auto last = static_cast<double>((std::uint64_t{1} << bits) - 1);
  return scaled > 0 ? static_cast<std::uint32_t>(std::min(scaled, last)) : 0;
}

}  // namespace

std::uint64_t hilbert_position(std::array<std::uint32_t, 3> x, int dimension, int bits) {
  if (dimension == 1) return x[0];
  const auto n = static_cast<std::size_t>(dimension);
  const std::uint32_t top = std::uint32_t{1} << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t low = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] & q) {
        x[0] ^= low;
      } else {
        const std::uint32_t exchange = (x[0] ^ x[i]) & low;
        x[0] ^= exchange;
        x[i] ^= exchange;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    if (x[n - 1] & q) flip ^= q - 1;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] ^= flip;
  std::uint64_t position = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (std::size_t i = 0; i < n; ++i) position = position << 1 | (x[i] >> bit & 1U);
  }
  return position;
}

std::vector<std::int32_t> hilbert_order(std::span<const double> points, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  const std::size_t count = points.size() / d;
  const int bits = dimension == 3 ? 21 : 31;
  std::array<double, 3> low{};
  std::array<double, 3> high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < points.size(); ++i) {
    low[i % d] = std::min(low[i % d], points[i]);
    high[i % d] = std::max(high[i % d], points[i]);
  }
  double extent = 0;
  for (std::size_t k = 0; k < d; ++k) extent = std::max(extent, high[k] - low[k]);
  const double scale = extent > 0 ? static_cast<double>((std::uint64_t{1} << bits) - 1) / extent : 0.0;
  std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::uint32_t, 3> integer{};
    for (std::size_t k = 0; k < d; ++k) integer[k] = grid_coordinate((points[i * d + k] - low[k]) * scale, bits);
    keyed[i] = {hilbert_position(integer, dimension, bits), static_cast<std::int32_t>(i)};
  }
  return sorted_indices(keyed);
}

}  // namespace dgsolve::mesh
