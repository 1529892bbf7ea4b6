// Kernels on every device: arguments, shared memory, vectors, launches.
#include "codegen/kernel.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "codegen/cache.h"
#include "codegen/errors.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class KernelOnDevice : public EveryDevice {
 protected:
  Kernel build(const KernelSpec& spec) { return build_kernels(device_, std::span(&spec, 1), nullptr).front(); }
};

KernelSpec saxpy_spec(Precision precision, int width) {
  KernelSpec spec;
  spec.name = "saxpy";
  spec.source_name = "saxpy.kernel.h";
  spec.source = R"(// y <- a x + y on vectors of W
${signature} {
  const int i = GROUP_ID(0) * ${group} + LOCAL_ID(0);
  if (i < count) {
    const realv u = VLOAD(x + (int64)i * VECTOR_WIDTH);
    realv v = VLOAD(y + (int64)i * VECTOR_WIDTH);
    v = FMA(REALV(a), u, v);
    VSTORE(v, y + (int64)i * VECTOR_WIDTH);
  }
}
)";
  spec.constants["group"] = std::int64_t{32};
  spec.arguments = {{"a", ArgumentType::real, Intent::in, ""},
                    {"x", ArgumentType::real_buffer, Intent::in, "[vector][W]"},
                    {"y", ArgumentType::real_buffer, Intent::in_out, "[vector][W]"},
                    {"count", ArgumentType::int32, Intent::in, ""}};
  spec.precision = precision;
  spec.vector_width = width;
  spec.group_size = {32, 1, 1};
  return spec;
}

template <class Real>
void expect_saxpy(Queue& queue, const Kernel& kernel, const Device& device, int width) {
  constexpr int vectors = 1000;
  const auto count = static_cast<std::size_t>(vectors * width);
  std::vector<Real> x(count), y(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<Real>(i) / 7;
    y[i] = static_cast<Real>(i % 13) / 3;
  }
  Buffer x_buffer = device.allocate(count * sizeof(Real), "x"), y_buffer = device.allocate(count * sizeof(Real), "y");
  queue.upload<Real>(x_buffer, x);
  queue.upload<Real>(y_buffer, y);
  kernel.launch(queue, (vectors + 31) / 32, {0.3, &x_buffer, &y_buffer, vectors});
  std::vector<Real> result(count);
  queue.download<Real>(y_buffer, result);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(result[i], std::fma(static_cast<Real>(0.3), x[i], y[i])) << i;
}

TEST_P(KernelOnDevice, saxpy_of_every_vector_width_and_precision_equals_the_host) {
  for (const int width : {1, 2, 4, 8}) {
    SCOPED_TRACE(width);
    expect_saxpy<float>(queue_, build(saxpy_spec(Precision::single_precision, width)), device_, width);
    if (device_.facts().has_double) expect_saxpy<double>(queue_, build(saxpy_spec(Precision::double_precision, width)), device_, width);
  }
}

TEST_P(KernelOnDevice, named_types_are_buffers_and_values) {
  struct Pair {
    float weight;
    std::int32_t number;
  };
  KernelSpec spec;
  spec.name = "named_types";
  spec.source_name = "named_types.kernel.h";
  spec.source = R"(typedef struct { float weight; int number; } pair_type;
${signature} {
  const int i = GROUP_ID(0);
  target[i].weight = scale * source[i].weight + extra.weight;
  target[i].number = source[i].number + extra.number;
}
)";
  spec.arguments = {{"scale", ArgumentType::typed_value, Intent::in, "", "float", 4},
                    {"extra", ArgumentType::typed_value, Intent::in, "", "pair_type", sizeof(Pair)},
                    {"source", ArgumentType::typed_buffer, Intent::in, "[item]", "pair_type", sizeof(Pair)},
                    {"target", ArgumentType::typed_buffer, Intent::out, "[item]", "pair_type", sizeof(Pair)}};
  spec.precision = Precision::single_precision;
  const Kernel kernel = build(spec);
  const std::vector<Pair> given{{1.5F, 3}, {2.5F, -4}};
  std::vector<Pair> result(given.size());
  Buffer source = device_.allocate(sizeof(Pair) * 2, "source"), target = device_.allocate(sizeof(Pair) * 2, "target");
  queue_.upload<Pair>(source, given);
  const Pair extra{0.25F, 10};
  kernel.launch(queue_, 2, {2.0, ValueBytes{&extra, sizeof extra}, &source, &target});
  queue_.download<Pair>(target, result);
  EXPECT_EQ(result[0].weight, 3.25F);
  EXPECT_EQ(result[1].weight, 5.25F);
  EXPECT_EQ(result[0].number, 13);
  EXPECT_EQ(result[1].number, 6);
  EXPECT_THROW(kernel.launch(queue_, 2, {2.0, ValueBytes{&extra, 4}, &source, &target}), DeviceError);
  EXPECT_THROW(kernel.launch(queue_, 2, {std::int32_t{2}, ValueBytes{&extra, sizeof extra}, &source, &target}), DeviceError);
}

TEST_P(KernelOnDevice, shared_memory_reduction_equals_the_sum) {
  KernelSpec spec;
  spec.name = "group_sums";
  spec.source_name = "group_sums.kernel.h";
  spec.source = R"(
INLINE int64 pair(SHARED const int64* values, int a, int b) { return values[a] + values[b]; }
${signature} {
  SHARED_MEMORY(int64, values, ${items});
  const int item = LOCAL_ID(0);
  values[item] = x[(int64)GROUP_ID(0) * ${items} + item];
  BARRIER();
  for (int step = ${items} / 2; step > 0; step /= 2) {
    if (item < step) values[item] = pair(values, item, item + step);
    BARRIER();
  }
  if (item == 0) sums[GROUP_ID(0)] = values[0];
}
)";
  spec.constants["items"] = std::int64_t{64};
  spec.arguments = {{"x", ArgumentType::int64_buffer, Intent::in, "[group][item]"},
                    {"sums", ArgumentType::int64_buffer, Intent::out, "[group]"}};
  spec.precision = Precision::single_precision;
  spec.group_size = {64, 1, 1};
  spec.shared_bytes = 64 * sizeof(std::int64_t);
  std::vector<std::int64_t> x(64 * 50);
  std::iota(x.begin(), x.end(), std::int64_t{1} << 40);
  const Buffer x_buffer = buffer_with(x);
  const Buffer sums = device_.allocate(50 * sizeof(std::int64_t), "sums");
  build(spec).launch(queue_, 50, {&x_buffer, &sums});
  const std::vector<std::int64_t> found = values_of<std::int64_t>(sums);
  for (std::size_t group = 0; group < 50; ++group) {
    ASSERT_EQ(found[group],
              std::accumulate(x.begin() + static_cast<long>(64 * group), x.begin() + static_cast<long>(64 * group + 64), std::int64_t{0}));
  }
}

TEST_P(KernelOnDevice, resources_are_plausible_or_said_to_be_unknown) {
  const Kernel::Resources resources = build(saxpy_spec(Precision::single_precision, 1)).resources();
  if (device_.facts().backend == "cuda") {
    EXPECT_GT(resources.registers, 0);
    EXPECT_GT(resources.groups_per_unit, 1);
    EXPECT_EQ(resources.spilled_bytes, 0);
  } else {
    EXPECT_EQ(resources.registers, -1);
    EXPECT_EQ(resources.groups_per_unit, -1);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, KernelOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
