// Collects the faults of an equation file and a configuration's formulas, so that all are reported at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/equations/definition.h"

namespace dgsolve::solver {

class EquationFaults {
 public:
  /// `column`: within the text at `where`. The same fault is kept once. An empty message stands for one that is already reported.
  void add(const Location& where, std::string_view path, std::string_view message, int column = 1);
  [[nodiscard]] bool empty() const { return !any_; }
  /// Throws EquationError with all faults, one per paragraph.
  void throw_if_any() const;

 private:
  std::vector<std::string> paragraphs_;
  bool any_ = false;
};

}  // namespace dgsolve::solver
