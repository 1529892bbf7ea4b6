// Memory and events that processes share: by two processes on CUDA devices and on the host's processors, by the calls of a stub, refused on
// other devices.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <numeric>
#include <optional>

#include "codegen/environment.h"
#include "codegen/errors.h"
#include "codegen/graph.h"
#include "codegen/kernel.h"
#include "tests/codegen/cache/child_process.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/failure.h"
#include "tests/codegen/scale_kernel.h"
#include "tests/codegen/stub_cuda.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

constexpr std::size_t float_count = 100000;
constexpr int additions = 401;
constexpr const char* socket_variable = "DGSOLVE_TEST_SOCKET";
constexpr const char* device_variable = "DGSOLVE_TEST_DEVICE";

/// What one process tells the other: its memory and its event.
struct Offer {
  ProcessHandle memory, event;
};

/// Sends and receives all bytes of an object. Throws DeviceError if the other process is gone.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}
  template <class T>
  void send(const T& object) const {
    if (::send(socket_, &object, sizeof object, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof object)) throw DeviceError("the line is cut");
  }
  template <class T>
  [[nodiscard]] T receive() const {
    T object{};
    if (::recv(socket_, &object, sizeof object, MSG_WAITALL) != static_cast<ssize_t>(sizeof object)) throw DeviceError("the line is cut");
    return object;
  }

 private:
  int socket_;
};

/// y <- x + 1, x <- y + 1, ..., so often that waiting for the event is needed.
void add_ones(const Kernel& scale, Queue& queue, Buffer& x, Buffer& y, int times) {
  for (int i = 0; i < times; ++i) {
    std::vector<KernelArgument> arguments{i % 2 == 0 ? &x : &y, i % 2 == 0 ? &y : &x, 1.0, 1.0, static_cast<std::int32_t>(float_count)};
    scale.launch(queue, {groups_of_64(float_count), 1, 1}, arguments);
  }
}

std::vector<float> counted(float begin) {
  std::vector<float> values(float_count);
  std::iota(values.begin(), values.end(), begin);
  return values;
}

class Sharing : public EveryDevice {
 protected:
  std::vector<float> floats(const Buffer& buffer) {
    std::vector<float> values(float_count);
    queue_.download<float>(buffer, values);
    return values;
  }
};

/// The other process: checks what it finds in the parent's memory once the parent's event is reached, then writes there and says so with an
/// event of its own.
TEST(SharingChild, DISABLED_reads_and_writes_the_memory_of_its_parent) {
  const Line parent(std::stoi(environment_value(socket_variable)));
  const Device device = select_device(environment_value(device_variable));
  Queue queue = device.make_queue();
  const Kernel scale = build_kernel(device, scale_spec());
  const auto offer = parent.receive<Offer>();
  Buffer theirs = device.open_shared(offer.memory, 2 * float_count * sizeof(float), "the parent's");
  const Event written = device.open_shared_event(offer.event);
  const Event own = device.make_shared_event();
  for (int round = 0; round < 3; ++round) {
    (void)parent.receive<int>();  // the parent has recorded its event
    queue.wait(written);
    std::vector<float> found(float_count);
    queue.download<float>(theirs, found);
    EXPECT_EQ(found, counted(static_cast<float>(round + additions)));
    Buffer start = device.allocate(float_count * sizeof(float), "start");
    queue.upload<float>(start, counted(static_cast<float>(100 * round)));
    Buffer middle = device.allocate(float_count * sizeof(float), "middle");
    add_ones(scale, queue, start, middle, additions - 1);
    add_ones(scale, queue, start, theirs, 1);  // straight into the parent's memory
    queue.record(own);
    parent.send(Offer{{}, own.handle()});
  }
  queue.finish();
  theirs = Buffer();
  parent.send(1);
  (void)parent.receive<int>();  // the parent is done with the event
}

TEST_P(Sharing, another_process_reads_and_writes_when_the_events_say_so) {
  if (!device_.why_not_shared().empty()) GTEST_SKIP() << device_.why_not_shared();
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  const pid_t child = start_test("SharingChild.DISABLED_reads_and_writes_the_memory_of_its_parent",
                                 {{socket_variable, std::to_string(sockets[1])}, {device_variable, device_.facts().selector}});
  ::close(sockets[1]);
  const Line line(sockets[0]);
  const Kernel scale = build_kernel(device_, scale_spec());
  // Beside other small memory, which the child does not see.
  const Buffer small = device_.allocate(16, "small");
  Buffer shared = device_.allocate_shared(2 * float_count * sizeof(float), "shared");
  const Event written = device_.make_shared_event();
  try {
    line.send(Offer{shared.handle(), written.handle()});
    for (int round = 0; round < 3; ++round) {
      Buffer start = buffer_with(counted(static_cast<float>(round)));
      add_ones(scale, queue_, start, shared, additions);
      queue_.record(written);
      line.send(1);
      const auto offer = line.receive<Offer>();
      const Event theirs = device_.open_shared_event(offer.event);
      queue_.wait(theirs);
      EXPECT_EQ(floats(shared), counted(static_cast<float>(100 * round + additions)));
    }
    EXPECT_EQ(line.receive<int>(), 1);
    line.send(1);
  } catch (const DeviceError& error) {
    ADD_FAILURE() << error.what();
  }
  ::close(sockets[0]);
  EXPECT_EQ(wait_for(child), 0);
}

TEST_P(Sharing, faults_say_what_is_wrong) {
  const Buffer own = device_.allocate(64, "own");
  EXPECT_THAT(failure_of([&] { (void)own.handle(); }), HasSubstr("buffer 'own' was not allocated by Device::allocate_shared"));
  EXPECT_THAT(failure_of([&] { (void)Buffer().handle(); }), HasSubstr("empty"));
  EXPECT_THAT(failure_of([&] { (void)queue_.record().handle(); }), HasSubstr("was not made by Device::make_shared_event"));
  EXPECT_THAT(failure_of([&] { queue_.record(queue_.record()); }), HasSubstr("was not made by Device::make_shared_event"));
  if (device_.why_not_shared().empty()) {
    EXPECT_THAT(failure_of([&] { (void)device_.open_shared({}, 64, "nobody's"); }), HasSubstr("buffer 'nobody's' of another process"));
    const bool cuda = device_.facts().backend == "cuda";
    EXPECT_THAT(failure_of([&] { (void)device_.open_shared_event({}); }),
                HasSubstr(cuda ? "cuIpcOpenEventHandle failed" : "event of another process"));
    return;
  }
  EXPECT_EQ(device_.why_not_shared(),
            "device " + device_.facts().selector + " shares nothing with other processes (CUDA devices and the host's processors do)");
  EXPECT_EQ(failure_of([&] { (void)device_.allocate_shared(64, "s"); }), "shared buffer 's': " + device_.why_not_shared());
  EXPECT_EQ(failure_of([&] { (void)device_.open_shared({}, 64, "s"); }), "shared buffer 's': " + device_.why_not_shared());
  EXPECT_EQ(failure_of([&] { (void)device_.make_shared_event(); }), "shared event: " + device_.why_not_shared());
  EXPECT_EQ(failure_of([&] { (void)device_.open_shared_event({}); }), "shared event: " + device_.why_not_shared());
}

INSTANTIATE_TEST_SUITE_P(Devices, Sharing, testing::Range(std::size_t{0}, all_devices().size()), device_test_name);

/// On the host's processors: the same process may open what it shares.
class SharingOfHost : public EveryDevice {
 protected:
  void SetUp() override {
    if (!device_.facts().is_cpu) GTEST_SKIP() << "not the host's processors";
    ASSERT_EQ(device_.why_not_shared(), "");
  }
};

TEST_P(SharingOfHost, memory_begins_zeroed_and_is_one_and_the_same) {
  Buffer shared = device_.allocate_shared(float_count * sizeof(float), "shared");
  std::vector<float> found(float_count, 1.0F);
  queue_.download<float>(shared, found);
  EXPECT_EQ(found, std::vector<float>(float_count));
  const Buffer opened = device_.open_shared(shared.handle(), float_count * sizeof(float), "opened");
  queue_.upload<float>(shared, counted(3));
  queue_.download<float>(opened, found);
  EXPECT_EQ(found, counted(3));
  shared = Buffer();  // those who have it open keep the memory
  queue_.download<float>(opened, found);
  EXPECT_EQ(found, counted(3));
  EXPECT_THAT(failure_of([&] { (void)opened.handle(); }), HasSubstr("was not allocated by Device::allocate_shared"));
}

TEST_P(SharingOfHost, a_handle_that_leads_elsewhere_opens_nothing) {
  const Buffer one = device_.allocate_shared(64, "one");
  ProcessHandle handle;
  {
    const Buffer gone = device_.allocate_shared(64, "gone");
    handle = gone.handle();
  }
  EXPECT_THAT(failure_of([&] { (void)device_.open_shared(handle, 64, "opened"); }), HasSubstr("buffer 'opened' of another process: "));
  const Buffer other = device_.allocate_shared(64, "other");  // the system gives the number of the file that was closed last
  EXPECT_THAT(failure_of([&] { (void)device_.open_shared(handle, 64, "opened"); }),
              HasSubstr("buffer 'opened' of another process: the handle leads to other memory"));
  EXPECT_THAT(failure_of([&] { (void)device_.open_shared(one.handle(), 5000, "long"); }),
              HasSubstr("buffer 'long' of another process: 8192 bytes asked, 4096 there"));
}

TEST_P(SharingOfHost, a_wait_keeps_to_what_was_recorded_before) {
  const Event own = device_.make_shared_event();
  const Event opened = device_.open_shared_event(own.handle());
  Queue waiting = device_.make_queue();
  EXPECT_TRUE(opened.reached());
  waiting.wait(opened);  // over at once: nothing was recorded
  waiting.finish();
  const Kernel scale = build_kernel(device_, scale_spec());
  Buffer x = buffer_with(counted(0)), y = device_.allocate(float_count * sizeof(float), "y");
  add_ones(scale, queue_, x, y, additions);
  queue_.record(own);
  waiting.wait(opened);
  waiting.finish();
  EXPECT_TRUE(own.reached());
  EXPECT_THAT(failure_of([&] { queue_.record(opened); }), HasSubstr("was not made by Device::make_shared_event"));
  EXPECT_THAT(failure_of([&] { (void)own.seconds_since(queue_.record()); }), HasSubstr("measures no time"));
}

INSTANTIATE_TEST_SUITE_P(Devices, SharingOfHost, testing::Range(std::size_t{0}, all_devices().size()), device_test_name);

/// The stub with the calls of sharing: handles hold addresses.
std::shared_ptr<backends::cuda::DriverApi> sharing_stub() {
  using namespace backends::cuda;  // NOLINT: the names of a driver
  auto api = stub_api();
  api->event_create = [](EventHandle* event, unsigned int flags) -> Result {
    return *event = stub_calls::handle<EventHandle>(), stub_calls::note(flags == 6 ? "shared event" : "plain event");
  };
  api->ipc_get_mem_handle = [](IpcMemHandle* handle, DevicePointer pointer) -> Result {
    return std::memcpy(handle, &pointer, sizeof pointer), success;
  };
  api->ipc_open_mem_handle = [](DevicePointer* pointer, IpcMemHandle handle, unsigned int flags) -> Result {
    std::memcpy(pointer, &handle, sizeof *pointer);
    return *pointer += 1, stub_calls::note(flags == 1 ? "open" : "?");
  };
  api->ipc_close_mem_handle = [](DevicePointer pointer) -> Result { return stub_calls::note(pointer % 2 == 1 ? "close" : "?"); };
  api->ipc_get_event_handle = [](IpcEventHandle*, EventHandle) -> Result { return success; };
  api->ipc_open_event_handle = [](EventHandle* event, IpcEventHandle) -> Result {
    return *event = stub_calls::handle<EventHandle>(), stub_calls::note("open event");
  };
  return api;
}

TEST(SharingStub, shared_memory_takes_whole_blocks_and_what_is_opened_is_closed_not_freed) {
  stub_driver() = {};
  stub_driver().total_bytes = std::size_t{16} << 20;
  const Device device(std::make_shared<backends::CudaDevice>(sharing_stub(), nullptr, 0));
  EXPECT_EQ(device.why_not_shared(), "");
  const Buffer small = device.allocate_shared(100, "small"), large = device.allocate_shared((std::size_t{2} << 20) + 1, "large");
  EXPECT_EQ(small.bytes(), 100U);
  EXPECT_EQ(stub_driver().used(), std::size_t{6} << 20);
  stub_driver().calls.clear();
  {
    const Buffer opened = device.open_shared(small.handle(), 100, "opened");
    EXPECT_EQ(opened.native_handle(), small.native_handle() + 1);
    EXPECT_EQ(opened.bytes(), 100U);
  }
  EXPECT_THAT(stub_driver().calls, testing::IsSupersetOf({"open", "close"}));
  EXPECT_EQ(stub_driver().allocations.size(), 2U);
}

TEST(SharingStub, a_shared_event_is_made_for_processes_without_a_clock_and_recorded_again_and_again) {
  stub_driver() = {};
  const Device device(std::make_shared<backends::CudaDevice>(sharing_stub(), nullptr, 0));
  Queue queue = device.make_queue();
  stub_driver().calls.clear();
  const Event shared = device.make_shared_event();
  queue.record(shared);
  queue.record(shared);
  const Event opened = device.open_shared_event(shared.handle());
  EXPECT_EQ(std::count(stub_driver().calls.begin(), stub_driver().calls.end(), "shared event"), 1);
  EXPECT_EQ(std::count(stub_driver().calls.begin(), stub_driver().calls.end(), "event"), 2);
  EXPECT_EQ(std::count(stub_driver().calls.begin(), stub_driver().calls.end(), "open event"), 1);
  EXPECT_THAT(failure_of([&] { queue.record(opened); }), HasSubstr("was not made by"));
  EXPECT_THAT(failure_of([&] { (void)capture_graph(queue, [&] { queue.record(shared); }); }), HasSubstr("while a graph is captured"));
}

TEST(SharingStub, a_driver_without_the_calls_says_so) {
  stub_driver() = {};
  const Device device = stub_device();
  EXPECT_EQ(device.why_not_shared(), "the driver of device cuda:0 has no cuIpc calls");
  EXPECT_EQ(failure_of([&] { (void)device.make_shared_event(); }), "shared event: the driver of device cuda:0 has no cuIpc calls");
}

}  // namespace
}  // namespace dgsolve::codegen
