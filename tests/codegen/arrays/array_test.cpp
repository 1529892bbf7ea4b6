// Arrays and their views on every device: memory, shapes, slices, transposes.
#include "codegen/arrays/array.h"

#include <gmock/gmock.h>

#include <numeric>
#include <stdexcept>

#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Shape, refuses_negative_extents_and_too_many) {
  EXPECT_EQ((Shape{2, 3, 4}).items(), 24);
  EXPECT_EQ(Shape().items(), 1);
  EXPECT_EQ((Shape{2, 3}).text(), "(2, 3)");
  EXPECT_THROW((Shape{2, -1}), std::invalid_argument);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1}), std::invalid_argument);
}

class ArrayOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
  Array<int> numbers(std::int64_t count) {
    std::vector<int> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
    return to_device(context_, items);
  }
};

TEST_P(ArrayOnDevice, items_go_to_the_device_and_back) {
  const Array<int> x = numbers(1000);
  EXPECT_EQ(x.to_host()[999], 999);
  const Array<int> shared = x;
  EXPECT_EQ(&shared.buffer(), &x.buffer());
  EXPECT_TRUE(Array<double>(context_, {0, 7}).to_host().empty());
  EXPECT_EQ(Array<double>().size(), 0);
  EXPECT_THROW(static_cast<void>(Array<double>().context()), std::invalid_argument);
  EXPECT_THROW(Array<int>(context_, 3).from_host(std::vector<int>(4)), std::invalid_argument);
  EXPECT_THROW(Array<double>(context_, {std::int64_t{1} << 40, std::int64_t{1} << 40}), std::length_error);
}

TEST_P(ArrayOnDevice, contiguous_slices_and_rows_are_views) {
  const Array<int> x = numbers(24).reshape({2, 3, -1});
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4}));
  EXPECT_THAT(x.row(1).row(-1).to_host(), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(x.row(0).row(1).slice({1, 3}).to_host(), ElementsAre(5, 6));
  EXPECT_EQ(x.transpose().shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(x.transpose({1, 0, 2}).shape(), (Shape{3, 2, 4}));
  EXPECT_FALSE(x.transpose().is_contiguous());
}

TEST_P(ArrayOnDevice, slices_follow_python) {
  const Array<int> x = numbers(10);
  const auto layout = [&](const Slice& slice) {
    const Array<int> view = x.slice(slice);
    return std::vector<std::int64_t>{view.offset(), view.size(), view.size() > 1 ? view.strides()[0] : 0};
  };
  EXPECT_THAT(layout({}), ElementsAre(0, 10, 1));
  EXPECT_THAT(layout({2, 8, 3}), ElementsAre(2, 2, 3));
  EXPECT_THAT(layout({2, 9, 3}), ElementsAre(2, 3, 3));
  EXPECT_THAT(layout({-3}), ElementsAre(7, 3, 1));
  EXPECT_THAT(layout({{}, -8}), ElementsAre(0, 2, 1));
  EXPECT_THAT(layout({{}, {}, -1}), ElementsAre(9, 10, -1));
  EXPECT_THAT(layout({8, 2, -2}), ElementsAre(8, 3, -2));
  EXPECT_THAT(layout({-100, 100}), ElementsAre(0, 10, 1));
  EXPECT_THAT(layout({100, -100, -4}), ElementsAre(9, 3, -4));
  EXPECT_EQ(x.slice({5, 2}).size(), 0);
}

TEST_P(ArrayOnDevice, wrong_views_are_refused_with_the_shape) {
  const Array<int> x = numbers(24).reshape({4, 6});
  const auto refusal = [](const auto& make) -> std::string {
    try {
      static_cast<void>(make());
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal([&] { return x.row(4); }), HasSubstr("(4, 6)"));
  EXPECT_THAT(refusal([&] { return x.slice(2, {}); }), HasSubstr("(4, 6)"));
  EXPECT_THAT(refusal([&] { return x.slice({0, 1, 0}); }), HasSubstr("step 0"));
  EXPECT_THAT(refusal([&] { return x.reshape({5, -1}); }), HasSubstr("24 items"));
  EXPECT_THAT(refusal([&] { return x.transpose().reshape({24}); }), HasSubstr("with gaps (shape (6, 4), strides (1, 6))"));
  EXPECT_THAT(refusal([&] { return x.transpose({0, 0}); }), HasSubstr("transpose by (0, 0)"));
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
