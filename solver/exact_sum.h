// Sums that do not depend on the order of their terms.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace dgsolve::solver {

/// Adds doubles without rounding, as integer multiples of the smallest double in limbs of 32 bits (U. W. Kulisch, W. L. Miranker,
/// "The arithmetic of the digital computer: a new approach", SIAM Review 28 (1986), 1-40, doi:10.1137/1028001, section 4: the long
/// accumulator). One rounding at the end: the result is the double nearest to the true sum, ties to even, whatever the order, and also
/// if parts of the terms were added up elsewhere. Terms that are not finite give what IEEE arithmetic gives; no NaN has a sign.
class ExactSum {
 public:
  /// 2098 bits from the smallest subnormal to the largest double, and 78 for carries.
  static constexpr std::size_t limb_count = 68;
  /// Limbs, then the numbers of NaN, +infinity, -infinity.
  using Parts = std::array<std::int64_t, limb_count + 3>;

  void add(double term);
  [[nodiscard]] double value() const;

  /// Sums of which each has been carried out add up part by part, up to 2^30 of them: so ranks add theirs.
  [[nodiscard]] const Parts& carried_parts();
  void set_parts(std::span<const std::int64_t> parts);

 private:
  void carry();

  Parts parts_{};
  std::uint32_t pending_ = 0;  ///< terms since the last carry
};

}  // namespace dgsolve::solver
