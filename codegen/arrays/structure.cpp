// Definitions of structures for kernels, and the kernel that looks at their layout.
#include "codegen/arrays/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "codegen/arrays/custom_code.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

bool is_identifier(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits) && !(name[0] >= '0' && name[0] <= '9');
}

KernelSpec layout_spec(const ElementType& type) {
  KernelSpec spec;
  spec.name = "structure_layout";
  spec.source_name = "structure_layout.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.includes = {{"complex.kernel.h", array_kernel_text("complex.kernel.h")}};
  std::string offsets;
  for (std::size_t k = 0; k < type.members.size(); ++k) {
    offsets += fmt::format("layout[{}] = (int64)((const byte*)&item.{} - (const byte*)&item);\n", k + 1, type.members[k].name);
  }
  spec.constants = {{"definition", type.definition}, {"structure", type.name}, {"offsets", offsets}};
  spec.arguments = {{"layout", ArgumentType::int64_buffer, Intent::out, "[size, offset of every member]"}};
  const bool has_double = type.definition.find("double") != std::string::npos || type.definition.find("complex128") != std::string::npos;
  spec.precision = has_double ? Precision::double_precision : Precision::single_precision;
  return spec;
}

void compare(const ElementType& type, std::span<const std::int64_t> layout) {
  for (std::size_t k = 0; k < type.members.size(); ++k) {
    if (layout[k + 1] != static_cast<std::int64_t>(type.members[k].offset)) {
      throw DeviceError(
          fmt::format("structure '{}': member '{}' is at byte {} on the host and at byte {} on the device; are all members before it "
                      "described, in their order?",
                      type.name, type.members[k].name, type.members[k].offset, layout[k + 1]));
    }
  }
  if (layout[0] != static_cast<std::int64_t>(type.bytes)) {
    throw DeviceError(fmt::format("structure '{}' has {} bytes on the host and {} on the device; are all members described?", type.name,
                                  type.bytes, layout[0]));
  }
}

}  // namespace

ElementType make_structure(std::string name, std::size_t bytes, std::vector<StructureMember> members) {
  if (!is_identifier(name)) throw std::invalid_argument(fmt::format("structure '{}': the name is no identifier", name));
  if (members.empty()) throw std::invalid_argument(fmt::format("structure '{}' without members", name));
  std::string definition = "typedef struct {\n";
  for (const StructureMember& one : members) {
    if (!is_identifier(one.name)) {
      throw std::invalid_argument(fmt::format("structure '{}': the member's name '{}' is no identifier", name, one.name));
    }
    static_cast<void>(element_type_named(one.type));  // refuses structures
    definition += fmt::format("  {} {}{};\n", one.type, one.name, one.items == 1 ? "" : fmt::format("[{}]", one.items));
  }
  definition += fmt::format("}} {};", name);
  return {std::move(name), bytes, ElementKind::structure, std::move(definition), std::move(members)};
}

void check_structure(const Context& context, const ElementType& type) {
  if (type.members.empty()) return;
  context.once("structure:" + type.definition, [&] {
    const Kernel& kernel = context.kernel("structure layout:" + type.definition, [&type] { return layout_spec(type); });
    Buffer buffer = context.allocate((type.members.size() + 1) * sizeof(std::int64_t), "structure layout");
    kernel.launch(context.queue(), 1, {&buffer});
    std::vector<std::int64_t> layout(type.members.size() + 1);
    context.queue().download<std::int64_t>(buffer, layout);
    compare(type, layout);
  });
}

}  // namespace dgsolve::codegen
