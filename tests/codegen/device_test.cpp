// Devices, queues, buffers and events on every device; the choice of a device.
#include "codegen/device.h"

#include <gmock/gmock.h>

#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/failure.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

TEST(Devices, at_least_one_is_here_and_every_backend_is_here_or_says_why_not) {
  const Discovery discovery = discover_devices();
  ASSERT_FALSE(discovery.devices.empty());
  for (const std::string backend : {"cuda", "opencl"}) {
    bool explained = false;
    for (const Device& device : discovery.devices) explained = explained || device.facts().backend == backend;
    for (const MissingDevice& missing : discovery.missing) explained = explained || (missing.backend == backend && !missing.reason.empty());
    EXPECT_TRUE(explained) << backend;
  }
}

TEST(Devices, have_complete_facts_and_distinct_selectors_that_select_them) {
  std::vector<std::string> selectors;
  for (const Device& device : all_devices()) {
    const DeviceFacts& facts = device.facts();
    EXPECT_FALSE(facts.name.empty());
    EXPECT_FALSE(facts.platform.empty());
    EXPECT_FALSE(facts.driver_version.empty());
    EXPECT_GT(facts.compute_units, 0);
    EXPECT_GE(facts.max_group_size, 1);
    EXPECT_GT(facts.global_bytes, std::size_t{1} << 28);
    EXPECT_GE(facts.shared_bytes, std::size_t{16} << 10);
    if (facts.backend == "cuda") {
      EXPECT_THAT(facts.architecture, testing::StartsWith("sm_"));
    }
    EXPECT_EQ(select_device(facts.selector).facts().selector, facts.selector);
    EXPECT_EQ(select_device(facts.name).facts().name, facts.name);
    selectors.push_back(facts.selector);
  }
  std::sort(selectors.begin(), selectors.end());
  EXPECT_EQ(std::unique(selectors.begin(), selectors.end()), selectors.end());
}

TEST(Devices, auto_prefers_a_gpu_and_a_backend_name_gives_that_backend) {
  bool any_gpu = false, any_cuda = false;
  for (const Device& device : all_devices()) {
    any_gpu = any_gpu || !device.facts().is_cpu;
    any_cuda = any_cuda || device.facts().backend == "cuda";
    EXPECT_EQ(select_device(device.facts().backend).facts().backend, device.facts().backend);
  }
  const DeviceFacts chosen = select_device("auto").facts();
  EXPECT_EQ(chosen.is_cpu, !any_gpu);
  EXPECT_EQ(chosen.backend == "cuda", any_cuda);
}

TEST(Devices, a_wrong_choice_lists_what_exists_what_is_missing_and_what_is_near) {
  const std::string existing = all_devices().front().facts().selector;
  const std::string failure = failure_of([&] { (void)select_device(existing + "7"); });
  EXPECT_THAT(failure, HasSubstr("no device '" + existing + "7'; did you mean '" + existing + "'?"));
  EXPECT_THAT(failure, HasSubstr(all_devices().front().facts().name));
  EXPECT_THAT(failure, HasSubstr("allowed: auto, cuda, cuda:N, opencl, opencl:N, or part of a device's name"));
  for (const MissingDevice& missing : discover_devices().missing) EXPECT_THAT(failure, HasSubstr(missing.reason));
}

class OnDevice : public EveryDevice {};

TEST_P(OnDevice, bytes_written_are_read_back_at_every_offset) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 7);
  Buffer buffer = device_.allocate(values.size() * sizeof(int), "numbers");
  queue_.upload<int>(buffer, values);
  queue_.upload<int>(buffer, std::vector<int>{-1, -2}, 998);
  std::vector<int> middle(500);
  queue_.download<int>(buffer, middle, 500);
  EXPECT_EQ(middle[0], 507);
  EXPECT_EQ(middle[497], 1004);
  EXPECT_EQ(middle[498], -1);
  EXPECT_EQ(middle[499], -2);
}

TEST_P(OnDevice, copies_and_zeros_reach_exactly_their_range) {
  for (const std::size_t count : {1u, 3u, 16u, 33u, 100000u}) {
    Buffer source = buffer_with(std::vector<unsigned char>(count, 0xab));
    Buffer target = buffer_with(std::vector<unsigned char>(count, 0xcd));
    queue_.copy(source, target, count - 1);
    std::vector<unsigned char> found = values_of<unsigned char>(target);
    EXPECT_EQ(std::count(found.begin(), found.end(), 0xab), static_cast<long>(count - 1));
    EXPECT_EQ(found.back(), 0xcd);
    queue_.fill_zero(source);
    found = values_of<unsigned char>(source);
    EXPECT_EQ(std::count(found.begin(), found.end(), 0), static_cast<long>(count));
  }
}

TEST_P(OnDevice, zero_bytes_are_a_buffer) {
  Buffer empty = device_.allocate(0, "nothing");
  EXPECT_EQ(empty.bytes(), 0u);
  queue_.fill_zero(empty);
  queue_.upload<int>(empty, std::vector<int>{});
  std::vector<int> none;
  queue_.download<int>(empty, none);
}

TEST_P(OnDevice, faults_name_buffer_sizes_and_devices) {
  Buffer buffer = device_.allocate(100, "state");
  std::vector<std::byte> bytes(60);
  EXPECT_EQ(failure_of([&] { queue_.write(buffer, 50, bytes); }), "write: bytes 50 to 110 of buffer 'state', which has 100 bytes");
  EXPECT_EQ(failure_of([&] { queue_.read(buffer, 101, {}); }), "read: bytes 101 to 101 of buffer 'state', which has 100 bytes");
  EXPECT_THAT(failure_of([&] { queue_.copy(buffer, buffer, 10); }), HasSubstr("copy of buffer 'state' onto itself"));
  Buffer moved = std::move(buffer);
  EXPECT_THAT(failure_of([&] { queue_.fill_zero(buffer); }),
              HasSubstr("the buffer is empty"));  // NOLINT: the state after a move is the point
  Queue other = discover_devices().devices.at(GetParam()).make_queue();
  EXPECT_THAT(failure_of([&] { other.fill_zero(moved); }), HasSubstr("buffer 'state' belongs to another device"));
}

TEST_P(OnDevice, memory_that_does_not_fit_is_refused_with_label_and_size) {
  const std::size_t bytes = std::size_t{1} << 50;
  const std::string failure = failure_of([&] { (void)device_.allocate(bytes, "giant"); });
  EXPECT_THAT(failure, HasSubstr("buffer 'giant' of 1125899906842624 bytes on " + device_.facts().selector));
}

TEST_P(OnDevice, events_order_and_measure_the_work_between_them) {
  Buffer source = device_.allocate(std::size_t{64} << 20, "source"), target = device_.allocate(std::size_t{64} << 20, "target");
  queue_.fill_zero(source);
  queue_.fill_zero(target);
  queue_.finish();
  const auto start = std::chrono::steady_clock::now();
  const Event before = queue_.record();
  for (int i = 0; i < 4; ++i) queue_.copy(source, target, source.bytes());
  const Event after = queue_.record();
  after.wait();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double seconds = after.seconds_since(before);
  EXPECT_GT(seconds, 1e-6);
  EXPECT_LE(seconds, 1.1 * wall + 1e-4);
  EXPECT_NEAR(before.seconds_since(after), -seconds, 1e-9);
}

TEST_P(OnDevice, objects_may_be_destroyed_in_any_order_and_on_any_thread) {
  std::optional<Device> device(discover_devices().devices.at(GetParam()));
  std::optional<Queue> queue(device->make_queue());
  std::optional<Buffer> buffer(device->allocate(1000, "last"));
  std::optional<Event> event(queue->record());
  device.reset();
  queue->fill_zero(*buffer);
  queue.reset();
  event->wait();
  std::thread([&] { buffer.reset(); }).join();
  std::thread([&] { event.reset(); }).join();
}

TEST_P(OnDevice, native_handles_are_there_and_distinct) {
  Queue other = device_.make_queue();
  const Buffer a = device_.allocate(16, "a"), b = device_.allocate(16, "b");
  for (const std::uintptr_t handle : {device_.native_handle(), queue_.native_handle(), a.native_handle()}) EXPECT_NE(handle, 0u);
  EXPECT_NE(queue_.native_handle(), other.native_handle());
  EXPECT_NE(a.native_handle(), b.native_handle());
  EXPECT_EQ(Buffer().native_handle(), 0u);
}

TEST_P(OnDevice, several_threads_use_queues_of_their_own) {
  std::vector<std::jthread> threads;
  std::vector<int> right(4);
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([this, t, &right] {
      Queue queue = device_.make_queue();
      Buffer a = device_.allocate(40000, "a"), b = device_.allocate(40000, "b");
      std::vector<int> values(10000, static_cast<int>(t) + 1), found(10000);
      for (int round = 0; round < 10; ++round) {
        queue.upload<int>(a, values);
        queue.copy(a, b, 40000);
        queue.download<int>(b, found);
      }
      right[t] = found == values ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(right, std::vector<int>(4, 1));
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
