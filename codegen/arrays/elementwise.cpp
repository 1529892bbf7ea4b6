// Kernels of element-wise operations: plain for CPUs and unaligned arrays, in packs for GPUs; and those from formulas.
#include "codegen/arrays/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>

#include "codegen/arrays/array_plan.h"
#include "codegen/arrays/elementwise_text.h"

namespace dgsolve::codegen {
namespace {

constexpr std::array<std::string_view, 2> reserved_names{"i", "item_count"};

/// Arrays in packs of `items`: what the kernel of packs declares, loads, passes and stores.
struct PackTexts {
  std::string types, variables, loads, arguments, stores, parameters;
};

PackTexts pack_texts(const CustomCode& code, std::string_view operation, std::int64_t items, int runs) {
  PackTexts texts;
  std::vector<std::string> defined;
  for (const DeclaredArgument& argument : code.arguments()) {
    const std::string& name = argument.spec.name;
    const std::string& type = argument.element.name;
    if (!argument.is_array()) {
      texts.parameters += fmt::format(", {} {}", type, name);
      texts.arguments += ", " + name;
      continue;
    }
    if (std::find(defined.begin(), defined.end(), type) == defined.end()) {
      texts.types += fmt::format("typedef struct __attribute__((aligned({}))) {{ {} lane[{}]; }} pack_{}_;\n",
                                 static_cast<std::size_t>(items) * argument.element.bytes, type, items, type);
      defined.push_back(type);
    }
    const bool written = argument.spec.intent != Intent::in;
    texts.variables += fmt::format("pack_{}_ {}_pack_[{}]; ", type, name, runs);
    if (!written || !array_use(operation, name).first_written) {
      texts.loads += fmt::format("{0}_pack_[run_] = ((GLOBAL const pack_{1}_*){0})[at_]; ", name, type);
    }
    if (written) texts.stores += fmt::format("((GLOBAL pack_{1}_*){0})[at_] = {0}_pack_[run_]; ", name, type);
    texts.parameters += fmt::format(", {}{} {}_item_", type, written ? "*" : "", name);
    texts.arguments += fmt::format(", {}{}_pack_[run_].lane[k_]", written ? "&" : "", name);
  }
  return texts;
}

}  // namespace

struct ElementwiseKernel::State {
  State(const Context& given, std::string_view arguments, std::string_view given_operation, std::string name, ElementwiseOptions options)
      : context(given),
        code(arguments, {std::move(name), std::move(options.preamble), std::move(options.structures)}, reserved_names),
        operation(given_operation),
        key(fmt::format("elementwise:{}\1{}\1{}\1{}", code.name(), arguments, operation, code.definitions())) {
    std::size_t largest = 1;
    bool only_items = true;
    for (const DeclaredArgument& argument : code.arguments()) {
      if (!argument.is_array()) continue;
      largest = std::max(largest, argument.element.kind == ElementKind::structure ? std::size_t{32} : argument.element.bytes);
      only_items = only_items && array_use(operation, argument.spec.name).only_items;
      ++arrays;
    }
    if (only_items && arrays > 0 && largest <= 16) pack = static_cast<std::int64_t>(16 / largest);
  }

  /// 32 to 64 bytes in flight for each work-item.
  [[nodiscard]] int runs(const ElementwiseSpecOptions& options) const {
    return options.on_cpu || !options.packed || pack == 0 ? 1 : arrays <= 2 ? 4 : arrays <= 4 ? 2 : 1;
  }
  [[nodiscard]] std::int64_t group_items(const ElementwiseSpecOptions& options) const {
    if (options.on_cpu) return cpu_chunk;
    return gpu_group * runs(options) * (options.packed && pack != 0 ? pack : 1);
  }

  static constexpr std::int64_t cpu_chunk = 16384;
  static constexpr int gpu_group = 256;

  Context context;
  CustomCode code;
  std::string operation;
  std::string key;
  int arrays = 0;
  std::int64_t pack = 0;  ///< items of 16 bytes; 0: items cannot be moved in packs
  std::array<std::atomic<const Kernel*>, 2> built{};
};

ElementwiseKernel::ElementwiseKernel(const Context& context, std::string_view arguments, std::string_view operation, std::string name,
                                     ElementwiseOptions options)
    : state_(std::make_shared<State>(context, arguments, operation, std::move(name), std::move(options))) {}

KernelSpec ElementwiseKernel::spec(const ElementwiseSpecOptions& options) const {
  const State& state = *state_;
  const CustomCode& code = state.code;
  const bool packed = options.packed && !options.on_cpu && state.pack != 0;
  const std::int64_t pack = packed ? state.pack : 1;
  const PackTexts texts = packed ? pack_texts(code, state.operation, pack, state.runs(options)) : PackTexts{};
  KernelSpec spec;
  spec.name = code.name();
  spec.source_name = "array_flat.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  for (const char* name : {"array_functions.kernel.h", "complex.kernel.h"}) spec.includes[name] = array_kernel_text(name);
  spec.arguments = code.specs();
  spec.arguments.push_back({"n_", ArgumentType::int64, Intent::in, ""});
  const std::string body = code.part("operation", state.operation + ";");
  std::string functions = fmt::format("INLINE void item_(int64 i, int64 item_count{}) {{\n{}}}\n", code.parameters(), body);
  if (packed) {
    functions += fmt::format("INLINE void item_of_packs_(int64 i, int64 item_count{}) {{\n{}}}\n", texts.parameters,
                             code.part("operation", with_items(state.operation, code.arguments()) + ";"));
  }
  spec.constants = {{"index", "int64"},
                    {"definitions", code.definitions() + texts.types},
                    {"item", functions},
                    {"advance", code.advance()},
                    {"on_cpu", std::int64_t{options.on_cpu}},
                    {"chunk", State::cpu_chunk},
                    {"group", std::int64_t{State::gpu_group}},
                    {"runs", std::int64_t{state.runs(options)}},
                    {"pack", pack},
                    {"use_packs", std::int64_t{packed}},
                    {"pack_variables", texts.variables},
                    {"load_packs", texts.loads},
                    {"result_packs", ""},
                    {"item_of_packs", packed ? fmt::format("item_of_packs_(at_ * {} + k_, n_{});", pack, texts.arguments) : ""},
                    {"store_packs", texts.stores},
                    {"item_at_i", fmt::format("item_(i_, n_{});", code.values())}};
  spec.precision = code.precision({state.operation});
  spec.group_size = {options.on_cpu ? 1 : State::gpu_group, 1, 1};
  return spec;
}

std::int64_t ElementwiseKernel::common_size(std::span<const std::int64_t> sizes) const {
  std::size_t first = sizes.size();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] < 0) continue;
    if (first == sizes.size()) first = k;
    if (sizes[k] != sizes[first] && sizes.size() == state_->code.arguments().size()) {
      throw std::invalid_argument(fmt::format("kernel '{}': array '{}' has {} items, '{}' has {}", state_->code.name(),
                                              state_->code.arguments()[first].spec.name, sizes[first],
                                              state_->code.arguments()[k].spec.name, sizes[k]));
    }
  }
  return first == sizes.size() ? 0 : sizes[first];
}

void ElementwiseKernel::enqueue(CustomArguments arguments, std::int64_t item_count) const {
  State& state = *state_;
  std::vector<KernelArgument> list = launch_arguments(state.code, arguments);
  ElementwiseSpecOptions options{state.context.device().facts().is_cpu, state.pack != 0};
  for (const CustomArgument& argument : arguments) {
    options.packed = options.packed && (!argument.is_array() || argument.first() % state.pack == 0);
  }
  options.packed = options.packed && !options.on_cpu;
  list.emplace_back(item_count);
  std::atomic<const Kernel*>& built = state.built[options.packed ? 1 : 0];
  const Kernel* kernel = built.load(std::memory_order_acquire);
  if (kernel == nullptr) {
    kernel = &state.context.kernel(state.key + (options.packed ? "+" : ""), [&] { return spec(options); });
    built.store(kernel, std::memory_order_release);
  }
  const std::int64_t group_items = state.group_items(options);
  kernel->launch(state.context.queue(), {static_cast<std::uint32_t>((item_count + group_items - 1) / group_items), 1, 1}, list);
}

}  // namespace dgsolve::codegen
