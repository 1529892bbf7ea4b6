// Random numbers on every device: published vectors, the host's bits, independence of offsets, and moments.
#include "codegen/arrays/random.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;

using Words = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 as in Salmon, Moraes, Dror, Shaw (2011), section 3.3.
Words philox_on_host(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = 0xD2511F53ULL * counter[0], right = 0xCD9E8D57ULL * counter[2];
    const auto high = [](std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); };
    counter = {high(right) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(right), high(left) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

Words block_on_host(const RandomSequence& sequence, std::uint64_t block) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return philox_on_host({low(block), low(block >> 32), low(sequence.stream), low(sequence.stream >> 32)},
                        {low(sequence.seed), low(sequence.seed >> 32)});
}

std::uint32_t word_on_host(const RandomSequence& sequence, std::uint64_t word) { return block_on_host(sequence, word / 4)[word % 4]; }

double uniform_on_host(const RandomSequence& sequence, std::uint64_t place) {
  const std::uint64_t bits = (std::uint64_t{word_on_host(sequence, 2 * place)} << 32) | word_on_host(sequence, 2 * place + 1);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// The file of the kernel is C that the host understands, too.
namespace host32 {
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using std::sqrt;
#define INLINE [[maybe_unused]] inline
#define UNROLL
#define FMA(a, b, c) std::fma(a, b, c)
#define REAL_BITS 32
#include "codegen/arrays/random.kernel.h"
#undef REAL_BITS
}  // namespace host32
namespace host64 {
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using std::sqrt;
#define REAL_BITS 64
#include "codegen/arrays/random.kernel.h"
#undef REAL_BITS
#undef FMA
#undef UNROLL
#undef INLINE
}  // namespace host64

TEST(Random, host_gives_the_published_vectors) {
  EXPECT_EQ(philox_on_host({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_on_host({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_on_host({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, normal_numbers_invert_the_distribution) {
  for (int i = 0; i < 4000; ++i) {
    const auto word = static_cast<std::uint32_t>(i < 100 ? i : i * 536870 / 1000 * 1000);
    const double x = host64::to_normal(word, 0x12345678), p = (std::ldexp(word, 32) + 0x12345678 + 0.5) * 0x1p-64;
    ASSERT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1, 2e-14) << word;
    const float y = host32::to_normal(word);
    ASSERT_NEAR(0.5 * std::erfc(-static_cast<double>(y) / std::sqrt(2.0)) / ((word + 0.5) * 0x1p-32), 1, 2e-5) << word;
    ASSERT_EQ(host32::to_normal(word | 0x80000000U), -y) << "symmetric";
  }
}

class RandomOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  template <class T>
  void expect_real_numbers(const RandomSequence& sequence);
};

TEST_P(RandomOnDevice, bits_are_the_published_ones_and_the_hosts) {
  const Array<std::uint32_t> bits(context_, 50001);
  fill_random_bits(bits, {});
  EXPECT_THAT(bits.slice({0, 4}).to_host(), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}, (std::uint64_t{1} << 40) + 1}) {
    const RandomSequence sequence{0x0123456789abcdef, 0xfedcba9876543210, offset};
    fill_random_bits(bits, sequence);
    const std::vector<std::uint32_t> found = bits.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], word_on_host(sequence, offset + i)) << i;
  }
}

TEST_P(RandomOnDevice, parts_of_any_size_and_place_are_parts_of_the_whole) {
  const RandomSequence sequence{42, 7, 0};
  const std::vector<float> whole = random_uniform<float>(context_, 10007, sequence).to_host();
  Array<float> parts(context_, 10007);
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 6}, {6, 4102}, {4102, 10007}}) {
    fill_random_uniform(parts.slice({begin, end}), {42, 7, static_cast<std::uint64_t>(begin)});
  }
  EXPECT_EQ(parts.to_host(), whole);
  Array<float> table(context_, {100, 100});
  fill_random_uniform(table.transpose(), sequence);
  EXPECT_EQ(table.transpose().to_host(), std::vector<float>(whole.begin(), whole.begin() + 10000));
}

template <class T>
void RandomOnDevice::expect_real_numbers(const RandomSequence& sequence) {
  const std::int64_t count = 100000;
  const std::vector<T> uniform = random_uniform<T>(context_, count, sequence).to_host();
  const std::vector<T> normal = random_normal<T>(context_, count, sequence).to_host();
  for (const char* kind : {"uniform", "normal"}) {
    const std::string key = std::string("random:") + kind + ":" + element_type<T>().name;
    compiles_as_cuda(context_.kernel(key, [] { return KernelSpec{}; }).spec());
  }
  double mean = 0, square = 0, fourth = 0;
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      const std::uint32_t word = word_on_host(sequence, sequence.offset + i);
      ASSERT_EQ(uniform[i], static_cast<float>(word >> 8) / 16777216.0F);
      ASSERT_EQ(normal[i], host32::to_normal(word)) << i;
    } else {
      const std::uint64_t place = sequence.offset + i;
      ASSERT_EQ(uniform[i], uniform_on_host(sequence, place));
      ASSERT_EQ(normal[i], host64::to_normal(word_on_host(sequence, 2 * place), word_on_host(sequence, 2 * place + 1))) << i;
    }
    const auto x = static_cast<double>(normal[i]);
    mean += x / static_cast<double>(count);
    square += x * x / static_cast<double>(count);
    fourth += x * x * x * x / static_cast<double>(count);
  }
  // Four standard deviations of 1e5 samples.
  EXPECT_NEAR(mean, 0, 0.013);
  EXPECT_NEAR(square, 1, 0.018);
  EXPECT_NEAR(fourth, 3, 0.125);
}

TEST_P(RandomOnDevice, floats_have_the_bits_of_the_host) { expect_real_numbers<float>({1, 2, 3}); }

TEST_P(RandomOnDevice, doubles_have_the_bits_of_the_host) {
  if (!device_.facts().has_double) GTEST_SKIP() << "no double precision";
  expect_real_numbers<double>({1, 2, 3});
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
