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
/// `lanes` above 1: every value is a realv.
[[nodiscard]] ArrayStatements array_statements(const ArrayPlan& plan, int lanes = 1);

/// Places that a work-item computes at once: CPUs have mathematical functions for vectors, which compilers do not find in loops. 1 for
/// plans without such functions or with other values than reals of one type.
[[nodiscard]] int vector_lanes(const ArrayPlan& plan, WorkStyle style);

}  // namespace dgsolve::codegen
