// Collects the faults of an equation file and a configuration's formulas.
#include "solver/equations/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "solver/equations/system.h"

namespace dgsolve::solver {

void EquationFaults::add(const Location& where, std::string_view path, std::string_view message, int column) {
  any_ = true;
  if (message.empty()) return;
  std::string place;
  if (!where.file.empty()) {
    place = where.file + ":";
    if (where.line > 0) place += fmt::format("{}:{}:", where.line, std::max(where.column, 1) + column - 1);
    place += " ";
  }
  std::string paragraph = fmt::format("{}{}{}{}", place, path, path.empty() ? "" : ": ", message);
  if (std::find(paragraphs_.begin(), paragraphs_.end(), paragraph) == paragraphs_.end()) paragraphs_.push_back(std::move(paragraph));
}

void EquationFaults::throw_if_any() const {
  if (any_) throw EquationError(fmt::format("{}", fmt::join(paragraphs_, "\n")));
}

}  // namespace dgsolve::solver
