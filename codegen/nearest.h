// The nearest of a list of names, for "did you mean" in messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dgsolve::codegen {

/// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours; case costs nothing) to `wanted`, the first
/// of equals; nothing if even the best differs in more than a third of its letters (at least one, two from four letters on).
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view wanted, std::span<const std::string> candidates);

/// `; did you mean 'x'?`, or an empty text if nothing is near or `wanted` is one of the candidates.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace dgsolve::codegen
