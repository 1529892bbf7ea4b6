// Variables of an equation system: from declarations such as "rho, m[i], E" to stored components.
#pragma once

#include <string>
#include <vector>

#include "solver/equations/model.h"

namespace dgsolve::solver {

/// Components of the declarations in `dimension` directions. `zero` names components that vanish ("E[1]" or "E_x"); names in it that belong
/// to no declaration are added to `unknown`.
[[nodiscard]] VariableList make_variables(const std::vector<codegen::expression::Declaration>& declarations, int dimension,
                                          const std::vector<std::string>& zero, std::vector<std::string>& unknown);

/// Kind, component names and axes of a quantity whose component `k` (row-major) is stored if stored[k].
[[nodiscard]] Quantity make_quantity(const codegen::expression::Declaration& declaration, const std::vector<int>& extents,
                                     const std::vector<bool>& stored);

/// Names that no equation file can give a meaning of its own.
[[nodiscard]] bool is_reserved_name(std::string_view name);

}  // namespace dgsolve::solver
