// The texts of sums and extremes for every type.
#include "codegen/arrays/reduction_functions.h"

#include <fmt/format.h>

#include <stdexcept>

namespace dgsolve::codegen {
namespace {

/// The value, as source text, that loses against every other one.
std::string weakest(ExtremeKind kind, const ElementType& item) {
  const bool seeks_most = kind == ExtremeKind::most;
  if (item.kind == ElementKind::real)
    return fmt::format("({}1{suffix} / 0{suffix})", seeks_most ? "-" : "", fmt::arg("suffix", item.bytes == 4 ? ".0f" : ".0"));
  if (item.kind == ElementKind::unsigned_integer) return seeks_most ? "0" : fmt::format("({})~(uint64)0", item.name);
  const std::string most = fmt::format("({})(((uint64)1 << {}) - 1)", item.name, item.bytes * 8 - 1);
  return seeks_most ? fmt::format("(-{} - 1)", most) : most;
}

/// Whether a goes before b; NaN goes before all.
std::string precedes(ExtremeKind kind, const ElementType& item, std::string_view a, std::string_view b) {
  const char* comparison = kind == ExtremeKind::most ? ">" : "<";
  if (item.kind != ElementKind::real) return fmt::format("{} {} {}", a, comparison, b);
  return fmt::format("({0} {2} {1} || ({0} != {0} && {1} == {1}))", a, b, comparison);
}

}  // namespace

void require_items(std::int64_t items, const char* function) {
  if (items == 0) throw std::invalid_argument(fmt::format("{}: there are no items", function));
}

Reduction sum_reduction(std::string_view value, const ElementType& result) {
  if (result.kind != ElementKind::complex) return {result.name, fmt::format("({}){}", result.name, value), "a + b", "0"};
  return {result.name, std::string(value), result.name + "_add(a, b)", result.name + "_make(0, 0)"};
}

Reduction square_reduction(std::string_view value, const ElementType& item, const ElementType& result) {
  const char* square = item.kind == ElementKind::complex ? "{0}.re * {0}.re + {0}.im * {0}.im" : "{0} * {0}";
  return {result.name, fmt::format(fmt::runtime(square), value), "a + b", "0"};
}

Reduction extreme_reduction(std::string_view value, ExtremeKind kind, const ElementType& item) {
  return {item.name, std::string(value), precedes(kind, item, "a", "b") + " ? a : b", weakest(kind, item)};
}

ElementType extreme_type(const ElementType& item) {
  const std::string name = "extreme_" + item.name;
  return {name, item.bytes <= 8 ? std::size_t{16} : 2 * item.bytes, ElementKind::structure,
          fmt::format("typedef struct {{ int64 place; {} value; }} {};", item.name, name)};
}

Reduction place_reduction(std::string_view value, const ElementType& item) {
  return {extreme_type(item).name, fmt::format("extreme_of(i, {})", value), "first_extreme(a, b)", "extreme_of(-1, 0)"};
}

std::string place_functions(ExtremeKind kind, const ElementType& item) {
  return fmt::format(R"(
INLINE {0} extreme_of(int64 place, {1} value) {{
  {0} result;
  result.place = place;
  result.value = value;
  return result;
}}
INLINE {0} first_extreme({0} a, {0} b) {{
  if (a.place < 0) return b;
  if (b.place < 0 || {2}) return a;
  return {3} || b.place < a.place ? b : a;
}}
)",
                     extreme_type(item).name, item.name, precedes(kind, item, "a.value", "b.value"),
                     precedes(kind, item, "b.value", "a.value"));
}

}  // namespace dgsolve::codegen
