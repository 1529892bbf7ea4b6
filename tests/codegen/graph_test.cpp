// Graphs, and the order of work between queues, on every device.
#include "codegen/graph.h"

#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "codegen/errors.h"
#include "codegen/memory_pool.h"
#include "codegen/profile.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/failure.h"
#include "tests/codegen/scale_kernel.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

class GraphOnDevice : public EveryDevice {
 protected:
  static constexpr int count = 1000;
  Kernel scale_ = build_kernel(device_, scale_spec());
  Buffer a_ = buffer_with(std::vector<float>(count, 1)), b_ = buffer_with(std::vector<float>(count, 0));
};

TEST_P(GraphOnDevice, a_replay_does_what_the_launches_do) {
  const auto work = [&] {
    scale_.launch(queue_, groups_of_64(count), {&a_, &b_, 2.0F, 1.0F, count});  // b = 2a + 1
    queue_.copy(b_, a_, count * sizeof(float));                                 // a = b
  };
  const Graph graph = capture_graph(queue_, work);
  EXPECT_EQ(graph.command_count(), 2u);
  EXPECT_EQ(values_of<float>(a_)[7], 1);  // a capture runs nothing
  for (int i = 0; i < 10; ++i) graph.launch(queue_);
  EXPECT_EQ(values_of<float>(a_), std::vector<float>(count, 2047));
  work();
  EXPECT_EQ(values_of<float>(a_), std::vector<float>(count, 4095));
  EXPECT_EQ(graph.is_driver_graph(), device_.facts().backend == "cuda");
}

TEST_P(GraphOnDevice, fills_are_recorded_and_an_empty_capture_is_a_graph) {
  const Graph graph = capture_graph(queue_, [&] { queue_.fill_zero(a_); });
  EXPECT_EQ(values_of<float>(a_)[0], 1);
  graph.launch(queue_);
  EXPECT_EQ(values_of<float>(a_), std::vector<float>(count, 0));
  const Graph empty = capture_graph(queue_, [] {});
  EXPECT_EQ(empty.command_count(), 0u);
  empty.launch(queue_);
}

TEST_P(GraphOnDevice, a_graph_may_contain_a_graph_and_runs_on_any_queue_of_its_device) {
  const Graph inner = capture_graph(queue_, [&] { scale_.launch(queue_, groups_of_64(count), {&a_, &b_, 3.0F, 0.0F, count}); });
  const Graph outer = capture_graph(queue_, [&] {
    inner.launch(queue_);
    queue_.copy(b_, a_, count * sizeof(float));
  });
  queue_.finish();
  Queue other = device_.make_queue();
  outer.launch(other);
  outer.launch(other);
  other.finish();
  EXPECT_EQ(values_of<float>(a_), std::vector<float>(count, 9));
}

/// to[i] = from[7 i + 1 modulo count] + table[i], in groups of 64 that take unequal times.
KernelSpec permute_spec() {
  KernelSpec spec;
  spec.name = "permute";
  spec.source_name = "permute.kernel.h";
  spec.source = R"(${signature} {
  const int i = GROUP_ID(0) * 64 + LOCAL_ID(0);
  const real offset = i < count ? table[i] : 0;
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(from);
  if (i < count) {
    real value = from[(7 * i + 1) % count] + offset;
    for (int k = 0; k < GROUP_ID(0) % 64; ++k) value = value * REAL(1.0000001);
    to[i] = value;
  }
}
)";
  spec.precision = Precision::single_precision;
  spec.arguments = {{"table", ArgumentType::real_buffer, Intent::in, "[count]"},
                    {"from", ArgumentType::real_buffer, Intent::in, "[count]"},
                    {"to", ArgumentType::real_buffer, Intent::out, "[count]"},
                    {"count", ArgumentType::int32, Intent::in, "of values"}};
  spec.group_size = {64, 1, 1};
  return spec;
}

TEST_P(GraphOnDevice, kernels_that_wait_for_the_one_before_by_themselves_see_what_it_wrote) {
  constexpr int many = 300000;  // more groups than run at once
  const Kernel permute = build_kernel(device_, permute_spec());
  std::vector<float> table(many);
  for (std::size_t i = 0; i < many; ++i) table[i] = static_cast<float>(i % 13);
  const Buffer offsets = buffer_with(table);
  const auto after_steps = [&](bool in_a_graph) {
    Buffer x = buffer_with(std::vector<float>(many, 1)), y = buffer_with(std::vector<float>(many, 0));
    const auto work = [&] {
      for (int step = 0; step < 20; ++step) {
        permute.launch(queue_, groups_of_64(many), {&offsets, &x, &y, many});
        permute.launch(queue_, groups_of_64(many), {&offsets, &y, &x, many});
      }
    };
    if (!in_a_graph) {
      work();
      return values_of<float>(x);
    }
    const Graph graph = capture_graph(queue_, work);
    graph.launch(queue_);
    return values_of<float>(x);
  };
  const std::vector<float> one_by_one = after_steps(false);
  for (int repetition = 0; repetition < 5; ++repetition) ASSERT_EQ(after_steps(true), one_by_one);
}

TEST_P(GraphOnDevice, kernels_and_buffers_live_as_long_as_the_graph) {
  std::optional<MemoryPool> pool(std::in_place, device_, queue_);
  Graph graph;
  {
    const Kernel kernel = build_kernel(device_, scale_spec("short_lived"));
    Buffer temporary = pool->allocate(count * sizeof(float), "temporary");
    graph = capture_graph(queue_, [&] {
      kernel.launch(queue_, groups_of_64(count), {&a_, &temporary, 5.0F, 0.0F, count});
      queue_.copy(temporary, b_, count * sizeof(float));
    });
  }
  EXPECT_EQ(pool->statistics().active_blocks, 1u);
  graph.launch(queue_);
  pool.reset();
  EXPECT_EQ(values_of<float>(b_), std::vector<float>(count, 5));
  graph = Graph();
  EXPECT_THAT(failure_of([&] { graph.launch(queue_); }), HasSubstr("never captured"));
}

TEST_P(GraphOnDevice, what_cannot_be_recorded_is_refused_and_the_queue_works_on) {
  PinnedBuffer pinned = device_.allocate_pinned(16, "pinned");
  MemoryPool pool(device_, queue_);
  (void)pool.allocate(16, "held");
  const Event event = queue_.record();
  std::vector<std::byte> bytes(16);
  const auto refusal = [&](auto action) { return failure_of([&] { (void)capture_graph(queue_, action); }); };
  EXPECT_EQ(refusal([&] { queue_.write(a_, 0, bytes); }), "write: not possible while a graph is captured on this queue");
  EXPECT_THAT(refusal([&] { queue_.read(a_, 0, bytes); }), HasSubstr("read: not possible"));
  EXPECT_THAT(refusal([&] { queue_.write_async(a_, 0, pinned, 16); }), HasSubstr("write: not possible"));
  EXPECT_THAT(refusal([&] { (void)queue_.record(); }), HasSubstr("event: not possible"));
  EXPECT_THAT(refusal([&] { queue_.wait(event); }), HasSubstr("wait for an event: not possible"));
  EXPECT_THAT(refusal([&] { queue_.finish(); }), HasSubstr("finish: not possible"));
  EXPECT_EQ(refusal([&] { (void)device_.allocate(16, "late"); }), "buffer 'late': no memory can be allocated while a graph is captured");
  EXPECT_THAT(refusal([&] { (void)pool.allocate(16, "late"); }), HasSubstr("no memory can be allocated"));
  EXPECT_THAT(refusal([&] { (void)device_.allocate_pinned(16, "late"); }), HasSubstr("no memory can be allocated"));
  EXPECT_THAT(refusal([&] { (void)capture_graph(queue_, [] {}); }), HasSubstr("already being captured on " + device_.facts().selector));
  EXPECT_THAT(refusal([&] { scale_.launch(queue_, 1, {&a_}); }), HasSubstr("kernel 'scale' has 5 arguments, 1 were given"));
  scale_.launch(queue_, groups_of_64(count), {&a_, &b_, 4.0F, 0.0F, count});
  EXPECT_EQ(values_of<float>(b_), std::vector<float>(count, 4));
}

TEST_P(GraphOnDevice, other_threads_allocate_and_copy_while_a_graph_is_captured) {
  (void)capture_graph(queue_, [&] {
    std::thread([&] {
      Queue other = device_.make_queue();
      Buffer buffer = device_.allocate(64, "other");
      other.upload<float>(buffer, std::vector<float>(16, 2));
      other.finish();
    }).join();
  });
}

TEST_P(GraphOnDevice, one_kernel_is_launched_from_several_threads) {
  std::vector<int> right(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
      threads.emplace_back([this, t, &right] {
        Queue queue = device_.make_queue();
        const auto scalar = static_cast<float>(t + 2);
        Buffer x = device_.allocate(count * sizeof(float), "x"), y = device_.allocate(count * sizeof(float), "y");
        std::vector<float> values(count, 1), found(count);
        queue.upload<float>(x, values);
        for (int i = 0; i < 50; ++i) {
          scale_.launch(queue, groups_of_64(count), {&x, &y, scalar, 0.0F, count});
          scale_.launch(queue, groups_of_64(count), {&y, &x, 1.0F / scalar, 0.0F, count});
        }
        scale_.launch(queue, groups_of_64(count), {&x, &y, 0.0F, scalar, count});
        queue.download<float>(y, found);
        right[t] = found == std::vector<float>(count, scalar) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(right, std::vector<int>(4, 1));
}

TEST_P(GraphOnDevice, several_threads_share_a_queue_that_is_profiled) {
  std::vector<Buffer> outputs;
  for (int t = 0; t < 4; ++t) outputs.push_back(buffer_with(std::vector<float>(count, 0)));
  start_profile(queue_);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < outputs.size(); ++t) {
      threads.emplace_back([this, t, &outputs] {
        for (int i = 1; i <= 100; ++i)
          scale_.launch(queue_, groups_of_64(count), {&a_, &outputs[t], 1.0F, static_cast<float>(t) * static_cast<float>(i), count});
      });
    }
  }
  EXPECT_EQ(stop_profile(queue_).at(0).calls, 400);
  for (std::size_t t = 0; t < outputs.size(); ++t)
    EXPECT_EQ(values_of<float>(outputs[t]), std::vector<float>(count, 1 + 100 * static_cast<float>(t)));
}

TEST_P(GraphOnDevice, a_queue_waits_for_an_event_of_another_queue) {
  Queue other = device_.make_queue();
  const std::size_t large = std::size_t{16} << 20;
  Buffer x = device_.allocate(large, "x"), y = device_.allocate(large, "y"), z = device_.allocate(large, "z");
  std::vector<int> found(large / sizeof(int));
  for (int round = 1; round < 4; ++round) {
    queue_.upload<int>(x, std::vector<int>(large / sizeof(int), round));
    for (int i = 0; i < 4; ++i) queue_.copy(x, y, large);
    other.wait(queue_.record());
    other.copy(y, z, large);
    other.download<int>(z, found);
    ASSERT_EQ(found, std::vector<int>(large / sizeof(int), round));
    queue_.wait(other.record());
  }
  Queue foreign = discover_devices().devices.at(GetParam()).make_queue();
  const Event event = queue_.record();
  EXPECT_THAT(failure_of([&] { foreign.wait(event); }), HasSubstr("the event belongs to another device"));
}

TEST_P(GraphOnDevice, an_event_outlives_queue_and_device_and_still_measures) {
  std::optional<Device> device(discover_devices().devices.at(GetParam()));
  std::optional<Queue> queue(device->make_queue());
  std::optional<Buffer> buffer(device->allocate(std::size_t{8} << 20, "work"));
  const Event before = queue->record();
  queue->fill_zero(*buffer);
  const Event after = queue->record();
  device.reset();
  queue.reset();
  buffer.reset();
  EXPECT_GE(after.seconds_since(before), 0);
  EXPECT_LT(after.seconds_since(before), 10);
}

INSTANTIATE_TEST_SUITE_P(Devices, GraphOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
