// The kernel of a scan: its functions printed from the texts, its tiles or chunks, its scratch memory, its launch.
#include "codegen/arrays/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dgsolve::codegen {
namespace {

constexpr std::array<std::string_view, 7> reserved{"i", "a", "b", "item", "prev_item", "last_item", "item_count"};
constexpr std::int64_t least_chunk = 4096, most_chunks = 1024;  // on CPUs
constexpr int usual_groups_per_unit = 4;                        // on GPUs, where it cannot be asked for

/// How a group cuts its tile: `lanes` (at most 256) runs of `run` items; `run` divides `lanes`. Shared memory holds two tiles, registers
/// one; 48 KB of it suffice, what NVIDIA's OpenCL has.
struct Tile {
  std::int64_t lanes, run;
  int groups;  ///< of a unit at once, by a bound on the registers; 0: none
  [[nodiscard]] std::int64_t items() const { return lanes * run; }
};

Tile tile_of(std::size_t scan_bytes) {
  if (scan_bytes <= 4) return {256, 16, 5};
  if (scan_bytes <= 8) return {160, 16, 0};
  if (scan_bytes <= 16) return {128, 8, 0};
  if (scan_bytes <= 32) return {64, 8, 0};
  if (scan_bytes <= 64) return {64, 2, 0};
  return {scan_bytes <= 128 ? 32 : 16, 1, 0};
}

/// An upper bound of the size of what is scanned.
std::size_t scan_bytes_of(const ElementType& type, const Scan& scan) {
  if (scan.segment_start.empty()) return type.bytes;
  return type.bytes <= 4 ? 8 : padded_bytes(type.bytes + 4);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string print_operators(const CustomCode& code, const Scan& scan) {
  const std::string item_parameters = "int64 i, int64 item_count" + code.parameters();
  std::string text = fmt::format("typedef {} item_;\n", scan.type);
  text += code.function("item_", "reduce_", "item_ a, item_ b", "scan", scan.scan);
  text += code.function("item_", "neutral_", "void", "neutral", scan.neutral);
  text += code.function("item_", "input_", item_parameters, "input", scan.input);
  if (!scan.segment_start.empty()) text += code.function("int", "starts_", item_parameters, "segment_start", scan.segment_start);
  return text + fmt::format("INLINE void write_(int64 i, item_ item, item_ prev_item, item_ last_item, int64 item_count{}) {{\n{};\n}}\n",
                            code.parameters(), code.part("output", scan.output));
}

KernelSpec make_spec(const CustomCode& code, const Scan& scan, const ScanOptions& options) {
  const ElementType type = code.type_named(scan.type);
  const std::size_t scan_bytes = scan_bytes_of(type, scan);
  const bool is_grouped = options.style != WorkStyle::items;
  KernelSpec spec;
  spec.name = code.name() + "_scan";
  spec.source_name = is_grouped ? "scan_group.kernel.h" : "scan_item.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.includes["scan_operator.kernel.h"] = array_kernel_text("scan_operator.kernel.h");
  if (is_grouped) spec.includes["message.kernel.h"] = array_kernel_text("message.kernel.h");
  spec.precision = code.precision({type.name, scan.input, scan.scan, scan.output});
  spec.arguments = code.specs();
  if (is_grouped) {
    spec.arguments.push_back({"folds_", ArgumentType::uint64_buffer, Intent::in_out, "[tile and block][word]"});
  } else {
    spec.arguments.push_back({"folds_", ArgumentType::typed_buffer, Intent::in_out, "[chunk]", "scan_"});
  }
  spec.arguments.push_back({"counters_", ArgumentType::int32_buffer, Intent::in_out, "[3]: started, finished, launches"});
  spec.arguments.push_back({"last_", ArgumentType::typed_buffer, Intent::in_out, "[1]", "item_"});
  spec.arguments.push_back({"item_count", ArgumentType::int64, Intent::in, ""});
  if (!is_grouped) spec.arguments.push_back({"chunk_", ArgumentType::int64, Intent::in, ""});
  spec.arguments.push_back({"phase_", ArgumentType::int32, Intent::in, ""});
  spec.constants = {{"definitions", code.complex_functions(scan.type) + code.definitions()},
                    {"operators", print_operators(code, scan)},
                    {"advance", code.advance()},
                    {"parameters", code.parameters()},
                    {"values", code.values()},
                    {"has_segments", std::int64_t{scan.segment_start.empty() ? 0 : 1}}};
  if (is_grouped) {
    const Tile tile = tile_of(scan_bytes);
    spec.constants["lanes"] = tile.lanes;
    spec.constants["run"] = tile.run;
    spec.constants["uses_last"] = std::int64_t{has_word(scan.output, "last_item") ? 1 : 0};
    spec.group_size = {static_cast<int>(tile.lanes), 1, 1};
    spec.shared_bytes = static_cast<std::size_t>(2 * (tile.items() + 2 * tile.lanes)) * scan_bytes + 32;
    spec.min_groups_per_unit = tile.groups;
  }
  return spec;
}

CustomCode code_of(std::string_view arguments, const ScanOptions& options) {
  return CustomCode(arguments, {options.name, options.preamble, options.structures}, reserved);
}

}  // namespace

KernelSpec scan_spec(std::string_view arguments, const Scan& scan, const ScanOptions& options) {
  return make_spec(code_of(arguments, options), scan, options);
}

struct ScanKernel::State {
  State(const Context& given_context, CustomCode given_code) : context(given_context), code(std::move(given_code)) {}

  Context context;
  CustomCode code;
  Kernel kernel;
  bool is_grouped = true, uses_last = false;
  std::size_t scan_bytes = 0;
  std::int64_t most_groups = 1;  ///< that run at once
  Buffer folds, counters, last;

  /// Scratch memory grows with the count; what is published in it is known by the number of the launch.
  void reserve(std::int64_t places) {
    const std::size_t bytes = static_cast<std::size_t>(places) * (is_grouped ? (scan_bytes + 3) / 4 * sizeof(std::uint64_t) : scan_bytes);
    if (folds.bytes() >= bytes) return;
    folds = context.allocate(bytes, code.name() + ": folds");
    if (is_grouped) context.queue().fill_zero(folds);
  }
};

ScanKernel::ScanKernel(const Context& context, std::string_view arguments, const Scan& scan, ScanOptions options)
    : state_(std::make_shared<State>(context, code_of(arguments, options))) {
  State& state = *state_;
  options.style = work_style(options.style, context.device().facts());
  const KernelSpec spec = make_spec(state.code, scan, options);
  const ElementType type = state.code.type_named(scan.type);
  state.is_grouped = options.style == WorkStyle::groups;
  state.uses_last = has_word(scan.output, "last_item");
  state.scan_bytes = scan_bytes_of(type, scan);
  state.kernel = built_kernel(context, spec);
  const int groups_per_unit = state.kernel.resources().groups_per_unit;
  state.most_groups =
      std::int64_t{context.device().facts().compute_units} * (groups_per_unit > 0 ? groups_per_unit : usual_groups_per_unit);
  state.counters = context.allocate(3 * sizeof(std::int32_t), options.name + ": counters");
  state.last = context.allocate(type.bytes, options.name + ": last item");
  context.queue().fill_zero(state.counters);
}

const Context& ScanKernel::context() const { return state_->context; }

void ScanKernel::enqueue(CustomArguments arguments, std::int64_t item_count) const {
  State& state = *state_;
  if (item_count < 0) throw std::invalid_argument(fmt::format("kernel '{}': {} items", state.code.name(), item_count));
  std::vector<KernelArgument> list = launch_arguments(state.code, arguments);
  if (item_count == 0) return;
  std::int64_t step = tile_of(state.scan_bytes).items();
  if (!state.is_grouped) {
    step = least_chunk;
    while ((item_count - 1) / step >= most_chunks) step *= 2;
  }
  const std::int64_t parts = (item_count - 1) / step + 1;
  state.reserve(state.is_grouped ? parts + parts / tile_of(state.scan_bytes).lanes + 1 : most_chunks);
  list.emplace_back(&state.folds);
  list.insert(list.end(), {KernelArgument(&state.counters), KernelArgument(&state.last), KernelArgument(item_count)});
  if (!state.is_grouped) list.emplace_back(step);
  const auto groups = static_cast<std::uint32_t>(state.is_grouped ? std::min(parts, state.most_groups) : parts);
  for (int phase = state.is_grouped && !state.uses_last ? 1 : 0; phase < 2; ++phase) {
    list.emplace_back(std::int32_t{phase});
    state.kernel.launch(state.context.queue(), {groups, 1, 1}, list);
    list.pop_back();
  }
}

}  // namespace dgsolve::codegen
