// Equation files: validation by the schema's "equations" rows, then a plain translation.
#include "io/equation_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/formulas.h"
#include "io/schema.h"
#include "io/yaml.h"

namespace dgsolve::io {
namespace {

std::string text_of(const Node& node, std::string_view key, std::string fallback = {}) {
  const Node* value = node.find(key);
  return value != nullptr && value->is_scalar() ? value->text : fallback;
}

std::vector<int> dimensions_of(const Node& node) {
  std::vector<int> dimensions;
  const auto take = [&](const Node& item) {
    if (const auto value = to_integer(item)) dimensions.push_back(static_cast<int>(*value));
  };
  const Node* list = node.find("dimensions");
  if (list == nullptr) return {1, 2, 3};
  if (list->is_scalar()) take(*list);
  for (const Node& item : list->items) take(item);
  return dimensions;
}

/// "a, b[1]" or a list of names.
std::vector<std::string> component_list(const Node* node) {
  std::vector<std::string> names;
  if (node == nullptr) return names;
  for (const Node& item : node->items) names.push_back(item.text);
  std::string name;
  int depth = 0;
  for (const char letter : node->text + ',') {
    depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    if (letter == ',' && depth <= 0) {
      if (!name.empty()) names.push_back(name);
      name.clear();
    } else if (letter != ' ') {
      name += letter;
    }
  }
  return names;
}

std::vector<solver::ModeDefinition> modes_of(const Node& node) {
  std::vector<solver::ModeDefinition> modes;
  const Node* map = node.find("modes");
  if (map == nullptr) return modes;
  for (const Entry& entry : map->entries) {
    const Node* dimension = entry.value.find("dimension");
    const auto value = dimension == nullptr ? std::nullopt : to_integer(*dimension);
    modes.push_back({entry.key, static_cast<int>(value.value_or(0)), component_list(entry.value.find("zero"))});
  }
  return modes;
}

std::vector<solver::NamedFormulas> conditions_of(const Node& node) {
  std::vector<solver::NamedFormulas> conditions;
  const Node* map = node.find("boundary_conditions");
  if (map == nullptr) return conditions;
  for (const Entry& entry : map->entries) conditions.push_back({entry.key, {}, to_entries(&entry.value), entry.where});
  return conditions;
}

std::vector<solver::NamedFormulas> fluxes_of(const Node& node) {
  std::vector<solver::NamedFormulas> fluxes;
  const Node* map = node.find("numerical_fluxes");
  if (map == nullptr) return fluxes;
  for (const Entry& entry : map->entries) {
    solver::NamedFormulas flux{entry.key, {}, {}, entry.where};
    if (entry.value.is_scalar()) flux.entries.push_back({"", to_formula(entry.value)});
    for (const Entry& part : entry.value.entries) {
      if (part.key == "definitions" && part.value.is_map()) {
        flux.definitions = to_entries(&part.value);
      } else if (part.value.is_scalar()) {
        flux.entries.push_back({part.key, to_formula(part.value)});
      }
    }
    fluxes.push_back(std::move(flux));
  }
  return fluxes;
}

void check_wave_speeds(const Node& node, const std::string& path, Faults& faults) {
  const Node* speeds = node.find("wave_speeds");
  if (speeds == nullptr || !speeds->is_map()) return;
  const bool slowest = speeds->find("slowest") != nullptr;
  const bool fastest = speeds->find("fastest") != nullptr;
  const bool largest = speeds->find("largest") != nullptr;
  if (slowest == fastest && largest != slowest) return;
  faults.add(speeds->where, path.empty() ? "wave_speeds" : path + ".wave_speeds",
             "allowed: slowest and fastest together, or largest alone");
}

}  // namespace

solver::EquationDefinition read_equations(const Node& node, const std::string& path, const std::string& default_name, Faults& faults) {
  validate(node, "equations", path, faults);
  solver::EquationDefinition definition;
  definition.where = node.where;
  if (!node.is_map()) return definition;
  check_wave_speeds(node, path, faults);
  definition.name = text_of(node, "name", default_name);
  definition.description = text_of(node, "description");
  definition.reference = text_of(node, "reference");
  definition.dimensions = dimensions_of(node);
  definition.modes = modes_of(node);
  definition.parameters = to_values(node.find("parameters"));
  if (const Node* state = node.find("state")) definition.state = to_formula(*state);
  if (const Node* primitive = node.find("primitive")) definition.primitive = to_formula(*primitive);
  definition.from_primitive = to_entries(node.find("from_primitive"));
  definition.definitions = to_entries(node.find("definitions"));
  definition.flux = to_entries(node.find("flux"));
  definition.gradients = to_entries(node.find("gradients"));
  definition.viscous_flux = to_entries(node.find("viscous_flux"));
  if (const Node* diffusivity = node.find("diffusivity")) definition.diffusivity = to_formula(*diffusivity);
  definition.source = to_entries(node.find("source"));
  definition.wave_speeds = to_entries(node.find("wave_speeds"));
  definition.admissible = to_entries(node.find("admissible"));
  definition.fields = to_entries(node.find("fields"));
  definition.boundary_conditions = conditions_of(node);
  definition.numerical_fluxes = fluxes_of(node);
  return definition;
}

solver::EquationDefinition read_equation_text(std::string_view text, const std::string& file_name) {
  const Node root = parse_yaml(text, file_name);
  Faults faults;
  auto definition = read_equations(root, "", std::filesystem::path(file_name).stem().string(), faults);
  faults.throw_if_any();
  return definition;
}

}  // namespace dgsolve::io
