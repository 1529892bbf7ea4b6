// Expressions as functions of item i for the kernels of reductions.
#include "codegen/arrays/reduction_operand.h"

#include <fmt/format.h>

#include <memory>

#include "codegen/arrays/array_plan.h"
#include "codegen/arrays/array_statements.h"

namespace dgsolve::codegen {
namespace {

/// A target without memory: the plan of a program needs one.
ArrayView imagined_target(const ArrayProgram& program) {
  ArrayView target;
  target.storage = std::make_shared<ArrayStorage>(ArrayStorage{*context_of(program), Buffer()});
  target.shape = shape_of(program);
  std::int64_t stride = 1;
  for (std::size_t d = target.shape.rank(); d-- > 0;) {
    target.strides[d] = stride;
    stride *= target.shape[d];
  }
  return target;
}

/// The function of one item, and its arguments.
void print_fused(const ArrayPlan& plan, const ElementType& type, ReductionOperand& operand) {
  std::string parameters, call = "fused_item(i";
  const auto declare = [&](std::string text) { operand.declaration += (operand.declaration.empty() ? "" : ", ") + std::move(text); };
  for (std::size_t m = 0; m < plan.memories.size(); ++m) {
    if (plan.memories[m].written) continue;
    declare(fmt::format("const {}* b{}", plan.memories[m].type.name(), m));
    operand.arguments.emplace_back(plan.memories[m].storage->buffer, std::int64_t{0}, plan.memories[m].type.name());
  }
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    const ArrayPlan::Operand& one = plan.operands[k];
    if (!one.read) continue;
    declare(fmt::format("int64 o{}", k));
    operand.arguments.emplace_back(one.offset);
    parameters += fmt::format(", {} a{}", plan.memories[one.memory].type.name(), k);
    call += fmt::format(", b{}[o{}{}]", one.memory, k, plan.inner_stride(one.layout) == 0 ? "" : " + i");
  }
  for (std::size_t s = 0; s < plan.scalars.size(); ++s) {
    const std::string_view scalar = element_name(plan.scalars[s]->type);
    declare(fmt::format("{} s{}", scalar, s));
    operand.arguments.emplace_back(ValueBytes{plan.scalars[s]->value.data(), element_bytes(plan.scalars[s]->type)}, scalar);
    parameters += fmt::format(", {} s{}", scalar, s);
    call += fmt::format(", s{}", s);
  }
  operand.item = call + ")";
  operand.preamble =
      fmt::format("{0}INLINE {1} fused_item(int64 i{2}) {{\n  {1} result;\n  {1}* r0 = &result;\n{3}\n  return result;\n}}\n",
                  array_kernel_text("array_functions.kernel.h"), type.name, parameters, array_statements(plan).text);
}

}  // namespace

ReductionOperand view_operand(const ArrayView& view, const ElementType& type) {
  ReductionOperand operand{.context = view.storage->context, .size = view.shape.items()};
  operand.declaration = fmt::format("const {}* x", type.name);
  operand.item = "x[i]";
  operand.arguments.emplace_back(view.storage->buffer, view.offset, type.name);
  return operand;
}

ReductionOperand program_operand(const ArrayProgram& program, const ElementType& type, ElementCode code) {
  const Context* context = context_of(program);
  if (context == nullptr) throw std::invalid_argument("a reduction of a scalar");
  ArrayOutput output{imagined_target(program), code, nullptr, &program, nullptr};
  const ArrayPlan plan = plan_outputs(std::span(&output, 1));
  if (plan.count != 0 && plan.flat && plan.tables.size() == 0 && type.kind != ElementKind::structure) {
    ReductionOperand operand{.context = *context, .size = plan.count};
    print_fused(plan, type, operand);
    return operand;
  }
  const Shape shape = output.target.shape;
  output.target = make_view(*context, shape, type.bytes, "values to reduce");
  evaluate_outputs(std::span(&output, 1));
  ReductionOperand operand = view_operand(output.target, type);
  operand.copy = output.target;
  return operand;
}

}  // namespace dgsolve::codegen
