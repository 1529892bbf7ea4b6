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
#include "codegen/cache.h"

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
      reduction<double>(bytes);
      reduction<float>(bytes);
      scan<std::int32_t>(bytes);
      scan<std::int64_t>(bytes);
      scan<float>(bytes);
      scan<double>(bytes);
    }
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
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
