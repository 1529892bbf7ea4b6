// Large pages under the buffers of CPU devices: where kernels see them, what is in them, when they go.
#include "codegen/backends/opencl/large_pages.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/cache.h"
#include "codegen/memory_pool.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

using backends::large_page_bytes;
using backends::least_bytes_on_large_pages;

TEST(LargePages, are_asked_for_where_the_system_has_them) {
  const TemporaryFolder folder;
  const std::filesystem::path setting = folder.path() / "enabled";
  const auto offered = [&](const char* text) {
    std::ofstream(setting) << text << "\n";
    return backends::large_pages_offered(setting);
  };
  EXPECT_TRUE(offered("always [madvise] never"));
  EXPECT_TRUE(offered("[always] madvise never"));
  EXPECT_FALSE(offered("always madvise [never]"));
  EXPECT_FALSE(offered(""));
  EXPECT_FALSE(backends::large_pages_offered(folder.path() / "not there"));
}

/// What /proc/self/smaps says of the mapping that holds an address.
std::string mapping_of(std::uintptr_t address) {
  std::ifstream file("/proc/self/smaps");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    unsigned long low = 0, high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) inside = low <= address && address < high;
    if (inside) text += line + "\n";
  }
  return text;
}

std::size_t virtual_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(LargePages, begin_at_a_large_page_hold_what_was_asked_for_and_go) {
  std::uintptr_t address = 0;
  for (const std::size_t bytes : {least_bytes_on_large_pages, least_bytes_on_large_pages + 1, 5 * large_page_bytes - 128}) {
    const auto pages = backends::LargePages::take(bytes);
    ASSERT_NE(pages, nullptr);
    address = reinterpret_cast<std::uintptr_t>(pages->begin());
    EXPECT_EQ(address % large_page_bytes, 0u);
    EXPECT_THAT(mapping_of(address), testing::ContainsRegex("Rss: +0 kB")) << "nothing has been touched";
    auto* const values = static_cast<unsigned char*>(pages->begin());
    values[0] = values[bytes - 1] = 7;
    if (backends::large_pages_offered()) {
      EXPECT_THAT(mapping_of(address), testing::ContainsRegex("VmFlags:.* hg"));
    }
  }
  EXPECT_EQ(mapping_of(address), "");
}

TEST(LargePages, that_do_not_exist_are_none) {
  EXPECT_EQ(backends::LargePages::take(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(backends::LargePages::take(std::numeric_limits<std::size_t>::max()), nullptr);
}

class LargePagesOnDevice : public EveryDevice {
 protected:
  void SetUp() override {
    if (device_.facts().backend != "opencl" || !device_.facts().is_cpu)
      GTEST_SKIP() << device_.facts().selector << " is not the host's processors";
    if (!static_cast<backends::OpenClDevice&>(device_.backend()).uses_large_pages()) GTEST_SKIP() << "the system has no large pages";
  }

  /// Where a kernel sees the buffer, in whose second int it leaves 41.
  std::uintptr_t address_in_kernel(Buffer& buffer) {
    KernelSpec spec;
    spec.name = spec.source_name = "where";
    spec.source = "${signature} { address[0] = (int64)(numbers); numbers[1] = 41; }\n";
    spec.arguments = {{"numbers", ArgumentType::int32_buffer, Intent::in_out, ""},
                      {"address", ArgumentType::typed_buffer, Intent::out, "", "int64", sizeof(std::int64_t)}};
    Buffer address = device_.allocate(sizeof(std::int64_t), "address");
    const Kernel kernel = build_kernels(device_, std::span(&spec, 1), nullptr).front();
    kernel.launch(queue_, 1, {&buffer, &address});
    return static_cast<std::uintptr_t>(values_of<std::int64_t>(address).front());
  }
};

TEST_P(LargePagesOnDevice, kernels_work_in_place_on_pages_of_buffers_from_4_megabytes_on) {
  for (const std::size_t bytes : {least_bytes_on_large_pages, least_bytes_on_large_pages + 4, 7 * large_page_bytes}) {
    Buffer buffer = device_.allocate(bytes, "large");
    const std::uintptr_t address = address_in_kernel(buffer);
    EXPECT_EQ(address % large_page_bytes, 0u);
    EXPECT_EQ(reinterpret_cast<const volatile int*>(address)[1], 41) << "the driver moved the values elsewhere";
    EXPECT_THAT(mapping_of(address), testing::ContainsRegex("VmFlags:.* hg"));
  }
  Buffer small = device_.allocate(least_bytes_on_large_pages - 128, "small");
  EXPECT_THAT(mapping_of(address_in_kernel(small)), testing::Not(testing::ContainsRegex("VmFlags:.* hg")));
}

TEST_P(LargePagesOnDevice, transfers_copies_and_zeros_reach_exactly_their_range) {
  const std::size_t count = least_bytes_on_large_pages / sizeof(int) + 33;
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  Buffer source = buffer_with(values, "source"), target = buffer_with(std::vector<int>(count, -1), "target");
  Buffer small = buffer_with(std::vector<int>{1, 2, 3}, "small");
  EXPECT_EQ(values_of<int>(source), values);
  queue_.upload<int>(source, std::vector<int>{-5, -6}, count - 2);
  queue_.copy(small, target, 3 * sizeof(int));
  std::vector<int> found = values_of<int>(target);
  EXPECT_EQ(found[2], 3);
  EXPECT_EQ(found[3], -1);
  queue_.copy(source, target, (count - 1) * sizeof(int));
  queue_.fill_zero(source);
  found = values_of<int>(target);
  EXPECT_EQ(found[count - 3], static_cast<int>(count) - 3);
  EXPECT_EQ(found[count - 2], -5);
  EXPECT_EQ(found[count - 1], -1);
  EXPECT_EQ(values_of<int>(source), std::vector<int>(count, 0));
  queue_.copy(target, small, 2 * sizeof(int));
  EXPECT_EQ(values_of<int>(small), (std::vector<int>{0, 1, 3}));
}

TEST_P(LargePagesOnDevice, a_buffer_may_go_before_the_work_that_uses_it_and_its_memory_goes_after) {
  const std::size_t bytes = std::size_t{16} << 20, count = bytes / sizeof(int);
  Buffer result = device_.allocate(bytes, "result");
  std::vector<int> host(count), found(count);  // allocated once: the address sanitizer keeps what is freed for a while
  queue_.finish();
  const std::size_t before = virtual_bytes();
  for (int round = 0; round < 40; ++round) {
    std::fill(host.begin(), host.end(), round);
    Buffer first = device_.allocate(bytes, "first");
    queue_.upload(first, std::span<const int>(host));
    std::optional<Buffer> last = device_.allocate(bytes, "last");
    queue_.copy(first, *last, bytes);
    queue_.copy(*last, result, bytes);
    last.reset();
    if (round % 8 == 7) {
      queue_.download(result, std::span<int>(found));
      EXPECT_EQ(found, host);
    }
  }
  queue_.finish();
  EXPECT_LT(virtual_bytes(), before + 10 * bytes) << "of 80 buffers";
}

TEST_P(LargePagesOnDevice, pools_count_blocks_and_give_them_out_again) {
  MemoryPool pool(device_, queue_);
  const std::size_t bytes = 5 * large_page_bytes + 1000;
  std::optional<Buffer> first = pool.allocate(bytes, "first");
  const std::uintptr_t address = address_in_kernel(*first);
  EXPECT_EQ(address % large_page_bytes, 0u);
  EXPECT_EQ(pool.statistics().active_bytes, pool_bin(bytes));
  first.reset();
  EXPECT_EQ(pool.statistics().held_bytes, pool_bin(bytes));
  Buffer second = pool.allocate(bytes, "second");
  EXPECT_EQ(address_in_kernel(second), address);
}

INSTANTIATE_TEST_SUITE_P(Devices, LargePagesOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
