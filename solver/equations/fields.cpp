// Output fields: known names, or expressions of the state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "solver/equations/physics.h"
#include "solver/equations/scopes.h"
#include "solver/equations/variables.h"

namespace dgsolve::solver {

namespace expression = codegen::expression;
using expression::Declaration;
using expression::NodeId;
using expression::Scope;
using expression::Tensor;

namespace {

class FieldBuilder {
 public:
  FieldBuilder(const Model& model, BuiltFunction& function, std::vector<Quantity>& quantities, EquationFaults& faults)
      : model_(model),
        function_(function),
        quantities_(quantities),
        faults_(faults),
        data_(make_data_scope(model, function.graph, "", faults)),
        state_(make_state_scope(model, *data_, "q")) {}

  void add(const FieldSpec& field) {
    if (!field.components.empty()) return add_expression(field);
    if (add_field(field.name) || add_variable(field.name, model_.state) || add_variable(field.name, model_.primitive) ||
        add_definition(field.name) || add_component(field.name)) {
      return;
    }
    const std::vector<std::string> names = known_names();
    faults_.add(field.where, "fields." + field.name,
                fmt::format("'{}' has no field '{}'{}; allowed: {}, or name: expression", model_.name, field.name,
                            codegen::did_you_mean(field.name, names), fmt::join(names, ", ")));
  }

 private:
  void add_tensor(const Declaration& declaration, const std::vector<int>& extents, const std::vector<bool>& stored, const Tensor& value) {
    quantities_.push_back(make_quantity(declaration, extents, stored));
    for (std::size_t k = 0; k < value.components.size(); ++k) {
      const bool repeated = declaration.symmetric && k / static_cast<std::size_t>(extents[1]) > k % static_cast<std::size_t>(extents[1]);
      if (stored[k] && !repeated) function_.outputs.push_back(value.components[k]);
    }
  }

  bool add_entry(const ParsedEntry& entry) {
    if (entry.formula.syntax == nullptr) return true;
    const std::vector<int> extents = expression::extents_of(entry.target, model_.dimension);
    guarded(model_, entry.formula, faults_, [&] {
      const Tensor value = expression::expand(*entry.formula.syntax, free_indices(entry.target, extents), *state_);
      add_tensor(entry.target, extents, std::vector<bool>(value.components.size(), true), value);
    });
    return true;
  }

  bool add_field(const std::string& name) {
    const auto entry =
        std::find_if(model_.fields.begin(), model_.fields.end(), [&name](const ParsedEntry& each) { return each.target.name == name; });
    return entry != model_.fields.end() && add_entry(*entry);
  }

  bool add_definition(const std::string& name) {
    const auto entry = std::find_if(model_.definitions.begin(), model_.definitions.end(),
                                    [&name](const ParsedEntry& each) { return each.target.name == name; });
    return entry != model_.definitions.end() && !is_reserved_name(name) && add_entry(*entry);
  }

  bool add_variable(const std::string& name, const VariableList& list) {
    const Variable* variable = list.find(name);
    if (variable == nullptr) return false;
    std::vector<bool> stored;
    for (const int slot : variable->slots) stored.push_back(slot >= 0);
    try {
      add_tensor(variable->declaration, variable->extents, stored, state_->value(name, variable->extents.size()));
    } catch (const expression::BrokenDefinition& broken) {
      report_broken(model_, broken, faults_);
    }
    return true;
  }

  bool add_component(const std::string& name) {
    for (const VariableList* list : {&model_.state, &model_.primitive}) {
      for (const Variable& variable : list->variables) {
        const auto& names = variable.quantity.component_names;
        const auto place = std::find(names.begin(), names.end(), name);
        if (place == names.end()) continue;
        const int slot = variable_slot(*list, variable, place - names.begin());
        const auto component =
            static_cast<std::size_t>(std::find(variable.slots.begin(), variable.slots.end(), slot) - variable.slots.begin());
        quantities_.push_back({name, Quantity::Kind::scalar, {name}, {}});
        function_.outputs.push_back(state_->value(variable.declaration.name, variable.extents.size()).components[component]);
        return true;
      }
    }
    return false;
  }

  /// Slots of a list are numbered variable by variable.
  static int variable_slot(const VariableList& list, const Variable& variable, std::ptrdiff_t component) {
    int slot = static_cast<int>(component);
    for (const Variable& each : list.variables) {
      if (&each == &variable) break;
      slot += static_cast<int>(each.quantity.component_names.size());
    }
    return slot;
  }

  void add_expression(const FieldSpec& field) {
    const std::string path = "fields." + field.name;
    Declaration declaration;
    declaration.name = field.name;
    Tensor value;
    if (field.components.size() > 1) {
      const int count = static_cast<int>(field.components.size());
      declaration.indices = {{"i", count == model_.dimension ? 0 : count, 1}};
      value.extents = {count};
    }
    for (const Formula& component : field.components) {
      const ParsedFormula formula = parse_part(component, path, faults_);
      value.components.push_back(function_.graph.constant(0));
      if (formula.syntax == nullptr) continue;
      guarded(model_, formula, faults_,
              [&] { value.components.back() = expression::expand(*formula.syntax, {}, *state_).components.front(); });
    }
    add_tensor(declaration, value.extents, std::vector<bool>(value.components.size(), true), value);
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const Variable& variable : model_.state.variables) names.push_back(variable.declaration.name);
    for (const Variable& variable : model_.primitive.variables) names.push_back(variable.declaration.name);
    for (const ParsedEntry& entry : model_.fields) names.push_back(entry.target.name);
    std::vector<std::string> result;
    for (const std::string& name : names) {
      if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
    }
    return result;
  }

  const Model& model_;
  BuiltFunction& function_;
  std::vector<Quantity>& quantities_;
  EquationFaults& faults_;
  std::unique_ptr<Scope> data_;
  std::unique_ptr<Scope> state_;
};

}  // namespace

BuiltFunction build_fields(const Model& model, const std::vector<FieldSpec>& fields, std::vector<Quantity>& quantities,
                           EquationFaults& faults) {
  BuiltFunction result;
  FieldBuilder builder(model, result, quantities, faults);
  for (const FieldSpec& field : fields) builder.add(field);
  return result;
}

}  // namespace dgsolve::solver
