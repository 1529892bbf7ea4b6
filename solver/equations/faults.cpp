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
  // What is allowed may differ between the functions that use the formula; the fault itself is the same.
  const std::string fault = fmt::format("{}{}{}{}", place, path, path.empty() ? "" : ": ", message.substr(0, message.find_first_of(";\n")));
  const auto same = [&fault](const std::string& known) { return known.starts_with(fault); };
  if (std::any_of(paragraphs_.begin(), paragraphs_.end(), same)) return;
  paragraphs_.push_back(fmt::format("{}{}{}{}", place, path, path.empty() ? "" : ": ", message));
}

void EquationFaults::throw_if_any() const {
  if (any_) throw EquationError(fmt::format("{}", fmt::join(paragraphs_, "\n")));
}

}  // namespace dgsolve::solver
