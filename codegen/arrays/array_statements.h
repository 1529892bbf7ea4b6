// The statements that compute one item of the outputs of an array plan.
#pragma once

#include <string>

#include "codegen/arrays/array_plan.h"

namespace dgsolve::codegen {

/// Operands are a0, a1, ...; scalars s0, s1, ...; the place i; the table of memory m b<m> with t_offset<t>, t_stride<t>, t_count<t>.
/// Results go to *r0, *r1, ..., computed places to *p0, *p1, ...
struct ArrayStatements {
  std::string text;
  bool uses_double = false;
};
[[nodiscard]] ArrayStatements array_statements(const ArrayPlan& plan);

}  // namespace dgsolve::codegen
