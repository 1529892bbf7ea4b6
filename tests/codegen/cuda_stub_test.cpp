// The CUDA backend against a stub of the driver: exhaustion, a lost device, graphs, the calls of a launch, the life of the context.
#include <gmock/gmock.h>

#include <bit>
#include <optional>

#include "codegen/errors.h"
#include "codegen/graph.h"
#include "codegen/memory_pool.h"
#include "codegen/profile.h"
#include "tests/codegen/failure.h"
#include "tests/codegen/scale_kernel.h"
#include "tests/codegen/stub_cuda.h"

namespace dgsolve::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int status_illegal_address = 700, status_launch_failed = 719;

class CudaStub : public testing::Test {
 protected:
  CudaStub() {
    stub_driver() = {};
    device_.emplace(stub_device());
    queue_.emplace(device_->make_queue());
    const auto rendered = std::make_shared<const RenderedKernel>(render(scale_spec(), "cuda"));
    kernel_ = Kernel(device_->backend().load(rendered, "image"), rendered);
    x_ = device_->allocate(64 * sizeof(float), "x");
    y_ = device_->allocate(64 * sizeof(float), "y");
    stub_driver().calls.clear();
  }
  void launch() { kernel_.launch(*queue_, {3, 1, 1}, arguments_); }

  std::optional<Device> device_;
  std::optional<Queue> queue_;
  Kernel kernel_;
  Buffer x_, y_;
  std::vector<KernelArgument> arguments_{&x_, &y_, 2.0F, 0.5, 60};
};

TEST_F(CudaStub, a_launch_is_two_driver_calls_and_passes_every_argument_as_declared) {
  launch();
  EXPECT_THAT(stub_driver().calls, ElementsAre("current", "launch"));
  const auto argument = [](std::size_t i) { return reinterpret_cast<std::uintptr_t>(stub_driver().arguments.at(i)); };
  EXPECT_EQ(argument(0), x_.native_handle());
  EXPECT_EQ(argument(1), y_.native_handle());
  EXPECT_EQ(static_cast<std::uint32_t>(argument(2)), std::bit_cast<std::uint32_t>(2.0F));
  EXPECT_EQ(static_cast<std::uint32_t>(argument(3)), std::bit_cast<std::uint32_t>(0.5F));
  EXPECT_EQ(static_cast<std::uint32_t>(argument(4)), 60u);
}

TEST_F(CudaStub, resources_come_from_the_driver) {
  const Kernel::Resources resources = kernel_.resources();
  EXPECT_EQ(resources.registers, 40);
  EXPECT_EQ(resources.groups_per_unit, 2048 / 64);
}

TEST_F(CudaStub, exhausted_memory_makes_the_pool_free_what_it_holds_and_try_again) {
  MemoryPool pool(*device_, *queue_);
  constexpr std::size_t kib = 1024;
  { const Buffer a = pool.allocate(256 * kib, "a"), b = pool.allocate(320 * kib, "b"), c = pool.allocate(384 * kib, "c"); }
  EXPECT_EQ(pool.statistics().held_bytes, 960 * kib);
  const Buffer large = pool.allocate(900 * kib, "large");  // fits only if nothing is held, and only without rounding it up to 960 KiB
  EXPECT_EQ(pool.statistics().held_bytes, 0u);
  EXPECT_EQ(pool.statistics().active_blocks, 1u);
  const std::string failure = failure_of([&] { (void)pool.allocate(200 * kib, "more"); });
  EXPECT_THAT(failure, HasSubstr("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_THAT(failure, HasSubstr("buffer 'more' of 204800 bytes on cuda:0, where "));
  EXPECT_THAT(failure, HasSubstr("the memory pool freed what it held; 1 buffers with "));
  EXPECT_THAT(failure, HasSubstr("'large' of 921600 bytes"));
  EXPECT_THROW((void)pool.allocate(200 * kib, "more"), OutOfMemoryError);
}

TEST_F(CudaStub, a_block_that_no_bin_fits_goes_back_to_the_device) {
  MemoryPool pool(*device_, *queue_);
  (void)pool.allocate(1000 * 1024, "rounded up it does not fit");
  EXPECT_EQ(pool.statistics().held_blocks, 0u);
  EXPECT_EQ(stub_driver().allocations.size(), 2u);  // x and y
}

TEST_F(CudaStub, pinned_memory_whose_copy_still_runs_is_not_given_out) {
  PinnedPool pool(*device_);
  stub_driver().event_status = 600;  // not ready
  const auto copy = [&] {
    PinnedBuffer source = pool.allocate(64, "source");
    (void)queue_->write_async(x_, 0, source, 64);
  };
  copy();
  EXPECT_FALSE(queue_->record().reached());
  copy();
  EXPECT_EQ(pool.statistics().served_from_held, 0);
  EXPECT_EQ(pool.statistics().held_blocks, 2u);
  stub_driver().event_status = 0;
  EXPECT_TRUE(queue_->record().reached());
  copy();
  EXPECT_EQ(pool.statistics().served_from_held, 1);
  EXPECT_EQ(pool.statistics().held_blocks, 2u);
}

TEST_F(CudaStub, a_lost_device_is_one_fault_that_names_kernel_and_launch) {
  stub_driver().launch_status = status_launch_failed;
  EXPECT_THAT(failure_of([&] { launch(); }),
              HasSubstr("cuLaunchKernel failed: CUDA_ERROR (719): as the stub was told: kernel 'scale' with 3x1x1 groups of 64x1x1 "
                        "work-items, 0 bytes of shared memory; the device is lost to this process, which must start anew"));
  stub_driver().launch_status = 0;
  launch();
  const Event event = queue_->record();
  stub_driver().synchronize_status = status_illegal_address;
  EXPECT_THAT(failure_of([&] { event.wait(); }), HasSubstr("its last launch was kernel 'scale' with 3x1x1 groups"));
  EXPECT_THAT(failure_of([&] { queue_->finish(); }),
              HasSubstr("cuStreamSynchronize failed: CUDA_ERROR (700): as the stub was told: an earlier kernel or copy of this queue "
                        "failed; its last launch was kernel 'scale' with 3x1x1 groups of 64x1x1 work-items"));
  EXPECT_THAT(failure_of([&] { queue_->finish(); }), HasSubstr("the device is lost to this process"));
}

TEST_F(CudaStub, a_graph_is_captured_once_and_launched_with_one_call) {
  const Graph graph = capture_graph(*queue_, [&] {
    launch();
    queue_->copy(x_, y_, 16);
    launch();
  });
  EXPECT_THAT(stub_driver().calls, ElementsAre("current", "current", "begin", "current", "launch", "current", "copy", "current", "launch",
                                               "end", "instantiate", "destroy graph", "current"));
  stub_driver().calls.clear();
  graph.launch(*queue_);
  EXPECT_THAT(stub_driver().calls, ElementsAre("current", "graph"));
  EXPECT_TRUE(graph.is_driver_graph());
}

TEST_F(CudaStub, on_a_profiled_queue_the_launches_of_a_graph_are_timed_one_by_one) {
  const Graph graph = capture_graph(*queue_, [&] {
    launch();
    launch();
  });
  start_profile(*queue_);
  graph.launch(*queue_);
  const std::vector<ProfileRow> rows = stop_profile(*queue_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_NEAR(rows[0].seconds, 4e-3, 1e-9);
}

TEST_F(CudaStub, a_graph_that_the_driver_refuses_is_a_fault_and_leaks_nothing) {
  stub_driver().instantiate_status = 1;
  EXPECT_THAT(failure_of([&] { (void)capture_graph(*queue_, [&] { launch(); }); }), HasSubstr("cuGraphInstantiate failed: CUDA_ERROR (1)"));
  stub_driver().instantiate_status = 0;
  stub_driver().launch_status = 1;
  stub_driver().calls.clear();
  EXPECT_THAT(failure_of([&] { (void)capture_graph(*queue_, [&] { launch(); }); }), HasSubstr("cuLaunchKernel failed"));
  EXPECT_THAT(stub_driver().calls, testing::Contains("destroy graph"));
  stub_driver().launch_status = 0;
  launch();
}

TEST_F(CudaStub, the_context_is_released_once_with_the_last_object_that_needs_it) {
  std::optional<Graph> graph = capture_graph(*queue_, [&] { launch(); });
  std::optional<Event> event = queue_->record();
  device_.reset();
  kernel_ = Kernel();
  queue_.reset();
  x_ = Buffer();
  y_ = Buffer();
  EXPECT_EQ(stub_driver().allocations.size(), 2u);  // the graph keeps them
  graph.reset();
  EXPECT_EQ(stub_driver().allocations.size(), 0u);
  EXPECT_EQ(stub_driver().released, 0);
  event.reset();
  EXPECT_EQ(stub_driver().retained, 1);
  EXPECT_EQ(stub_driver().released, 1);
}

}  // namespace
}  // namespace dgsolve::codegen
