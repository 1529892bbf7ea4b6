// Measures what a plain copy kernel moves per second.
#include "cli/copy_bandwidth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>

#include "codegen/embedded.h"
#include "codegen/kernel.h"

namespace dgsolve::cli {

std::span<const codegen::EmbeddedFile> bench_kernel_files();  // embedded by the build

namespace {

/// How the copy is cut: vectors and long runs per work-item on a CPU, neighbouring work-items on neighbouring words on a GPU.
struct CopyShape {
  int width;
  int group_size;
  int runs;  ///< of run_length vectors for each work-item
  std::size_t bytes;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr int run_length = 8;  // RUN of the kernel: an unrolled loop
constexpr CopyShape cpu_shape{8, 1, 512, 256 * mebibyte};
constexpr CopyShape gpu_shape{1, 256, 1, 1024 * mebibyte};

codegen::KernelSpec copy_spec(const CopyShape& shape, codegen::Precision precision) {
  const codegen::EmbeddedFile& file = bench_kernel_files().front();
  codegen::KernelSpec spec;
  spec.name = "copy_buffer";
  spec.source_name = file.name;
  spec.source = file.content;
  spec.constants = {
      {"GROUP_SIZE", std::int64_t{shape.group_size}}, {"RUNS", std::int64_t{shape.runs}}, {"WIDTH", std::int64_t{shape.width}}};
  spec.arguments = {{"source", codegen::ArgumentType::real_buffer, codegen::Intent::in, "[items]"},
                    {"target", codegen::ArgumentType::real_buffer, codegen::Intent::out, "[items]"}};
  spec.precision = precision;
  spec.vector_width = shape.width;
  spec.group_size = {shape.group_size, 1, 1};
  return spec;
}

}  // namespace

double measure_copy_bandwidth(const codegen::Device& device, codegen::Cache* cache) {
  const codegen::DeviceFacts& facts = device.facts();
  CopyShape shape = facts.is_cpu ? cpu_shape : gpu_shape;
  while (shape.bytes > facts.global_bytes / 8 && shape.bytes > mebibyte) shape.bytes /= 2;
  const auto precision = facts.has_double ? codegen::Precision::double_precision : codegen::Precision::single_precision;
  const std::size_t real_bytes = facts.has_double ? 8 : 4;
  const std::array specs{copy_spec(shape, precision)};
  const codegen::Kernel kernel = codegen::build_kernels(device, specs, cache).front();

  codegen::Queue queue = device.make_queue();
  codegen::Buffer source = device.allocate(shape.bytes, "copy source");
  codegen::Buffer target = device.allocate(shape.bytes, "copy target");
  queue.fill_zero(source);
  const std::size_t group_bytes = real_bytes * static_cast<std::size_t>(shape.width * shape.group_size * shape.runs * run_length);
  const auto groups = static_cast<std::uint32_t>(shape.bytes / group_bytes);
  double best = std::numeric_limits<double>::infinity();
  constexpr int repetitions = 5;
  for (int i = -2; i < repetitions; ++i) {
    queue.finish();
    const auto start = std::chrono::steady_clock::now();
    kernel.launch(queue, groups, {&source, &target});
    queue.finish();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (i >= 0) best = std::min(best, elapsed.count());
  }
  return 2.0 * static_cast<double>(shape.bytes) / best;
}

}  // namespace dgsolve::cli
