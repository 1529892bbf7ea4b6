// Names of formulas: look-up through parents, and definitions expanded at their first use.
#include "codegen/expression/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/errors.h"
#include "codegen/expression/expand.h"

namespace dgsolve::codegen::expression {

std::vector<int> extents_of(const Declaration& declaration, int dimension) {
  std::vector<int> result;
  for (const IndexDeclaration& index : declaration.indices) result.push_back(index.extent > 0 ? index.extent : dimension);
  return result;
}

void Scope::bind(std::string_view name, Tensor value, Beyond beyond) {
  Entry entry;
  const std::size_t rank = value.extents.size();
  entry.tensor = std::move(value);
  entry.beyond = beyond;
  entries_.insert_or_assign(Key(name, rank), std::move(entry));
}

void Scope::define(const Declaration& target, std::shared_ptr<const Syntax> formula) {
  Entry entry;
  entry.tensor.extents = extents_of(target, dimension_);
  entry.state = State::pending;
  entry.target = target;
  entry.formula = std::move(formula);
  entries_.insert_or_assign(Key(target.name, target.indices.size()), std::move(entry));
}

void Scope::define_broken(const Declaration& target) {
  define(target, nullptr);
  entries_.at(Key(target.name, target.indices.size())).state = State::broken;
}

std::optional<Scope::Found> Scope::find(std::string_view name, std::size_t rank) const {
  const auto entry = entries_.find(Key(name, rank));
  if (entry != entries_.end()) return Found{&entry->second.tensor.extents, entry->second.beyond};
  return parent_ != nullptr ? parent_->find(name, rank) : std::nullopt;
}

const Tensor& Scope::value(std::string_view name, std::size_t rank) {
  const auto found = entries_.find(Key(name, rank));
  if (found == entries_.end()) return parent_->value(name, rank);
  Entry& entry = found->second;
  if (entry.state == State::pending) expand_entry(entry);
  if (entry.state == State::running) {
    entry.state = State::broken;
    entry.column = 1;
    const std::vector<std::string>& running = root().running_;
    const std::vector<std::string> circle(std::find(running.begin(), running.end(), name), running.end());
    try {
      fail(entry.formula->text, 1,
           fmt::format("the definition of '{}' depends on itself: {} -> {}", name, fmt::join(circle, " -> "), name));
    } catch (const FormulaError& fault) {
      entry.message = fault.what();
    }
  }
  if (entry.state == State::broken) throw BrokenDefinition(entry.target.name, entry.message, entry.column);
  return entry.tensor;
}

void Scope::expand_entry(Entry& entry) {
  entry.state = State::running;
  root().running_.push_back(entry.target.name);
  std::vector<FreeIndex> free;
  for (std::size_t k = 0; k < entry.target.indices.size(); ++k) {
    free.push_back({entry.target.indices[k].letter, entry.tensor.extents[k]});
  }
  try {
    Tensor tensor = expand(*entry.formula, free, *this);
    if (entry.state == State::running) {
      entry.tensor = std::move(tensor);
      entry.state = State::ready;
    }
  } catch (const FormulaError& fault) {
    entry.state = State::broken;
    entry.message = fault.what();
    entry.column = fault.column();
  } catch (const BrokenDefinition& fault) {
    // The fault of what it uses stands for it; one that depends on itself has its message already.
    if (entry.state == State::running) {
      entry.state = State::broken;
      entry.message = fault.what();
      entry.column = fault.column();
      entry.target.name = fault.name();
    }
  }
  root().running_.pop_back();
}

std::vector<std::size_t> Scope::ranks(std::string_view name) const {
  std::vector<std::size_t> result;
  if (parent_ != nullptr) result = parent_->ranks(name);
  for (const auto& [key, entry] : entries_) {
    if (key.first == name && std::find(result.begin(), result.end(), key.second) == result.end()) result.push_back(key.second);
  }
  return result;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> result;
  if (parent_ != nullptr) result = parent_->names();
  for (const auto& [key, entry] : entries_) {
    const char first = key.first.empty() ? '<' : key.first.front();
    const bool can_be_typed = first != '<';
    if (can_be_typed && std::find(result.begin(), result.end(), key.first) == result.end()) result.push_back(key.first);
  }
  return result;
}

const std::string* Scope::explanation(std::string_view name) const {
  const auto entry = explanations_.find(name);
  if (entry != explanations_.end()) return &entry->second;
  return parent_ != nullptr ? parent_->explanation(name) : nullptr;
}

}  // namespace dgsolve::codegen::expression
