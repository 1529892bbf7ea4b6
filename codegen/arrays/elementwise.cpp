// Kernels of element-wise operations: plain for CPUs and unaligned arrays, in packs for GPUs; and those from formulas.
#include "codegen/arrays/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>

#include "codegen/arrays/array_launch.h"
#include "codegen/arrays/elementwise_text.h"

namespace dgsolve::codegen {
namespace {

constexpr std::array<std::string_view, 2> reserved_names{"i", "item_count"};

/// Arrays in packs of `items`: what the kernel of packs declares, loads, passes and stores.
struct PackTexts {
  std::string types, variables, loads, arguments, stores, parameters;
};

PackTexts pack_texts(const CustomCode& code, std::string_view operation, const ItemLaunch& launch) {
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
                                 static_cast<std::size_t>(launch.pack) * argument.element.bytes, type, launch.pack, type);
      defined.push_back(type);
    }
    const bool written = argument.spec.intent != Intent::in;
    texts.variables += fmt::format("pack_{}_ {}_pack_[{}]; ", type, name, launch.runs);
    if (!written || !array_use(operation, name).first_written) {
      texts.loads += fmt::format("{0}_pack_[run_] = ((GLOBAL const pack_{1}_*){0})[at_]; ", name, type);
    }
    if (written) texts.stores += fmt::format("((GLOBAL pack_{1}_*){0})[at_] = {0}_pack_[run_]; ", name, type);
    texts.parameters += fmt::format(", {}{} {}_item_", type, written ? "*" : "", name);
    texts.arguments += fmt::format(", {}{}_pack_[run_].lane[k_]", written ? "&" : "", name);
  }
  return texts;
}

/// The kernel that computes `lanes` items at once: its constants that stand for loads, call and stores.
void add_vectors(KernelSpec& spec, const CustomCode& code, const std::string& operation, int lanes) {
  std::string parameters, variables, arguments, load_lanes, load_vectors, store_lanes, store_vectors;
  for (const DeclaredArgument& argument : code.arguments()) {
    const std::string& name = argument.spec.name;
    if (!argument.is_array()) {
      parameters += fmt::format(", realv {}", name);
      arguments += fmt::format(", REALV({})", name);
      continue;
    }
    const bool written = argument.spec.intent != Intent::in;
    parameters += fmt::format(", realv{} {}_item_", written ? "*" : "", name);
    arguments += fmt::format(", {}{}_vector_", written ? "&" : "", name);
    variables += fmt::format("realv {}_vector_; ", name);
    load_lanes += fmt::format("LANE({0}_vector_, j_) = {0}[i_ + at_]; ", name);
    load_vectors += fmt::format("{0}_vector_ = LOAD_ANYWHERE({0} + i_ + k_); ", name);
    if (!written) continue;
    store_lanes += fmt::format("{0}[i_ + k_ + j_] = LANE({0}_vector_, j_); ", name);
    store_vectors += fmt::format("STORE_ANYWHERE({0}_vector_, {0} + i_ + k_); ", name);
  }
  spec.source_name = "array_vector.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.vector_width = lanes;
  spec.constants.insert({{"item", fmt::format("INLINE void item_(int64 i, int64 item_count{}) {{\n{}}}\n", parameters,
                                              code.part("operation", with_items(operation, code.arguments()) + ";"))},
                         {"definitions", code.definitions()},
                         {"decode", "const Index row_left_ = n_ - i_;"},
                         {"variables", variables},
                         {"compute", fmt::format("item_(i_ + k_, n_{});", arguments)},
                         {"load_lanes", load_lanes},
                         {"load_vectors", load_vectors},
                         {"store_lanes", store_lanes},
                         {"store_vectors", store_vectors}});
}

}  // namespace

struct ElementwiseKernel::State {
  State(const Context& given, std::string_view arguments, std::string_view given_operation, std::string name, ElementwiseOptions options)
      : context(given),
        style(work_style(options.style, given.device().facts())),
        code(arguments, {std::move(name), std::move(options.preamble), std::move(options.structures)}, reserved_names),
        operation(given_operation),
        key(fmt::format("elementwise:{}\1{}\1{}\1{}\1{}", static_cast<int>(style), code.name(), arguments, operation, code.definitions())) {
    std::size_t largest = 1;
    bool only_items = true;
    int arrays = 0;
    for (const DeclaredArgument& argument : code.arguments()) {
      if (!argument.is_array()) continue;
      largest = std::max(largest, argument.element.kind == ElementKind::structure ? std::size_t{32} : argument.element.bytes);
      only_items = only_items && array_use(operation, argument.spec.name).only_items;
      ++arrays;
      if (argument.spec.intent == Intent::in || !array_use(operation, argument.spec.name).first_written) ++loaded;
    }
    if (only_items && arrays > 0 && largest <= 16) pack = static_cast<std::int64_t>(16 / largest);
  }

  [[nodiscard]] ItemLaunch launch(const ElementwiseVariant& variant) const {
    return item_launch(variant.style, variant.packed ? pack : 0, 16 * static_cast<std::size_t>(loaded));
  }

  Context context;
  WorkStyle style;
  CustomCode code;
  std::string operation;
  std::string key;
  int loaded = 0;         ///< arrays
  int lanes = 1;          ///< that CPUs compute at once: more than 1 if the operation is one of realv
  std::int64_t pack = 0;  ///< items of 16 bytes; 0: items cannot be moved in packs
  std::array<std::atomic<const Kernel*>, 2> built{};
};

ElementwiseKernel::ElementwiseKernel(const Context& context, std::string_view arguments, std::string_view operation, std::string name,
                                     ElementwiseOptions options)
    : state_(std::make_shared<State>(context, arguments, operation, std::move(name), std::move(options))) {}

ElementwiseKernel ElementwiseKernel::from_formulas(const Context& context, std::string_view arguments, std::string_view formulas,
                                                   std::string name) {
  const std::string operation = formula_operation(arguments, formulas, name);
  ElementwiseKernel kernel(context, arguments, operation, std::move(name));
  kernel.state_->lanes = static_cast<int>(64 / kernel.state_->code.arguments().front().element.bytes);
  kernel.state_->key += "formulas";
  return kernel;
}

KernelSpec ElementwiseKernel::spec(const ElementwiseVariant& variant) const {
  const State& state = *state_;
  const CustomCode& code = state.code;
  const ItemLaunch launch = state.launch(variant);
  const bool packed = variant.style == WorkStyle::groups && variant.packed && state.pack != 0;
  const PackTexts texts = packed ? pack_texts(code, state.operation, launch) : PackTexts{};
  KernelSpec spec;
  spec.name = code.name();
  for (const char* name : {"array_functions.kernel.h", "complex.kernel.h"}) spec.includes[name] = array_kernel_text(name);
  spec.arguments = code.specs();
  spec.arguments.push_back({"n_", ArgumentType::int64, Intent::in, ""});
  spec.precision = code.precision({state.operation});
  spec.group_size = {launch.group, 1, 1};
  spec.constants = {{"index", "int64"}, {"advance", code.advance()}, {"chunk", launch.chunk}};
  if (variant.style == WorkStyle::items && state.lanes > 1) {
    add_vectors(spec, code, state.operation, state.lanes);
    return spec;
  }
  spec.source_name = "array_flat.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  const std::string body = code.part("operation", state.operation + ";");
  std::string functions = fmt::format("INLINE void item_(int64 i, int64 item_count{}) {{\n{}}}\n", code.parameters(), body);
  if (packed) {
    functions += fmt::format("INLINE void item_of_packs_(int64 i, int64 item_count{}) {{\n{}}}\n", texts.parameters,
                             code.part("operation", with_items(state.operation, code.arguments()) + ";"));
  }
  spec.constants.insert({{"definitions", code.definitions() + texts.types},
                         {"item", functions},
                         {"on_cpu", std::int64_t{variant.style == WorkStyle::items}},
                         {"group", std::int64_t{launch.group}},
                         {"runs", std::int64_t{launch.runs}},
                         {"pack", launch.pack},
                         {"use_packs", std::int64_t{packed}},
                         {"pack_variables", texts.variables},
                         {"load_packs", texts.loads},
                         {"result_packs", ""},
                         {"item_of_packs", packed ? fmt::format("item_of_packs_(at_ * {} + k_, n_{});", launch.pack, texts.arguments) : ""},
                         {"store_packs", texts.stores},
                         {"item_at_i", fmt::format("item_(i_, n_{});", code.values())}});
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
  ElementwiseVariant variant{state.style, state.style == WorkStyle::groups && state.pack != 0};
  for (const CustomArgument& argument : arguments) {
    variant.packed = variant.packed && (!argument.is_array() || argument.first() % state.pack == 0);
  }
  list.emplace_back(item_count);
  std::atomic<const Kernel*>& built = state.built[variant.packed ? 1 : 0];
  const Kernel* kernel = built.load(std::memory_order_acquire);
  if (kernel == nullptr) {
    kernel = &state.context.kernel(state.key + (variant.packed ? "+" : ""), [&] { return spec(variant); });
    built.store(kernel, std::memory_order_release);
  }
  kernel->launch(state.context.queue(), {state.launch(variant).groups(item_count), 1, 1}, list);
}

}  // namespace dgsolve::codegen
