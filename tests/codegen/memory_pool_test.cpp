// Pools of device and pinned memory on every device; exhaustion on a driver that has little.
#include "codegen/memory_pool.h"

#include <gmock/gmock.h>

#include <numeric>
#include <optional>
#include <thread>

#include "codegen/errors.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

TEST(PoolBins, hold_what_was_asked_for_and_waste_an_eighth_at_most) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 40); bytes = bytes * 17 / 16 + 1) {
    const std::size_t bin = pool_bin(bytes);
    ASSERT_GE(bin, bytes);
    ASSERT_EQ(bin % 128, 0u) << bytes;
    ASSERT_EQ(pool_bin(bin), bin) << bytes;
    ASSERT_LE(bin - bytes, std::max<std::size_t>(bytes / 8, 1023)) << bytes;
  }
  EXPECT_EQ(pool_bin(0), 1024u);
}

class PoolOnDevice : public EveryDevice {};

TEST_P(PoolOnDevice, a_destroyed_buffer_serves_the_next_of_its_bin) {
  MemoryPool pool(device_, queue_);
  std::optional<Buffer> first = pool.allocate(100'000, "first");
  EXPECT_EQ(first->bytes(), 100'000u);
  const std::uintptr_t address = first->native_handle();
  first.reset();
  EXPECT_EQ(pool.statistics().held_bytes, pool_bin(100'000));
  EXPECT_EQ(pool.statistics().active_bytes, 0u);
  const Buffer second = pool.allocate(99'000, "second"), other = pool.allocate(5000, "other");
  EXPECT_EQ(second.native_handle(), address);
  EXPECT_EQ(second.bytes(), 99'000u);
  EXPECT_NE(other.native_handle(), address);
  const PoolStatistics statistics = pool.statistics();
  EXPECT_EQ(statistics.allocations, 3);
  EXPECT_EQ(statistics.served_from_held, 1);
  EXPECT_EQ(statistics.held_blocks, 0u);
  EXPECT_EQ(statistics.active_blocks, 2u);
  EXPECT_EQ(statistics.active_bytes, pool_bin(99'000) + pool_bin(5000));
}

TEST_P(PoolOnDevice, a_block_that_is_reused_at_once_does_not_disturb_the_work_before) {
  MemoryPool pool(device_, queue_);
  const std::size_t count = 1 << 18;
  std::vector<std::vector<int>> found(8, std::vector<int>(count));
  std::vector<Buffer> results;
  for (int round = 0; round < 8; ++round) {
    results.push_back(device_.allocate(count * sizeof(int), "result"));
    Buffer temporary = pool.allocate(count * sizeof(int), "temporary");
    queue_.upload<int>(temporary, std::vector<int>(count, round));
    queue_.copy(temporary, results.back(), count * sizeof(int));  // may still run when the block is given out again
  }
  EXPECT_EQ(pool.statistics().served_from_held, 7);
  for (std::size_t round = 0; round < 8; ++round) {
    queue_.download<int>(results[round], found[round]);
    EXPECT_EQ(found[round], std::vector<int>(count, static_cast<int>(round)));
  }
}

TEST_P(PoolOnDevice, pooled_buffers_work_in_every_command_and_at_size_zero) {
  MemoryPool pool(device_, queue_);
  Buffer none = pool.allocate(0, "none"), a = pool.allocate(1001, "a"), b = pool.allocate(1001, "b");
  EXPECT_EQ(none.bytes(), 0u);
  queue_.fill_zero(none);
  queue_.upload<unsigned char>(a, std::vector<unsigned char>(1001, 7));
  queue_.copy(a, b, 1000);
  queue_.fill_zero(a);
  EXPECT_EQ(values_of<unsigned char>(a), std::vector<unsigned char>(1001, 0));
  EXPECT_EQ(values_of<unsigned char>(b)[999], 7);
  EXPECT_THROW(queue_.write(a, 1000, std::vector<std::byte>(2)), DeviceError);
}

TEST_P(PoolOnDevice, pool_device_and_queue_may_go_before_the_buffers) {
  std::optional<Device> device(discover_devices().devices.at(GetParam()));
  std::optional<Queue> queue(device->make_queue());
  std::optional<MemoryPool> pool(std::in_place, *device, *queue);
  std::optional<Buffer> kept = pool->allocate(5000, "kept"), returned = pool->allocate(5000, "returned");
  returned.reset();
  pool.reset();
  device.reset();
  queue->upload<int>(*kept, std::vector<int>(1250, 3));
  std::vector<int> found(1250);
  queue->download<int>(*kept, found);
  EXPECT_EQ(found, std::vector<int>(1250, 3));
  queue.reset();
  kept.reset();
}

TEST_P(PoolOnDevice, buffers_that_live_are_reported_by_label) {
  MemoryPool pool(device_, queue_);
  EXPECT_EQ(pool.active_report(), "");
  const Buffer small = pool.allocate(10, "small"), large = pool.allocate(3000, "large");
  EXPECT_EQ(pool.active_report(), "2 buffers with 4096 bytes of its blocks are active:\n  'large' of 3000 bytes\n  'small' of 10 bytes");
}

TEST_P(PoolOnDevice, free_held_gives_everything_back_to_the_device) {
  MemoryPool pool(device_, queue_);
  for (int i = 0; i < 3; ++i) (void)pool.allocate(std::size_t{1000} << i, "temporary");
  EXPECT_GT(pool.statistics().held_blocks, 1u);
  pool.free_held();
  EXPECT_EQ(pool.statistics().held_bytes, 0u);
  EXPECT_EQ(pool.statistics().held_blocks, 0u);
}

TEST_P(PoolOnDevice, several_threads_share_a_pool) {
  MemoryPool pool(device_, queue_);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&pool, t] {
        std::vector<Buffer> live;
        for (std::size_t i = 0; i < 200; ++i) {
          live.push_back(pool.allocate(1000 * (1 + (i * 7 + t) % 5), "shared"));
          if (i % 3 == 2) live.erase(live.begin(), live.begin() + 2);
        }
      });
    }
  }
  const PoolStatistics statistics = pool.statistics();
  EXPECT_EQ(statistics.allocations, 800);
  EXPECT_EQ(statistics.active_blocks, 0u);
  EXPECT_GT(statistics.served_from_held, 0);
}

TEST_P(PoolOnDevice, pinned_memory_carries_asynchronous_copies_both_ways) {
  PinnedPool pool(device_);
  const std::size_t count = 1 << 18;
  Buffer target = device_.allocate(count * sizeof(int), "target");
  Queue other = device_.make_queue();
  PinnedBuffer up = pool.allocate(count * sizeof(int), "up"), down = pool.allocate(count * sizeof(int), "down");
  std::iota(up.items<int>().begin(), up.items<int>().end(), 5);
  const Event written = queue_.write_async(target, 0, up, count * sizeof(int));
  other.wait(written);
  const Event read = other.read_async(target, 4, down, (count - 1) * sizeof(int));
  read.wait();
  EXPECT_TRUE(read.reached());
  EXPECT_EQ(down.items<int>()[0], 6);
  EXPECT_EQ(down.items<int>()[count - 2], static_cast<int>(count) + 4);
  EXPECT_THROW(queue_.write_async(target, 4, up, count * sizeof(int)), DeviceError);
  EXPECT_THROW(queue_.read_async(target, 0, down, count * sizeof(int) + 1), DeviceError);
}

TEST_P(PoolOnDevice, pinned_memory_in_use_is_not_given_out_before_its_copy_is_done) {
  PinnedPool pool(device_);
  const std::size_t count = 1 << 20;
  std::vector<Buffer> targets;
  for (int round = 0; round < 6; ++round) {
    targets.push_back(device_.allocate(count * sizeof(int), "target"));
    PinnedBuffer source = pool.allocate(count * sizeof(int), "source");
    std::fill(source.items<int>().begin(), source.items<int>().end(), round);
    (void)queue_.write_async(targets.back(), 0, source, count * sizeof(int));
  }
  EXPECT_EQ(pool.statistics().active_blocks, 0u);
  for (int round = 0; round < 6; ++round)
    EXPECT_EQ(values_of<int>(targets[static_cast<std::size_t>(round)]), std::vector<int>(count, round));
}

TEST_P(PoolOnDevice, a_plain_pinned_buffer_may_go_while_its_copy_runs) {
  Buffer target = device_.allocate(std::size_t{4} << 20, "target");
  {
    PinnedBuffer source = device_.allocate_pinned(target.bytes(), "source");
    std::fill(source.items<int>().begin(), source.items<int>().end(), 9);
    (void)queue_.write_async(target, 0, source, target.bytes());
  }
  EXPECT_EQ(values_of<int>(target), std::vector<int>(target.bytes() / sizeof(int), 9));
  EXPECT_TRUE(PinnedBuffer().bytes().empty());
}

TEST_P(PoolOnDevice, a_request_beyond_the_device_says_so_and_what_is_active) {
  MemoryPool pool(device_, queue_);
  (void)pool.allocate(4000, "held");
  const Buffer active = pool.allocate(2000, "state");
  try {
    (void)pool.allocate(std::size_t{1} << 50, "giant");
    FAIL() << "a petabyte was allocated";
  } catch (const OutOfMemoryError& error) {
    EXPECT_THAT(error.what(), HasSubstr("buffer 'giant' of 1125899906842624 bytes on " + device_.facts().selector));
    EXPECT_THAT(error.what(), HasSubstr("the memory pool freed what it held; 1 buffers with 2048 bytes of its blocks are active:\n"
                                        "  'state' of 2000 bytes"));
  }
  EXPECT_EQ(pool.statistics().held_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, PoolOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
