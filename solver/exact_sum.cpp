// The long accumulator.
#include "solver/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dgsolve::solver {
namespace {

constexpr std::size_t at_nan = ExactSum::limb_count, at_plus = at_nan + 1, at_minus = at_nan + 2;
constexpr std::uint64_t low_bits = 0xFFFFFFFFU;
constexpr int smallest_exponent = -1074;  ///< of the unit of the lowest limb

/// Moves what exceeds 32 bits of each limb to the next; the last one keeps the sign.
void carry_out(std::span<std::int64_t> limbs) {
  for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
    const std::int64_t above = limbs[i] >> 32;  // rounds down
    limbs[i] -= above * (std::int64_t{1} << 32);
    limbs[i + 1] += above;
  }
}

/// The double nearest to limbs that are all in [0, 2^32), ties to even.
double round_limbs(std::span<const std::int64_t> limbs) {
  std::size_t top = limbs.size();
  while (top > 0 && limbs[top - 1] == 0) --top;
  if (top == 0) return 0;
  const auto limb = [&](std::size_t i) { return static_cast<std::uint64_t>(limbs[i]); };
  const int highest = 32 * static_cast<int>(top - 1) + static_cast<int>(std::bit_width(limb(top - 1))) - 1;
  if (highest <= 52) return std::ldexp(static_cast<double>(limb(0) | (top > 1 ? limb(1) << 32 : 0)), smallest_exponent);
  const int lowest = highest - 52;  // of the 53 bits that stay
  const auto bit = [&](int place) { return limb(static_cast<std::size_t>(place / 32)) >> (place % 32) & 1U; };
  std::uint64_t kept = 0;
  for (int place = highest; place >= lowest; --place) kept = kept << 1 | bit(place);
  const int half = lowest - 1;
  bool beyond = (limb(static_cast<std::size_t>(half / 32)) & ((std::uint64_t{1} << (half % 32)) - 1)) != 0;
  for (int i = 0; i < half / 32; ++i) beyond = beyond || limbs[static_cast<std::size_t>(i)] != 0;
  if (bit(half) != 0 && (beyond || (kept & 1U) != 0)) ++kept;
  return std::ldexp(static_cast<double>(kept), lowest + smallest_exponent);
}

}  // namespace

void ExactSum::add(double term) {
  if (!std::isfinite(term)) {
    ++parts_[std::isnan(term) ? at_nan : term > 0 ? at_plus : at_minus];
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const std::uint64_t exponent = bits >> 52 & 0x7FFU;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
  const std::uint64_t shift = place % 32;
  const std::size_t first = place / 32;
  const std::uint64_t low = (mantissa & low_bits) << shift, high = (mantissa >> 32) << shift;
  const auto sign = bits >> 63 != 0 ? std::int64_t{-1} : std::int64_t{1};
  parts_[first] += sign * static_cast<std::int64_t>(low & low_bits);
  parts_[first + 1] += sign * static_cast<std::int64_t>((low >> 32) + (high & low_bits));
  parts_[first + 2] += sign * static_cast<std::int64_t>(high >> 32);
  if (++pending_ >= 1U << 28) carry();
}

void ExactSum::carry() {
  carry_out(std::span(parts_).first(limb_count));
  pending_ = 0;
}

const ExactSum::Parts& ExactSum::carried_parts() {
  carry();
  return parts_;
}

void ExactSum::set_parts(std::span<const std::int64_t> parts) {
  std::copy(parts.begin(), parts.end(), parts_.begin());
  carry();
}

double ExactSum::value() const {
  if (parts_[at_nan] != 0 || (parts_[at_plus] != 0 && parts_[at_minus] != 0)) return std::numeric_limits<double>::quiet_NaN();
  if (parts_[at_plus] != 0) return std::numeric_limits<double>::infinity();
  if (parts_[at_minus] != 0) return -std::numeric_limits<double>::infinity();
  std::array<std::int64_t, limb_count> limbs;
  std::copy_n(parts_.begin(), limb_count, limbs.begin());
  carry_out(limbs);
  const bool negative = limbs.back() < 0;
  if (negative) {
    for (std::int64_t& limb : limbs) limb = -limb;
    carry_out(limbs);
  }
  return negative ? -round_limbs(limbs) : round_limbs(limbs);
}

}  // namespace dgsolve::solver
