// Measures copy bandwidth, launch times and arithmetic rates with kernels of its own.
#include "codegen/device_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <span>

#include "codegen/embedded.h"
#include "codegen/kernel.h"
#include "codegen/profile.h"

namespace dgsolve::codegen {

std::span<const EmbeddedFile> limit_kernel_files();  // embedded by the build

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr int run_length = 8;  // RUN of copy.kernel.h: an unrolled loop
constexpr int chains = 8;      // CHAINS of multiply_add.kernel.h
constexpr int repetitions = 5;

/// How the work is cut: vectors and long runs per work-item on a CPU, neighbouring work-items on neighbouring words on a GPU.
struct Shape {
  int width;
  int group_size;
  int runs;  ///< of run_length vectors for each work-item of a copy
  std::size_t bytes;
  int groups_per_unit;  ///< of the arithmetic
};
constexpr Shape cpu_shape{8, 1, 512, 256 * mebibyte, 256};
constexpr Shape gpu_shape{1, 256, 1, 1024 * mebibyte, 32};

KernelSpec spec_of(std::string_view file_name, const std::string& name, const Shape& shape, Precision precision) {
  const auto files = limit_kernel_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& candidate) { return candidate.name == file_name; });
  KernelSpec spec;
  spec.name = name;
  spec.source_name = file_name;
  spec.source = file->content;
  spec.constants["GROUP_SIZE"] = std::int64_t{shape.group_size};
  spec.constants["WIDTH"] = std::int64_t{shape.width};
  spec.precision = precision;
  spec.vector_width = shape.width;
  spec.group_size = {shape.group_size, 1, 1};
  return spec;
}

Kernel build(const Device& device, const KernelSpec& spec, Cache* cache) {
  return build_kernels(device, std::span(&spec, 1), cache).front();
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The shortest time on the device of the launches of a fifth of a second, after two for warming up: other programs may disturb some.
template <class Launch>
double shortest_seconds(Queue& queue, const Launch& launch) {
  for (int i = 0; i < 2; ++i) launch();
  queue.finish();
  start_profile(queue);
  const auto start = Clock::now();
  do {
    for (int i = 0; i < repetitions; ++i) launch();
    queue.finish();
  } while (seconds_since(start) < 0.2);
  return stop_profile(queue).front().shortest;
}

double flops_per_second(const Device& device, Precision precision, Cache* cache) {
  constexpr std::int64_t rounds = 4096;
  Shape shape = device.facts().is_cpu ? cpu_shape : gpu_shape;
  const std::size_t real_bytes = precision == Precision::double_precision ? 8 : 4;
  if (device.facts().is_cpu && precision == Precision::single_precision) shape.width *= 2;
  KernelSpec spec = spec_of("multiply_add.kernel.h", "multiply_add", shape, precision);
  spec.constants["ROUNDS"] = rounds;
  spec.arguments = {{"factor", ArgumentType::real, Intent::in, ""},
                    {"shift", ArgumentType::real, Intent::in, ""},
                    {"result", ArgumentType::real_buffer, Intent::out, "[item][W]"}};
  const Kernel kernel = build(device, spec, cache);
  const int groups = std::max(1, device.facts().compute_units) * shape.groups_per_unit;
  const std::size_t lanes = static_cast<std::size_t>(groups) * static_cast<std::size_t>(shape.group_size * shape.width);
  const Buffer result = device.allocate(lanes * real_bytes, "multiply-add results");
  Queue queue = device.make_queue();
  const double seconds = shortest_seconds(queue, [&] {
    kernel.launch(queue, static_cast<std::uint32_t>(groups), {0.999, 0.001, &result});
  });
  return 2.0 * chains * static_cast<double>(rounds) * static_cast<double>(lanes) / seconds;
}

void measure_launches(const Device& device, Cache* cache, DeviceLimits& limits) {
  KernelSpec spec;
  spec.name = "empty";
  spec.source_name = "empty.kernel.h";
  spec.source = "${signature} {}\n";
  spec.precision = Precision::single_precision;
  const Kernel kernel = build(device, spec, cache);
  Queue queue = device.make_queue();
  const auto run = [&](int launches) {
    const auto start = Clock::now();
    for (int i = 0; i < launches; ++i) kernel.launch(queue, 1, {});
    queue.finish();
    return seconds_since(start) / launches;
  };
  run(100);
  limits.launch_s = limits.round_trip_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) limits.launch_s = std::min(limits.launch_s, run(2000));
  for (int i = 0; i < 100; ++i) limits.round_trip_s = std::min(limits.round_trip_s, run(1));
}

/// As C's %a: exactly what was measured.
std::string record_of(const DeviceLimits& limits) {
  return fmt::format("copy_bytes_per_s {:a}\nlaunch_s {:a}\nround_trip_s {:a}\nsingle_flops_per_s {:a}\ndouble_flops_per_s {:a}\n",
                     limits.copy_bytes_per_s, limits.launch_s, limits.round_trip_s, limits.single_flops_per_s, limits.double_flops_per_s);
}

bool read_record(const std::string& text, DeviceLimits& limits) {
  return std::sscanf(text.c_str(), "copy_bytes_per_s %la launch_s %la round_trip_s %la single_flops_per_s %la double_flops_per_s %la",
                     &limits.copy_bytes_per_s, &limits.launch_s, &limits.round_trip_s, &limits.single_flops_per_s,
                     &limits.double_flops_per_s) == 5;
}

}  // namespace

double measure_copy_bandwidth(const Device& device, Cache* cache) {
  const DeviceFacts& facts = device.facts();
  Shape shape = facts.is_cpu ? cpu_shape : gpu_shape;
  while (shape.bytes > facts.global_bytes / 8 && shape.bytes > mebibyte) shape.bytes /= 2;
  const std::size_t real_bytes = facts.has_double ? 8 : 4;
  KernelSpec spec =
      spec_of("copy.kernel.h", "copy_buffer", shape, facts.has_double ? Precision::double_precision : Precision::single_precision);
  spec.constants["RUNS"] = std::int64_t{shape.runs};
  spec.arguments = {{"source", ArgumentType::real_buffer, Intent::in, "[items]"},
                    {"target", ArgumentType::real_buffer, Intent::out, "[items]"}};
  const Kernel kernel = build(device, spec, cache);
  Queue queue = device.make_queue();
  Buffer source = device.allocate(shape.bytes, "copy source"), target = device.allocate(shape.bytes, "copy target");
  queue.fill_zero(source);
  const std::size_t group_bytes = real_bytes * static_cast<std::size_t>(shape.width * shape.group_size * shape.runs * run_length);
  const auto groups = static_cast<std::uint32_t>(shape.bytes / group_bytes);
  return 2.0 * static_cast<double>(shape.bytes) / shortest_seconds(queue, [&] { kernel.launch(queue, groups, {&source, &target}); });
}

DeviceLimits measure_device_limits(const Device& device, Cache* cache) {
  DeviceLimits limits;
  limits.copy_bytes_per_s = measure_copy_bandwidth(device, cache);
  measure_launches(device, cache, limits);
  limits.single_flops_per_s = flops_per_second(device, Precision::single_precision, cache);
  if (device.facts().has_double) limits.double_flops_per_s = flops_per_second(device, Precision::double_precision, cache);
  return limits;
}

DeviceLimits device_limits(const Device& device, Cache& cache) {
  const DeviceFacts& facts = device.facts();
  const std::string key = Cache::key({{"record", "device limits 1"},
                                      {"backend", facts.backend},
                                      {"device", facts.name},
                                      {"units", std::to_string(facts.compute_units)},
                                      {"driver", facts.driver_version}});
  DeviceLimits limits;
  if (const auto record = cache.find(key); record && read_record(*record, limits)) return limits;
  limits = measure_device_limits(device, &cache);
  cache.store(key, record_of(limits));
  return limits;
}

}  // namespace dgsolve::codegen
