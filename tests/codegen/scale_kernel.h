// A small kernel for the tests of queues, graphs, captures and profiles.
#pragma once

#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// y <- a x + b for `count` floats: arguments x, y, a, b, count; groups of 64.
inline KernelSpec scale_spec(const std::string& name = "scale") {
  KernelSpec spec;
  spec.name = name;
  spec.source_name = "scale.kernel.h";
  spec.source = R"(${signature} {
  const int i = GROUP_ID(0) * 64 + LOCAL_ID(0);
  if (i < count) y[i] = FMA(a, x[i], b);
}
)";
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in, "[count]"},
                    {"y", ArgumentType::real_buffer, Intent::in_out, "[count]"},
                    {"a", ArgumentType::real, Intent::in, ""},
                    {"b", ArgumentType::real, Intent::in, ""},
                    {"count", ArgumentType::int32, Intent::in, ""}};
  spec.precision = Precision::single_precision;
  spec.group_size = {64, 1, 1};
  return spec;
}

inline Kernel build_kernel(const Device& device, const KernelSpec& spec) {
  return build_kernels(device, std::span(&spec, 1), nullptr).front();
}

inline std::uint32_t groups_of_64(std::size_t count) { return static_cast<std::uint32_t>((count + 63) / 64); }

}  // namespace dgsolve::codegen
