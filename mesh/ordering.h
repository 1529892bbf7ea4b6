// The order of cells in memory: along a Hilbert curve, so that neighbours in space are near each other in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dgsolve::mesh {

/// Position of an integer point on the Hilbert curve of `dimension` (1 to 3) axes with `bits` bits each (dimension * bits <= 64;
/// coordinates < 2^bits). In one dimension the coordinate itself. Source: J. Skilling, "Programming the Hilbert curve", AIP
/// Conference Proceedings 707 (2004), 381-387, doi:10.1063/1.1751381.
[[nodiscard]] std::uint64_t hilbert_position(std::array<std::uint32_t, 3> coordinates, int dimension, int bits);

/// Indices of the points in the order in which the curve through their bounding box meets them; equal positions keep their order.
/// `points` is [points][dimension]; all finite.
[[nodiscard]] std::vector<std::int32_t> hilbert_order(std::span<const double> points, int dimension);

}  // namespace dgsolve::mesh
