// Rates of array expressions and element-wise kernels against hand-written kernels, by the device's events, as shares of the copy bandwidth
// measured beside them; and what a call costs on the host.
// Usage: arrays_benchmark [device] [megabytes of an array]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/elementwise.h"
#include "codegen/arrays/random.h"
#include "codegen/cache.h"

namespace dgsolve::codegen {
namespace {

constexpr std::int64_t megabyte = 1'000'000;
constexpr const char* hand_written_source = R"(
${signature} {
  const int64 first = ((int64)GROUP_ID(0) * ${group} + LOCAL_ID(0)) * ${run};
  const int64 last = count - first < ${run} ? count : first + ${run};
  for (int64 i = first; i < last; i += VECTOR_WIDTH) {
    const realv x = VLOAD(x0 + i), z = VLOAD(z0 + i), w = VLOAD(w0 + i), v = VLOAD(v0 + i);
    VSTORE(${value}, y0 + i);
  }
}
)";

template <class T>
class Benchmark {
 public:
  Benchmark(const Context& context, std::int64_t bytes) : context_(context), largest_bytes_(bytes) {
    is_cpu_ = context.device().facts().is_cpu;
    for (std::size_t k = 0; k < 5; ++k) {
      arrays_.push_back(random_uniform<T>(context, bytes / static_cast<std::int64_t>(sizeof(T)), {.seed = k}));
    }
    measure_copy();
  }

  void run() {
    for (const std::int64_t bytes : {megabyte * 64, megabyte * 512}) {
      if (bytes <= largest_bytes_) rates(bytes);
    }
    if (largest_bytes_ < megabyte * 64) rates(largest_bytes_);
    host_times();
  }

 private:
  using Parts = std::vector<Array<T>>;
  using Call = std::function<void(Parts&)>;

  /// Median over batches of the seconds of one call, on arrays that no cache holds.
  double seconds_of(std::int64_t bytes, const Call& call) {
    std::vector<Parts> parts;
    const std::int64_t items = bytes / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t part = 0; part < largest_bytes_ / bytes; ++part) {
      parts.emplace_back();
      for (const Array<T>& whole : arrays_) parts.back().push_back(whole.slice({part * items, (part + 1) * items}));
    }
    constexpr int batches = 9;
    const std::size_t batch = is_cpu_ ? parts.size() : 2 * std::max<std::size_t>(parts.size(), 4);
    std::vector<double> seconds;
    for (int b = -1; b < batches; ++b) {
      const Event begin = context_.queue().record();
      for (std::size_t k = 0; k < batch; ++k) call(parts[k % parts.size()]);
      const Event end = context_.queue().record();
      if (b >= 0) seconds.push_back(end.seconds_since(begin) / static_cast<double>(batch));
    }
    std::nth_element(seconds.begin(), seconds.begin() + batches / 2, seconds.end());
    return seconds[batches / 2];
  }

  void measure_copy() {
    const auto bytes = static_cast<std::size_t>(largest_bytes_);
    const double seconds =
        seconds_of(largest_bytes_, [&](Parts&) { context_.queue().copy(arrays_[1].buffer(), arrays_[0].buffer(), bytes); });
    copy_rate_ = 2 * static_cast<double>(bytes) / seconds;
    fmt::print("{} ({}), arrays of {}: copy of {} MB at {:.0f} GB/s\n{:<44}{:>8}{:>11}{:>9}{:>8}\n", context_.device().facts().name,
               context_.device().facts().selector, element_type<T>().name, largest_bytes_ / megabyte, copy_rate_ * 1e-9, "", "MB", "us",
               "GB/s", "share");
  }

  void print(std::string_view what, std::int64_t bytes, int arrays, double seconds) const {
    const double rate = static_cast<double>(arrays) * static_cast<double>(bytes) / seconds;
    fmt::print("{:<44}{:>8}{:>11.1f}{:>9.0f}{:>7.1f}%\n", what, bytes / megabyte, seconds * 1e6, rate * 1e-9, 100 * rate / copy_rate_);
    std::fflush(stdout);
  }

  /// y = `value` of x, z, w, v: vectors of 16 bytes on a GPU, long runs of vectors on a CPU.
  [[nodiscard]] Kernel hand_written(const std::string& value) const {
    KernelSpec spec;
    spec.name = "hand_written";
    spec.source_name = "hand_written.kernel.h";
    spec.source = hand_written_source;
    spec.vector_width = is_cpu_ ? 8 : static_cast<int>(16 / sizeof(T));
    run_ = is_cpu_ ? 16384 : spec.vector_width;
    group_ = is_cpu_ ? 1 : 256;
    spec.constants = {{"value", value}, {"run", run_}, {"group", group_}};
    for (const char* name : {"a", "b", "c"}) spec.arguments.push_back({name, ArgumentType::real, Intent::in, ""});
    for (const char* name : {"x0", "z0", "w0", "v0"}) spec.arguments.push_back({name, ArgumentType::real_buffer, Intent::in, "[count]"});
    spec.arguments.push_back({"y0", ArgumentType::real_buffer, Intent::out, "[count]"});
    spec.arguments.push_back({"count", ArgumentType::int64, Intent::in, ""});
    spec.precision = sizeof(T) == 4 ? Precision::single_precision : Precision::double_precision;
    spec.group_size = {static_cast<int>(group_), 1, 1};
    return build_kernels(context_.device(), std::span(&spec, 1), context_.cache()).front();
  }

  void launch(const Kernel& kernel, const Parts& p, std::int64_t count) const {
    const auto groups = static_cast<std::uint32_t>((count + run_ * group_ - 1) / (run_ * group_));
    kernel.launch(context_.queue(), groups,
                  {2.0, 3.0, 4.0, &p[1].buffer(), &p[2].buffer(), &p[3].buffer(), &p[4].buffer(), &p[0].buffer(), count});
  }

  void rates(std::int64_t bytes) {
    const std::string type = element_type<T>().name;
    const ElementwiseKernel copy(context_, fmt::format("const {0}* x, {0}* y", type), "y[i] = x[i]", "copy_items");
    const ElementwiseKernel axpy(context_, fmt::format("{0} a, const {0}* x, {0}* y", type), "y[i] = a * x[i] + y[i]", "axpy");
    const ElementwiseKernel five(context_,
                                 fmt::format("{0} a, {0} b, {0} c, const {0}* x, const {0}* z, const {0}* w, const {0}* v, {0}* y", type),
                                 "y[i] = a * x[i] + b * z[i] + c * w[i] + sin(v[i])", "five");
    print("element-wise: y = x", bytes, 2, seconds_of(bytes, [&](Parts& p) { copy(p[1], p[0]); }));
    print("expression:   y = x", bytes, 2, seconds_of(bytes, [&](Parts& p) { p[0] = p[1]; }));
    print("expression:   y = 1", bytes, 1, seconds_of(bytes, [&](Parts& p) { p[0] = 1; }));
    print("element-wise: y = a x + y", bytes, 3, seconds_of(bytes, [&](Parts& p) { axpy(2.0, p[1], p[0]); }));
    print("expression:   y = a x + y", bytes, 3, seconds_of(bytes, [&](Parts& p) { p[0] += 2.0 * p[1]; }));
    print("expression:   y = a x + b z + c w + v", bytes, 5,
          seconds_of(bytes, [&](Parts& p) { p[0] = 2.0 * p[1] + 3.0 * p[2] + 4.0 * p[3] + p[4]; }));
    print("expression:   y = a x + b z + c w + sin(v)", bytes, 5,
          seconds_of(bytes, [&](Parts& p) { p[0] = 2.0 * p[1] + 3.0 * p[2] + 4.0 * p[3] + sin(p[4]); }));
    print("element-wise: y = a x + b z + c w + sin(v)", bytes, 5,
          seconds_of(bytes, [&](Parts& p) { five(2.0, 3.0, 4.0, p[1], p[2], p[3], p[4], p[0]); }));
    const auto formulas = ElementwiseKernel::from_formulas(
        context_, fmt::format("{0} a, {0} b, {0} c, const {0}* x, const {0}* z, const {0}* w, const {0}* v, {0}* y", type),
        "y = a*x + b*z + c*w + sin(v)", "formulas");
    print("formulas:     y = a x + b z + c w + sin(v)", bytes, 5,
          seconds_of(bytes, [&](Parts& p) { formulas(2.0, 3.0, 4.0, p[1], p[2], p[3], p[4], p[0]); }));
    if (bytes == largest_bytes_) {  // the hand-written kernels know no offsets
      const std::int64_t count = arrays_[0].size() / 16 * 16;
      const Kernel plain = hand_written("REALV(a) * x + REALV(b) * z + REALV(c) * w + v");
      print("by hand:      y = a x + b z + c w + v", bytes, 5, seconds_of(bytes, [&](Parts& p) { launch(plain, p, count); }));
      const Kernel sine = hand_written("REALV(a) * x + REALV(b) * z + REALV(c) * w + sin(v)");
      print("by hand:      y = a x + b z + c w + sin(v)", bytes, 5, seconds_of(bytes, [&](Parts& p) { launch(sine, p, count); }));
    }
    const std::int64_t rows = arrays_[0].size() * bytes / largest_bytes_ / 1024;
    print("expression:   y = x + row of 1024 items", bytes, 2, seconds_of(bytes, [&](Parts& p) {
            p[0].slice({0, rows * 1024}).reshape({rows, 1024}) = p[1].slice({0, rows * 1024}).reshape({rows, 1024}) + p[2].slice({0, 1024});
          }));
    print("random uniform numbers", bytes, 1, seconds_of(bytes, [&](Parts& p) { fill_random_uniform(p[0], {}); }));
    print("random normal numbers", bytes, 1, seconds_of(bytes, [&](Parts& p) { fill_random_normal(p[0], {}); }));
  }

  /// Microseconds of a call on the host, while the queue has room.
  template <class Run>
  void host_time(std::string_view what, const Run& run) {
    double best = 1e9;
    constexpr int calls = 200;
    for (int repetition = 0; repetition < 20; ++repetition) {
      context_.queue().finish();
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < calls; ++k) run();
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls);
    }
    context_.queue().finish();
    fmt::print("{:<44}{:>8.2f}\n", what, best * 1e6);
  }

  void host_times() {
    const std::string type = element_type<T>().name;
    Parts p;
    for (std::size_t k = 0; k < 5; ++k) p.push_back(full<T>(context_, 256, T{1}));
    const ElementwiseKernel axpy(context_, fmt::format("{0} a, const {0}* x, {0}* y", type), "y[i] = a * x[i] + y[i]", "axpy");
    const Kernel plain = hand_written("REALV(a) * x + REALV(b) * z + REALV(c) * w + v");
    fmt::print("host time of a call on 256 items, us\n");
    host_time("by hand:      y = a x + b z + c w + v", [&] { launch(plain, p, 256); });
    host_time("expression:   y = a x + b z + c w + v", [&] { p[0] = 2.0 * p[1] + 3.0 * p[2] + 4.0 * p[3] + p[4]; });
    host_time("expression:   y = x", [&] { p[0] = p[1]; });
    host_time("element-wise: y = a x + y", [&] { axpy(2.0, p[1], p[0]); });
  }

  Context context_;
  std::int64_t largest_bytes_;
  bool is_cpu_ = false;
  std::vector<Array<T>> arrays_;  ///< y, x, z, w, v
  double copy_rate_ = 0;
  mutable std::int64_t run_ = 1, group_ = 1;
};

}  // namespace
}  // namespace dgsolve::codegen

int main(int count, char** arguments) {
  using namespace dgsolve::codegen;
  try {
    Cache cache;
    const Context context(select_device(count > 1 ? arguments[1] : "auto"), &cache);
    const long given = count > 2 ? std::atol(arguments[2]) : context.device().facts().is_cpu ? 64 : 512;
    if (context.device().facts().has_double) Benchmark<double>(context, given * megabyte).run();
    Benchmark<float>(context, given * megabyte).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
