// The two tables that the schema is joined from.
#pragma once

#include <vector>

#include "io/schema.h"

namespace dgsolve::io {

[[nodiscard]] std::vector<SchemaRow> configuration_rows();
[[nodiscard]] std::vector<SchemaRow> equation_rows();

}  // namespace dgsolve::io
