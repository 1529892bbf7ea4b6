// Element-wise kernels from formulas in mathematical notation.
#include <fmt/format.h>

#include <stdexcept>

#include "codegen/arrays/elementwise_text.h"
#include "codegen/expression/expand.h"
#include "codegen/expression/print.h"

namespace dgsolve::codegen {
namespace {

/// The one type of all arguments.
Precision precision_of(const std::vector<DeclaredArgument>& arguments, std::string_view name) {
  if (arguments.empty()) throw std::invalid_argument(fmt::format("kernel '{}': formulas without arguments", name));
  const std::string& type = arguments.front().element.name;
  for (const DeclaredArgument& argument : arguments) {
    if (argument.element.name == type && (type == "float" || type == "double")) continue;
    throw std::invalid_argument(fmt::format("kernel '{}', argument '{}' is of {}: arguments of formulas are all float or all double", name,
                                            argument.spec.name, argument.element.name));
  }
  return type == "float" ? Precision::single_precision : Precision::double_precision;
}

/// The array that a formula gives a value to. Throws std::invalid_argument.
const DeclaredArgument& target_named(const std::vector<DeclaredArgument>& arguments, std::string_view target, std::string_view name) {
  for (const DeclaredArgument& argument : arguments) {
    if (argument.spec.name == target && argument.is_array() && argument.spec.intent != Intent::in) return argument;
  }
  throw std::invalid_argument(fmt::format("kernel '{}': '{}' is no array that can be written", name, target));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

}  // namespace

std::string formula_operation(std::string_view arguments, std::string_view formulas, std::string_view name) {
  const std::vector<DeclaredArgument> declared = parse_declaration(arguments);
  expression::Graph graph;
  expression::Scope scope(graph, 1);
  for (const DeclaredArgument& argument : declared) {
    const std::string& given = argument.spec.name;
    scope.bind(given, graph.symbol(argument.is_array() ? given + "[i]" : given));
  }
  std::vector<expression::Assignment> values;
  std::string stores;
  for (std::size_t begin = 0; begin < formulas.size();) {
    const std::size_t end = std::min(formulas.find(';', begin), formulas.size());
    const std::string_view line = trimmed(formulas.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty()) continue;
    const std::size_t sign = line.find('=');
    if (sign == line.npos) throw std::invalid_argument(fmt::format("kernel '{}': '{}' is no 'target = formula'", name, line));
    const DeclaredArgument& target = target_named(declared, trimmed(line.substr(0, sign)), name);
    const auto formula = expression::parse_formula(trimmed(line.substr(sign + 1)));
    values.push_back({fmt::format("const realv {}_value_", target.spec.name), expression::expand(formula, {}, scope).components.front()});
    stores += fmt::format("{0}[i] = {0}_value_;\n", target.spec.name);
  }
  expression::PrintOptions options{precision_of(declared, name), "", "value_"};
  const expression::PrintedCode code = expression::print_statements(graph, values, options);
  return code.text + stores;
}

}  // namespace dgsolve::codegen
