// Plans of array expressions: what is merged, shared and seen to overlap; kernels for GPUs on every device; and what NVRTC makes of them.
#include "codegen/arrays/array_plan.h"

#include <gmock/gmock.h>

#include "codegen/arrays/elementwise.h"
#include "codegen/arrays/structure.h"
#include "tests/codegen/arrays/array_plans.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {

struct Marked {
  float value;
  std::int32_t mark;
};
template <>
struct ElementTypeOf<Marked> {
  static ElementType get() {
    return describe_structure<Marked>("marked", {member("value", &Marked::value), member("mark", &Marked::mark)});
  }
};

namespace {

using testing::HasSubstr;
using testing::Not;

class ArrayPlanOnDevice : public EveryDevice {
 protected:
  Context context_{device_};

  template <class T>
  static ArrayOutput output_of(const Array<T>& target, const ArrayProgram& program) {
    return {target.view(), element_code<T>(), element_type<T>, &program, nullptr};
  }
  template <class T, class X>
  static std::string ptx_of(const Array<T>& target, const X& values) {
    const ArrayProgram program = begin_program<T>(values);
    const ArrayOutput output = output_of(target, program);
    return ptx_of(array_kernel_spec(plan_outputs({&output, 1}), WorkStyle::groups));
  }
  /// Empty without NVRTC.
  static std::string ptx_of(const KernelSpec& spec) {
    return compiles_as_cuda(spec) ? compile_cuda_offline(render(spec, "cuda"), "compute_90") : std::string();
  }
};

TEST_P(ArrayPlanOnDevice, equal_operands_are_one_and_dimensions_merge) {
  const Array<float> x = zeros<float>(context_, {4, 5, 6}), row = zeros<float>(context_, 6);
  const ArrayProgram program = (x * x + 2 * x + row - row).program();
  const ArrayOutput output = output_of(x, program);
  const ArrayPlan plan = plan_outputs({&output, 1});
  EXPECT_EQ(plan.memories.size(), 2U);
  EXPECT_EQ(plan.operands.size(), 2U);
  EXPECT_EQ(plan.extents.size(), 2U);
  EXPECT_EQ(plan.extents[0], 20);
  EXPECT_FALSE(plan.flat);
  EXPECT_FALSE(plan.overlaps());
  const ArrayProgram flat_program = (x + row.slice({2, 3})).program();
  const ArrayOutput flat_output = output_of(x, flat_program);
  EXPECT_TRUE(plan_outputs({&flat_output, 1}).flat) << "one item for all";
}

TEST_P(ArrayPlanOnDevice, common_subexpressions_are_computed_once) {
  const Array<float> x = zeros<float>(context_, 10), y = zeros<float>(context_, 10);
  const ArrayProgram program = (exp(x * y) + 1 / exp(x * y)).program();
  const ArrayOutput output = output_of(y, program);
  const std::string text = std::get<std::string>(array_kernel_spec(plan_outputs({&output, 1}), WorkStyle::items).constants.at("item"));
  EXPECT_EQ(text.find("exp("), text.rfind("exp("));
  EXPECT_EQ(text.find("a0 * a1"), text.rfind("a0 * a1"));
}

TEST_P(ArrayPlanOnDevice, only_shared_items_overlap) {
  Array<int> x = zeros<int>(context_, 100);
  const auto overlaps = [](const Array<int>& target, const Array<int>& source) {
    const ArrayProgram program = begin_program<int>(source);
    const ArrayOutput output = output_of(target, program);
    return plan_outputs({&output, 1}).overlaps();
  };
  EXPECT_FALSE(overlaps(x, x));
  EXPECT_TRUE(overlaps(x.slice({1}), x.slice({{}, -1})));
  EXPECT_FALSE(overlaps(x.slice({0, 50}), x.slice({50})));
  EXPECT_TRUE(overlaps(x.slice({0, 51}), x.slice({99, 48, -1})));
}

TEST_P(ArrayPlanOnDevice, packs_of_gpus_give_what_runs_of_cpus_give) {
  const std::int64_t count = 20011;
  const Array<int> x = arange<int>(context_, 0, static_cast<int>(count) + 8), places = (x * 7) % 1000;
  const Array<std::uint8_t> bytes = x.as<std::uint8_t>();
  const Array<std::complex<float>> z = complex(x.as<float>(), 2 * x.as<float>());
  Array<int> one = full<int>(context_, 1, 5);
  for (const std::int64_t first : {0, 3, 4}) {
    const Slice part{first, first + count};
    const auto at = [&](const auto& array) { return array.slice(part); };
    const ArrayProgram sums = (at(x) * one + at(bytes) + take(x.slice({5}), at(places))).program();
    const ArrayProgram lengths = (real(at(z) * 2) + imag(at(z)) + at(bytes)).program();
    const ArrayProgram values = (at(x) + 1).program(), targets = begin_program<std::int64_t>(at(x) * 2 - count);
    std::vector<std::vector<int>> found_sums, found_put;
    std::vector<std::vector<float>> found_lengths;
    for (const WorkStyle style : {WorkStyle::items, WorkStyle::groups}) {
      const Array<int> sum = zeros<int>(context_, count + 8), scattered = zeros<int>(context_, count);
      const Array<float> length = zeros<float>(context_, count + 8);
      const std::array<ArrayOutput, 3> outputs{output_of(at(sum), sums), output_of(at(length), lengths),
                                               ArrayOutput{scattered.view(), ElementCode::int32, nullptr, &values, &targets}};
      const ArrayPlan plan = plan_outputs(outputs);
      EXPECT_TRUE(plan.flat);
      EXPECT_EQ(plan.aligned, first == 0 || first == 4);
      launch_plan(plan, style);
      found_sums.push_back(sum.to_host());
      found_put.push_back(scattered.to_host());
      found_lengths.push_back(length.to_host());
      if (first < 4) compiles_as_cuda(array_kernel_spec(plan, style));
    }
    EXPECT_EQ(found_sums[0], found_sums[1]);
    EXPECT_EQ(found_put[0], found_put[1]);
    EXPECT_EQ(found_lengths[0], found_lengths[1]);
    EXPECT_EQ(found_sums[0][static_cast<std::size_t>(first) + 10], 5 * (first + 10) + (first + 10) + (7 * (first + 10)) % 1000 + 5);
  }
}

TEST_P(ArrayPlanOnDevice, strided_kernels_of_gpus_give_what_those_of_cpus_give) {
  const Array<int> x = arange<int>(context_, 0, 30 * 41 * 13).reshape({30, 41, 13});
  const ArrayProgram program =
      (x.transpose({1, 0, 2}) + 2 * x.slice(0, {{}, {}, -1}).row(3) - arange<int>(context_, 0, 30).reshape({30, 1})).program();
  std::vector<std::vector<int>> found;
  for (const WorkStyle style : {WorkStyle::items, WorkStyle::groups}) {
    const Array<int> y(context_, {41, 30, 13});
    // The row of shape (41, 13) is read as (41, 1, 13).
    const ArrayProgram values =
        (x.transpose({1, 0, 2}) + 2 * x.row(26).reshape({41, 1, 13}) - arange<int>(context_, 0, 30).reshape({30, 1})).program();
    const ArrayOutput output = output_of(y, values);
    const ArrayPlan plan = plan_outputs({&output, 1});
    EXPECT_FALSE(plan.flat);
    launch_plan(plan, style);
    found.push_back(y.to_host());
    compiles_as_cuda(array_kernel_spec(plan, style));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0][(7 * 30 + 11) * 13 + 5], (11 * 41 + 7) * 13 + 5 + 2 * ((26 * 41 + 7) * 13 + 5) - 11);
  EXPECT_THROW(static_cast<void>(shape_of(program)), std::invalid_argument);
}

TEST_P(ArrayPlanOnDevice, structures_move_in_groups) {
  std::vector<Marked> items(5000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<float>(i), static_cast<int>(i)};
  const Array<Marked> source = to_device(context_, items), target(context_, 5000);
  const ArrayProgram program = begin_program<Marked>(source.slice({{}, {}, -1}));
  const ArrayOutput output = output_of(target, program);
  launch_plan(plan_outputs({&output, 1}), WorkStyle::groups);
  EXPECT_EQ(target.to_host()[1].mark, 4998);
  const ElementwiseKernel mark(context_, "marked* m, int* y", "m[i].mark = 2 * y[i]; y[i] = (int)m[i].value", "mark",
                               {.structures = {element_type<Marked>()}, .style = WorkStyle::groups});
  Array<int> y = arange<int>(context_, 0, 5000);
  mark(source, y);
  EXPECT_EQ(source.to_host()[4999].mark, 9998);
  EXPECT_EQ(y.to_host()[4999], 4999);
}

TEST_P(ArrayPlanOnDevice, element_wise_packs_give_the_host_values) {
  const std::int64_t count = 10007;
  Array<float> x = arange<float>(context_, 0, static_cast<float>(count)), y(context_, count), z = full<float>(context_, count, 1);
  const ElementwiseKernel kernel(context_, "float a, const float* x, float* y, float* z", "y[i] = a * x[i]; if (i % 3 == 0) z[i] += y[i]",
                                 "third", {.style = WorkStyle::groups});
  y = -1;
  kernel(2.0F, x, y, z);
  kernel(3.0F, x.slice({5}), y.slice({5}), z.slice({5}));
  const std::vector<float> found_y = y.to_host(), found_z = z.to_host();
  for (std::size_t i = 0; i < found_y.size(); ++i) {
    const auto value = static_cast<float>(i);
    ASSERT_EQ(found_y[i], (i < 5 ? 2 : 3) * value) << i;
    ASSERT_EQ(found_z[i], 1 + (i % 3 == 0 ? 2 * value : 0) + (i >= 5 && (i - 5) % 3 == 0 ? 3 * value : 0)) << i;
  }
  compiles_as_cuda(kernel.spec({}));
  compiles_as_cuda(kernel.spec({WorkStyle::groups, false}));
}

TEST_P(ArrayPlanOnDevice, nvrtc_moves_16_bytes_at_once) {
  const Array<float> x = zeros<float>(context_, 4096), y = zeros<float>(context_, 4096);
  const std::string ptx = ptx_of(y, 2 * x + y);
  if (ptx.empty()) GTEST_SKIP() << "there is no NVRTC";
  EXPECT_THAT(ptx, HasSubstr("ld.global.v4.f32"));
  EXPECT_THAT(ptx, HasSubstr("st.global.v4.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma.")));
  const ElementwiseKernel axpy(context_, "double a, const double* x, double* y", "y[i] = a * x[i] + y[i]", "axpy");
  const std::string custom = ptx_of(axpy.spec({}));
  EXPECT_THAT(custom, HasSubstr("st.global.v2.f64"));
  EXPECT_THAT(custom, testing::ContainsRegex("ld.global(.nc)?.v2.f64"));
  EXPECT_THAT(ptx_of(axpy.spec({WorkStyle::groups, false})), Not(HasSubstr(".v2.f64")));
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayPlanOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
