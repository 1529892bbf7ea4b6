// Formats faults as file:line:column: key: message.
#include "io/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "io/config.h"

namespace dgsolve::io {

std::string to_text(const solver::Location& where) {
  if (where.line <= 0) return where.file;
  if (where.column <= 0) return fmt::format("{}:{}", where.file, where.line);
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

void Faults::add(const solver::Location& where, std::string_view key, std::string_view message) {
  const std::string place = to_text(where);
  std::string line = fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", key, key.empty() ? "" : ": ", message);
  const bool known = std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) { return fault.line == line; });
  if (!known) faults_.push_back({where, std::move(line)});
}

void Faults::add(const Faults& others) {
  for (const Fault& other : others.faults_) {
    const bool known = std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) { return fault.line == other.line; });
    if (!known) faults_.push_back(other);
  }
}

std::string Faults::text() const {
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  std::string text;
  for (const Fault& fault : sorted) {
    if (!text.empty()) text += '\n';
    text += fault.line;
  }
  return text;
}

void Faults::throw_if_any() const {
  if (!faults_.empty()) throw ConfigError(text());
}

}  // namespace dgsolve::io
