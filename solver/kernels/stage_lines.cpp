// The thread mapping of stage_tensor_lines.kernel.h: elements of a group, its shared memory, launch bounds. Every number is a place for a
// tuner.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "solver/kernels/stage_mapping.h"

namespace dgsolve::solver {
namespace {

/// Shared memory that an SM has for groups, of which each needs 1 KB more than its own (compute capability 9.0).
constexpr std::int64_t unit_bytes = 233472, group_overhead_bytes = 1024;

/// Passes of shared memory that the first 64 threads of a group take to read one value each, over all directions. Elements are `pitch`
/// reals apart, a pass serves `width` threads if each finds its value in a bank of its own.
std::int64_t passes(std::int64_t n, int dimension, bool swizzle, std::int64_t pitch, std::int64_t width) {
  const std::int64_t lines = dimension == 2 ? n : n * n;
  const auto place = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return swizzle ? (x ^ y) + n * (y ^ z) + n * n * z : x + n * (y + n * z);
  };
  std::int64_t sum = 0;
  for (int d = 0; d < dimension; ++d) {
    for (std::int64_t first = 0; first < 64; first += width) {
      std::vector<std::int64_t> users(static_cast<std::size_t>(width), 0);
      for (std::int64_t thread = first; thread < first + width; ++thread) {
        const std::int64_t line = thread % lines, a = line % n, b = line / n;
        const std::int64_t at = d == 0 ? place(0, a, b) : d == 1 ? place(a, 0, b) : place(a, b, 0);
        ++users[static_cast<std::size_t>((thread / lines * pitch + at) % width)];
      }
      sum += *std::max_element(users.begin(), users.end());
    }
  }
  return sum;
}

struct Sizes {
  std::int64_t n;      ///< nodes of a line
  std::int64_t lines;  ///< threads of an element
  bool swizzle;        ///< places are permuted
  std::int64_t pitch;  ///< reals from element to element, of states and of rates
  std::int64_t extra;  ///< of an element: traces, geometry, links
  std::int64_t element_bytes;
};

Sizes sizes_of(const Work& work) {
  Sizes sizes{};
  const std::int64_t dimension = work.element.dimension;
  const std::int64_t faces = work.element.face_count;
  const std::int64_t variables = work.traits.variables;
  sizes.n = work.element.order + 1;
  sizes.lines = work.element.node_count / sizes.n;
  sizes.swizzle = (sizes.n & (sizes.n - 1)) == 0;
  // Elements begin in banks where their lines collide least.
  const std::int64_t values = variables * work.element.node_count, banks = 128 / work.real_bytes;
  const auto passes_of = [&](std::int64_t pitch) { return passes(sizes.n, work.element.dimension, sizes.swizzle, pitch, banks); };
  sizes.pitch = values;
  for (std::int64_t pitch = values + 1; pitch < values + banks; ++pitch) {
    if (passes_of(pitch) < passes_of(sizes.pitch)) sizes.pitch = pitch;
  }
  const std::int64_t geometry =
      work.traits.group->affine ? dimension * dimension + faces * (dimension + 1) : (sizes.n + 2) * dimension * sizes.lines;
  const std::int64_t link_reals = (faces * 2 * 4 + work.real_bytes - 1) / work.real_bytes;
  sizes.extra = 2 * variables * sizes.lines + geometry + link_reals;
  sizes.element_bytes = (2 * sizes.pitch + sizes.extra) * work.real_bytes;
  return sizes;
}

/// The weak derivative of the line as a table in the source: products take its entries as operands.
std::string line_text(const Work& work) {
  const Eigen::MatrixXd& table = work.element.line.weak_derivative;
  std::string text = "CONSTANT real weak_derivative[N * N] = {";
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    for (Eigen::Index m = 0; m < table.cols(); ++m) text += fmt::format("{}REAL({:.17e})", i + m == 0 ? "" : ", ", table(i, m));
  }
  return text + "};\n";
}

/// What a thread keeps while it advances a line, about: the line's rates and what a numerical flux takes. In single precision more groups
/// are worth some spilling (H200, Euler, p = 3: 173 GDOF/s with 85 registers, 166 with 102, 153 with 128).
std::int64_t registers_wanted(const Work& work, const Sizes& sizes) {
  const bool expensive = has_expensive_flux(work);
  const std::int64_t rates = 2 * sizes.n * work.traits.variables * work.real_bytes / 8;
  const std::int64_t flux = (work.real_bytes == 8 ? 20 : 13) * work.traits.variables;
  return std::min<std::int64_t>(255, rates + flux + (expensive ? 12 : 0));
}

}  // namespace

std::int64_t elements_for_lines(const Work& work) {
  const Sizes sizes = sizes_of(work);
  // Eight hexahedra that follow each other are often a cube, which has half of its faces inside.
  if (work.element.dimension == 3 && sizes.lines == 16) return 8;
  // Powers of two of quadrilaterals are squares or pairs of squares.
  std::int64_t power = 1;
  while (power * sizes.lines < 64) power *= 2;
  if (work.element.dimension == 2) return power;
  // Else as few elements, beyond 64 threads, as leave few lanes of the group's warps idle; two groups should fit onto an SM.
  std::int64_t best = std::max<std::int64_t>(1, 64 / sizes.lines);
  double most = 0;
  for (std::int64_t count = best;
       count * sizes.lines <= 160 && (count == best || count * sizes.element_bytes <= unit_bytes / 2 - group_overhead_bytes); ++count) {
    const std::int64_t threads = count * sizes.lines;
    const double used = static_cast<double>(threads) / static_cast<double>((threads + 31) / 32 * 32);
    if (used > most + 0.12) {
      most = used;
      best = count;
    }
  }
  return best;
}

bool can_map_tensor_lines(const Work& work) {
  if (work.element.dense() || work.gauss || work.element.dimension == 1 || work.traits.reads_other_values()) return false;
  if (work.traits.mixed && !work.traits.group->affine) return false;
  const Sizes sizes = sizes_of(work);
  return sizes.element_bytes <= static_cast<std::int64_t>(work.traits.shared_limit) && sizes.lines <= work.traits.max_group_size &&
         registers_wanted(work, sizes) < 255;
}

void map_tensor_lines(const Work& work, StageKernelSpec& kernel) {
  const Sizes sizes = sizes_of(work);
  // Runs of memory that are no whole sectors of 32 bytes are better moved in order; places are not permuted then.
  const std::int64_t run_bytes = sizes.lines * work.real_bytes;
  const bool in_order = choice(work, "in_order", !sizes.swizzle && run_bytes < 64 && run_bytes % 32 != 0) != 0 && !sizes.swizzle;
  const bool expensive = has_expensive_flux(work);
  std::int64_t elements = choice(work, "elements", elements_for_lines(work));
  if (elements * sizes.lines > work.traits.max_group_size) {
    throw std::invalid_argument(
        fmt::format("elements: {} of {} threads are more than a group's {}", elements, sizes.lines, work.traits.max_group_size));
  }
  while (elements > 1 && elements * sizes.element_bytes > static_cast<std::int64_t>(work.traits.shared_limit)) --elements;
  const std::int64_t threads = elements * sizes.lines;
  const std::int64_t shared_bytes = elements * sizes.element_bytes;
  const std::int64_t resident = std::max<std::int64_t>(1, unit_bytes / (shared_bytes + group_overhead_bytes));
  const int groups = std::min(static_cast<int>(resident), groups_for_registers(threads, registers_wanted(work, sizes)));
  // Code of three directions that take much each does not stay in the instruction cache. The exceptions are as measured.
  const bool rolled_by_rule = expensive && work.traits.group->affine && work.element.dimension == 3 && (sizes.n == 4 || sizes.n >= 8);
  codegen::KernelSpec& spec = kernel.spec;
  spec.includes["line"] = line_text(work);
  spec.constants.erase("GAUSS");
  spec.constants["ELEMENTS"] = elements;
  spec.constants["LINES"] = sizes.lines;
  spec.constants["PITCH"] = sizes.pitch;
  spec.constants["SWIZZLE"] = std::int64_t{sizes.swizzle};
  spec.constants["END_FACTOR"] = 1.0 / work.element.line.weights(0);
  spec.constants["EXTRA_REALS"] = sizes.extra;
  spec.constants["IN_ORDER"] = std::int64_t{in_order};
  spec.constants["ROLLED"] = choice(work, "rolled", rolled_by_rule);
  spec.constants["SHARED_REALS"] = shared_bytes / work.real_bytes;
  spec.shared_bytes = static_cast<std::size_t>(shared_bytes);
  spec.group_size = {static_cast<int>(threads), 1, 1};
  spec.min_groups_per_unit = static_cast<int>(choice(work, "min_groups", groups));
  kernel.elements_per_group = static_cast<int>(elements);
}

}  // namespace dgsolve::solver
