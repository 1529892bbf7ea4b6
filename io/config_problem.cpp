// The equations and boundaries sections.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "io/config_sections.h"
#include "io/equation_file.h"
#include "io/formulas.h"
#include "io/yaml.h"
#include "solver/equations/files.h"
#include "solver/equations/system.h"

namespace dgsolve::io {
namespace {

bool is_path(const std::string& text) {
  const auto ends_with = [&](std::string_view ending) { return text.size() > ending.size() && text.ends_with(ending); };
  return text.find('/') != std::string::npos || ends_with(".yaml") || ends_with(".yml");
}

std::optional<solver::EquationDefinition> read_equation_path(const Reader& reader, const std::filesystem::path& path) {
  try {
    return read_equation_text(read_text_file(path), path.string());
  } catch (const ConfigError& error) {
    reader.faults().add({}, "", error.what());
    return std::nullopt;
  }
}

std::optional<solver::EquationDefinition> read_built_in(const Reader& reader, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& file : solver::equation_files()) {
    const std::string stem = std::filesystem::path(file.name).stem().string();
    if (stem == name) return read_equation_text(file.content, "built-in " + std::string(file.name));
    names.push_back(stem);
  }
  std::sort(names.begin(), names.end());
  reader.fault("equations", fmt::format("found '{}', allowed: {}, the path of an equation file (ends in .yaml), or a map{}", name,
                                        fmt::join(names, ", "), codegen::did_you_mean(name, names)));
  return std::nullopt;
}

/// Sides that a box has, in the order of the directions, lower one first.
std::vector<std::string> open_sides(const mesh::BoxOptions& box) {
  static constexpr std::array<std::array<const char*, 2>, 3> names{{{"left", "right"}, {"bottom", "top"}, {"front", "back"}}};
  std::vector<std::string> sides;
  for (std::size_t k = 0; k < static_cast<std::size_t>(box.dimension); ++k) {
    if (!box.periodic[k]) sides.insert(sides.end(), names[k].begin(), names[k].end());
  }
  return sides;
}

void check_box_sides(const Reader& reader, const mesh::BoxOptions& box) {
  const std::vector<std::string> sides = open_sides(box);
  const std::string allowed = sides.empty() ? "none: the box is periodic in every direction" : fmt::format("{}", fmt::join(sides, ", "));
  const Node* map = reader.find("boundaries");
  if (map != nullptr) {
    for (const Entry& entry : map->entries) {
      if (std::find(sides.begin(), sides.end(), entry.key) != sides.end()) continue;
      reader.faults().add(
          entry.where, "boundaries." + entry.key,
          fmt::format("the mesh has no such boundary group, allowed: {}{}", allowed, codegen::did_you_mean(entry.key, sides)));
    }
  }
  for (const std::string& side : sides) {
    if (map != nullptr && map->find(side) != nullptr) continue;
    reader.fault("boundaries." + side, "missing; every boundary group of the mesh needs a condition, e.g. " + side + ": outflow");
  }
}

/// dirichlet and inflow, unless the system has a condition of its own with the name.
bool takes_values(const std::string& condition, const solver::EquationDefinition& equations) {
  const auto& own = equations.boundary_conditions;
  return (condition == "dirichlet" || condition == "inflow") &&
         std::none_of(own.begin(), own.end(), [&condition](const solver::NamedFormulas& each) { return each.name == condition; });
}

void check_condition(const Reader& reader, const std::string& path, const solver::BoundarySpec& spec,
                     const solver::EquationDefinition& equations) {
  const auto names = solver::condition_names(equations);
  if (std::find(names.begin(), names.end(), spec.condition) == names.end()) {
    reader.faults().add(spec.where, path,
                        fmt::format("found '{}', allowed for {}: {}{}", spec.condition, equations.name, fmt::join(names, ", "),
                                    codegen::did_you_mean(spec.condition, names)));
  } else if (takes_values(spec.condition, equations) != !spec.values.empty()) {
    reader.faults().add(spec.where, path,
                        spec.values.empty() ? fmt::format("{0} needs values, e.g. {{{0}: {{rho: 1, v: [1, 0], p: 1}}}}", spec.condition)
                                            : fmt::format("{} takes no values here: {} has a condition of its own with this name",
                                                          spec.condition, equations.name));
  } else if (spec.condition == "exact" && reader.find("exact") == nullptr) {
    reader.faults().add(spec.where, path, "needs the exact solution (`exact:`)");
  }
}

}  // namespace

std::optional<solver::EquationDefinition> read_equation_section(const Reader& reader, const std::filesystem::path& folder) {
  const Node* node = reader.find("equations");
  if (node == nullptr) return std::nullopt;
  if (node->is_scalar()) {
    return is_path(node->text) ? read_equation_path(reader, folder / node->text) : read_built_in(reader, node->text);
  }
  Faults faults;
  auto definition = read_equations(*node, "equations", "inline", faults);
  reader.faults().add(faults);
  return faults.empty() ? std::optional(std::move(definition)) : std::nullopt;
}

std::vector<solver::BoundarySpec> read_boundary_section(const Reader& reader, const solver::EquationDefinition& equations,
                                                        const mesh::BoxOptions* box) {
  std::vector<solver::BoundarySpec> boundaries;
  if (box != nullptr) check_box_sides(reader, *box);
  const Node* map = reader.find("boundaries");
  if (map == nullptr) return boundaries;
  for (const Entry& entry : map->entries) {
    solver::BoundarySpec spec{entry.key, entry.value.text, {}, entry.value.where};
    for (const char* condition : {"dirichlet", "inflow"}) {
      const Node* values = entry.value.find(condition);
      if (values == nullptr) continue;
      spec.condition = condition;
      spec.values = to_values(values);
    }
    if (!spec.condition.empty()) check_condition(reader, "boundaries." + entry.key, spec, equations);
    boundaries.push_back(std::move(spec));
  }
  return boundaries;
}

}  // namespace dgsolve::io
