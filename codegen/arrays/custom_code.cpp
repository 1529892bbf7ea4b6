// Texts of custom kernels put together: functions around the user's expressions.
#include "codegen/arrays/custom_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "codegen/embedded.h"

namespace dgsolve::codegen {

std::span<const EmbeddedFile> array_kernel_files();

Kernel built_kernel(const Context& context, const KernelSpec& spec) {
  std::string key = spec.name + '\n' + spec.source_name;
  for (const ArgumentSpec& argument : spec.arguments) {
    key +=
        fmt::format("\n{} {} {} {}", static_cast<int>(argument.type), static_cast<int>(argument.intent), argument.element, argument.name);
  }
  for (const auto& [name, value] : spec.constants) {
    key += fmt::format("\n{}=", name);
    if (const auto* text = std::get_if<std::string>(&value)) {
      key += fmt::format("{}:{}", text->size(), *text);
    } else {
      key += fmt::format("{}", std::get<std::int64_t>(value));
    }
  }
  return context.kernel(key, [&] { return spec; });
}

std::string array_kernel_text(std::string_view file) {
  for (const EmbeddedFile& known : array_kernel_files()) {
    if (known.name == file) return std::string(known.content);
  }
  throw std::invalid_argument(fmt::format("no kernel file '{}'", file));
}

WorkStyle work_style(WorkStyle style, const DeviceFacts& facts) {
  if (style != WorkStyle::of_device) return style;
  return facts.is_cpu ? WorkStyle::items : WorkStyle::groups;
}

CustomCode::CustomCode(std::string_view arguments, CustomCodeOptions options, std::span<const std::string_view> reserved)
    : options_(std::move(options)), arguments_(parse_declaration(arguments, options_.structures)) {
  for (const DeclaredArgument& argument : arguments_) {
    const std::string& given = argument.spec.name;
    if (given.back() == '_' || std::find(reserved.begin(), reserved.end(), given) != reserved.end()) {
      throw std::invalid_argument(fmt::format("kernel '{}': an argument may not be called '{}'; names that end in '_' and {} are taken",
                                              name(), given, fmt::join(reserved, ", ")));
    }
  }
}

std::string CustomCode::definitions() const {
  std::string text;
  std::set<std::string> known;
  for (const ElementType& type : options_.structures) {
    if (known.insert(type.name).second) text += type.definition + "\n";
  }
  return text + part("preamble", options_.preamble);
}

std::string CustomCode::complex_functions(std::string_view other_types) const {
  const auto is_complex = [](const DeclaredArgument& argument) { return argument.element.kind == ElementKind::complex; };
  if (other_types.find("complex") == other_types.npos && std::none_of(arguments_.begin(), arguments_.end(), is_complex)) return {};
  return "#line 1 \"complex.kernel.h\"\n" + array_kernel_text("complex.kernel.h");
}

std::string CustomCode::parameters() const {
  std::string text;
  for (const auto& [spec, element] : arguments_) {
    if (is_buffer(spec.type)) {
      text += fmt::format(", GLOBAL {}{}* {}", spec.intent == Intent::in ? "const " : "", element.name, spec.name);
    } else {
      text += fmt::format(", {} {}", element.name, spec.name);
    }
  }
  return text;
}

std::string CustomCode::values() const {
  std::string text;
  for (const DeclaredArgument& argument : arguments_) text += ", " + argument.spec.name;
  return text;
}

std::string CustomCode::advance() const {
  std::string text;
  for (const DeclaredArgument& argument : arguments_) {
    if (argument.is_array()) text += fmt::format("{0} += {0}_first_; ", argument.spec.name);
  }
  return text;
}

std::vector<ArgumentSpec> CustomCode::specs() const {
  std::vector<ArgumentSpec> specs;
  for (const DeclaredArgument& argument : arguments_) {
    specs.push_back(argument.spec);
    if (argument.is_array()) specs.push_back({argument.spec.name + "_first_", ArgumentType::int64, Intent::in, ""});
  }
  return specs;
}

std::string CustomCode::part(std::string_view part_name, std::string_view code) const {
  return fmt::format("#line 1 \"{}.{}\"\n{}\n", name(), part_name, code);
}

std::string CustomCode::function(std::string_view type, std::string_view function_name, std::string_view function_parameters,
                                 std::string_view part_name, std::string_view code) const {
  return fmt::format("INLINE {} {}({}) {{\n  return (\n{}  );\n}}\n", type, function_name, function_parameters, part(part_name, code));
}

Precision CustomCode::precision(std::initializer_list<std::string_view> texts) const {
  const auto needs_double = [](std::string_view text) { return text.find("double") != text.npos || text.find("complex128") != text.npos; };
  bool found = needs_double(options_.preamble) || std::any_of(texts.begin(), texts.end(), needs_double);
  for (const ElementType& type : options_.structures) found = found || needs_double(type.definition);
  for (const DeclaredArgument& argument : arguments_) found = found || needs_double(argument.element.name);
  return found ? Precision::double_precision : Precision::single_precision;
}

ElementType CustomCode::type_named(std::string_view type) const {
  for (const ElementType& structure : options_.structures) {
    if (structure.name == type) return structure;
  }
  return element_type_named(type);
}

}  // namespace dgsolve::codegen
