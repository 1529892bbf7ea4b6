// Rates of reductions, scans and sorts on one device, by its events, as shares of the copy bandwidth measured beside them.
// Usage: algorithms_benchmark [device]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <vector>

#include "codegen/arrays/reduction.h"
#include "codegen/arrays/scan.h"
#include "codegen/arrays/sort.h"
#include "codegen/cache.h"

#ifdef DGSOLVE_CUB_BENCHMARK
#include "tests/benchmarks/cub_benchmark.h"
#endif

namespace dgsolve::codegen {
namespace {

/// Median over batches of the seconds of one of `run(0)`, `run(1)`, ...; the device is warm.
double seconds_of(Queue& queue, int batches, int batch, const std::function<void(int)>& run) {
  std::vector<double> seconds;
  int number = 0;
  for (int b = -1; b < batches; ++b) {
    const Event begin = queue.record();
    for (int k = 0; k < batch; ++k) run(number++);
    const Event end = queue.record();
    if (b >= 0) seconds.push_back(end.seconds_since(begin) / batch);
  }
  std::nth_element(seconds.begin(), seconds.begin() + batches / 2, seconds.end());
  return seconds[static_cast<std::size_t>(batches / 2)];
}

class Benchmark {
 public:
  explicit Benchmark(const Context& context) : context_(context) {
    is_cpu_ = context.device().facts().is_cpu;
    largest_bytes_ = is_cpu_ ? megabyte * 64 : megabyte * 512;
    source_ = Array<std::uint8_t>(context, largest_bytes_, "source");
    target_ = Array<std::uint8_t>(context, largest_bytes_, "target");
    context.queue().fill_zero(source_.buffer());
    context.queue().fill_zero(target_.buffer());
    const auto bytes = static_cast<std::size_t>(largest_bytes_);
    const double seconds =
        seconds_of(context.queue(), 9, 5, [&](int) { context_.queue().copy(source_.buffer(), target_.buffer(), bytes); });
    copy_rate_ = 2 * static_cast<double>(bytes) / seconds;
    fmt::print("{} ({}): copy of {} MB at {:.0f} GB/s\n{:<34}{:>10}{:>12}{:>10}{:>8}\n", context.device().facts().name,
               context.device().facts().selector, largest_bytes_ / megabyte, copy_rate_ * 1e-9, "", "MB", "us", "GB/s", "share");
  }

  void run() {
    for (const std::int64_t bytes : {megabyte * 64, megabyte * 512}) {
      if (bytes > largest_bytes_) continue;
      print("copy by the driver", bytes, 2 * static_cast<double>(bytes), seconds_of(context_.queue(), 9, batch(bytes), [&](int) {
              context_.queue().copy(source_.buffer(), target_.buffer(), static_cast<std::size_t>(bytes));
            }));
      reduction<double>(bytes);
      reduction<float>(bytes);
      scan<std::int32_t>(bytes);
      scan<std::int64_t>(bytes);
      scan<float>(bytes);
      scan<double>(bytes);
    }
    const std::int64_t keys = is_cpu_ ? 10'000'000 : 100'000'000;
    sorting<std::uint32_t, std::uint32_t>(keys, HasValues::no);
    sorting<std::uint64_t, std::uint32_t>(keys / 10, HasValues::no);
    sorting<std::uint32_t, std::uint32_t>(keys / 10, HasValues::yes);
    sorting<float, std::uint64_t>(keys / 10, HasValues::yes);
  }

 private:
  static constexpr std::int64_t megabyte = 1'000'000;

  /// Views of the large arrays, at another place for every number, so that no cache holds them.
  template <class T>
  Array<T> part(const Array<std::uint8_t>& whole, std::int64_t bytes, int number) const {
    const std::int64_t parts = largest_bytes_ / bytes;
    ArrayView view = whole.view();
    view.shape = Shape(bytes / static_cast<std::int64_t>(sizeof(T)));
    view.offset = number % parts * view.shape[0];
    return Array<T>(std::move(view));
  }

  void print(std::string_view what, std::int64_t bytes, double moved, double seconds) const {
    fmt::print("{:<34}{:>10}{:>12.1f}{:>10.0f}{:>7.0f}%\n", what, bytes / megabyte, seconds * 1e6, moved / seconds * 1e-9,
               100 * moved / seconds / copy_rate_);
    std::fflush(stdout);
  }

  int batch(std::int64_t bytes) const { return is_cpu_ ? 1 : static_cast<int>(largest_bytes_ * 2 / bytes); }

  template <class T>
  void reduction(std::int64_t bytes) const {
    const std::string type = element_type<T>().name;
    const ReductionKernel sum(context_, fmt::format("const {}* x", type), {{type, "x[i]", "a + b", "0"}}, {.name = "sum_" + type});
    const Array<T> result(context_, 1);
    const CustomArgument target(result);
    const double seconds = seconds_of(context_.queue(), 9, batch(bytes), [&](int number) {
      const Array<T> x = part<T>(source_, bytes, number);
      const CustomArgument argument(x);
      sum.enqueue({&argument, 1}, x.size(), {&target, 1});
    });
    print("sum of " + type, bytes, static_cast<double>(bytes), seconds);
  }

  template <class T>
  void scan(std::int64_t bytes) const {
    const std::string type = element_type<T>().name;
    const ScanKernel sums(context_, fmt::format("const {0}* x, {0}* y", type), {type, "x[i]", "a + b", "0", "y[i] = item"},
                          {.name = "sums_" + type});
    const double seconds = seconds_of(context_.queue(), 9, batch(bytes), [&](int number) {
      const Array<T> x = part<T>(source_, bytes, number), y = part<T>(target_, bytes, number);
      sums({x, y}, x.size());
    });
    print("inclusive scan of " + type, bytes, 2 * static_cast<double>(bytes), seconds);
  }

  enum class HasValues { no, yes };

  /// Random keys, copied anew before every sort.
  template <class Key, class Value>
  void sorting(std::int64_t count, HasValues has_values) const {
    std::vector<Key> random(static_cast<std::size_t>(count));
    std::mt19937_64 generator(1);
    for (Key& key : random) key = static_cast<Key>(generator());
    const Array<Key> source = to_device(context_, random);
    Array<Key> keys(context_, count);
    const Array<Value> values(context_, count);
    const bool with_values = has_values == HasValues::yes;
    const RadixSort radix_sort(context_, element_type<Key>(), with_values ? sizeof(Value) : 0);
    std::vector<double> seconds;
    for (int k = 0; k < 6; ++k) {
      context_.queue().copy(source.buffer(), keys.buffer(), random.size() * sizeof(Key));
      const Event begin = context_.queue().record();
      radix_sort.enqueue(keys, values, count);
      const Event end = context_.queue().record();
      if (k > 0) seconds.push_back(end.seconds_since(begin));
    }
    std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
    const double bytes = static_cast<double>(count) * (sizeof(Key) + (with_values ? sizeof(Value) : 0));
    fmt::print("{:<34}{:>10.0f}{:>12.1f}{:>10.2f} Gkeys/s\n",
               fmt::format("sort of {} {}{}", count, element_type<Key>().name,
                           with_values ? fmt::format(", values of {} bytes", sizeof(Value)) : std::string()),
               bytes / megabyte, seconds[2] * 1e6, static_cast<double>(count) / seconds[2] * 1e-9);
    std::fflush(stdout);
  }

  Context context_;
  bool is_cpu_ = false;
  std::int64_t largest_bytes_ = 0;
  Array<std::uint8_t> source_, target_;
  double copy_rate_ = 0;
};

}  // namespace
}  // namespace dgsolve::codegen

int main(int count, char** arguments) {
  using namespace dgsolve::codegen;
  try {
    Cache cache;
    const Context context(select_device(count > 1 ? arguments[1] : "auto"), &cache);
    Benchmark(context).run();
#ifdef DGSOLVE_CUB_BENCHMARK
    for (const CubTime& row : cub_times()) {
      fmt::print("CUB: {:<40}{:>12.1f} us\n", row.what, row.seconds * 1e6);
    }
#endif
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
