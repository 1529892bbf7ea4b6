// Variables of an equation system: storage order, component names and the space axes of vectors.
#include "solver/equations/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/expression/check.h"
#include "codegen/expression/scope.h"

namespace dgsolve::solver {
namespace {

using codegen::expression::Declaration;

std::vector<int> position_of(std::size_t component, const std::vector<int>& extents) {
  std::vector<int> at(extents.size());
  for (std::size_t k = extents.size(); k-- > 0;) {
    at[k] = static_cast<int>(component % static_cast<std::size_t>(extents[k]));
    component /= static_cast<std::size_t>(extents[k]);
  }
  return at;
}

std::size_t component_total(const std::vector<int>& extents) {
  std::size_t total = 1;
  for (const int extent : extents) total *= static_cast<std::size_t>(extent);
  return total;
}

bool runs_over_space(const Declaration& declaration) {
  return std::all_of(declaration.indices.begin(), declaration.indices.end(),
                     [](const auto& index) { return index.extent == 0 || index.extent == 3; });
}

std::string component_name(const Declaration& declaration, const std::vector<int>& at) {
  if (at.empty()) return declaration.name;
  std::string result = declaration.name + "_";
  const bool letters = runs_over_space(declaration);
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (letters) {
      result += "xyz"[at[k]];
    } else {
      result += (k == 0 ? "" : "_") + std::to_string(at[k] + 1);
    }
  }
  return result;
}

std::string indexed_name(const Declaration& declaration, const std::vector<int>& at) {
  std::string result = declaration.name;
  for (std::size_t k = 0; k < at.size(); ++k) result += (k == 0 ? "[" : ",") + std::to_string(at[k] + 1);
  return at.empty() ? result : result + "]";
}

}  // namespace

const Variable* VariableList::find(std::string_view name) const {
  const auto it = std::find_if(variables.begin(), variables.end(), [name](const Variable& each) { return each.declaration.name == name; });
  return it == variables.end() ? nullptr : &*it;
}

std::vector<std::string> VariableList::component_names() const {
  std::vector<std::string> result;
  for (const Variable& variable : variables) {
    result.insert(result.end(), variable.quantity.component_names.begin(), variable.quantity.component_names.end());
  }
  return result;
}

Quantity make_quantity(const Declaration& declaration, const std::vector<int>& extents, const std::vector<bool>& stored) {
  Quantity result;
  result.name = declaration.name;
  if (extents.size() == 1 && runs_over_space(declaration)) {
    result.kind = Quantity::Kind::vector;
  } else if (!extents.empty()) {
    result.kind = declaration.symmetric ? Quantity::Kind::symmetric_tensor : Quantity::Kind::array;
  }
  for (std::size_t k = 0; k < component_total(extents); ++k) {
    const std::vector<int> at = position_of(k, extents);
    if (!stored[k] || (declaration.symmetric && at[0] > at[1])) continue;
    result.component_names.push_back(component_name(declaration, at));
    if (result.kind == Quantity::Kind::vector) result.axes.push_back(at[0]);
  }
  return result;
}

VariableList make_variables(const std::vector<Declaration>& declarations, int dimension, const std::vector<std::string>& zero,
                            std::vector<std::string>& unknown) {
  VariableList result;
  std::vector<std::string> left = zero;
  for (const Declaration& declaration : declarations) {
    Variable variable{declaration, codegen::expression::extents_of(declaration, dimension), {}, {}};
    const std::size_t total = component_total(variable.extents);
    std::vector<bool> stored(total, true);
    for (std::size_t k = 0; k < total; ++k) {
      const std::vector<int> at = position_of(k, variable.extents);
      const auto is_this = [&](const std::string& name) {
        return name == indexed_name(declaration, at) || name == component_name(declaration, at);
      };
      if (std::erase_if(left, is_this) > 0) stored[k] = false;
      if (declaration.symmetric && at[0] > at[1]) {
        const auto mirrored = static_cast<std::size_t>(at[1] * variable.extents[0] + at[0]);
        stored[k] = stored[mirrored];
        variable.slots.push_back(variable.slots[mirrored]);
      } else {
        variable.slots.push_back(stored[k] ? result.count++ : -1);
      }
    }
    variable.quantity = make_quantity(declaration, variable.extents, stored);
    result.variables.push_back(std::move(variable));
  }
  unknown.insert(unknown.end(), left.begin(), left.end());
  return result;
}

bool is_reserved_name(std::string_view name) {
  static constexpr std::array<std::string_view, 13> names{
      "x", "y", "z", "t", "pi", "n", "flux", "state", "grad", "slowest", "fastest", "largest", "max_wave_speed"};
  return std::find(names.begin(), names.end(), name) != names.end() || codegen::expression::find_function(name) != nullptr;
}

}  // namespace dgsolve::solver
