// Doubles numbers on the first device there is; without one, renders the kernel only. Exit status 1 if a number is wrong.
#include <cstdio>
#include <span>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"

namespace codegen = dgsolve::codegen;

int main() {
  codegen::KernelSpec spec;
  spec.name = "double_all";
  spec.source_name = "double_all.kernel.h";
  spec.source = "${signature} { const int i = GROUP_ID(0); y[i] = ${FACTOR} * x[i]; }\n";
  spec.constants = {{"FACTOR", 2.0}};
  spec.arguments = {{"x", codegen::ArgumentType::real_buffer, codegen::Intent::in, "[items]"},
                    {"y", codegen::ArgumentType::real_buffer, codegen::Intent::out, "[items]"}};

  const codegen::Discovery found = codegen::discover_devices();
  if (found.devices.empty()) {
    std::printf("no device; rendered %zu bytes\n", codegen::render(spec, "opencl").text.size());
    return 0;
  }
  const codegen::Device& device = found.devices.front();
  const codegen::Kernel kernel = codegen::build_kernels(device, std::span(&spec, 1), nullptr).front();
  std::vector<double> values{1, 2, 3, 4};
  codegen::Queue queue = device.make_queue();
  codegen::Buffer x = device.allocate(values.size() * sizeof(double), "x");
  codegen::Buffer y = device.allocate(values.size() * sizeof(double), "y");
  queue.upload(x, std::span<const double>(values));
  kernel.launch(queue, 4, {&x, &y});
  queue.download(y, std::span(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 2.0 * static_cast<double>(i + 1)) return 1;
  }
  std::printf("doubled on %s\n", device.facts().name.c_str());
  return 0;
}
