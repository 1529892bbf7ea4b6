// A small kernel that is unlike those of earlier runs of the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// out[i] = number; `salt` makes the source unique.
inline KernelSpec number_kernel(std::int64_t number, const std::string& salt, const std::string& name = "number") {
  KernelSpec spec;
  spec.name = name;
  spec.source_name = "number.kernel.h";
  spec.source = "// ${salt}\n${signature} {\n  if (LOCAL_ID(0) < count) out[LOCAL_ID(0)] = ${number};\n}\n";
  spec.constants = {{"number", number}, {"salt", salt}};
  spec.arguments = {{"out", ArgumentType::int32_buffer, Intent::out, "[count]"}, {"count", ArgumentType::int32, Intent::in, ""}};
  spec.precision = Precision::single_precision;
  spec.group_size = {16, 1, 1};
  return spec;
}

/// What a number kernel writes.
inline std::int32_t run_number_kernel(const Device& device, const Kernel& kernel) {
  Queue queue = device.make_queue();
  const Buffer out = device.allocate(16 * sizeof(std::int32_t), "out");
  kernel.launch(queue, 1, {&out, 16});
  std::vector<std::int32_t> values(16);
  queue.download<std::int32_t>(out, values);
  return values.back();
}

}  // namespace dgsolve::codegen
