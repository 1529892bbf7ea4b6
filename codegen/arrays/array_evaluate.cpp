// Evaluation of array expressions: finds or makes the kernel of a plan and launches it.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "codegen/arrays/array_plan.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t most_arguments = 64;

std::size_t item_bytes(const ArrayOutput& output) {
  return output.type == ElementCode::structure ? output.element().bytes : element_bytes(output.type);
}

ArrayProgram program_of(const ArrayView& view, const ArrayOutput& output) {
  ArrayProgram program;
  program.leaves.push_back({view, output.type, output.element, {}});
  program.push(ArrayOperation::array, output.type);
  return program;
}

/// All values first go to memory of their own.
void evaluate_through_copies(const ArrayPlan& plan) {
  const Context context = plan.context();
  std::vector<ArrayOutput> outputs;
  for (const ArrayOutput& output : plan.outputs) {
    outputs.push_back(
        {make_view(context, plan.places, item_bytes(output), "array copy"), output.type, output.element, output.values, nullptr});
    if (output.places == nullptr) continue;
    outputs.push_back(
        {make_view(context, plan.places, sizeof(std::int64_t), "array copy"), ElementCode::int64, nullptr, output.places, nullptr});
  }
  evaluate_outputs(outputs);
  std::size_t next = 0;
  for (const ArrayOutput& output : plan.outputs) {
    const ArrayProgram values = program_of(outputs[next].target, outputs[next]);
    ++next;
    ArrayOutput copy{output.target, output.type, output.element, &values, nullptr};
    if (output.places == nullptr) {
      evaluate_outputs(std::span(&copy, 1));
      continue;
    }
    const ArrayProgram places = program_of(outputs[next].target, outputs[next]);
    ++next;
    copy.places = &places;
    evaluate_outputs(std::span(&copy, 1));
  }
}

}  // namespace

ItemLaunch launch_of(const ArrayPlan& plan, WorkStyle style) {
  const std::int64_t pack = plan.flat ? (plan.aligned ? plan.pack() : 1) : 0;
  std::size_t bytes = 0;
  for (const ArrayPlan::Operand& operand : plan.operands) {
    const PlannedType& type = plan.memories[operand.memory].type;
    if (operand.read && plan.inner_stride(operand.layout) != 0) bytes += type.bytes() * static_cast<std::size_t>(pack);
  }
  ItemLaunch launch = item_launch(style, pack, bytes);
  for (const ArrayOutput& output : plan.outputs) {
    for (const ArrayToken token : output.values->tokens) {
      if (is_long_function(token.operation)) launch.runs = 1;  // one copy of its code for each item of a pack is enough
    }
  }
  return launch;
}

void launch_plan(const ArrayPlan& plan, WorkStyle style) {
  const Context& context = plan.context();
  const ArrayPlan::Key key = plan.key(style);
  const Kernel& kernel =
      context.kernel(std::string_view(key.begin(), key.size()), [&plan, &style] { return array_kernel_spec(plan, style); });
  FixedList<KernelArgument, most_arguments> arguments;
  const auto add = [&arguments](const KernelArgument& argument) { arguments.push(argument); };
  for (const ArrayPlan::Memory& memory : plan.memories) add(&memory.storage->buffer);
  for (const ArrayLeaf* scalar : plan.scalars) add(ValueBytes{scalar->value.data(), element_bytes(scalar->type)});
  visit_indices(plan, [&](std::string_view, std::size_t, std::size_t, std::int64_t value) {
    if (plan.wide)
      add(value);
    else
      add(static_cast<std::int32_t>(value));
  });
  kernel.launch(context.queue(), {launch_of(plan, style).groups(plan.count), 1, 1},
                std::span<const KernelArgument>(arguments.begin(), arguments.size()));
}

void evaluate_outputs(std::span<const ArrayOutput> outputs) {
  const ArrayPlan plan = plan_outputs(outputs);
  if (plan.count == 0) return;
  if (plan.overlaps()) {
    evaluate_through_copies(plan);
  } else {
    launch_plan(plan, work_style(WorkStyle::of_device, plan.context().device().facts()));
  }
}

}  // namespace dgsolve::codegen
