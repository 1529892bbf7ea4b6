// Arrays of structures on every device: definition, layout, kernels; and descriptions that do not fit.
#include "codegen/arrays/structure.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "codegen/arrays/array.h"
#include "codegen/arrays/elementwise.h"
#include "codegen/errors.h"
#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {

struct Particle {
  std::uint8_t kind;
  float position[3];
  std::int64_t number;
  std::complex<float> charge;
  std::array<std::uint8_t, 5> tags;
};

template <>
struct ElementTypeOf<Particle> {
  static ElementType get() {
    return describe_structure<Particle>(
        "particle", {member("kind", &Particle::kind), member("position", &Particle::position), member("number", &Particle::number),
                     member("charge", &Particle::charge), member("tags", &Particle::tags)});
  }
};

namespace {

using testing::AllOf;
using testing::HasSubstr;

class StructureOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  std::vector<Particle> particles(std::size_t count) {
    std::vector<Particle> items(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i);
      items[i] = {static_cast<std::uint8_t>(i % 7), {x, 2 * x, 3 * x}, static_cast<std::int64_t>(i) << 33, {x, -x}, {1, 2, 3, 4, 5}};
    }
    return items;
  }
  std::string refusal(const ElementType& type) {
    try {
      check_structure(context_, type);
    } catch (const DeviceError& fault) {
      return fault.what();
    }
    return "accepted";
  }
};

TEST_P(StructureOnDevice, kernels_see_every_member) {
  Array<Particle> particles_on_device = to_device(context_, particles(1000));
  Array<float> size(context_, 1000);
  const ElementwiseKernel move(
      context_, "float step, particle* p, float* size",
      "p[i].position[1] += step; p[i].number += p[i].kind; p[i].tags[4] = 9; size[i] = complex64_absolute(p[i].charge)", "move",
      {.structures = {element_type<Particle>()}});
  compiles_as_cuda(move.spec({}));
  move(0.5F, particles_on_device, size);
  const std::vector<Particle> found = particles_on_device.to_host();
  EXPECT_EQ(found[12].position[1], 24.5F);
  EXPECT_EQ(found[12].number, (std::int64_t{12} << 33) + 5);
  EXPECT_EQ(found[12].tags, (std::array<std::uint8_t, 5>{1, 2, 3, 4, 9}));
  EXPECT_EQ(found[12].charge, std::complex<float>(12, -12));
  EXPECT_FLOAT_EQ(size.to_host()[3], std::abs(std::complex<float>(3, -3)));
}

TEST_P(StructureOnDevice, views_are_copied_and_items_taken) {
  const Array<Particle> all = to_device(context_, particles(1000));
  Array<Particle> some(context_, 500);
  some = all.slice({{}, {}, -2});
  EXPECT_EQ(some.to_host()[1].position[0], 997);
  some = take(all, arange<int>(context_, 3, 503));
  EXPECT_EQ(some.to_host()[0].number, std::int64_t{3} << 33);
  some.slice({1}) = some.slice({{}, -1});
  EXPECT_EQ(some.to_host()[1].position[2], 9);
}

TEST_P(StructureOnDevice, a_layout_is_checked_once) {
  const Array<Particle> first(context_, 1), second(context_, 1);
  EXPECT_EQ(context_.kernels_built(), 1U);
  compiles_as_cuda(context_.kernel("structure layout:" + element_type<Particle>().definition, [] { return KernelSpec{}; }).spec());
}

TEST_P(StructureOnDevice, descriptions_that_do_not_fit_name_the_member) {
  struct Pair {
    float a;
    std::int64_t b;
    float c;
  };
  EXPECT_EQ(refusal(describe_structure<Pair>("pair", {member("a", &Pair::a), member("b", &Pair::b), member("c", &Pair::c)})), "accepted");
  EXPECT_THAT(refusal(describe_structure<Pair>("pair", {member("a", &Pair::a), member("c", &Pair::c), member("b", &Pair::b)})),
              AllOf(HasSubstr("'pair'"), HasSubstr("member 'c' is at byte 16 on the host and at byte 4 on the device")));
  const ElementType shorter = describe_structure<Pair>("pair", {member("a", &Pair::a), member("b", &Pair::b)});
  EXPECT_THAT(refusal(shorter), HasSubstr("has 24 bytes on the host and 16 on the device"));
  EXPECT_THAT(refusal(shorter), HasSubstr("on the device")) << "checked again after a failure";
#pragma pack(push, 1)
  struct Packed {
    std::uint8_t a;
    float b;
  };
#pragma pack(pop)
  EXPECT_THAT(refusal(describe_structure<Packed>("packed_pair", {member("a", &Packed::a), member("b", &Packed::b)})),
              HasSubstr("member 'b' is at byte 1 on the host and at byte 4"));
  EXPECT_THROW(static_cast<void>(make_structure("two words", 4, {{"a", "float", 1, 0}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_structure("pair", 4, {{"a.b", "float", 1, 0}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_structure("pair", 4, {})), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Devices, StructureOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
