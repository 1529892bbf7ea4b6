// Selections as scans of a condition: an item's place among the chosen ones is how many were chosen before.
#include "codegen/arrays/select.h"

#include <fmt/format.h>

#include "codegen/arrays/scan.h"

namespace dgsolve::codegen {
namespace {

constexpr std::string_view copy_chosen =
    "if (item != prev_item) chosen[prev_item] = x[i];\n"
    "if (i + 1 == item_count) chosen_count[0] = (int64)item;";
constexpr std::string_view move_both =
    "if (item != prev_item) chosen[prev_item] = x[i];\n"
    "else others[i - (int64)prev_item] = x[i];\n"
    "if (i + 1 == item_count) { chosen_count[0] = (int64)item; others_count[0] = item_count - (int64)item; }";

}  // namespace

SelectOptions unique_options(const ElementType& type, std::string_view is_equal, SelectOptions options) {
  options.preamble += fmt::format(
      "\nINLINE int is_equal_to_previous({0} a, {0} b) {{\n  return (\n#line 1 \"unique.is_equal\"\n{1}\n  );\n}}\n", type.name, is_equal);
  return options;
}

void enqueue_select(const Context& context, std::string_view name, const ElementType& type, std::string_view condition,
                    const SelectTargets& targets, std::int64_t item_count, const SelectOptions& options) {
  const bool has_others = targets.others != nullptr;
  std::string arguments = fmt::format("const {0}* x, {0}* chosen, int64* chosen_count", type.name);
  if (has_others) arguments += fmt::format(", {}* others, int64* others_count", type.name);
  if (!options.arguments.empty()) arguments += ", " + options.arguments;
  const Scan scan{.type = item_count >> 32 == 0 ? "uint32" : "int64",
                  .input = fmt::format("({}) ? 1 : 0", condition),
                  .scan = "a + b",
                  .neutral = "0",
                  .output = std::string(has_others ? move_both : copy_chosen)};
  ScanOptions scan_options{
      .name = std::string(name), .preamble = options.preamble, .structures = options.structures, .style = options.style};
  if (type.kind == ElementKind::structure) scan_options.structures.push_back(type);
  const ScanKernel kernel(context, arguments, scan, scan_options);
  std::vector<CustomArgument> given{targets.items, targets.chosen, targets.chosen_count};
  if (has_others) given.insert(given.end(), {*targets.others, *targets.others_count});
  given.insert(given.end(), options.given.begin(), options.given.end());
  kernel.enqueue(given, item_count);
}

}  // namespace dgsolve::codegen
