// When something is due: at the multiples of an interval of simulated time.
#pragma once

#include <optional>

namespace dgsolve::io {

class Schedule {
 public:
  /// No interval: `always` says whether every time is due or none is.
  enum class WithoutInterval { always, never };
  Schedule(std::optional<double> interval, WithoutInterval otherwise) : interval_(interval), otherwise_(otherwise) {}

  /// The smallest multiple of the interval later than `now` (by more than rounding); infinity without an interval.
  [[nodiscard]] double next_after(double now) const;
  /// Whether a record is due at `now`, the last one having been made at `last`: a multiple lies between them, or at `now`.
  [[nodiscard]] bool is_due(double last, double now) const;

 private:
  std::optional<double> interval_;
  WithoutInterval otherwise_;
};

}  // namespace dgsolve::io
