// Times of NVIDIA's CUB: reduction, scan and radix sort. Compile with -DCUB_BENCHMARK_MAIN for a program of its own.
#include "cub_benchmark.h"

#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <stdexcept>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct Memory {
  explicit Memory(std::size_t bytes) {
    check(cudaMalloc(&data, bytes));
    check(cudaMemset(data, 0, bytes));
  }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  void* data = nullptr;
};

/// Median of the seconds of `run`, after `prepare`, which is not timed.
double seconds_of(int batch, const std::function<void()>& prepare, const std::function<void(int)>& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int k = 0; k < 10; ++k) {
    prepare();
    check(cudaEventRecord(begin));
    for (int number = 0; number < batch; ++number) run(number);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (k > 0) times.push_back(milliseconds / static_cast<float>(batch));
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4] * 1e-3;
}

constexpr std::size_t megabyte = 1000000, largest = 512 * megabyte;

template <class T>
void sums(std::vector<CubTime>& rows, const char* type, std::size_t bytes, const Memory& source, const Memory& target) {
  const auto count = static_cast<std::int64_t>(bytes / sizeof(T));
  const int parts = static_cast<int>(largest / bytes), batch = 2 * parts;
  std::size_t scratch_bytes = 0, scan_bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, scratch_bytes, source.as<T>(), target.as<T>(), count));
  check(cub::DeviceScan::InclusiveSum(nullptr, scan_bytes, source.as<T>(), target.as<T>(), count));
  const Memory scratch(std::max(scratch_bytes, scan_bytes));
  const auto name = [&](const char* what) { return std::string(what) + type + ", " + std::to_string(bytes / megabyte) + " MB"; };
  rows.push_back({name("sum of "), seconds_of(batch, [] {}, [&](int number) {
                    const std::int64_t first = number % parts * count;
                    check(cub::DeviceReduce::Sum(scratch.data, scratch_bytes, source.as<T>() + first, target.as<T>(), count));
                  })});
  rows.push_back({name("inclusive scan of "), seconds_of(batch, [] {}, [&](int number) {
                    const std::int64_t first = number % parts * count;
                    check(cub::DeviceScan::InclusiveSum(scratch.data, scan_bytes, source.as<T>() + first, target.as<T>() + first, count));
                  })});
}

void sorts(std::vector<CubTime>& rows, std::int64_t count, bool has_values) {
  std::vector<std::uint32_t> random(static_cast<std::size_t>(count));
  std::mt19937_64 generator(1);
  for (std::uint32_t& key : random) key = static_cast<std::uint32_t>(generator());
  const std::size_t bytes = random.size() * sizeof(std::uint32_t);
  const Memory source(bytes), keys(bytes), other_keys(bytes), values(bytes), other_values(bytes);
  check(cudaMemcpy(source.data, random.data(), bytes, cudaMemcpyHostToDevice));
  cub::DoubleBuffer<std::uint32_t> key_pair(keys.as<std::uint32_t>(), other_keys.as<std::uint32_t>());
  cub::DoubleBuffer<std::uint32_t> value_pair(values.as<std::uint32_t>(), other_values.as<std::uint32_t>());
  const auto sort = [&](void* scratch, std::size_t& scratch_bytes) {
    check(has_values ? cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, key_pair, value_pair, count)
                     : cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, key_pair, count));
  };
  std::size_t scratch_bytes = 0;
  sort(nullptr, scratch_bytes);
  const Memory scratch(scratch_bytes);
  const double seconds = seconds_of(
      1, [&] { check(cudaMemcpy(key_pair.Current(), source.data, bytes, cudaMemcpyDeviceToDevice)); },
      [&](int) { sort(scratch.data, scratch_bytes); });
  rows.push_back({"sort of " + std::to_string(count) + " uint32" + (has_values ? ", values of 4 bytes" : ""), seconds});
}

}  // namespace

std::vector<CubTime> cub_times() {
  std::vector<CubTime> rows;
  {
    const Memory source(largest), target(largest);
    for (const std::size_t bytes : {64 * megabyte, 512 * megabyte}) {
      sums<std::int32_t>(rows, "int", bytes, source, target);
      sums<std::int64_t>(rows, "int64", bytes, source, target);
      sums<float>(rows, "float", bytes, source, target);
      sums<double>(rows, "double", bytes, source, target);
    }
  }
  sorts(rows, 100000000, false);
  sorts(rows, 10000000, true);
  return rows;
}

#ifdef CUB_BENCHMARK_MAIN
int main() {
  try {
    for (const CubTime& row : cub_times()) std::printf("CUB: %-40s%12.1f us\n", row.what.c_str(), row.seconds * 1e6);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
#endif
