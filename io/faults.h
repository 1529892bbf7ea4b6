// Collects the faults of a document, so that all are reported in one go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/equations/definition.h"

namespace dgsolve::io {

/// "file:line:column", or what is known of it.
[[nodiscard]] std::string to_text(const solver::Location& where);

class Faults {
 public:
  /// `key`: path of the key ("mesh.box.cells"), may be empty. The same fault twice counts once.
  void add(const solver::Location& where, std::string_view key, std::string_view message);
  void add(const Faults& others);
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] std::size_t count() const { return faults_.size(); }
  /// One fault a line, in the order of their places in each file.
  [[nodiscard]] std::string text() const;
  /// Throws ConfigError with all faults if there are any.
  void throw_if_any() const;

 private:
  struct Fault {
    solver::Location where;
    std::string line;
  };
  std::vector<Fault> faults_;
};

}  // namespace dgsolve::io
