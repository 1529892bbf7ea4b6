// Kernels that use every word of the dialect; built for every device and, offline, for CUDA architectures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// Every word that is not about mathematics: tables, pointers to each memory, vectors, lanes, selection, groups.
/// out[group][item][W]: see `words_expected` in dialect_test.cpp.
inline KernelSpec words_spec(Precision precision, int width) {
  KernelSpec spec;
  spec.name = "words";
  spec.source_name = "words.kernel.h";
  spec.source = R"(#include "helpers.kernel.h"
CONSTANT real TABLE[${items}] = ${table};
CONSTANT int SHIFT[2] = {1, 2};
${signature} {
  SHARED_MEMORY(realv, staged, ${items});
  const int item = LOCAL_ID(0);
  const int64 first = ((int64)(GROUP_ID(0) + GROUP_COUNT(0) * GROUP_ID(1)) * ${items} + item) * VECTOR_WIDTH;
  staged[item] = VLOAD(x + first);
  BARRIER();
  realv value = REALV(0);
  UNROLL for (int k = 0; k < 2; ++k) value = FMA(REALV(entry(TABLE, k)), neighbour(staged, item + SHIFT[k], ${items}), value);
  value += REALV(offset) * REALV(REAL(0.5));
  value = SELECT(value < REALV(${limit}), value, -value);
  if (ANY(value > REALV(1000))) value = REALV(1000);
  for (int lane = 0; lane < VECTOR_WIDTH; ++lane) LANE(value, lane) = LANE(value, lane) + REAL(lane);
  LANE(value, 0) = LANE(value, 0) * SELECT(big > 4000000000, REAL(2), REAL(3));
  const uint32 u = (uint32)flags[item];
  const uint64 wide = (uint64)u << 40;
  if ((wide >> 40) == (uint64)u) {
    if (item % 2 == 0) {
      VSTORE(value, out + first);
    } else {
      VSTREAM(value, out + first);
    }
  }
  FENCE();
}
)";
  spec.includes["helpers.kernel.h"] = R"(INLINE real entry(CONSTANT_SPACE const real* table, int k) { return table[k]; }
INLINE realv neighbour(SHARED const realv* staged, int item, int count) { return staged[item % count]; }
)";
  spec.constants = {{"items", std::int64_t{8}}, {"table", std::string("{2, -3, 0, 0, 0, 0, 0, 0}")}, {"limit", 0.25}};
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[group][item][W]"},
                    {"flags", ArgumentType::byte_buffer, Intent::in, "[item]"},
                    {"out", ArgumentType::real_buffer, Intent::out, "[group][item][W]"},
                    {"offset", ArgumentType::real, Intent::in, ""},
                    {"big", ArgumentType::int64, Intent::in, ""}};
  spec.precision = precision;
  spec.vector_width = width;
  spec.group_size = {8, 1, 1};
  spec.shared_bytes = 8 * static_cast<std::size_t>(width) * (precision == Precision::single_precision ? 4 : 8);
  return spec;
}

/// Words for two neighbouring reals: out[2 i] and out[2 i + 1] are x[2 i + 1] and x[2 i] by way of shared memory.
inline KernelSpec pairs_spec(Precision precision, int items) {
  KernelSpec spec;
  spec.name = "pairs";
  spec.source_name = "pairs.kernel.h";
  spec.source = R"(${signature} {
  SHARED_MEMORY(real, shared, 2 * ${items});
  const int item = LOCAL_ID(0);
  real first, second;
  PREFETCH(x + 2 * item);
  LOAD_TWO(x + 2 * item, first, second);
  STORE_TWO(first, second, shared + 2 * item);
  BARRIER();
  LOAD_TWO(shared + 2 * item, first, second);
  STORE_TWO(second, first, out + 2 * item);
}
)";
  spec.constants = {{"items", std::int64_t{items}}};
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[item][2]"},
                    {"out", ArgumentType::real_buffer, Intent::out, "[item][2]"}};
  spec.precision = precision;
  spec.group_size = {items, 1, 1};
  spec.shared_bytes = 2 * static_cast<std::size_t>(items) * (precision == Precision::single_precision ? 4 : 8);
  return spec;
}

/// MATRIX_STEP: sum[16][8] += a[16][8] b[8][8] by 32 threads.
inline KernelSpec matrix_step_spec(Precision precision = Precision::double_precision) {
  KernelSpec spec;
  spec.precision = precision;
  spec.name = "one_matrix_step";
  spec.source_name = "matrix_step.kernel.h";
  spec.source = R"(${signature} {
  const int row = LOCAL_ID(0) / 4, quarter = LOCAL_ID(0) % 4;
  double of_a[4], of_b[2], of_sum[4];
  for (int i = 0; i < 4; ++i) of_a[i] = a[(row + i % 2 * 8) * 8 + quarter + i / 2 * 4];
  for (int i = 0; i < 2; ++i) of_b[i] = b[(quarter + 4 * i) * 8 + row];
  for (int i = 0; i < 4; ++i) of_sum[i] = sum[(row + i / 2 * 8) * 8 + 2 * quarter + i % 2];
  MATRIX_STEP(of_sum, of_a, of_b);
  for (int i = 0; i < 4; ++i) sum[(row + i / 2 * 8) * 8 + 2 * quarter + i % 2] = of_sum[i];
}
)";
  spec.arguments = {{"a", ArgumentType::typed_buffer, Intent::in, "[16][8]", "double"},
                    {"b", ArgumentType::typed_buffer, Intent::in, "[8][8]", "double"},
                    {"sum", ArgumentType::typed_buffer, Intent::in_out, "[16][8]", "double"}};
  spec.group_size = {32, 1, 1};
  return spec;
}

/// Names of the standard functions of one argument.
inline const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names{"sqrt", "exp",  "log",  "sin",  "cos",  "tan",  "asin",
                                              "acos", "atan", "sinh", "cosh", "tanh", "fabs", "floor"};
  return names;
}

/// out[function][vector][W] of x[vector][W], scalar (`real`) or vector (`realv`) calls; then pow, atan2, fma, a quotient, a*b+c.
inline KernelSpec functions_spec(Precision precision, int width, bool scalar_calls) {
  KernelSpec spec;
  spec.name = "functions";
  spec.source_name = "functions.kernel.h";
  std::vector<std::string> calls;
  for (const std::string& name : function_names()) calls.push_back(name + "(a)");
  for (const char* text : {"pow(a, b)", "atan2(a, b)", "FMA(a, b, a)", "a / b", "a * b + a"}) calls.emplace_back(text);
  std::string body;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string where = "(" + std::to_string(i) + " * (int64)count + i) * VECTOR_WIDTH";
    body += scalar_calls
                ? "  for (int w = 0; w < VECTOR_WIDTH; ++w) { const real a = x[i * VECTOR_WIDTH + w], b = y[i * VECTOR_WIDTH + w]; out[" +
                      where + " + w] = " + calls[i] + "; }\n"
                : "  { const realv a = VLOAD(x + i * VECTOR_WIDTH), b = VLOAD(y + i * VECTOR_WIDTH); VSTORE(" + calls[i] + ", out + " +
                      where + "); }\n";
  }
  spec.source = "${signature} {\n  const int64 i = GROUP_ID(0);\n" + body + "}\n";
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[vector][W]"},
                    {"y", ArgumentType::real_buffer, Intent::in, "[vector][W]"},
                    {"out", ArgumentType::real_buffer, Intent::out, "[function][vector][W]"},
                    {"count", ArgumentType::int32, Intent::in, ""}};
  spec.precision = precision;
  spec.vector_width = width;
  return spec;
}

}  // namespace dgsolve::codegen
