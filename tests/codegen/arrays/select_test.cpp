// copy_if, partition and unique on every device: against the host, stable, for every size and kind of item.
#include "codegen/arrays/select.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "codegen/errors.h"
#include "tests/codegen/arrays/algorithm_types.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class SelectOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
};

std::vector<std::int32_t> mixed_values(std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 2654435761U >> 16) % 1000;
  return values;
}

const std::vector<std::int64_t> sizes{0, 1, 2, 256, 4096, 5887, 5888, 5889, 100'003};

TEST_P(SelectOnDevice, copy_if_keeps_the_order_and_counts_on_the_device) {
  for (const std::int64_t count : sizes) {
    const auto values = mixed_values(count);
    for (const std::int32_t limit : {-1, 500, 10'000}) {
      const Selection<std::int32_t> chosen =
          copy_if(to_device(context_, values), "x[i] > limit", {.arguments = "int limit", .given = {limit}});
      std::vector<std::int32_t> expected;
      std::copy_if(values.begin(), values.end(), std::back_inserter(expected), [&](std::int32_t value) { return value > limit; });
      EXPECT_EQ(chosen.count(), std::ssize(expected));
      EXPECT_TRUE(chosen.items().to_host() == expected) << count << ", " << limit;
    }
  }
}

TEST_P(SelectOnDevice, conditions_see_other_arrays_and_their_place) {
  const auto values = mixed_values(10'000);
  std::vector<std::uint8_t> flags(values.size());
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = i % 7 == 0;
  const Array<std::uint8_t> flag_array = to_device(context_, flags);
  const auto found =
      copy_if(to_device(context_, values), "flags[i] && i < item_count / 2", {.arguments = "const byte* flags", .given = {flag_array}})
          .items()
          .to_host();
  ASSERT_EQ(found.size(), 715U);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], values[7 * k]);
}

TEST_P(SelectOnDevice, partition_keeps_both_orders) {
  for (const std::int64_t count : sizes) {
    auto values = mixed_values(count);
    const Partition<std::int32_t> parts = partition(to_device(context_, values), "x[i] % 3 == 0");
    const auto middle = std::stable_partition(values.begin(), values.end(), [](std::int32_t value) { return value % 3 == 0; });
    EXPECT_TRUE(parts.chosen.items().to_host() == std::vector(values.begin(), middle)) << count;
    EXPECT_TRUE(parts.others.items().to_host() == std::vector(middle, values.end())) << count;
  }
}

TEST_P(SelectOnDevice, unique_keeps_the_first_of_every_run) {
  for (const std::int64_t count : sizes) {
    auto values = mixed_values(count);
    for (std::int32_t& value : values) value /= 300;
    const auto found = unique(to_device(context_, values)).items().to_host();
    values.erase(std::unique(values.begin(), values.end()), values.end());
    EXPECT_TRUE(found == values) << count;
  }
}

TEST_P(SelectOnDevice, structures_and_a_custom_equality) {
  std::vector<Best> items(9'000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<std::int64_t>(i), static_cast<std::int32_t>(i / 100), 0};
  const Array<Best> array = to_device(context_, items);
  const auto firsts = unique(array, "a.value ==\n b.value").items().to_host();
  ASSERT_EQ(firsts.size(), 90U);
  for (std::size_t k = 0; k < firsts.size(); ++k) EXPECT_EQ(firsts[k].place, static_cast<std::int64_t>(100 * k));
  const auto some = copy_if(array.slice({.begin = 8'000}), "x[i].place >= 8990").items().to_host();
  ASSERT_EQ(some.size(), 10U);
  EXPECT_EQ(some[9].place, 8'999);
}

TEST_P(SelectOnDevice, faults_name_the_text) {
  const Array<std::int32_t> array = to_device(context_, mixed_values(10));
  const auto failure = [&](auto&& action) {
    try {
      action();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(failure([&] { (void)copy_if(array, "x[i] > limit"); }), HasSubstr("copy_if.input:1: error:"));
  EXPECT_THAT(failure([&] { (void)unique(array, "a\n = = b"); }), HasSubstr("unique.is_equal:2: error:"));
  EXPECT_THAT(failure([&] { (void)copy_if(array, "x[i] > 0", {.arguments = "int chosen", .given = {1}}); }),
              HasSubstr("a second argument 'chosen'"));
  EXPECT_THAT(failure([&] { (void)copy_if(array.slice({.step = 2}), "x[i] > 0"); }), HasSubstr("a view with gaps"));
}

INSTANTIATE_TEST_SUITE_P(Devices, SelectOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
