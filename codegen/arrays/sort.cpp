// Passes of the radix sort: count digits, scan the counts, move the keys.
#include "codegen/arrays/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "codegen/arrays/scan.h"

namespace dgsolve::codegen {
namespace {

constexpr std::int64_t lanes = 256, digits = 256;
constexpr std::int64_t least_chunk = 16384, most_chunks = 256;  // on CPUs
/// Odd: neighbouring runs begin on different banks of shared memory.
constexpr std::int64_t run_of(std::size_t key_bytes) { return key_bytes == 4 ? 17 : 9; }

/// Passes of equal width, an even number, over the bits from first to end.
struct Passes {
  int first = 0, count = 0, width = 0, end = 0;
};

Passes passes_of(const ElementType& key, const SortOptions& options) {
  const int all = static_cast<int>(key.bytes) * 8;
  const int end = options.end_bit < 0 ? all : options.end_bit;
  if (options.first_bit < 0 || options.first_bit > end || end > all) {
    throw std::invalid_argument(
        fmt::format("sort: bits {} to {} of keys of type {}, which have {} bits", options.first_bit, options.end_bit, key.name, all));
  }
  const int bits = end - options.first_bit;
  const int count = (bits + 15) / 16 * 2;
  return {options.first_bit, count, count == 0 ? 0 : (bits + count - 1) / count, end};
}

/// A type of that many bytes, whatever it stands for.
ElementType value_type(std::size_t bytes) {
  const std::size_t word = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
  const std::string_view name = word == 8 ? "uint64" : word == 4 ? "uint32" : "byte";
  const std::string definition = bytes == word ? fmt::format("typedef {} value_;\n", name)
                                               : fmt::format("typedef struct {{ {} words[{}]; }} value_;\n", name, bytes / word);
  return {"value_", bytes, ElementKind::structure, bytes == 0 ? std::string() : definition};
}

void push_array(KernelSpec& spec, const std::string& name, const std::string& element, Intent intent) {
  spec.arguments.push_back({name, ArgumentType::typed_buffer, intent, "[item]", element});
  spec.arguments.push_back({name + "_first", ArgumentType::int64, Intent::in, ""});
}

/// Whether a kernel counts digits, moves keys, or (for CPUs) does either.
enum class Part { count, move, both };

KernelSpec make_spec(const ElementType& key, std::size_t value_bytes, const SortOptions& options, bool is_large, Part part) {
  const bool is_real = key.kind == ElementKind::real;
  const std::size_t count_bytes = is_large ? 8 : 4;
  KernelSpec spec;
  spec.name = part == Part::count ? "sort_count" : part == Part::move ? "sort_move" : "sort_pass";
  spec.source_name = part == Part::count  ? "sort_count_group.kernel.h"
                     : part == Part::move ? "sort_move_group.kernel.h"
                                          : "sort_item.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.includes["sort_digit.kernel.h"] = array_kernel_text("sort_digit.kernel.h");
  spec.precision = Precision::single_precision;
  spec.constants = {{"key_type", key.bytes == 4 ? "uint32" : "uint64"},
                    {"count_type", is_large ? "int64" : "uint32"},
                    {"key_bits", static_cast<std::int64_t>(key.bytes) * 8},
                    {"is_real", std::int64_t{is_real}},
                    {"is_signed", std::int64_t{key.kind == ElementKind::integer}},
                    {"is_descending", std::int64_t{options.order == SortOrder::descending}},
                    {"infinity", is_real ? std::int64_t{key.bytes == 4 ? 0x7f800000 : 0x7ff0000000000000} : std::int64_t{0}}};
  push_array(spec, "keys", "key_", Intent::in);
  if (part != Part::count) {
    spec.constants["has_values"] = std::int64_t{value_bytes != 0};
    spec.constants["value_definition"] = value_type(value_bytes).definition;
    if (value_bytes != 0) push_array(spec, "values", "value_", Intent::in);
    push_array(spec, "sorted_keys", "key_", Intent::out);
    if (value_bytes != 0) push_array(spec, "sorted_values", "value_", Intent::out);
  }
  spec.arguments.push_back(
      {"places", ArgumentType::typed_buffer, part == Part::move ? Intent::in : Intent::in_out, "[digit][tile]", "count_"});
  for (const char* name : {"shift", "mask"}) spec.arguments.push_back({name, ArgumentType::int32, Intent::in, ""});
  spec.arguments.push_back({"item_count", ArgumentType::int64, Intent::in, ""});
  if (part == Part::both) {
    spec.arguments.push_back({"chunk", ArgumentType::int64, Intent::in, ""});
    spec.arguments.push_back({"phase", ArgumentType::int32, Intent::in, ""});
    return spec;
  }
  const auto tile = static_cast<std::size_t>(lanes * run_of(key.bytes));
  spec.constants["lanes"] = lanes;
  spec.constants["run"] = run_of(key.bytes);
  spec.group_size = {static_cast<int>(lanes), 1, 1};
  spec.min_groups_per_unit = part == Part::move ? 4 : 0;  // else the compiler takes registers until two fit
  spec.shared_bytes = part == Part::count
                          ? static_cast<std::size_t>(digits) * sizeof(std::int32_t)
                          : digits * count_bytes + tile * (key.bytes + 4) + static_cast<std::size_t>(lanes) * 4 * 37 / 4 + 16;
  return spec;
}

}  // namespace

std::vector<KernelSpec> sort_specs(const ElementType& key, std::size_t value_bytes, const SortOptions& options, bool is_large) {
  if (options.style == WorkStyle::items) return {make_spec(key, value_bytes, options, is_large, Part::both)};
  return {make_spec(key, value_bytes, options, is_large, Part::count), make_spec(key, value_bytes, options, is_large, Part::move)};
}

void check_same_size(std::int64_t keys, std::int64_t values) {
  if (keys != values) throw std::invalid_argument(fmt::format("sort_by_key: {} keys and {} values", keys, values));
}

struct RadixSort::State {
  State(const Context& given_context, const ElementType& given_key) : context(given_context), key(given_key) {}

  Context context;
  ElementType key;
  Passes passes;
  std::size_t value_bytes = 0;
  bool is_grouped = true, is_large = false;
  Kernel count, move;
  std::optional<ScanKernel> scan;
  Buffer keys, values;               // every other pass
  Array<std::uint32_t> places;       // [digit][tile]
  Array<std::int64_t> large_places;  // instead, if is_large

  void reserve(std::int64_t item_count, std::int64_t place_count) {
    const auto items = static_cast<std::size_t>(item_count);
    if (keys.bytes() < items * key.bytes) keys = context.allocate(items * key.bytes, "sort: keys");
    if (values.bytes() < items * value_bytes) values = context.allocate(items * value_bytes, "sort: values");
    if (is_large && large_places.size() < place_count) large_places.rebind(Array<std::int64_t>(context, place_count, "sort: places"));
    if (!is_large && places.size() < place_count) places.rebind(Array<std::uint32_t>(context, place_count, "sort: places"));
  }
  void pass(const std::array<KernelArgument, 8>& ends, int number, std::int64_t item_count, std::int64_t step) const;
};

RadixSort::RadixSort(const Context& context, const ElementType& key, std::size_t value_bytes, const SortOptions& options, bool is_large)
    : state_(std::make_shared<State>(context, key)) {
  State& state = *state_;
  const bool is_number = key.kind == ElementKind::real || key.kind == ElementKind::integer || key.kind == ElementKind::unsigned_integer;
  if (!is_number || (key.bytes != 4 && key.bytes != 8)) {
    throw std::invalid_argument(fmt::format("sort: keys of type {}; possible are float, double, int, int64, uint32, uint64", key.name));
  }
  state.passes = passes_of(key, options);
  state.value_bytes = value_bytes;
  state.is_large = is_large;
  state.is_grouped = work_style(options.style, context.device().facts()) == WorkStyle::groups;
  SortOptions chosen = options;
  chosen.style = state.is_grouped ? WorkStyle::groups : WorkStyle::items;
  const std::vector<KernelSpec> specs = sort_specs(key, value_bytes, chosen, is_large);
  state.count = built_kernel(context, specs.front());
  state.move = built_kernel(context, specs.back());
  const std::string type = is_large ? "int64" : "uint32";
  state.scan.emplace(context, type + "* places", Scan{type, "places[i]", "a + b", "0", "places[i] = prev_item"},
                     ScanOptions{.name = "sort_places", .style = options.style});
}

int RadixSort::passes() const { return state_->passes.count; }

void RadixSort::State::pass(const std::array<KernelArgument, 8>& ends, int number, std::int64_t item_count, std::int64_t step) const {
  const std::int64_t tiles = (item_count - 1) / step + 1;
  const auto groups = static_cast<std::uint32_t>(tiles);
  const int width = std::clamp(passes.end - passes.first - number * passes.width, 0, passes.width);  // 0: a pass that only moves
  const int shift = width == 0 ? passes.first : passes.first + number * passes.width;
  const std::size_t arrays = value_bytes == 0 ? 4 : 8;
  const CustomArgument counts = is_large ? CustomArgument(large_places) : CustomArgument(places);
  std::vector<KernelArgument> list(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(arrays));
  for (const KernelArgument& argument :
       {counts.given(), KernelArgument(std::int32_t{shift}), KernelArgument(std::int32_t{(1 << width) - 1}), KernelArgument(item_count)}) {
    list.push_back(argument);
  }
  Queue& queue = context.queue();
  if (is_grouped) {
    std::vector<KernelArgument> counted{list[0], list[1]};
    counted.insert(counted.end(), list.begin() + static_cast<std::ptrdiff_t>(arrays), list.end());
    count.launch(queue, {groups, 1, 1}, counted);
    scan->enqueue({&counts, 1}, digits * tiles);
    move.launch(queue, {groups, 1, 1}, list);
    return;
  }
  list.emplace_back(step);
  list.emplace_back(std::int32_t{0});
  count.launch(queue, {groups, 1, 1}, list);
  scan->enqueue({&counts, 1}, digits * tiles);
  list.back() = std::int32_t{1};
  count.launch(queue, {groups, 1, 1}, list);
}

void RadixSort::enqueue(const CustomArgument& keys, const CustomArgument& values, std::int64_t item_count) const {
  State& state = *state_;
  if (!keys.is_array() || keys.element() != state.key.name || !keys.is_contiguous() ||
      (state.value_bytes != 0 && (!values.is_array() || !values.is_contiguous()))) {
    throw std::invalid_argument(fmt::format("sort: {} must be arrays without gaps, the keys of type {}",
                                            state.value_bytes == 0 ? "keys" : "keys and values", state.key.name));
  }
  if (item_count >> 31 != 0 && !state.is_large) throw std::invalid_argument(fmt::format("sort: {} items, not less than 2^31", item_count));
  if (item_count < 2 || state.passes.count == 0) return;
  std::int64_t step = lanes * run_of(state.key.bytes);
  if (!state.is_grouped) {
    step = least_chunk;
    while ((item_count - 1) / step >= most_chunks) step *= 2;
  }
  state.reserve(item_count, digits * ((item_count - 1) / step + 1));
  const std::int64_t first = keys.first(), value_first = values.first(), zero = 0;
  for (int number = 0; number < state.passes.count; number += 2) {
    if (state.value_bytes == 0) {
      state.pass({keys.given(), first, &state.keys, zero}, number, item_count, step);
      state.pass({&state.keys, zero, keys.given(), first}, number + 1, item_count, step);
    } else {
      state.pass({keys.given(), first, values.given(), value_first, &state.keys, zero, &state.values, zero}, number, item_count, step);
      state.pass({&state.keys, zero, &state.values, zero, keys.given(), first, values.given(), value_first}, number + 1, item_count, step);
    }
  }
}

}  // namespace dgsolve::codegen
