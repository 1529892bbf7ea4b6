// The per-kernel profile and the measured limits on every device.
#include "codegen/profile.h"

#include <gmock/gmock.h>

#include <chrono>

#include "codegen/graph.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/scale_kernel.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class ProfileOnDevice : public EveryDevice {};

TEST_P(ProfileOnDevice, sums_calls_times_and_costs_of_each_kernel) {
  const int count = 1 << 22;
  const Kernel large = build_kernel(device_, scale_spec("large")), small = build_kernel(device_, scale_spec("small"));
  const Buffer x = device_.allocate(count * sizeof(float), "x"), y = device_.allocate(count * sizeof(float), "y");
  const KernelCost cost{2.0 * count * sizeof(float), 2.0 * count};
  const auto run = [&] {
    for (int i = 0; i < 5; ++i) {
      large.launch(queue_, groups_of_64(count), {&x, &y, 2.0F, 1.0F, count}, cost);
      small.launch(queue_, 1, {&x, &y, 2.0F, 1.0F, 1});
      small.launch(queue_, 1, {&x, &y, 2.0F, 1.0F, 1});
    }
    queue_.finish();
  };
  run();
  const auto start = std::chrono::steady_clock::now();
  start_profile(queue_);
  run();
  const std::vector<ProfileRow> rows = stop_profile(queue_);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_GE(rows[0].seconds, rows[1].seconds) << "what takes most comes first";
  // Which of them that is depends on what else runs on the device.
  const bool in_order = rows[0].kernel == "large";
  const ProfileRow& of_large = rows[in_order ? 0 : 1];
  const ProfileRow& of_small = rows[in_order ? 1 : 0];
  EXPECT_EQ(of_large.kernel, "large");
  EXPECT_EQ(of_small.kernel, "small");
  EXPECT_EQ(of_large.calls, 5);
  EXPECT_EQ(of_small.calls, 10);
  EXPECT_DOUBLE_EQ(of_large.bytes, 5 * cost.bytes);
  EXPECT_DOUBLE_EQ(of_large.flops, 5 * cost.flops);
  EXPECT_EQ(of_small.bytes, 0);
  EXPECT_GT(of_large.shortest, 0);
  EXPECT_LE(of_large.shortest * 5, of_large.seconds * (1 + 1e-12));
  EXPECT_LE(rows[0].seconds + rows[1].seconds, 1.1 * wall + 1e-3);
  run();  // no longer profiled
  EXPECT_TRUE(stop_profile(queue_).empty());
}

TEST_P(ProfileOnDevice, more_launches_than_are_kept_are_all_counted_also_those_of_graphs) {
  const Kernel kernel = build_kernel(device_, scale_spec());
  const Buffer x = device_.allocate(64 * sizeof(float), "x"), y = device_.allocate(64 * sizeof(float), "y");
  const auto launch = [&] { kernel.launch(queue_, 1, {&x, &y, 2.0F, 1.0F, 64}, {512, 128}); };
  const Graph graph = capture_graph(queue_, [&] {
    for (int i = 0; i < 10; ++i) launch();
  });
  start_profile(queue_);
  for (int i = 0; i < 5000; ++i) launch();
  graph.launch(queue_);
  const std::vector<ProfileRow> rows = stop_profile(queue_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 5010);
  EXPECT_DOUBLE_EQ(rows[0].bytes, 5010 * 512.0);
}

TEST(ProfileTable, has_rates_and_the_share_of_the_limit_that_binds) {
  DeviceLimits limits;
  limits.copy_bytes_per_s = 100e9;
  limits.double_flops_per_s = 200e9;
  limits.single_flops_per_s = 400e9;
  ProfileRow memory{"memory_bound", Precision::double_precision, 10, 1.0, 0.09, 80e9, 20e9};
  ProfileRow compute{"compute_bound", Precision::single_precision, 5, 0.5, 0.1, 5e9, 150e9};
  ProfileRow unknown{"unknown", Precision::double_precision, 2, 0.5, 0.2, 0, 0};
  const std::string table = profile_table({memory, compute, unknown}, limits);
  EXPECT_THAT(table, HasSubstr("kernel           calls   total ms   time    mean us   least us     GB/s  GFLOP/s  share of limit"));
  EXPECT_THAT(table, HasSubstr("memory_bound        10   1000.000  50.0%  100000.00   90000.00     80.0     20.0  80.0% of copy"));
  EXPECT_THAT(table, HasSubstr("compute_bound        5    500.000  25.0%  100000.00  100000.00     10.0    300.0  75.0% of flops"));
  EXPECT_THAT(table, HasSubstr("unknown              2    500.000  25.0%  250000.00  200000.00        -        -  -"));
  EXPECT_THAT(table, HasSubstr("all                      2000.000\n"));
}

TEST_P(ProfileOnDevice, limits_are_plausible_measured_once_and_then_read_from_the_cache) {
  TemporaryFolder folder;
  DeviceLimits first;
  {
    Cache cache(folder.path());
    first = device_limits(device_, cache);
  }
  EXPECT_GT(first.copy_bytes_per_s, 1e8);
  EXPECT_LT(first.copy_bytes_per_s, 1e14);
  EXPECT_GT(first.launch_s, 1e-8);
  EXPECT_LT(first.launch_s, 1e-3);
  EXPECT_LE(first.launch_s, first.round_trip_s * 1.5);
  EXPECT_GT(first.single_flops_per_s, 1e9);
  EXPECT_LT(first.single_flops_per_s, 1e15);
  EXPECT_EQ(first.double_flops_per_s > 1e8, device_.facts().has_double);
  Cache cache(folder.path());
  const DeviceLimits second = device_limits(device_, cache);
  EXPECT_EQ(cache.counters().compiles, 0);
  EXPECT_EQ(second.copy_bytes_per_s, first.copy_bytes_per_s);
  EXPECT_EQ(second.launch_s, first.launch_s);
  EXPECT_EQ(second.round_trip_s, first.round_trip_s);
  EXPECT_EQ(second.single_flops_per_s, first.single_flops_per_s);
  EXPECT_EQ(second.double_flops_per_s, first.double_flops_per_s);
}

INSTANTIATE_TEST_SUITE_P(Devices, ProfileOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
