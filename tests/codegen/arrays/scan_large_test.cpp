// Reductions, scans and sorts of more than 2^31 bytes; on GPUs of more than 2^31 items.
#include <gtest/gtest.h>

#include <fstream>

#include "codegen/arrays/elementwise.h"
#include "codegen/arrays/reduction.h"
#include "codegen/arrays/scan.h"
#include "codegen/arrays/sort.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;

/// Memory of the machine that programs may take; 0 if it is not known.
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::size_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

class LargeArraysOnDevice : public EveryDevice {
 protected:
  bool has_room(std::size_t bytes) const {
    return device_.facts().global_bytes >= bytes && (!device_.facts().is_cpu || available_bytes() >= bytes);
  }
  Context context_{device_};
};

TEST_P(LargeArraysOnDevice, scan_and_reduction_beyond_two_to_the_31_bytes) {
  if (!has_room(8 * gigabyte)) GTEST_SKIP() << "less than 8 GB of memory";
  const std::int64_t count = (std::int64_t{1} << 29) + 4099;
  const Array<std::uint32_t> y(context_, count);
  const ScanKernel sums(context_, "uint32* y", {"uint32", "(uint32)(i & 1)", "a + b", "0", "y[i] = item"}, {.name = "large"});
  sums({y}, count);
  const ReductionKernel wrong(context_, "const uint32* y", {{"int64", "y[i] != (uint32)((i + 1) / 2)", "a + b", "0"}}, {.name = "wrong"});
  EXPECT_EQ(wrong.run<std::int64_t>({y}, count), 0);
}

TEST_P(LargeArraysOnDevice, sort_of_more_than_two_to_the_31_keys) {
  if (device_.facts().is_cpu) GTEST_SKIP() << "takes minutes on CPUs";
  if (!has_room(40 * gigabyte)) GTEST_SKIP() << "less than 40 GB of memory";
  const std::int64_t count = (std::int64_t{1} << 31) + 12'345;
  const Array<std::uint32_t> keys(context_, count);
  const ElementwiseKernel fill(context_, "uint32* x", "x[i] = (uint32)i * 2654435761u ^ (uint32)(i >> 7)", "scrambled");
  const ReductionKernel digest(
      context_, "const uint32* x",
      {{"uint64", "(uint64)x[i] * x[i] + x[i]", "a + b", "0"}, {"int64", "i > 0 && x[i - 1] > x[i]", "a + b", "0"}}, {.name = "digest"});
  const auto digested = [&] {
    const Array<std::uint64_t> sum(context_, 1);
    const Array<std::int64_t> falls(context_, 1);
    const std::vector<CustomArgument> arguments{keys}, results{sum, falls};
    digest.enqueue(arguments, count, results);
    return std::pair(sum.to_host()[0], falls.to_host()[0]);
  };
  fill.enqueue(std::vector<CustomArgument>{keys}, count);
  const auto before = digested();
  EXPECT_GT(before.second, count / 3);
  sort(keys);
  const auto after = digested();
  EXPECT_EQ(after.first, before.first);
  EXPECT_EQ(after.second, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, LargeArraysOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
