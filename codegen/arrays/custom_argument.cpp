// Checks of a call against the declaration of a custom kernel.
#include "codegen/arrays/custom_argument.h"

#include <fmt/format.h>

#include <stdexcept>

namespace dgsolve::codegen {
namespace {

void check(const CustomCode& code, const DeclaredArgument& declared, const CustomArgument& given) {
  const auto refuse = [&](std::string_view reason) {
    throw std::invalid_argument(fmt::format("kernel '{}', argument '{}' ({}{}): {}", code.name(), declared.spec.name, declared.element.name,
                                            declared.is_array() ? "*" : "", reason));
  };
  if (declared.is_array() != given.is_array()) {
    refuse(given.is_array() ? fmt::format("an array of {} was given, not a value", given.element())
                            : fmt::format("a value of type {} was given, not an array", given.element()));
  }
  const auto is_real = [](std::string_view type) { return type == "double" || type == "float"; };
  const bool fits =
      given.element() == declared.element.name || (!given.is_array() && is_real(given.element()) && is_real(declared.element.name));
  if (!fits) refuse(fmt::format("{} {} was given", given.is_array() ? "an array of" : "a value of type", given.element()));
  if (!given.is_contiguous()) refuse("a view with gaps was given; copy it first");
}

}  // namespace

std::vector<KernelArgument> launch_arguments(const CustomCode& code, CustomArguments given) {
  const auto& declared = code.arguments();
  if (given.size() != declared.size()) {
    throw std::invalid_argument(fmt::format("kernel '{}' has {} arguments, {} were given", code.name(), declared.size(), given.size()));
  }
  std::vector<KernelArgument> list;
  for (std::size_t k = 0; k < given.size(); ++k) {
    check(code, declared[k], given[k]);
    list.push_back(given[k].given());
    if (given[k].is_array()) list.emplace_back(given[k].first());
  }
  return list;
}

}  // namespace dgsolve::codegen
