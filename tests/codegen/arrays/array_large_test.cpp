// Arrays beyond 2^31 items and bytes on every device that has the memory.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "codegen/arrays/array.h"
#include "codegen/arrays/elementwise.h"
#include "codegen/arrays/random.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;

/// Bytes that can be had: of the machine for CPUs, all of a GPU's.
std::size_t free_bytes(const DeviceFacts& facts) {
  if (!facts.is_cpu) return facts.global_bytes;
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::size_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return std::min(kilobytes * 1024, facts.global_bytes);
  }
  return 0;
}

class LargeArrayOnDevice : public EveryDevice {
 protected:
  void SetUp() override {
    constexpr std::size_t needed = std::size_t{8} << 30;
    if (free_bytes(device_.facts()) < needed) GTEST_SKIP() << "less than 8 GB of memory are free";
  }
  Context context_{device_};
  static constexpr std::int64_t count_ = (std::int64_t{1} << 31) + 1003;
};

TEST_P(LargeArrayOnDevice, more_than_2_to_the_31_items) {
  Array<std::uint8_t> bytes(context_, count_);
  const ElementwiseKernel number(context_, "byte* x", "x[i] = (byte)(i + (i >> 20))", "number");
  number(bytes);
  bytes += 2;
  const auto expected = [](std::int64_t i) { return static_cast<std::uint8_t>(i + (i >> 20) + 2); };
  for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 31) - 3, count_ - 6}) {
    const std::vector<std::uint8_t> found = bytes.slice({first, first + 6}).to_host();
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], expected(first + static_cast<std::int64_t>(k))) << first << " " << k;
  }
  const Array<std::int64_t> places = to_device(context_, std::vector<std::int64_t>{count_ - 1, 5, count_});
  EXPECT_THAT(Array<std::uint8_t>(take(bytes, places)).to_host(), ElementsAre(expected(count_ - 1), expected(5), 0));
  put(bytes, places, 255);
  EXPECT_EQ(bytes.slice({-1}).to_host()[0], 255);
  const Array<std::uint8_t> far = bytes.slice({{}, {}, -(std::int64_t{1} << 30)});
  EXPECT_THAT(far.to_host(),
              ElementsAre(255, expected(count_ - 1 - (std::int64_t{1} << 30)), expected(count_ - 1 - (std::int64_t{1} << 31))));
}

TEST_P(LargeArrayOnDevice, more_than_2_to_the_31_bytes) {
  const std::int64_t count = count_ / 20 * 5;
  Array<float> x(context_, count);
  fill_random_uniform(x, {.seed = 3});
  const Array<float> end = random_uniform<float>(context_, 5, {.seed = 3, .offset = static_cast<std::uint64_t>(count - 5)});
  EXPECT_EQ(x.slice({-5}).to_host(), end.to_host());
  x.reshape({-1, 5}) = x.reshape({-1, 5}) + arange<float>(context_, 0, 5);
  EXPECT_EQ(x.slice({-1}).to_host()[0], end.to_host()[4] + 4);
}

INSTANTIATE_TEST_SUITE_P(Devices, LargeArrayOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
