// Evaluation of array expressions: finds or makes the kernel of a plan and launches it.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "codegen/arrays/array_plan.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t most_arguments = 64;
constexpr int gpu_group = 256;
constexpr std::int64_t cpu_chunk = 16384;

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

void launch(const ArrayPlan& plan) {
  const Context& context = plan.context();
  const Kernel& kernel = context.kernel(plan.key(), [&plan] { return array_kernel_spec(plan); });
  std::array<KernelArgument, most_arguments> arguments;
  std::size_t count = 0;
  const auto add = [&](const KernelArgument& argument) {
    if (count == most_arguments) {
      throw std::length_error(
          fmt::format("an array expression of more than {} arguments: write a part of it to an array first", most_arguments));
    }
    arguments[count++] = argument;
  };
  for (const ArrayPlan::Memory& memory : plan.memories) add(&memory.storage->buffer);
  for (const ArrayLeaf* scalar : plan.scalars) add(ValueBytes{scalar->value.data(), element_bytes(scalar->type)});
  visit_indices(plan, [&](std::string_view, std::size_t, std::size_t, std::int64_t value) {
    if (plan.wide)
      add(value);
    else
      add(static_cast<std::int32_t>(value));
  });
  const std::int64_t group_items = array_launch(plan, context.device().facts().is_cpu).group_items;
  const std::int64_t groups = (plan.count + group_items - 1) / group_items;
  kernel.launch(context.queue(), {static_cast<std::uint32_t>(groups), 1, 1}, std::span<const KernelArgument>(arguments.data(), count));
}

}  // namespace

ArrayLaunch array_launch(const ArrayPlan& plan, bool on_cpu) {
  if (on_cpu) return {1, cpu_chunk, cpu_chunk, 1};
  if (!plan.flat) return {gpu_group, gpu_group, 1, 1};
  std::int64_t loads = 0;
  for (const ArrayPlan::Operand& operand : plan.operands) loads += operand.read && plan.inner_stride(operand.layout) != 0 ? 1 : 0;
  // 32 to 64 bytes in flight for each work-item.
  const int packs = loads <= 1 ? 4 : loads <= 3 ? 2 : 1;
  const int runs = plan.aligned ? packs : 2 * packs;
  return {gpu_group, gpu_group * runs * (plan.aligned ? plan.pack() : 1), 1, runs};
}

void evaluate_outputs(std::span<const ArrayOutput> outputs) {
  const ArrayPlan plan = plan_outputs(outputs);
  if (plan.count == 0) return;
  if (plan.overlaps()) {
    evaluate_through_copies(plan);
  } else {
    launch(plan);
  }
}

}  // namespace dgsolve::codegen
