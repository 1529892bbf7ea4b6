// Scans on every device and in both styles: against the host, for sizes around every tile, segments, structures, in place, faults.
#include "codegen/arrays/scan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "codegen/errors.h"
#include "tests/codegen/arrays/algorithm_types.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class ScanOnDevice : public EveryDevice {
 protected:
  /// PoCL takes seconds to compile the kernel for groups: on CPUs most tests leave it out.
  std::vector<WorkStyle> styles() const {
    return device_.facts().is_cpu ? std::vector{WorkStyle::items} : std::vector{WorkStyle::groups, WorkStyle::items};
  }
  Context context_{device_};
};

std::vector<std::int32_t> random_integers(std::int64_t count, std::int32_t most) {
  std::mt19937 generator(7);
  std::uniform_int_distribution<std::int32_t> uniform(-most, most);
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::int32_t& value : values) value = uniform(generator);
  return values;
}

/// Sizes around one tile of `lanes` runs, the blocks and windows of as many tiles, and CPU chunks.
std::vector<std::int64_t> sizes_around(std::int64_t lanes, std::int64_t run) {
  const std::int64_t tile = lanes * run, block = lanes * tile;
  return {0,        1,    2,        255,      256,   257,       4095,      4096,          4097,
          tile - 1, tile, tile + 1, 3 * tile, block, block + 1, 2 * block, 2 * block + 1, 3 * block + tile + 3};
}

TEST_P(ScanOnDevice, inclusive_and_exclusive_sums_of_integers) {
  for (const WorkStyle style : styles()) {
    const ScanKernel sums(context_, "const int* x, int* including, int* excluding",
                          {"int", "x[i]", "a + b", "0", "including[i] = item;\nexcluding[i] = prev_item"},
                          {.name = "sums", .style = style});
    for (const std::int64_t count : sizes_around(256, 16)) {
      const auto x = random_integers(count, 1000);
      const Array<std::int32_t> including(context_, count), excluding(context_, count);
      sums({to_device(context_, x), including, excluding}, count);
      std::vector<std::int32_t> expected(x.size());
      std::partial_sum(x.begin(), x.end(), expected.begin());
      EXPECT_TRUE(including.to_host() == expected) << count;
      std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
      EXPECT_TRUE(excluding.to_host() == expected) << count;
    }
  }
}

TEST_P(ScanOnDevice, sums_of_doubles_have_the_same_bits_every_time_and_stay_close) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  for (const WorkStyle style : styles()) {
    const ScanKernel sums(context_, "const double* x, double* y", {"double", "x[i]", "a + b", "0", "y[i] = item"},
                          {.name = "double_sums", .style = style});
    const std::int64_t count = 1'000'007;
    std::vector<double> x(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i)) + 0.5;
    const Array<double> x_array = to_device(context_, x), y(context_, count);
    sums({x_array, y}, count);
    const std::vector<double> first = y.to_host();
    double sum = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::fabs(first[i] - (sum += x[i])));
    EXPECT_LT(worst, 1e-7);
    for (int again = 0; again < 3; ++again) {
      sums({x_array, y}, count);
      const std::vector<double> found = y.to_host();
      EXPECT_EQ(std::memcmp(found.data(), first.data(), found.size() * sizeof(double)), 0);
    }
  }
}

TEST_P(ScanOnDevice, segments_of_every_length) {
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const ScanKernel sums(context_, "const int64* x, const byte* starts, int64* including, int64* excluding",
                          {"int64", "x[i]", "a + b", "0", "including[i] = item; excluding[i] = prev_item;", "starts[i]"},
                          {.name = "segmented", .style = style});
    const std::int64_t count = 256 * 7 * 258 + 3;  // more tiles than fit a window
    std::vector<std::int64_t> x(static_cast<std::size_t>(count));
    std::iota(x.begin(), x.end(), std::int64_t{1} << 33);
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1793}, std::int64_t{400'000}, count}) {
      std::vector<std::uint8_t> starts(x.size());
      for (std::int64_t i = length == count ? count : length / 2; i < count; i += length) starts[static_cast<std::size_t>(i)] = 1;
      const Array<std::int64_t> including(context_, count), excluding(context_, count);
      sums({to_device(context_, x), to_device(context_, starts), including, excluding}, count);
      const auto found = including.to_host(), found_excluding = excluding.to_host();
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (starts[i] != 0) sum = 0;
        ASSERT_EQ(found_excluding[i], sum) << i << " of segments of " << length;
        ASSERT_EQ(found[i], sum += x[i]) << i << " of segments of " << length;
      }
    }
  }
}

TEST_P(ScanOnDevice, structures_and_operators_that_do_not_commute) {
  for (const WorkStyle style : styles()) {
    const ScanKernel compose(context_, "const affine* maps, affine* composed",
                             {"affine", "maps[i]", "compose(a, b)", "identity()", "composed[i] = item"},
                             {.name = "composition", .preamble = affine_functions, .structures = {affine_type()}, .style = style});
    for (const std::int64_t count : sizes_around(160, 16)) {
      const std::vector<Affine> maps = random_affine_maps(count);
      std::vector<Affine> expected = maps;
      for (std::size_t i = 1; i < maps.size(); ++i) expected[i] = composition(expected[i - 1], maps[i]);
      const Array<Affine> composed(context_, count);
      compose({to_device(context_, maps), composed}, count);
      EXPECT_TRUE(composed.to_host() == expected) << count;
    }
  }
}

TEST_P(ScanOnDevice, structures_of_every_size) {
  for (const WorkStyle style : styles()) {
    for (const int words : {3, 7, 13, 33}) {
      const ElementType type{fmt::format("words{}", words), 4 * static_cast<std::size_t>(words), ElementKind::structure,
                             fmt::format("typedef struct {{ uint32 w[{0}]; }} words{0};", words)};
      const std::string functions = fmt::format(
          "INLINE {0} sum({0} a, {0} b) {{ for (int k = 0; k < {1}; ++k) a.w[k] += b.w[k]; return a; }}\n"
          "INLINE {0} multiples(uint32 value) {{ {0} r; for (int k = 0; k < {1}; ++k) r.w[k] = value * (k + 1); return r; }}",
          type.name, words);
      const ScanKernel sums(context_, "uint32* first, uint32* last",
                            {type.name, "multiples((uint32)i)", "sum(a, b)", "multiples(0)",
                             fmt::format("first[i] = item.w[0]; last[i] = prev_item.w[{}]", words - 1)},
                            {.name = "sums_of_" + type.name, .preamble = functions, .structures = {type}, .style = style});
      const std::int64_t count = 40'007;
      const Array<std::uint32_t> first(context_, count), last(context_, count);
      sums({first, last}, count);
      const auto firsts = first.to_host(), lasts = last.to_host();
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(firsts[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(i * (i + 1) / 2)) << i << " of " << words;
        ASSERT_EQ(lasts[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(words * (i * (i - 1) / 2))) << i << " of " << words;
      }
    }
  }
}

TEST_P(ScanOnDevice, the_last_item_is_known_to_all_and_scans_work_in_place) {
  for (const WorkStyle style : styles()) {
    const ScanKernel remaining(context_, "uint32* x, uint32 scale", {"uint32", "x[i]", "a + b", "0", "x[i] = scale * (last_item - item)"},
                               {.name = "remaining", .style = style});
    for (const std::int64_t count : {1, 300, 5889, 100'003}) {
      const Array<std::uint32_t> x = to_device(context_, std::vector<std::uint32_t>(static_cast<std::size_t>(count), 3));
      remaining({x, std::uint32_t{2}}, count);
      const auto found = x.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 6 * (found.size() - 1 - i)) << i << " of " << count;
    }
  }
}

TEST_P(ScanOnDevice, a_running_maximum_of_bytes_and_a_scan_without_arrays_of_input) {
  for (const WorkStyle style : styles()) {
    const ScanKernel maximum(context_, "byte* y",
                             {"byte", "(byte)((i * 7919) % 251 < i / 50 ? i / 50 : 0)", "a > b ? a : b", "0", "y[i] = item"},
                             {.name = "maximum", .style = style});
    const std::int64_t count = 12'000;
    const Array<std::uint8_t> y(context_, count);
    maximum({y}, count);
    const auto found = y.to_host();
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      most = std::max(most, (i * 7919) % 251 < i / 50 ? i / 50 : 0);
      ASSERT_EQ(found[static_cast<std::size_t>(i)], most) << i;
    }
  }
}

TEST_P(ScanOnDevice, arguments_may_have_any_name) {
  const char* names = "int* lane, int step, int begin, int place, int own, int k, int before, int left, int result, int previous, int sum";
  for (const WorkStyle style : styles()) {
    const ScanKernel scan(
        context_, names,
        {"int", "lane[i] - step", "a + b", "0", "lane[i] = item + begin + place + own + k + before + left + result + previous + sum"},
        {.name = "names", .style = style});
    const Array<std::int32_t> twos = to_device(context_, std::vector<std::int32_t>(6000, 2));
    scan({twos, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 6000);
    const auto found = twos.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<std::int32_t>(i) + 10) << i;
  }
}

TEST_P(ScanOnDevice, faults_of_texts_name_the_text) {
  const auto failure = [&](const Scan& scan, std::string_view arguments = "const int* x, int* y") {
    try {
      const ScanKernel kernel(context_, arguments, scan, {.name = "wrong"});
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(failure({"int", "x[i] + z", "a + b", "0", "y[i] = item"}), HasSubstr("wrong.input:1: error:"));
  EXPECT_THAT(failure({"int", "x[i]", "a +\n b c", "0", "y[i] = item"}), HasSubstr("wrong.scan:2: error:"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "0", "\n\ny[i] = itme"}), HasSubstr("wrong.output:3: error:"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "0", "y[i] = item", "flags[i]"}), HasSubstr("wrong.segment_start:1: error:"));
  EXPECT_THAT(failure({"intt", "x[i]", "a + b", "0", "y[i] = item"}), HasSubstr("did you mean 'int'"));
  EXPECT_THAT(failure({"int", "x[i]", "a + b", "0", "y[i] = item"}, "int* item"), HasSubstr("an argument may not be called 'item'"));
}

TEST(ScanOffline, compiles_for_an_architecture_without_a_device) {
  const Scan sums{"double", "x[i]", "a + b", "0", "y[i] = item", "starts[i]"};
  const KernelSpec spec =
      scan_spec("const double* x, const byte* starts, double* y", sums, {.name = "offline", .style = WorkStyle::groups});
  try {
    EXPECT_THAT(compile_cuda_offline(render(spec, "cuda"), "sm_90"), HasSubstr("offline_scan"));
  } catch (const CompileError&) {
    throw;
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ScanOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
