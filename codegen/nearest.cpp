// Edit distance by the optimal string alignment recurrence (Damerau 1964).
#include "codegen/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace dgsolve::codegen {
namespace {

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, candidate);
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  const std::size_t length = std::max(best->size(), wanted.size());
  const std::size_t allowed = std::max<std::size_t>(length >= 4 ? 2 : 1, length / 3);
  if (best_distance > allowed || best_distance >= length) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> candidates) {
  const auto nearest = nearest_name(wanted, candidates);
  return nearest && *nearest != wanted ? "; did you mean '" + *nearest + "'?" : std::string();
}

}  // namespace dgsolve::codegen
