// Reads equation files (built-in, a user's, or inline in a configuration) into EquationDefinition.
#pragma once

#include <string>
#include <string_view>

#include "io/faults.h"
#include "io/node.h"
#include "solver/equations/definition.h"

namespace dgsolve::io {

/// Throws ConfigError with all faults of the file: YAML, unknown or missing keys, wrong types. The formulas themselves are not parsed here.
[[nodiscard]] solver::EquationDefinition read_equation_text(std::string_view text, const std::string& file_name);

/// The same from a tree. Faults are added to `faults`, named below `path` ("equations" in a configuration, "" in a file of its own); what
/// could be read is returned. `default_name` is the system's name where the tree gives none.
[[nodiscard]] solver::EquationDefinition read_equations(const Node& node, const std::string& path, const std::string& default_name,
                                                        Faults& faults);

}  // namespace dgsolve::io
