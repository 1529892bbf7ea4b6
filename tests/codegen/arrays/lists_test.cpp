// The builder of lists of lists on every device: one list, several of different types, empty ones, none, faults.
#include "codegen/arrays/lists.h"

#include <gmock/gmock.h>

#include "codegen/errors.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class ListsOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
};

TEST_P(ListsOnDevice, divisors_of_every_number) {
  for (const WorkStyle style : {WorkStyle::groups, WorkStyle::items}) {
    const ListBuilder builder(context_, {{"divisor", "int"}}, "int first",
                              "const int n = first + (int)i;\nfor (int d = 1; d <= n; ++d) {\n  if (n % d == 0) APPEND_divisor(d);\n}",
                              {.name = "divisors", .style = style});
    for (const std::int64_t count : {0, 1, 255, 256, 1023, 1025, 3000}) {
      const auto lists = builder.run({-2}, count).get<std::int32_t>("divisor");
      std::vector<std::int64_t> starts{0};
      std::vector<std::int32_t> values;
      for (std::int32_t n = -2; n < count - 2; ++n) {
        for (std::int32_t d = 1; d <= n; ++d) {
          if (n % d == 0) values.push_back(d);
        }
        starts.push_back(std::ssize(values));
      }
      EXPECT_TRUE(lists.starts.to_host() == starts) << count;
      EXPECT_TRUE(lists.values.to_host() == values) << count;
    }
  }
}

TEST_P(ListsOnDevice, several_lists_of_different_types_and_their_compression) {
  const ListBuilder builder(context_, {{"even", "int64"}, {"half", "float"}, {"none", "byte"}}, "const int* x",
                            "if (x[i] % 2 == 0) {\n  APPEND_even(x[i]);\n  APPEND_even(-i);\n}\nif (x[i] == 3) APPEND_half(0.5f * x[i]);\n"
                            "if (x[i] > 100) APPEND_none(1);");
  std::vector<std::int32_t> x(10'001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i % 5);
  const BuiltLists built = builder.run({to_device(context_, x)}, std::ssize(x));
  const auto even = built.get<std::int64_t>("even");
  const auto half = built.get<float>("half");
  EXPECT_EQ(even.values.size(), 2 * 6001);
  EXPECT_EQ(half.values.size(), 2000);
  EXPECT_EQ(built.get<std::uint8_t>("none").values.size(), 0);
  const CompressedLists<std::int64_t> kept = compress(even);
  const auto items = kept.items.to_host(), starts = kept.starts.to_host(), values = kept.values.to_host();
  ASSERT_EQ(items.size(), 6001U);
  ASSERT_EQ(starts.size(), 6002U);
  for (std::size_t k = 0; k < items.size(); ++k) {
    EXPECT_EQ(starts[k], static_cast<std::int64_t>(2 * k));
    EXPECT_EQ(values[2 * k], x[static_cast<std::size_t>(items[k])]);
    EXPECT_EQ(values[2 * k + 1], -items[k]);
  }
  EXPECT_EQ(starts.back(), 12'002);
  EXPECT_EQ(compress(built.get<std::uint8_t>("none")).items.size(), 0);
  EXPECT_EQ(half.values.to_host()[1999], 1.5F);
}

TEST_P(ListsOnDevice, faults_name_the_text_and_the_list) {
  const auto failure = [&](std::vector<ListDeclaration> lists, std::string_view body) {
    try {
      (void)ListBuilder(context_, std::move(lists), "const int* x", body, {.name = "wrong"});
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(failure({{"a", "int"}}, "APPEND_a(x[i]);\nAPPEND_a(y[i]);"), HasSubstr("wrong.body:2: error:"));
  EXPECT_THAT(failure({{"a", "integer"}}, ""), HasSubstr("unknown element type 'integer'"));
  EXPECT_THAT(failure({}, ""), HasSubstr("no list is declared"));
  const ListBuilder builder(context_, {{"places", "int64"}}, "", "APPEND_places(i);");
  const BuiltLists built = builder.run({}, 3);
  EXPECT_THROW((void)built.get<std::int32_t>("places"), std::invalid_argument);
  EXPECT_THROW((void)built.get<std::int64_t>("place"), std::invalid_argument);
  EXPECT_EQ(built.get<std::int64_t>("places").values.to_host(), (std::vector<std::int64_t>{0, 1, 2}));
}

INSTANTIATE_TEST_SUITE_P(Devices, ListsOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
