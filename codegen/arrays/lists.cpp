// The two kernels of a list builder, and the scans between them.
#include "codegen/arrays/lists.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "codegen/arrays/scan.h"
#include "codegen/nearest.h"

namespace dgsolve::codegen {
namespace {

constexpr std::array<std::string_view, 2> reserved{"i", "item_count"};

enum class Phase { count, fill };

/// Items of a group's work-item, and work-items of a group.
struct Cut {
  std::int64_t run, group;
};
Cut cut_of(WorkStyle style) { return style == WorkStyle::groups ? Cut{1, 256} : Cut{1024, 1}; }

KernelSpec make_spec(const CustomCode& code, std::span<const ListDeclaration> lists, std::string_view body, WorkStyle style, Phase phase) {
  const bool fills = phase == Phase::fill;
  KernelSpec spec;
  spec.name = code.name() + (fills ? "_fill" : "_count");
  spec.source_name = "lists.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.precision = code.precision({body});
  spec.arguments = code.specs();
  std::string all_types, appends, parameters, values, begin, end;
  for (const ListDeclaration& list : lists) {
    const ElementType type = code.type_named(list.type);
    all_types += type.name + " ";
    spec.precision = std::max(spec.precision, code.precision({type.name}));
    spec.arguments.push_back(array_argument(list.name + "_starts_", element_type<std::int64_t>(), fills ? Intent::in : Intent::out));
    parameters += fmt::format(", int64* {}_at_", list.name);
    values += fmt::format(", &{}_at_", list.name);
    if (fills) {
      spec.arguments.push_back(array_argument(list.name + "_values_", type, Intent::out, "[value]"));
      appends += fmt::format("#define APPEND_{0}(value) ({0}_values_[(*{0}_at_)++] = (value))\n", list.name);
      parameters += fmt::format(", GLOBAL {}* {}_values_", type.name, list.name);
      values += fmt::format(", {}_values_", list.name);
      begin += fmt::format("int64 {0}_at_ = {0}_starts_[i]; ", list.name);
    } else {
      appends += fmt::format("#define APPEND_{0}(value) ((void)(value), ++*{0}_at_)\n", list.name);
      begin += fmt::format("int64 {0}_at_ = 0; ", list.name);
      end += fmt::format("{0}_starts_[i] = {0}_at_; ", list.name);
    }
  }
  spec.arguments.push_back({"item_count", ArgumentType::int64, Intent::in, ""});
  const Cut cut = cut_of(style);
  spec.group_size = {static_cast<int>(cut.group), 1, 1};
  spec.constants = {{"definitions", code.complex_functions(all_types) + code.definitions()},
                    {"appends", appends},
                    {"parameters", code.parameters()},
                    {"list_parameters", parameters},
                    {"values", code.values()},
                    {"list_values", values},
                    {"body", code.part("body", body)},
                    {"advance", code.advance()},
                    {"begin", begin},
                    {"end", end},
                    {"group", cut.group},
                    {"run", cut.run}};
  return spec;
}

}  // namespace

const BuiltLists::Part& BuiltLists::part(std::string_view name, std::string_view type) const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    names.push_back(part.declaration.name);
    if (part.declaration.name != name) continue;
    if (part.declaration.type != type) {
      throw std::invalid_argument(fmt::format("list '{}' holds values of type {}, not {}", name, part.declaration.type, type));
    }
    return part;
  }
  throw std::invalid_argument(fmt::format("no list '{}'{}", name, did_you_mean(name, names)));
}

struct ListBuilder::State {
  Context context;
  CustomCode code;
  std::vector<ListDeclaration> lists;
  WorkStyle style;
  Kernel count, fill;
  ScanKernel scan;
};

ListBuilder::ListBuilder(const Context& context, std::vector<ListDeclaration> lists, std::string_view arguments, std::string_view body,
                         ListOptions options) {
  if (lists.empty()) throw std::invalid_argument(fmt::format("kernel '{}': no list is declared", options.name));
  CustomCode code(arguments, {options.name, options.preamble, options.structures}, reserved);
  const WorkStyle style = work_style(options.style, context.device().facts());
  const std::array kernels{built_kernel(context, make_spec(code, lists, body, style, Phase::count)),
                           built_kernel(context, make_spec(code, lists, body, style, Phase::fill))};
  // One more item than there are counts: its sum of all before is the number of values.
  ScanKernel scan(context, "int64* starts", {"int64", "i + 1 < item_count ? starts[i] : 0", "a + b", "0", "starts[i] = prev_item"},
                  {.name = "list_starts"});
  state_ = std::make_shared<State>(State{context, std::move(code), std::move(lists), style, kernels[0], kernels[1], std::move(scan)});
}

BuiltLists ListBuilder::run(std::initializer_list<CustomArgument> arguments, std::int64_t item_count) const {
  const State& state = *state_;
  if (item_count < 0) throw std::invalid_argument(fmt::format("kernel '{}': {} items", state.code.name(), item_count));
  const std::vector<KernelArgument> given = launch_arguments(state.code, {arguments.begin(), arguments.size()});
  const Cut cut = cut_of(state.style);
  const auto groups = static_cast<std::uint32_t>((item_count + cut.group * cut.run - 1) / (cut.group * cut.run));
  Queue& queue = state.context.queue();

  std::vector<BuiltLists::Part> parts;
  std::vector<KernelArgument> counted = given;
  for (const ListDeclaration& list : state.lists) {
    parts.push_back({list, Array<std::int64_t>(state.context, item_count + 1, list.name + ": starts"), {}});
  }
  for (const BuiltLists::Part& part : parts) counted.emplace_back(&part.starts.buffer());
  counted.emplace_back(item_count);
  state.count.launch(queue, {groups, 1, 1}, counted);

  std::vector<KernelArgument> filled = given;
  for (BuiltLists::Part& part : parts) {
    state.scan({part.starts}, item_count + 1);
    const std::int64_t values = part.starts.slice({.begin = item_count}).to_host().front();
    const ElementType type = state.code.type_named(part.declaration.type);
    part.values = make_view(state.context, values, type.bytes, part.declaration.name + ": values");
    filled.emplace_back(&part.starts.buffer());
    filled.emplace_back(&part.values.storage->buffer);
  }
  filled.emplace_back(item_count);
  state.fill.launch(queue, {groups, 1, 1}, filled);
  return BuiltLists(std::move(parts));
}

NonEmptyLists find_non_empty(const Array<std::int64_t>& starts) {
  const Context& context = starts.context();
  const std::int64_t lists = starts.size() - 1;
  NonEmptyLists found{Array<std::int64_t>(context, lists, "lists that are not empty"),
                      Array<std::int64_t>(context, lists + 1, "their starts"), 0};
  const ScanKernel scan(context, "const int64* starts, int64* items, int64* kept_starts, int64* count",
                        {"int64", "starts[i + 1] > starts[i] ? 1 : 0", "a + b", "0",
                         "if (item != prev_item) { items[prev_item] = i; kept_starts[prev_item] = starts[i]; }\n"
                         "if (i + 1 == item_count) { count[0] = item; kept_starts[item] = starts[i + 1]; }"},
                        {.name = "non_empty_lists"});
  const Array<std::int64_t> count(context, 1, "number of lists that are not empty");
  context.queue().fill_zero(found.starts.buffer());
  if (lists == 0) return found;
  scan({starts, found.items, found.starts, count}, lists);
  found.count = count.to_host().front();
  return found;
}

}  // namespace dgsolve::codegen
