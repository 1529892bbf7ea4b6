// A matrix transpose from a template, tuned on this machine: tile, rows of a work-item, padding of the tile against bank conflicts.
#include <cstdio>

#include "codegen/cache.h"
#include "codegen/device_limits.h"
#include "codegen/template.h"
#include "codegen/tuning/tuner.h"

using namespace dgsolve::codegen;

constexpr const char* transpose_text = R"(${signature} {
  SHARED_MEMORY(real, tile, {{ tile * pitch }});
  const int x = LOCAL_ID(0), y = LOCAL_ID(1);
  const int row = GROUP_ID(1) * {{ tile }}, column = GROUP_ID(0) * {{ tile }};
{% let step = tile / rows %}
{% for r in range(0, rows) %}
  tile[(y + {{ r * step }}) * {{ pitch }} + x] = a[(int64)(row + y + {{ r * step }}) * {{ n }} + column + x];
{% endfor %}
  BARRIER();
{% for r in range(0, rows) %}
  b[(int64)(column + y + {{ r * step }}) * {{ n }} + row + x] = tile[x * {{ pitch }} + y + {{ r * step }}];
{% endfor %}
}
)";

KernelSpec transpose_spec(const TuningPoint& point, std::int64_t n) {
  const std::int64_t tile = point.at("tile"), rows = point.at("rows"), pitch = tile + point.at("padding");
  KernelSpec spec;
  spec.name = "transpose";
  spec.source_name = "transpose.kernel.h";
  spec.source = expand_template(spec.source_name, transpose_text, {{"tile", tile}, {"rows", rows}, {"pitch", pitch}, {"n", n}});
  spec.arguments = {{"a", ArgumentType::real_buffer, Intent::in, "[n][n]"}, {"b", ArgumentType::real_buffer, Intent::out, "[n][n]"}};
  spec.precision = Precision::single_precision;
  spec.group_size = {static_cast<int>(tile), static_cast<int>(tile / rows), 1};
  spec.shared_bytes = static_cast<std::size_t>(tile * pitch) * sizeof(float);
  return spec;
}

int main(int argc, char** argv) {
  Cache cache(Cache::default_options());
  const Device device = select_device(argc > 1 ? argv[1] : "auto");
  Queue queue = device.make_queue();
  const std::int64_t n = device.facts().is_cpu ? 1024 : 4096;
  std::vector<float> values(static_cast<std::size_t>(n * n)), found(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 16'777'213);
  Buffer a = device.allocate(values.size() * sizeof(float), "a"), b = device.allocate(values.size() * sizeof(float), "b");
  queue.upload<float>(a, values);

  TuningTask task;
  task.name = "transpose";
  task.reference = {{"tile", 16}, {"rows", 1}, {"padding", 0}};
  task.space.parameters = {{"tile", {16, 32, 64}}, {"rows", {1, 4, 8}}, {"padding", {0, 1}}};
  task.space.allowed = [](const TuningPoint& p) { return p.at("tile") * p.at("tile") / p.at("rows") <= 1024; };
  task.specs = [n](const TuningPoint& p) { return std::vector{transpose_spec(p, n)}; };
  task.run = [&](Queue& on, const TuningPoint& p, std::span<const Kernel> kernels) {
    const auto tiles = static_cast<std::uint32_t>(n / p.at("tile"));
    const KernelArgument arguments[] = {&a, &b};
    kernels[0].launch(on, {tiles, tiles, 1}, arguments);
  };
  task.difference = [&](Queue& on, const TuningPoint& p, std::span<const Kernel> kernels) {
    on.fill_zero(b);
    task.run(on, p, kernels);
    on.download<float>(b, found);
    double wrong = 0;
    for (std::size_t i = 0, size = static_cast<std::size_t>(n); i < found.size(); ++i)
      wrong += found[i] != values[i % size * size + i / size];
    return wrong;
  };
  task.bytes = 2.0 * static_cast<double>(a.bytes());
  const TuningResult result = tune(device, queue, task, &cache, {.sample_seconds = 2e-3});
  std::printf("%s", tuning_table(task, result, device_limits(device, cache).copy_bytes_per_s).c_str());

  const Kernel best = build_kernels(device, task.specs(result.best), &cache).front();
  const bool is_right = task.difference(queue, result.best, std::span(&best, 1)) == 0;
  std::printf("transpose on %s: %s is %.2f times as fast as the default: %s\n", device.facts().name.c_str(), describe(result.best).c_str(),
              result.gain(), is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
