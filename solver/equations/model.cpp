// Parses an equation definition and a problem's formulas for one dimension and mode.
#include "solver/equations/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "codegen/errors.h"
#include "codegen/expression/scope.h"
#include "codegen/nearest.h"
#include "solver/equations/generic.h"
#include "solver/equations/variables.h"

namespace dgsolve::solver {
namespace {

namespace expression = codegen::expression;
using codegen::did_you_mean;
using expression::Declaration;

std::optional<Declaration> parse_target_of(const FormulaEntry& entry, const std::string& section, EquationFaults& faults) {
  try {
    return expression::parse_target(entry.target);
  } catch (const codegen::FormulaError& fault) {
    faults.add(entry.formula.where, section + "." + entry.target, fault.what());
    return std::nullopt;
  }
}

std::vector<ParsedEntry> parse_entries(const std::vector<FormulaEntry>& entries, const std::string& section, EquationFaults& faults) {
  std::vector<ParsedEntry> result;
  for (const FormulaEntry& entry : entries) {
    const auto target = parse_target_of(entry, section, faults);
    if (target) result.push_back({*target, parse_part(entry.formula, section + "." + entry.target, faults)});
  }
  return result;
}

std::vector<Declaration> parse_list(const Formula& formula, const std::string& path, EquationFaults& faults) {
  try {
    return expression::parse_declarations(formula.text);
  } catch (const codegen::FormulaError& fault) {
    faults.add(formula.where, path, fault.what(), fault.column());
    return {};
  }
}

std::vector<ParsedValues> parse_values(const std::vector<ValueFormulas>& values, const std::string& section, EquationFaults& faults) {
  std::vector<ParsedValues> result;
  for (const ValueFormulas& value : values) {
    ParsedValues parsed{value.name, {}, value.where, section + "." + value.name};
    for (std::size_t k = 0; k < value.components.size(); ++k) {
      const std::string part = value.components.size() == 1 ? parsed.path : fmt::format("{}[{}]", parsed.path, k + 1);
      parsed.components.push_back(parse_part(value.components[k], part, faults));
    }
    result.push_back(std::move(parsed));
  }
  return result;
}

class ModelParser {
 public:
  ModelParser(const Problem& problem, int dimension, EquationFaults& faults)
      : problem_(problem), equations_(problem.equations), faults_(faults) {
    model_.name = equations_.name;
    model_.dimension = dimension;
    model_.where = equations_.where;
    model_.chosen_flux = problem.flux;
  }

  Model run() {
    parse_state();
    parse_parameters();
    parse_definitions();
    model_.flux = per_variable(parse_entries(equations_.flux, "flux", faults_), "flux", model_.state);
    parse_viscous();
    model_.source = parse_entries(equations_.source, "source", faults_);
    for (const ParsedEntry& entry : model_.source) check_target(entry, "source", model_.state);
    model_.admissible = parse_entries(equations_.admissible, "admissible", faults_);
    model_.fields = parse_entries(equations_.fields, "fields", faults_);
    parse_lists();
    model_.initial = parse_values(problem_.initial, "initial", faults_);
    model_.exact = parse_values(problem_.exact, "exact", faults_);
    model_.added_source = parse_values(problem_.source, "source", faults_);
    for (const BoundarySpec& boundary : problem_.boundaries) {
      model_.boundaries.push_back(
          {boundary.group, boundary.condition, parse_values(boundary.values, "boundaries." + boundary.group, faults_), boundary.where});
    }
    return std::move(model_);
  }

 private:
  void parse_state() {
    const std::vector<std::string> zero = zero_components();
    std::vector<std::string> unknown;
    model_.state = make_variables(parse_list(equations_.state, "state", faults_), model_.dimension, zero, unknown);
    for (const std::string& name : unknown) {
      faults_.add(equations_.where, "modes",
                  fmt::format("'{}' is no component of the state ({})", name, fmt::join(model_.state.component_names(), ", ")));
    }
    check_declared(model_.state, equations_.state, "state");
    if (equations_.primitive) {
      std::vector<std::string> ignored;
      model_.primitive = make_variables(parse_list(*equations_.primitive, "primitive", faults_), model_.dimension, zero, ignored);
      check_declared(model_.primitive, *equations_.primitive, "primitive");
      parse_from_primitive();
    }
  }

  void check_declared(const VariableList& list, const Formula& formula, const std::string& path) {
    std::set<std::string> seen;
    for (const Variable& variable : list.variables) {
      const Declaration& declaration = variable.declaration;
      if (is_reserved_name(declaration.name)) {
        faults_.add(formula.where, path, fmt::format("the name '{}' has a meaning of its own in formulas", declaration.name),
                    declaration.column);
      }
      if (!seen.insert(declaration.name).second) {
        faults_.add(formula.where, path, fmt::format("'{}' is declared twice", declaration.name), declaration.column);
      }
    }
    if (list.variables.empty()) faults_.add(formula.where, path, "no variable is declared");
  }

  std::vector<std::string> zero_components() {
    std::vector<std::string> names;
    const ModeDefinition* mode = nullptr;
    for (const ModeDefinition& each : equations_.modes) {
      names.push_back(each.name);
      const bool wanted = problem_.mode.empty() ? each.dimension == model_.dimension : each.name == problem_.mode;
      if (wanted && mode == nullptr) mode = &each;
    }
    if (!problem_.mode.empty() && mode == nullptr) {
      faults_.add({}, "mode",
                  fmt::format("unknown mode '{}' of '{}'{}; allowed: {}", problem_.mode, equations_.name,
                              did_you_mean(problem_.mode, names), fmt::join(names, ", ")));
    }
    const bool fits = mode == nullptr || mode->dimension == model_.dimension;
    if (!fits) {
      faults_.add({}, "mode",
                  fmt::format("mode '{}' is for dimension {}, the mesh has dimension {}", mode->name, mode->dimension, model_.dimension));
    }
    const auto& dimensions = equations_.dimensions;
    const bool known = dimensions.empty() || std::find(dimensions.begin(), dimensions.end(), model_.dimension) != dimensions.end();
    if (!known || (!equations_.modes.empty() && problem_.mode.empty() && mode == nullptr)) {
      faults_.add({}, "equations",
                  fmt::format("'{}' does not exist in dimension {}; its dimensions: {}", equations_.name, model_.dimension,
                              fmt::join(dimensions, ", ")));
    }
    return mode == nullptr || !fits ? std::vector<std::string>{} : mode->zero;
  }

  void parse_from_primitive() {
    std::vector<ParsedEntry> entries = parse_entries(equations_.from_primitive, "from_primitive", faults_);
    for (const Variable& variable : model_.state.variables) {
      const auto same = [&variable](const ParsedEntry& entry) { return entry.target.name == variable.declaration.name; };
      const Variable* twin = model_.primitive.find(variable.declaration.name);
      if (std::none_of(entries.begin(), entries.end(), same) && twin != nullptr && twin->extents == variable.extents) {
        entries.push_back(
            {twin->declaration, parse_part({name_with_indices(twin->declaration), equations_.primitive->where}, "primitive", faults_)});
      }
    }
    model_.from_primitive = per_variable(std::move(entries), "from_primitive", model_.state);
  }

  static std::string name_with_indices(const Declaration& declaration) {
    std::vector<std::string> letters;
    for (const auto& index : declaration.indices) letters.push_back(index.letter);
    return letters.empty() ? declaration.name : fmt::format("{}[{}]", declaration.name, fmt::join(letters, ","));
  }

  /// The target must be a variable of the list, with as many indices. Returns it.
  const Variable* check_target(const ParsedEntry& entry, const std::string& section, const VariableList& list) {
    const Variable* variable = list.find(entry.target.name);
    const std::string path = section + "." + entry.target.name;
    if (variable == nullptr) {
      std::vector<std::string> names;
      for (const Variable& each : list.variables) names.push_back(each.declaration.name);
      faults_.add(entry.formula.where, path,
                  fmt::format("'{}' is not a variable here{}; allowed: {}", entry.target.name, did_you_mean(entry.target.name, names),
                              fmt::join(names, ", ")));
    } else if (variable->extents.size() != entry.target.indices.size()) {
      faults_.add(entry.formula.where, path,
                  fmt::format("the left side needs the indices of '{}'", name_with_indices(variable->declaration)));
      return nullptr;
    }
    return variable;
  }

  /// One entry per variable of the list, in its order; the target's indices get the extents of the variable's.
  std::vector<ParsedEntry> per_variable(std::vector<ParsedEntry> entries, const std::string& section, const VariableList& list) {
    std::vector<ParsedEntry> result(list.variables.size());
    for (ParsedEntry& entry : entries) {
      const Variable* variable = check_target(entry, section, list);
      if (variable == nullptr) continue;
      const auto place = static_cast<std::size_t>(variable - list.variables.data());
      if (!result[place].target.name.empty()) {
        faults_.add(entry.formula.where, section, fmt::format("'{}' is given twice", entry.target.name));
      }
      result[place] = std::move(entry);
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (!result[k].target.name.empty()) continue;
      const Declaration& declaration = list.variables[k].declaration;
      const bool tried =
          std::any_of(entries.begin(), entries.end(), [&](const ParsedEntry& e) { return e.target.name == declaration.name; });
      if (!tried) faults_.add(equations_.where, section, fmt::format("'{}' is missing", name_with_indices(declaration)));
      result[k].target = declaration;
    }
    return result;
  }

  void parse_parameters() {
    std::vector<std::string> names;
    for (const ValueFormulas& parameter : equations_.parameters) parse_parameter(parameter, names);
    for (const ValueFormulas& override_values : problem_.parameters) override_parameter(override_values, names);
  }

  void parse_parameter(const ValueFormulas& values, std::vector<std::string>& names) {
    const std::string path = "parameters." + values.name;
    Declaration declaration;
    try {
      declaration = expression::parse_target(values.name);
    } catch (const codegen::FormulaError& fault) {
      faults_.add(values.where, path, fault.what());
      return;
    }
    if (is_reserved_name(declaration.name))
      faults_.add(values.where, path, fmt::format("the name '{}' has a meaning of its own in formulas", declaration.name));
    if (model_.state.find(declaration.name) != nullptr)
      faults_.add(values.where, path, fmt::format("'{}' is a state variable too", declaration.name));
    ParsedParameter parameter{declaration.name, expression::extents_of(declaration, model_.dimension), {}};
    if (declaration.indices.empty() && values.components.size() > 1) parameter.extents = {model_.dimension};
    parameter.over_space = parameter.extents.size() == 1 && (declaration.indices.empty() || declaration.indices.front().extent == 0);
    std::size_t count = 1;
    for (const int extent : parameter.extents) count *= static_cast<std::size_t>(extent);
    parameter.components.resize(count);
    if (!take_components(parameter, values, path)) return;
    names.push_back(parameter.name);
    model_.parameters.push_back(std::move(parameter));
  }

  void override_parameter(const ValueFormulas& values, const std::vector<std::string>& names) {
    const std::string path = "parameters." + values.name;
    const auto known = std::find_if(model_.parameters.begin(), model_.parameters.end(),
                                    [&values](const ParsedParameter& each) { return each.name == values.name; });
    if (known == model_.parameters.end()) {
      faults_.add(values.where, path,
                  fmt::format("'{}' has no parameter '{}'{}; its parameters: {}", equations_.name, values.name,
                              did_you_mean(values.name, names), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
      return;
    }
    take_components(*known, values, path);
  }

  /// Fills the parameter's components; false if the number of values does not fit. One text serves every dimension: of three values for a
  /// vector over space the first ones count.
  bool take_components(ParsedParameter& parameter, const ValueFormulas& values, const std::string& path) {
    const std::size_t count = parameter.components.size();
    const std::size_t given = values.components.size();
    if (given != count && !(parameter.over_space && given == 3)) {
      faults_.add(values.where, path,
                  fmt::format("'{}' has {} component{} here{}, {} given", parameter.name, count, count == 1 ? "" : "s",
                              parameter.over_space && count < 3 ? " (or 3, of which the first count)" : "", given));
      return false;
    }
    for (std::size_t k = 0; k < count; ++k) parameter.components[k] = parse_part(values.components[k], path, faults_);
    return true;
  }

  void parse_definitions() {
    model_.definitions = parse_entries(equations_.definitions, "definitions", faults_);
    std::set<std::string> seen;
    for (const ParsedEntry& entry : model_.definitions) {
      const std::string& name = entry.target.name;
      const std::string path = "definitions." + name;
      if (is_reserved_name(name))
        faults_.add(entry.formula.where, path, fmt::format("the name '{}' has a meaning of its own in formulas", name));
      const auto is_parameter = [&name](const ParsedParameter& each) { return each.name == name; };
      if (model_.state.find(name) != nullptr || std::any_of(model_.parameters.begin(), model_.parameters.end(), is_parameter)) {
        faults_.add(entry.formula.where, path, fmt::format("'{}' is a state variable or parameter too", name));
      }
      if (!seen.insert(name).second) faults_.add(entry.formula.where, path, fmt::format("'{}' is defined twice", name));
    }
    parse_wave_speeds();
  }

  void parse_viscous() {
    std::vector<Declaration> declarations;
    for (const ParsedEntry& entry : parse_entries(equations_.gradients, "gradients", faults_)) {
      const std::string& name = entry.target.name;
      const std::string path = "gradients." + name;
      const auto is_taken = [&name](const auto& list, auto get) {
        return std::any_of(list.begin(), list.end(), [&](const auto& each) { return get(each) == name; });
      };
      const auto target_name = [](const ParsedEntry& each) { return each.target.name; };
      const bool taken = is_reserved_name(name) || model_.state.find(name) != nullptr || is_taken(model_.definitions, target_name) ||
                         is_taken(model_.parameters, [](const ParsedParameter& each) { return each.name; }) ||
                         is_taken(model_.gradient_of, target_name);
      if (taken) {
        faults_.add(entry.formula.where, path, fmt::format("the name '{}' has another meaning", name));
      } else if (entry.target.indices.empty() || entry.target.indices.back().extent != 0) {
        faults_.add(entry.formula.where, path,
                    fmt::format("the last index of '{}' is the derivative's, so it runs over space: e.g. {}[j], or {}[i,j] for the "
                                "gradient of a vector",
                                name, name, name));
      } else {
        declarations.push_back(entry.target);
        model_.gradient_of.push_back(entry);
      }
    }
    std::vector<std::string> ignored;
    model_.gradients = make_variables(declarations, model_.dimension, {}, ignored);
    model_.viscous_flux = parse_entries(equations_.viscous_flux, "viscous_flux", faults_);
    for (const ParsedEntry& entry : model_.viscous_flux) check_target(entry, "viscous_flux", model_.state);
    if (equations_.diffusivity) model_.diffusivity = parse_part(*equations_.diffusivity, "diffusivity", faults_);
    const bool gradients = !equations_.gradients.empty(), flux = !equations_.viscous_flux.empty();
    if (gradients == flux && flux == equations_.diffusivity.has_value()) return;
    const char* missing = !gradients ? "gradients" : !flux ? "viscous_flux" : "diffusivity";
    faults_.add(equations_.where, missing, "missing: gradients, viscous_flux and diffusivity belong together");
  }

  void parse_wave_speeds() {
    std::vector<ParsedEntry> speeds = parse_entries(equations_.wave_speeds, "wave_speeds", faults_);
    std::set<std::string> given;
    for (const ParsedEntry& entry : speeds) {
      const std::string& name = entry.target.name;
      if (name != "slowest" && name != "fastest" && name != "largest") {
        faults_.add(entry.formula.where, "wave_speeds." + name, "allowed: slowest and fastest together, or largest alone");
      }
      given.insert(name);
    }
    model_.has_wave_speeds = given.contains("largest") || (given.contains("slowest") && given.contains("fastest"));
    if (!model_.has_wave_speeds) {
      faults_.add(equations_.where, "wave_speeds", "missing: slowest and fastest, or largest alone");
      return;
    }
    const auto add = [&](const std::string& name, const std::string& text) {
      speeds.push_back({expression::parse_target(name), parse_part({text, {}}, "wave_speeds." + name, faults_)});
    };
    if (given.contains("largest")) {
      add("slowest", "-largest");
      add("fastest", "largest");
      add("max_wave_speed", "largest");
    } else {
      add("max_wave_speed", "max(abs(slowest), abs(fastest))");
    }
    model_.definitions.insert(model_.definitions.end(), speeds.begin(), speeds.end());
  }

  ParsedList parse_named(const NamedFormulas& list, const std::string& section) {
    const std::string path = section + "." + list.name;
    ParsedList result{list.name, parse_entries(list.definitions, path + ".definitions", faults_), {}, {}, list.where};
    for (const FormulaEntry& entry : list.entries) {
      if (entry.target.empty()) {
        result.entries.push_back({Declaration{}, parse_part(entry.formula, path, faults_)});
      } else if (const auto target = parse_target_of(entry, path, faults_)) {
        result.entries.push_back({*target, parse_part(entry.formula, path + "." + entry.target, faults_)});
      }
    }
    return result;
  }

  void parse_lists() {
    for (const NamedFormulas& list : equations_.numerical_fluxes) {
      ParsedList parsed = parse_named(list, "numerical_fluxes");
      const bool for_all = parsed.entries.size() == 1 && parsed.entries.front().target.name.empty();
      if (!for_all) parsed.entries = per_variable(std::move(parsed.entries), "numerical_fluxes." + list.name, model_.state);
      model_.fluxes.push_back(std::move(parsed));
    }
    for (const NamedFormulas& list : generic_fluxes()) {
      const auto same = [&list](const ParsedList& each) { return each.name == list.name; };
      if (std::none_of(model_.fluxes.begin(), model_.fluxes.end(), same)) model_.fluxes.push_back(parse_named(list, "numerical_fluxes"));
    }
    for (const NamedFormulas& list : equations_.boundary_conditions) {
      ParsedList parsed = parse_named(list, "boundary_conditions");
      const auto is_gradient = [this](const ParsedEntry& entry) { return model_.gradients.find(entry.target.name) != nullptr; };
      const auto first = std::stable_partition(parsed.entries.begin(), parsed.entries.end(), std::not_fn(is_gradient));
      parsed.gradients.assign(first, parsed.entries.end());
      parsed.entries.erase(first, parsed.entries.end());
      for (const ParsedEntry& entry : parsed.gradients) check_target(entry, "boundary_conditions." + list.name, model_.gradients);
      const auto is_state = [this](const ParsedEntry& entry) { return model_.state.find(entry.target.name) != nullptr; };
      const bool conserved = model_.primitive.variables.empty() || std::all_of(parsed.entries.begin(), parsed.entries.end(), is_state);
      parsed.entries =
          per_variable(std::move(parsed.entries), "boundary_conditions." + list.name, conserved ? model_.state : model_.primitive);
      model_.conditions.push_back(std::move(parsed));
    }
  }

  const Problem& problem_;
  const EquationDefinition& equations_;
  EquationFaults& faults_;
  Model model_;
};

}  // namespace

ParsedFormula parse_part(const Formula& formula, std::string path, EquationFaults& faults) {
  ParsedFormula result{nullptr, formula.where, std::move(path)};
  try {
    result.syntax = std::make_shared<const expression::Syntax>(expression::parse_formula(formula.text));
  } catch (const codegen::FormulaError& fault) {
    faults.add(formula.where, result.path, fault.what(), fault.column());
  }
  return result;
}

Model parse_model(const Problem& problem, int dimension, EquationFaults& faults) { return ModelParser(problem, dimension, faults).run(); }

}  // namespace dgsolve::solver
