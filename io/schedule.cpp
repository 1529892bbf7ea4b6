// Multiples of an interval, safe against rounding.
#include "io/schedule.h"

#include <cmath>
#include <limits>

namespace dgsolve::io {
namespace {

/// Times that differ by less than this fraction of the interval, or of themselves, are the same.
constexpr double rounding = 1e-9;

}  // namespace

double Schedule::next_after(double now) const {
  if (!interval_) return std::numeric_limits<double>::infinity();
  double count = std::floor(now / *interval_ + rounding) + 1;
  while (count * *interval_ <= now) count = std::nextafter(count, std::numeric_limits<double>::infinity()) + 1;
  return count * *interval_;
}

bool Schedule::is_due(double last, double now) const {
  if (!interval_) return otherwise_ == WithoutInterval::always;
  return now >= next_after(last) - rounding * *interval_;
}

}  // namespace dgsolve::io
