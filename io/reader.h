// Typed values of a validated tree, with the schema's defaults.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/faults.h"
#include "io/node.h"

namespace dgsolve::io {

/// Reads by key path. Where a value is missing or of the wrong kind (which validate() has reported), the schema's default holds.
class Reader {
 public:
  Reader(const Node& root, Faults& faults) : root_(root), faults_(faults) {}

  [[nodiscard]] const Node* find(std::string_view path) const { return root_.find_path(path); }
  /// Place of a key's value, of its nearest parent that exists, or of the document.
  [[nodiscard]] solver::Location where(std::string_view path) const;
  [[nodiscard]] std::string text(std::string_view path) const;
  [[nodiscard]] double number(std::string_view path) const;
  [[nodiscard]] int integer(std::string_view path) const;
  [[nodiscard]] std::optional<double> optional_number(std::string_view path) const;
  /// A scalar counts as a list of one. Nothing if the key is missing.
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view path) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view path) const;
  void fault(std::string_view path, std::string_view message) const { faults_.add(where(path), path, message); }
  [[nodiscard]] Faults& faults() const { return faults_; }

 private:
  const Node& root_;
  Faults& faults_;
};

}  // namespace dgsolve::io
