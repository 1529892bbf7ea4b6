// Faults that show when a kernel is built, launched or run: one clear message naming kernel and launch.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>

#include "codegen/errors.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/failure.h"
#include "tests/codegen/scale_kernel.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class FaultsOnDevice : public EveryDevice {};

TEST_P(FaultsOnDevice, too_many_arguments_are_refused_before_compiling) {
  KernelSpec spec = scale_spec("crowded");
  while (spec.arguments.size() < 65)
    spec.arguments.push_back({"more" + std::to_string(spec.arguments.size()), ArgumentType::real, Intent::in, ""});
  EXPECT_EQ(failure_of([&] { (void)build_kernel(device_, spec); }), "kernel 'crowded' has 65 arguments; at most 64 are possible");
}

TEST_P(FaultsOnDevice, too_large_a_group_is_refused_before_compiling) {
  KernelSpec spec = scale_spec("wide");
  spec.group_size = {device_.facts().max_group_size, 2, 1};
  EXPECT_THAT(failure_of([&] { (void)build_kernel(device_, spec); }),
              HasSubstr("kernel 'wide': a group of " + std::to_string(2 * device_.facts().max_group_size) + " work-items; "));
}

TEST_P(FaultsOnDevice, more_groups_than_the_driver_takes_are_a_fault_that_names_the_launch) {
  const Kernel kernel = build_kernel(device_, scale_spec());
  const Buffer x = buffer_with(std::vector<float>(64, 1)), y = buffer_with(std::vector<float>(64, 0));
  const std::vector<KernelArgument> arguments{&x, &y, 3.0F, 0.0F, 64};
  const std::string failure = failure_of([&] { kernel.launch(queue_, {1, 70000, 1}, arguments); });
  if (device_.facts().backend == "cuda") {
    EXPECT_THAT(failure, HasSubstr("cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE"));
  }
  if (failure != "no failure") {  // some OpenCL drivers take them
    EXPECT_THAT(failure, HasSubstr("kernel 'scale' with 1x70000x1 groups of 64x1x1 work-items"));
  }
  kernel.launch(queue_, {1, 1, 1}, arguments);  // the queue works on
  EXPECT_EQ(values_of<float>(y), std::vector<float>(64, 3));
}

TEST_P(FaultsOnDevice, a_kernel_that_strays_from_its_memory_is_named_where_the_fault_shows) {
  if (device_.facts().is_cpu) GTEST_SKIP() << "on a CPU such a kernel ends the process";
  if (!starts_in_children(device_.facts())) GTEST_SKIP() << "this driver does not start in children";
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // the child must not share this process's driver
  const auto stray = [this] {
    KernelSpec spec = scale_spec("astray");
    spec.source = "${signature} { y[((int64)1 << 40) + GROUP_ID(0)] = FMA(a, x[0], b) + REAL(count); }\n";
    const Kernel kernel = build_kernel(device_, spec);
    const Buffer x = device_.allocate(256, "x"), y = device_.allocate(256, "y");
    const std::string failure = failure_of([&] {
      kernel.launch(queue_, 2, {&x, &y, 1.0F, 0.0F, 64});
      queue_.finish();
    });
    std::fputs(failure.c_str(), stderr);
    std::_Exit(3);
  };
  EXPECT_EXIT(stray(), testing::ExitedWithCode(3), "its last launch was kernel 'astray' with 2x1x1 groups of 64x1x1 work-items");
}

INSTANTIATE_TEST_SUITE_P(Devices, FaultsOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
