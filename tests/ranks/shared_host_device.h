// A device made of a host thread, for tests of what processes share without a GPU: its queues run behind the host, slowly and unevenly, and
// its memory and events can be opened by other processes of the node, with the guarantees that CUDA gives and no others.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "codegen/backends/backend.h"
#include "codegen/errors.h"

namespace dgsolve {

/// Memory with a name that other processes map. The owner removes the name.
class NamedMemory {
 public:
  explicit NamedMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)), owner_(true) {
    static std::atomic<int> count{0};
    name_ = fmt::format("/dgsolve-test-{}-{}", ::getpid(), count++);
    map(O_RDWR | O_CREAT | O_EXCL);
  }
  NamedMemory(const codegen::ProcessHandle& handle, std::size_t bytes)
      : name_(reinterpret_cast<const char*>(handle.bytes.data())), bytes_(std::max<std::size_t>(bytes, 1)) {
    map(O_RDWR);
  }
  ~NamedMemory() {
    ::munmap(memory_, bytes_);
    if (owner_) ::shm_unlink(name_.c_str());
  }
  NamedMemory(const NamedMemory&) = delete;
  NamedMemory& operator=(const NamedMemory&) = delete;
  [[nodiscard]] void* memory() const { return memory_; }
  [[nodiscard]] codegen::ProcessHandle handle() const {
    codegen::ProcessHandle handle;
    std::memcpy(handle.bytes.data(), name_.c_str(), name_.size() + 1);
    return handle;
  }

 private:
  void map(int flags) {
    const int file = ::shm_open(name_.c_str(), flags, 0600);
    if (file < 0) throw codegen::DeviceError("cannot open " + name_);
    const bool sized = !owner_ || ::ftruncate(file, static_cast<off_t>(bytes_)) == 0;
    memory_ = sized ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    ::close(file);
    if (memory_ == MAP_FAILED) throw codegen::DeviceError("cannot map " + name_);
  }
  std::string name_;
  std::size_t bytes_;
  bool owner_ = false;
  void* memory_ = nullptr;
};

class SharedHostDevice;

class HostBuffer : public codegen::backends::BufferBackend {
 public:
  HostBuffer(const codegen::backends::DeviceBackend& device, std::size_t bytes, std::string_view label, std::shared_ptr<NamedMemory> memory)
      : BufferBackend(device, bytes, label), memory_(std::move(memory)) {
    native_ = reinterpret_cast<std::uintptr_t>(memory_->memory());
  }
  ~HostBuffer() override { wait_until_idle(); }
  codegen::ProcessHandle process_handle() const override { return memory_->handle(); }
  [[nodiscard]] const std::shared_ptr<NamedMemory>& memory() const { return memory_; }

 private:
  std::shared_ptr<NamedMemory> memory_;
};

class HostQueue : public codegen::backends::QueueBackend {
 public:
  using Work = std::function<void()>;
  HostQueue(codegen::backends::DeviceBackend& device, unsigned int seed)
      : QueueBackend(device), random_(seed), thread_([this] { run(); }) {}
  ~HostQueue() override {
    enqueue([this] { ended_ = true; });
    thread_.join();
  }
  void enqueue(Work work) {
    const std::scoped_lock lock(mutex_);
    works_.push_back(std::move(work));
    changed_.notify_all();
  }
  void write(codegen::backends::BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override {
    write_async(target, offset, source);
    finish();
  }
  void read(const codegen::backends::BufferBackend& source, std::size_t offset, std::span<std::byte> target) override {
    read_async(source, offset, target);
    finish();
  }
  void write_async(codegen::backends::BufferBackend& target, std::size_t offset, std::span<const std::byte> source) override {
    enqueue([to = bytes_of(target) + offset, source] { std::copy(source.begin(), source.end(), to); });
  }
  void read_async(const codegen::backends::BufferBackend& source, std::size_t offset, std::span<std::byte> target) override {
    enqueue([from = bytes_of(source) + offset, target] { std::copy_n(from, target.size(), target.begin()); });
  }
  void copy(const codegen::backends::BufferBackend& source, codegen::backends::BufferBackend& target, std::size_t bytes) override {
    enqueue([from = bytes_of(source), to = bytes_of(target), bytes] { std::copy_n(from, bytes, to); });
  }
  void fill_zero(codegen::backends::BufferBackend& target) override {
    enqueue([to = bytes_of(target), bytes = target.bytes()] { std::fill_n(to, bytes, std::byte{0}); });
  }
  std::shared_ptr<codegen::backends::EventBackend> record() override;
  void wait(const codegen::backends::EventBackend& event) override;
  void finish() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return works_.empty(); });
  }
  std::uintptr_t native() const override { return 0; }
  /// Now and then, in the middle of a kernel.
  void pause() {
    if (random_() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 500));
  }
  static std::byte* bytes_of(const codegen::backends::BufferBackend& buffer) { return reinterpret_cast<std::byte*>(buffer.native()); }

 private:
  void run() {
    while (!ended_) {
      Work work;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !works_.empty(); });
        work = works_.front();
      }
      pause();
      work();
      const std::scoped_lock lock(mutex_);
      works_.pop_front();
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> works_;
  std::minstd_rand random_;
  bool ended_ = false;
  std::thread thread_;
};

/// How often the event was recorded by the host, and how many of these records queues have come to.
class HostEvent : public codegen::backends::EventBackend {
 public:
  HostEvent(const codegen::backends::DeviceBackend& device, std::shared_ptr<NamedMemory> memory)
      : device_(device), memory_(std::move(memory)), counts_(static_cast<Counts*>(memory_->memory())) {}
  const codegen::backends::DeviceBackend& device() const override { return device_; }
  bool reached() const override { return counts_->reached >= counts_->recorded; }
  void wait() const override { wait_for(counts_->recorded); }
  double seconds_since(const EventBackend&) const override { throw codegen::DeviceError("these events have no clock"); }
  void record(codegen::backends::QueueBackend& queue) const override {
    const std::uint64_t record = ++counts_->recorded;
    static_cast<HostQueue&>(queue).enqueue([counts = counts_, keep = memory_, record] { counts->reached = record; });
  }
  codegen::ProcessHandle process_handle() const override { return memory_->handle(); }
  void hold(HostQueue& queue) const {
    queue.enqueue([event = *this, record = counts_->recorded.load()] { event.wait_for(record); });
  }

 private:
  struct Counts {
    std::atomic<std::uint64_t> recorded, reached;
  };
  void wait_for(std::uint64_t record) const {
    while (counts_->reached < record) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  const codegen::backends::DeviceBackend& device_;
  std::shared_ptr<NamedMemory> memory_;
  Counts* counts_;
};

inline std::shared_ptr<codegen::backends::EventBackend> HostQueue::record() {
  auto event = std::make_shared<HostEvent>(device(), std::make_shared<NamedMemory>(64));
  event->record(*this);
  return event;
}
inline void HostQueue::wait(const codegen::backends::EventBackend& event) { static_cast<const HostEvent&>(event).hold(*this); }

/// halo_pack and halo_unpack of doubles.
class HostMover : public codegen::backends::KernelBackend {
 public:
  HostMover(const codegen::backends::DeviceBackend& device, std::shared_ptr<const codegen::RenderedKernel> rendered)
      : KernelBackend(std::move(rendered)), device_(device) {}
  const codegen::backends::DeviceBackend& device() const override { return device_; }
  void launch(codegen::backends::QueueBackend& queue, std::array<std::uint32_t, 3>,
              std::span<const codegen::backends::LaunchArgument> given, codegen::backends::LaunchTiming*) override {
    const auto number = [&](std::size_t i) {
      std::int64_t value = 0;
      std::memcpy(&value, given[i].value.data(), sizeof value);
      return value;
    };
    auto* values = reinterpret_cast<double*>(number(0));
    const auto* places = reinterpret_cast<const std::int64_t*>(number(1)) + number(3);
    auto* packed = reinterpret_cast<double*>(number(2)) + number(4);
    auto& host = static_cast<HostQueue&>(queue);
    const bool pack = spec().name == "halo_pack";
    host.enqueue([=, count = number(5), &host] {
      for (std::int64_t i = 0; i < count; ++i) {
        if (i % 4000 == 3999) host.pause();
        (pack ? packed[i] : values[places[i]]) = pack ? values[places[i]] : packed[i];
      }
    });
  }
  codegen::Kernel::Resources resources() const override { return {}; }

 private:
  const codegen::backends::DeviceBackend& device_;
};

class SharedHostDevice : public codegen::backends::DeviceBackend {
 public:
  explicit SharedHostDevice(unsigned int seed) : seed_(seed) {
    facts_.name = facts_.selector = "threads";
    facts_.backend = "opencl";  // whose dialect its kernels, which nobody compiles, are written in
    facts_.max_group_size = 1024;
    facts_.global_bytes = std::size_t{1} << 30;
  }
  const codegen::DeviceFacts& facts() const override { return facts_; }
  std::uintptr_t native() override { return 0; }
  std::shared_ptr<codegen::backends::QueueBackend> make_queue() override { return std::make_shared<HostQueue>(*this, seed_ += 1000); }
  std::shared_ptr<codegen::backends::BufferBackend> allocate(std::size_t bytes, std::string_view label) override {
    return std::make_shared<HostBuffer>(*this, bytes, label, std::make_shared<NamedMemory>(bytes));
  }
  std::shared_ptr<codegen::backends::BufferBackend> allocate_pinned(std::size_t bytes, std::string_view label) override {
    return allocate(bytes, label);
  }
  std::string cache_key(const codegen::RenderedKernel&) const override { return {}; }
  codegen::backends::BuiltKernel build(const std::shared_ptr<const codegen::RenderedKernel>& rendered, codegen::Cache*) override {
    return {load(rendered, {}), {}};
  }
  std::shared_ptr<codegen::backends::KernelBackend> load(const std::shared_ptr<const codegen::RenderedKernel>& rendered,
                                                         const std::string&) override {
    return std::make_shared<HostMover>(*this, rendered);
  }
  std::string why_not_shared() const override { return {}; }
  std::shared_ptr<codegen::backends::BufferBackend> allocate_shared(std::size_t bytes, std::string_view label) override {
    return allocate(bytes, label);
  }
  std::shared_ptr<codegen::backends::BufferBackend> open_shared(const codegen::ProcessHandle& handle, std::size_t bytes,
                                                                std::string_view label) override {
    return std::make_shared<HostBuffer>(*this, bytes, label, std::make_shared<NamedMemory>(handle, bytes));
  }
  std::shared_ptr<codegen::backends::EventBackend> make_shared_event() override {
    return std::make_shared<HostEvent>(*this, std::make_shared<NamedMemory>(64));
  }
  std::shared_ptr<codegen::backends::EventBackend> open_shared_event(const codegen::ProcessHandle& handle) override {
    return std::make_shared<HostEvent>(*this, std::make_shared<NamedMemory>(handle, 64));
  }

 private:
  codegen::DeviceFacts facts_;
  unsigned int seed_;
};

}  // namespace dgsolve
