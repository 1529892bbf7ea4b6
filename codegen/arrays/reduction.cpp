// The kernel of a reduction: its functions printed from the texts, its chunks, its launch.
#include "codegen/arrays/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dgsolve::codegen {
namespace {

constexpr std::int64_t lanes = 256, least_rows = 16, most_chunks = 512;
constexpr std::array<std::string_view, 4> reserved{"i", "a", "b", "item_count"};

/// Depends on the count alone; a multiple of the lanes.
std::int64_t chunk_items(std::int64_t item_count) {
  std::int64_t chunk = lanes * least_rows;
  while ((item_count - 1) / chunk >= most_chunks) chunk *= 2;
  return chunk;
}

struct ReductionText {
  std::string operators, store;
};

ReductionText print_reductions(const CustomCode& code, std::span<const Reduction> reductions) {
  std::string members, functions, combine, neutral, map, store;
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    const Reduction& reduction = reductions[r];
    const std::string suffix = reductions.size() == 1 ? std::string() : fmt::format("_{}", r);
    const std::string& type = reduction.type;
    members += fmt::format("  {} item_{};\n", type, r);
    functions += code.function(type, fmt::format("reduce_{}_", r), fmt::format("{0} a, {0} b", type), "reduce" + suffix, reduction.reduce);
    functions += code.function(type, fmt::format("neutral_{}_", r), "void", "neutral" + suffix, reduction.neutral);
    functions +=
        code.function(type, fmt::format("map_{}_", r), "int64 i, int64 item_count" + code.parameters(), "map" + suffix, reduction.map);
    combine += fmt::format("  result_.item_{0} = reduce_{0}_(a.item_{0}, b.item_{0});\n", r);
    neutral += fmt::format("  result_.item_{0} = neutral_{0}_();\n", r);
    map += fmt::format("  result_.item_{0} = map_{0}_(i, item_count{1});\n", r, code.values());
    store += fmt::format("result_{0}_[result_{0}_first_] = total.item_{0}; ", r);
  }
  const auto whole = [](std::string_view name, std::string_view parameters, std::string_view body) {
    return fmt::format("INLINE partial_ {}({}) {{\n  partial_ result_;\n{}  return result_;\n}}\n", name, parameters, body);
  };
  return {fmt::format("typedef struct {{\n{}}} partial_;\n", members) + functions + whole("combine_", "partial_ a, partial_ b", combine) +
              whole("neutral_", "void", neutral) + whole("map_", "int64 i, int64 item_count" + code.parameters(), map),
          store};
}

KernelSpec make_spec(const CustomCode& code, std::span<const Reduction> reductions, const ReductionOptions& options) {
  if (reductions.empty()) throw std::invalid_argument(fmt::format("kernel '{}': a reduction without results", code.name()));
  KernelSpec spec;
  spec.name = code.name() + "_reduction";  // "dot" and the like are functions of OpenCL C
  spec.precision = Precision::single_precision;
  spec.arguments = code.specs();
  std::size_t partial_bytes = 0;
  std::string all_types;
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    const ElementType type = code.type_named(reductions[r].type);
    all_types += type.name + " ";
    partial_bytes += padded_bytes(type.bytes);
    spec.arguments.push_back(array_argument(fmt::format("result_{}_", r), type, Intent::out, "[1]"));
    spec.arguments.push_back({fmt::format("result_{}_first_", r), ArgumentType::int64, Intent::in, ""});
    spec.precision = std::max(spec.precision, code.precision({type.name, reductions[r].map, reductions[r].reduce}));
  }
  if (options.style == WorkStyle::items) {
    spec.arguments.push_back({"partials_", ArgumentType::typed_buffer, Intent::in_out, "[chunk]", "partial_"});
    spec.arguments.push_back({"finished_", ArgumentType::int32_buffer, Intent::in_out, "[1]"});
  } else {
    spec.arguments.push_back({"partials_", ArgumentType::uint64_buffer, Intent::in_out, "[chunk][word]"});
    spec.arguments.push_back({"counters_", ArgumentType::int32_buffer, Intent::in_out, "[2]: started, launches"});
    spec.includes["message.kernel.h"] = array_kernel_text("message.kernel.h");
  }
  spec.arguments.push_back({"item_count", ArgumentType::int64, Intent::in, ""});
  spec.arguments.push_back({"chunk_", ArgumentType::int64, Intent::in, ""});
  spec.source_name = options.style == WorkStyle::items ? "reduction_item.kernel.h" : "reduction_group.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  ReductionText text = print_reductions(code, reductions);
  spec.constants = {{"definitions", code.complex_functions(all_types) + code.definitions()},
                    {"operators", std::move(text.operators)},
                    {"store", std::move(text.store)},
                    {"advance", code.advance()},
                    {"values", code.values()},
                    {"lanes", lanes},
                    {"keeps_order", std::int64_t{options.operand_order == OperandOrder::kept ? 1 : 0}}};
  if (options.style != WorkStyle::items) {
    spec.constants["unroll"] = std::int64_t{partial_bytes <= 16 ? 16 : partial_bytes <= 32 ? 8 : 2};
    spec.group_size = {static_cast<int>(lanes), 1, 1};
    spec.shared_bytes = static_cast<std::size_t>(lanes) * partial_bytes + 16;
  }
  return spec;
}

CustomCode code_of(std::string_view arguments, const ReductionOptions& options) {
  return CustomCode(arguments, {options.name, options.preamble, options.structures}, reserved);
}

}  // namespace

KernelSpec reduction_spec(std::string_view arguments, std::span<const Reduction> reductions, const ReductionOptions& options) {
  return make_spec(code_of(arguments, options), reductions, options);
}

struct ReductionKernel::State {
  State(const Context& given_context, CustomCode given_code) : context(given_context), code(std::move(given_code)) {}

  Context context;
  CustomCode code;
  std::vector<ElementType> types;
  Kernel kernel;
  Buffer partials, counters;
};

ReductionKernel::ReductionKernel(const Context& context, std::string_view arguments, std::vector<Reduction> reductions,
                                 ReductionOptions options)
    : state_(std::make_shared<State>(context, code_of(arguments, options))) {
  options.style = work_style(options.style, context.device().facts());
  const KernelSpec spec = make_spec(state_->code, reductions, options);
  std::size_t partial_bytes = 0;
  for (const Reduction& reduction : reductions) {
    state_->types.push_back(state_->code.type_named(reduction.type));
    partial_bytes += padded_bytes(state_->types.back().bytes);
  }
  state_->kernel = built_kernel(context, spec);
  constexpr std::size_t message_bytes = 2;  // of every byte
  state_->partials = context.allocate(most_chunks * message_bytes * partial_bytes, options.name + ": values of chunks");
  state_->counters = context.allocate(2 * sizeof(std::int32_t), options.name + ": counters");
  context.queue().fill_zero(state_->partials);
  context.queue().fill_zero(state_->counters);
}

const Context& ReductionKernel::context() const { return state_->context; }

void ReductionKernel::enqueue(CustomArguments arguments, std::int64_t item_count, CustomArguments results) const {
  const std::string& name = state_->code.name();
  if (item_count < 0) throw std::invalid_argument(fmt::format("kernel '{}': {} items", name, item_count));
  if (results.size() != state_->types.size()) {
    throw std::invalid_argument(fmt::format("kernel '{}' has {} results, {} were given", name, state_->types.size(), results.size()));
  }
  std::vector<KernelArgument> list = launch_arguments(state_->code, arguments);
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (!results[r].is_array() || results[r].element() != state_->types[r].name) {
      throw std::invalid_argument(fmt::format("kernel '{}': result {} is of type {}; {} {} was given", name, r, state_->types[r].name,
                                              results[r].is_array() ? "an array of" : "a value of type", results[r].element()));
    }
    list.push_back(results[r].given());
    list.emplace_back(results[r].first());
  }
  const std::int64_t chunk = chunk_items(item_count);
  const auto chunks = static_cast<std::uint32_t>(std::max<std::int64_t>(1, (item_count + chunk - 1) / chunk));
  list.insert(list.end(),
              {KernelArgument(&state_->partials), KernelArgument(&state_->counters), KernelArgument(item_count), KernelArgument(chunk)});
  state_->kernel.launch(state_->context.queue(), {chunks, 1, 1}, list);
}

}  // namespace dgsolve::codegen
