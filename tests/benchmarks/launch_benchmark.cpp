// Time of a launch on the host, of graphs, events and pooled buffers, and the device's limits.
// Usage: launch_benchmark [device]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <vector>

#include "codegen/backends/cuda/cuda_api.h"
#include "codegen/device_limits.h"
#include "codegen/graph.h"
#include "codegen/kernel.h"
#include "codegen/memory_pool.h"
#include "codegen/profile.h"

namespace dgsolve::codegen {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A kernel of one work-item with so many buffers and reals that does almost nothing.
KernelSpec spec_with(int buffers, int reals) {
  KernelSpec spec;
  spec.name = fmt::format("nothing_{}_{}", buffers, reals);
  spec.source_name = "nothing.kernel.h";
  spec.source = "${signature} {}\n";
  spec.precision = Precision::single_precision;
  for (int i = 0; i < buffers; ++i) spec.arguments.push_back({fmt::format("b{}", i), ArgumentType::real_buffer, Intent::in_out, ""});
  for (int i = 0; i < reals; ++i) spec.arguments.push_back({fmt::format("r{}", i), ArgumentType::real, Intent::in, ""});
  return spec;
}

struct Times {
  double host = 0, total = 0;  ///< seconds of one action until the call returns, and until the device is done
};

/// Medians over batches of `batch` actions; the device is warm.
Times time_of(Queue& queue, int batch, const std::function<void()>& action) {
  constexpr std::size_t batches = 21;
  std::vector<double> host, total;
  for (std::size_t b = 0; b < batches + 2; ++b) {
    queue.finish();
    const auto start = Clock::now();
    for (int i = 0; i < batch; ++i) action();
    host.push_back(seconds_since(start) / batch);
    queue.finish();
    total.push_back(seconds_since(start) / batch);
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  return {median(host), median(total)};
}

void print_row(const std::string& name, const Times& times) {
  fmt::print("{:<44}{:>10.3f}{:>10.3f}\n", name, times.host * 1e6, times.total * 1e6);
}

/// The driver's own call on the same queue, for the kernel of two buffers and two reals: what no launch is faster than.
void print_driver_row(const Device& device, Queue& queue, const Buffer& first, const Buffer& second) {
  namespace cuda = backends::cuda;
  const auto [api, reason] = cuda::open_driver();
  const std::string image = compile_cuda_offline(render(spec_with(2, 2), "cuda"), device.facts().architecture);
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  check(*api, api->ctx_set_current(reinterpret_cast<cuda::Context>(device.native_handle())), "cuCtxSetCurrent");
  check(*api, api->module_load_data_ex(&module, image.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
  check(*api, api->module_get_function(&function, module, "nothing_2_2"), "cuModuleGetFunction");
  const auto stream = reinterpret_cast<cuda::Stream>(queue.native_handle());
  std::array<cuda::DevicePointer, 2> buffers{first.native_handle(), second.native_handle()};
  std::array<float, 2> reals{1.5F, 1.5F};
  std::array<void*, 4> arguments{buffers.data(), buffers.data() + 1, reals.data(), reals.data() + 1};
  print_row("cuLaunchKernel alone", time_of(queue, 500, [&] {
              check(*api, api->launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr), "cuLaunchKernel");
            }));
  check(*api, api->module_unload(module), "cuModuleUnload");
}

void run(const Device& device) {
  Cache cache(Cache::default_options());
  Queue queue = device.make_queue();
  fmt::print("{} ({})\n{:<44}{:>10}{:>10}\n", device.facts().name, device.facts().selector, "microseconds of one", "host", "all");
  std::vector<Buffer> buffers;
  for (int i = 0; i < 16; ++i) buffers.push_back(device.allocate(1024, "argument"));
  for (const auto& [buffer_count, real_count] : {std::pair(0, 0), std::pair(2, 2), std::pair(8, 4), std::pair(16, 8)}) {
    const KernelSpec spec = spec_with(buffer_count, real_count);
    const Kernel kernel = build_kernels(device, std::span(&spec, 1), &cache).front();
    std::vector<KernelArgument> arguments;
    for (int i = 0; i < buffer_count; ++i) arguments.emplace_back(&buffers[static_cast<std::size_t>(i)]);
    for (int i = 0; i < real_count; ++i) arguments.emplace_back(1.5);
    const auto launch = [&] { kernel.launch(queue, {1, 1, 1}, arguments); };
    print_row(fmt::format("launch, {} buffers and {} reals", buffer_count, real_count), time_of(queue, 500, launch));
    if (buffer_count != 2) continue;
    if (device.facts().backend == "cuda") print_driver_row(device, queue, buffers[0], buffers[1]);
    start_profile(queue);
    print_row("the same on a profiled queue", time_of(queue, 100, launch));
    (void)stop_profile(queue);
    constexpr int nodes = 100;
    const Graph graph = capture_graph(queue, [&] {
      for (int i = 0; i < nodes; ++i) launch();
    });
    const Times all = time_of(queue, 5, [&] { graph.launch(queue); });
    print_row(fmt::format("the same in a graph of {}{}", nodes, graph.is_driver_graph() ? "" : " (replayed)"),
              {all.host / nodes, all.total / nodes});
  }
  print_row("event", time_of(queue, 500, [&] { (void)queue.record(); }));
  MemoryPool pool(device, queue);
  print_row("pooled buffer, made and destroyed", time_of(queue, 500, [&] { (void)pool.allocate(100'000, "temporary"); }));
  print_row("plain buffer, made and destroyed", time_of(queue, 20, [&] { (void)device.allocate(100'000, "temporary"); }));

  const DeviceLimits limits = measure_device_limits(device, &cache);
  fmt::print(
      "copy kernel {:.1f} GB/s, {:.0f} GFLOP/s single, {:.0f} GFLOP/s double, {:.2f} us from launch to launch, {:.2f} us to wait for one\n",
      limits.copy_bytes_per_s * 1e-9, limits.single_flops_per_s * 1e-9, limits.double_flops_per_s * 1e-9, limits.launch_s * 1e6,
      limits.round_trip_s * 1e6);
}

}  // namespace
}  // namespace dgsolve::codegen

int main(int argc, char** argv) {
  try {
    dgsolve::codegen::run(dgsolve::codegen::select_device(argc > 1 ? argv[1] : "auto"));
  } catch (const std::exception& error) {
    fmt::print(stderr, "launch_benchmark: {}\n", error.what());
    return 1;
  }
  return 0;
}
