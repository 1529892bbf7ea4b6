// take and put on every device.
#include "codegen/arrays/array_places.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ArrayPlacesOnDevice : public EveryDevice {
 protected:
  Context context_{device_};
};

TEST_P(ArrayPlacesOnDevice, take_is_a_part_of_an_expression) {
  const Array<float> x = to_device(context_, std::vector<float>{0.5F, 1.5F, 2.5F, 3.5F, 4.5F});
  const Array<int> places = to_device(context_, std::vector<int>{4, 0, 3, 3, 1});
  const Array<float> y = 2 * take(x, places) + take(x, 4 - places);
  EXPECT_THAT(y.to_host(), ElementsAre(9.5F, 5.5F, 8.5F, 8.5F, 6.5F));
  const Array<float> backwards = take(x.slice({{}, {}, -2}), places.slice({1, 3}).as<std::uint8_t>() / 3);
  EXPECT_THAT(backwards.to_host(), ElementsAre(4.5F, 2.5F));
}

TEST_P(ArrayPlacesOnDevice, places_outside_read_zero_and_are_not_written) {
  Array<int> x = arange<int>(context_, 10, 15);
  const Array<std::int64_t> places = to_device(context_, std::vector<std::int64_t>{-1, 0, 4, 5, std::int64_t{1} << 32});
  EXPECT_THAT(Array<int>(take(x, places)).to_host(), ElementsAre(0, 10, 14, 0, 0));
  put(x, places, arange<int>(context_, 0, 5));
  EXPECT_THAT(x.to_host(), ElementsAre(1, 11, 12, 13, 2));
}

TEST_P(ArrayPlacesOnDevice, the_check_names_the_first_place_outside) {
  Array<int> x = arange<int>(context_, 10, 15);
  const Array<int> places = to_device(context_, std::vector<int>{0, 4, 7, -2});
  try {
    put(x, places, 0, PlaceCheck::throws);
    FAIL() << "accepted";
  } catch (const std::out_of_range& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("place 7, the 3. of 4, is not in an array of 5 items"));
  }
  EXPECT_EQ(x.to_host()[0], 10) << "nothing was written";
  EXPECT_THROW(static_cast<void>(take(x, places, PlaceCheck::throws)), std::out_of_range);
  put(x, places.slice({0, 2}), 0, PlaceCheck::throws);
  EXPECT_THAT(x.to_host(), ElementsAre(0, 11, 12, 13, 0));
}

TEST_P(ArrayPlacesOnDevice, put_reads_what_it_overwrites_first) {
  const std::int64_t count = 40000;
  Array<int> x = arange<int>(context_, 0, count);
  put(x, static_cast<int>(count) - 1 - x, x + 1);
  const std::vector<int> found = x.to_host();
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], count - static_cast<int>(i));
  x = take(x, x - 1);
  EXPECT_EQ(x.to_host()[5], 6);
  const Array<int> table = arange<int>(context_, 0, 12).reshape({3, 4});
  put(table, arange<int>(context_, 0, 3).reshape({3, 1}) + 4 * arange<int>(context_, 0, 2), -1);
  EXPECT_THAT(table.to_host(), ElementsAre(-1, -1, -1, 3, -1, -1, -1, 7, 8, 9, 10, 11));
  EXPECT_THROW(put(table.transpose(), arange<int>(context_, 0, 3), 1), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayPlacesOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
