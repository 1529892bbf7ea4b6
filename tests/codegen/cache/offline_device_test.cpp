// The device that is not there: what is built for it is what a GPU of the architecture looks for.
#include "codegen/offline_device.h"

#include <gmock/gmock.h>

#include <set>

#include "codegen/backends/cuda/cuda_device.h"
#include "codegen/cache.h"
#include "codegen/cache_folder.h"
#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/cache/number_kernel.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/stub_cuda.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

std::vector<KernelSpec> some_specs(const std::string& salt) { return {number_kernel(1, salt), number_kernel(2, salt, "second")}; }

class OfflineDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::tie(nvrtc_, reason_) = backends::cuda::open_nvrtc();
    if (!nvrtc_) GTEST_SKIP() << reason_;
  }
  std::shared_ptr<const backends::cuda::NvrtcApi> nvrtc_;
  std::string reason_;
  TemporaryFolder folder_;
};

TEST_F(OfflineDevice, entries_hit_in_a_process_with_a_gpu_of_the_architecture) {
  const auto specs = some_specs(folder_.path().string());
  {
    Cache cache(folder_.path());
    (void)build_kernels(make_offline_cuda_device("sm_90"), specs, &cache);
    EXPECT_EQ(cache.counters().compiles, 2);
  }
  stub_driver() = {};
  const Device gpu(std::make_shared<backends::CudaDevice>(stub_api(), nvrtc_, 0));
  ASSERT_EQ(gpu.facts().architecture, "sm_90");
  Cache cache(folder_.path());
  (void)build_kernels(gpu, specs, &cache);
  EXPECT_EQ(cache.counters().user_hits, 2);
  EXPECT_EQ(cache.counters().compiles, 0);
}

TEST_F(OfflineDevice, every_architecture_of_nvrtc_has_its_own_entries) {
  const auto specs = some_specs(folder_.path().string());
  Cache cache(folder_.path());
  for (const char* architecture : {"sm_80", "sm_90"}) (void)build_kernels(make_offline_cuda_device(architecture), specs, &cache);
  EXPECT_EQ(cache.counters().compiles, 4);
  std::multiset<std::string> found;
  for (const ListedEntry& entry : CacheFolder::own(folder_.path()).list(Scrutiny::every_byte))
    found.insert(entry.facts.kernel + " " + entry.facts.architecture);
  EXPECT_EQ(found, (std::multiset<std::string>{"number sm_80", "number sm_90", "second sm_80", "second sm_90"}));
}

TEST_F(OfflineDevice, launches_nothing_reads_zeros_and_takes_no_memory) {
  const Device device = make_offline_cuda_device("sm_90", "NVIDIA H200");
  EXPECT_EQ(device.facts().name, "NVIDIA H200");
  Cache cache;
  const auto kernels = build_kernels(device, some_specs("salt"), &cache);
  EXPECT_EQ(run_number_kernel(device, kernels[1]), 0);
  const Buffer huge = device.allocate(std::size_t{1} << 45, "huge");
  EXPECT_EQ(huge.bytes(), std::size_t{1} << 45);
}

TEST_F(OfflineDevice, compile_errors_and_limits_are_those_of_the_gpu) {
  const Device device = make_offline_cuda_device("sm_80");
  KernelSpec spec = number_kernel(1, "salt");
  spec.source += "broken\n";
  EXPECT_THROW((void)build_kernels(device, std::span(&spec, 1), nullptr), CompileError);
  spec = number_kernel(1, "salt");
  spec.shared_bytes = 200000;  // sm_90 has that much
  EXPECT_THROW((void)build_kernels(device, std::span(&spec, 1), nullptr), DeviceError);
}

TEST_F(OfflineDevice, an_unknown_architecture_is_named_with_the_known_ones) {
  try {
    (void)make_offline_cuda_device("sm_91");
    FAIL() << "made";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'sm_91', known are sm_70"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'sm_90'?"));
  }
}

class OfflineAndReal : public EveryDevice {};

TEST_P(OfflineAndReal, agree_on_facts_and_entries) {
  const DeviceFacts& real = device_.facts();
  if (real.backend != "cuda") GTEST_SKIP() << "only CUDA devices are built for offline";
  const Device offline = make_offline_cuda_device(real.architecture, real.name);
  EXPECT_EQ(offline.facts().shared_bytes, real.shared_bytes);
  EXPECT_EQ(offline.facts().has_matrix_double, real.has_matrix_double);
  EXPECT_EQ(offline.facts().max_group_size, real.max_group_size);
  EXPECT_EQ(offline.facts().has_double, real.has_double);
  const TemporaryFolder folder;
  const auto specs = some_specs(folder.path().string());
  Cache before(folder.path());
  (void)build_kernels(offline, specs, &before);
  Cache cache(folder.path());
  EXPECT_EQ(run_number_kernel(device_, build_kernels(device_, specs, &cache).at(1)), 2);
  EXPECT_EQ(cache.counters().user_hits, 2);
  EXPECT_EQ(cache.counters().compiles, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, OfflineAndReal, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
