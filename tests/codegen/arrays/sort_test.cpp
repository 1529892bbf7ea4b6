// Radix sort on every device: against std::stable_sort, for every key type, order, kind of data and size around the tiles.
#include "codegen/arrays/sort.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "codegen/errors.h"
#include "tests/codegen/arrays/algorithm_types.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class SortOnDevice : public EveryDevice {
 protected:
  template <class Key>
  void expect_sorted(const std::vector<Key>& keys, const SortOptions& options, std::string_view what);

  Context context_{device_};
};

/// a before b in ascending order; NaN last.
template <class Key>
bool precedes(Key a, Key b) {
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

/// The places of the sorted keys in `keys`.
template <class Key>
std::vector<std::uint32_t> sorted_places(const std::vector<Key>& keys, SortOrder order) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0U);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return order == SortOrder::ascending ? precedes(keys[a], keys[b]) : precedes(keys[b], keys[a]);
  });
  return places;
}

template <class Key>
void SortOnDevice::expect_sorted(const std::vector<Key>& keys, const SortOptions& options, std::string_view what) {
  const std::vector<std::uint32_t> places = sorted_places(keys, options.order);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  const Array<Key> alone = to_device(context_, keys), paired = to_device(context_, keys);
  const Array<std::uint32_t> values = to_device(context_, numbers);
  sort(alone, options);
  sort_by_key(paired, values, options);
  const std::vector<Key> found = alone.to_host(), found_paired = paired.to_host();
  EXPECT_TRUE(values.to_host() == places) << what << ", " << keys.size() << " keys of type " << element_type<Key>().name;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key& expected = keys[places[i]];
    ASSERT_EQ(std::memcmp(&found[i], &expected, sizeof(Key)), 0) << what << ", " << i << " of " << keys.size();
    ASSERT_EQ(std::memcmp(&found_paired[i], &expected, sizeof(Key)), 0) << what << ", " << i << " of " << keys.size();
  }
}

/// Random bits: for real keys that is numbers of every size, infinities and NaN.
template <class Key>
std::vector<Key> random_keys(std::int64_t count) {
  std::mt19937_64 generator(3);
  std::vector<Key> keys(static_cast<std::size_t>(count));
  for (Key& key : keys) {
    const std::uint64_t bits = generator();
    std::memcpy(&key, &bits, sizeof key);
  }
  return keys;
}

TEST_P(SortOnDevice, every_key_type_in_both_orders_stable) {
  const std::int64_t count = 20'011;
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    const SortOptions options{.order = order};
    expect_sorted(random_keys<std::uint32_t>(count), options, "random");
    expect_sorted(random_keys<std::int32_t>(count), options, "random");
    expect_sorted(random_keys<std::uint64_t>(count), options, "random");
    expect_sorted(random_keys<std::int64_t>(count), options, "random");
    expect_sorted(random_keys<float>(count), options, "random");
    expect_sorted(random_keys<double>(count), options, "random");
  }
}

TEST_P(SortOnDevice, every_size_around_the_tiles) {
  for (const std::int64_t count : {0, 1, 2, 255, 256, 257, 4351, 4352, 4353, 2 * 4352, 16'384, 16'385, 1'000'007}) {
    expect_sorted(random_keys<std::uint32_t>(count), {}, "random");
  }
}

TEST_P(SortOnDevice, adversarial_data) {
  constexpr std::int32_t count = 10'000;
  std::vector<std::int32_t> keys(count);
  const auto make = [&](auto value) {
    for (std::int32_t i = 0; i < count; ++i) keys[static_cast<std::size_t>(i)] = value(i);
    return keys;
  };
  expect_sorted(make([](std::int32_t) { return -1; }), {}, "all equal");
  expect_sorted(make([](std::int32_t i) { return i - count / 2; }), {}, "sorted");
  expect_sorted(make([](std::int32_t i) { return count / 2 - i; }), {}, "reversed");
  expect_sorted(
      make([](std::int32_t i) { return i % 2 == 0 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min(); }),
      {}, "two extremes");
  expect_sorted(make([](std::int32_t i) { return i * 256; }), {}, "equal low bytes");
}

TEST_P(SortOnDevice, zeros_are_equal_and_nan_is_largest) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::bit_cast<float>(0x7fc00001U), negative_nan = std::bit_cast<float>(0xffc00002U);
  const std::vector<float> keys{0.0F, -0.0F, nan, 1.0F, -infinity, negative_nan, -0.0F, infinity, 0.0F, -1e-45F, 1e-45F};
  expect_sorted(keys, {}, "special");
  expect_sorted(keys, {.order = SortOrder::descending}, "special, descending");
}

TEST_P(SortOnDevice, only_the_bits_that_count) {
  const std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(9'000);
  for (const auto& [first, end] : std::vector<std::pair<int, int>>{{0, 8}, {4, 5}, {8, 25}, {31, 32}, {12, 12}, {0, 32}}) {
    std::vector<std::uint32_t> expected = keys;
    const std::uint64_t mask = ((std::uint64_t{1} << end) - 1) >> first << first;
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });
    const Array<std::uint32_t> array = to_device(context_, keys);
    sort(array, {.first_bit = first, .end_bit = end});
    EXPECT_TRUE(array.to_host() == expected) << first << " to " << end;
  }
  EXPECT_THROW(sort(to_device(context_, keys), {.first_bit = 3, .end_bit = 33}), std::invalid_argument);
  EXPECT_THROW(sort(to_device(context_, keys), {.first_bit = 9, .end_bit = 8}), std::invalid_argument);
}

TEST_P(SortOnDevice, values_of_any_type_and_views) {
  const std::vector<std::int64_t> keys = random_keys<std::int64_t>(5'000);
  const std::vector<std::uint32_t> places = sorted_places(std::vector(keys.begin() + 100, keys.end()), SortOrder::ascending);
  std::vector<Best> bests(keys.size());
  std::vector<std::uint8_t> bytes(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    bests[i] = {static_cast<std::int64_t>(i), static_cast<std::int32_t>(i), 0};
    bytes[i] = static_cast<std::uint8_t>(i * 7);
  }
  const Array<Best> best_array = to_device(context_, bests);
  const Array<std::uint8_t> byte_array = to_device(context_, bytes);
  const Array<std::int64_t> first = to_device(context_, keys), second = to_device(context_, keys);
  sort_by_key(first.slice({.begin = 100}), best_array.slice({.begin = 100}));
  sort_by_key(second.slice({.begin = 100}), byte_array.slice({.begin = 100}));
  const auto found_keys = first.to_host();
  const auto found = best_array.to_host();
  const auto found_bytes = byte_array.to_host();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t expected = i < 100 ? i : 100 + places[i - 100];
    ASSERT_EQ(found_keys[i], keys[expected]) << i;
    ASSERT_EQ(found[i].place, static_cast<std::int64_t>(expected)) << i;
    ASSERT_EQ(found_bytes[i], bytes[expected]) << i;
  }
  EXPECT_THROW(sort_by_key(first, best_array.slice({.begin = 1})), std::invalid_argument);
  EXPECT_THROW(sort(first.slice({.step = 2})), std::invalid_argument);
}

TEST_P(SortOnDevice, the_kernels_for_more_than_two_to_the_31_keys_sort_few_keys_as_well) {
  std::vector<float> keys = random_keys<float>(30'000);
  for (float& key : keys) key = std::isnan(key) ? 0 : key;
  const Array<float> array = to_device(context_, keys);
  RadixSort(context_, element_type<float>(), 0, {}, true).enqueue(array, array, array.size());
  std::stable_sort(keys.begin(), keys.end());
  EXPECT_TRUE(array.to_host() == keys);
}

TEST_P(SortOnDevice, both_styles_give_the_same) {
  const std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(4352 * 3 + 5);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const Array<std::uint32_t> array = to_device(context_, keys), values = to_device(context_, numbers);
    sort_by_key(array, values, {.first_bit = 3, .end_bit = 12, .style = style});
    std::vector<std::uint32_t> places = numbers;
    std::stable_sort(places.begin(), places.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return (keys[a] >> 3 & 511) < (keys[b] >> 3 & 511); });
    EXPECT_TRUE(values.to_host() == places);
    const auto found = array.to_host();
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(found[i], keys[places[i]]) << i;
  }
}

TEST(SortOffline, compiles_for_an_architecture_without_a_device) {
  for (const std::string_view key : {"float", "int64"}) {
    for (const KernelSpec& spec : sort_specs(element_type_named(key), 24, {.style = WorkStyle::groups}, true)) {
      try {
        EXPECT_THAT(compile_cuda_offline(render(spec, "cuda"), "sm_90"), HasSubstr(spec.name));
      } catch (const CompileError&) {
        throw;
      } catch (const DeviceError& error) {
        GTEST_SKIP() << error.what();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SortOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
