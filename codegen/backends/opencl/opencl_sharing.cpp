// Memory and events that processes of a node share on devices that are the host's processors: anonymous files (memfd_create) that the
// processes map and the driver uses in place, and counters in such memory that native kernels of the queues raise and wait for.
#include "codegen/backends/opencl/opencl_sharing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

/// What a ProcessHandle holds: the descriptor of a process, and the name of its file, which no other file has.
struct FileHandle {
  std::int32_t process = 0, descriptor = -1;
  std::array<char, 48> name{};
};
static_assert(sizeof(FileHandle) <= sizeof(ProcessHandle));

[[noreturn]] void fail(std::string_view what, std::string_view call, int error = errno) {
  throw DeviceError(fmt::format("{}: {}: {}", what, call, std::generic_category().message(error)));
}

std::array<char, 48> new_name() {
  std::random_device random;
  std::array<char, 48> name{};
  fmt::format_to_n(name.begin(), name.size() - 1, "dgsolve-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  return name;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes, std::string_view label) : bytes_(bytes), name_(new_name()) {
  const std::string what = fmt::format("{} of {} bytes for other processes", label, bytes);
  descriptor_ = ::memfd_create(name_.data(), MFD_CLOEXEC);
  if (descriptor_ < 0) fail(what, "memfd_create");
  // Pages are there from now on: a full memory is an error here, not a signal at the first touch.
  const int status = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (status != 0) {
    ::close(descriptor_);
    if (status == ENOSPC || status == ENOMEM) throw OutOfMemoryError(fmt::format("{}: no memory is left", what));
    fail(what, "posix_fallocate", status);
  }
  map(what);
}

SharedMemory::SharedMemory(const ProcessHandle& handle, std::size_t bytes, std::string_view label) : bytes_(bytes) {
  const std::string what = fmt::format("{} of another process", label);
  FileHandle file;
  std::memcpy(&file, handle.bytes.data(), sizeof file);
  file.name.back() = '\0';
  // The name is compared before anything is opened: in another container the same numbers may be somebody else's file.
  const std::string path = fmt::format("/proc/{}/fd/{}", file.process, file.descriptor);
  std::array<char, 128> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size() - 1);
  if (length < 0) fail(what, "the process that has it does not show it");
  const std::string_view found(target.data(), static_cast<std::size_t>(length));
  if (file.name.front() == '\0' || !found.starts_with(fmt::format("/memfd:{} ", file.name.data())))
    throw DeviceError(fmt::format("{}: the handle leads to other memory", what));
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) fail(what, "open");
  struct stat facts {};
  const bool whole = ::fstat(descriptor_, &facts) == 0 && static_cast<std::size_t>(facts.st_size) >= bytes;
  if (!whole) {
    ::close(descriptor_);
    throw DeviceError(fmt::format("{}: {} bytes asked, {} there", what, bytes, facts.st_size));
  }
  map(what);
}

void SharedMemory::map(std::string_view what) {
  begin_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (begin_ != MAP_FAILED) return;
  const int error = errno;
  ::close(descriptor_);
  fail(what, "mmap", error);
}

SharedMemory::~SharedMemory() {
  ::munmap(begin_, bytes_);
  ::close(descriptor_);
}

ProcessHandle SharedMemory::handle() const {
  ProcessHandle handle;
  const FileHandle file{static_cast<std::int32_t>(::getpid()), descriptor_, name_};
  std::memcpy(handle.bytes.data(), &file, sizeof file);
  return handle;
}

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) { return std::max<std::size_t>(1, (bytes + page_bytes - 1) / page_bytes) * page_bytes; }

void CL_CALLBACK unmap(cl_mem /*memory*/, void* shared) { delete static_cast<std::shared_ptr<SharedMemory>*>(shared); }

/// Memory of this process that others open, or of another.
class OpenClSharedBuffer : public BufferBackend {
 public:
  OpenClSharedBuffer(std::shared_ptr<OpenClDevice> device, std::shared_ptr<SharedMemory> shared, std::size_t bytes, std::string_view label,
                     bool own)
      : BufferBackend(*device, bytes, label), owner_(std::move(device)), shared_(std::move(shared)), own_(own) {
    capacity_ = shared_->bytes();
    const OpenClApi& api = owner_->api();
    cl_int status = CL_SUCCESS;
    const cl_mem memory =
        api.create_buffer(owner_->context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, capacity_, shared_->begin(), &status);
    check_opencl(status, "clCreateBuffer", fmt::format("buffer '{}' of {} bytes in memory of processes", label_, bytes_));
    memory_ = OpenClHandle<cl_mem>(memory, api.release_mem_object);
    native_ = reinterpret_cast<std::uintptr_t>(memory);
    // Commands in the queue keep a released buffer alive, so it keeps the memory.
    auto kept = std::make_unique<std::shared_ptr<SharedMemory>>(shared_);
    check_opencl(api.set_mem_object_destructor_callback(memory, unmap, kept.get()), "clSetMemObjectDestructorCallback", label_);
    (void)kept.release();  // the callback's
  }
  ProcessHandle process_handle() const override { return own_ ? shared_->handle() : BufferBackend::process_handle(); }

 private:
  std::shared_ptr<OpenClDevice> owner_;
  std::shared_ptr<SharedMemory> shared_;
  bool own_;
  OpenClHandle<cl_mem> memory_;
};

/// How often an event was recorded: on the host, and by queues that have come there.
struct Counters {
  std::atomic<std::uint32_t> recorded, reached;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

/// Whether `count`, which wraps around, has come to `wanted`.
bool is_past(std::uint32_t count, std::uint32_t wanted) { return static_cast<std::int32_t>(count - wanted) >= 0; }

void await(std::atomic<std::uint32_t>& count, std::uint32_t wanted) {
  // A neighbour that is in step comes within microseconds; sleeping and waking would take longer.
  constexpr int looks = 2000;
  for (int look = 0; look < looks; ++look) {
    if (is_past(count.load(std::memory_order_acquire), wanted)) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  for (;;) {
    const std::uint32_t seen = count.load(std::memory_order_acquire);
    if (is_past(seen, wanted)) return;
    futex(count, FUTEX_WAIT, seen);
  }
}

/// What a native kernel gets. Native kernels run when their turn on the queue has come.
struct Turn {
  std::shared_ptr<SharedMemory> memory;
  std::uint32_t number;
  [[nodiscard]] Counters& counters() const { return *static_cast<Counters*>(memory->begin()); }
};

void CL_CALLBACK reach(void* argument) {
  const std::unique_ptr<Turn> turn(*static_cast<Turn**>(argument));
  turn->counters().reached.store(turn->number, std::memory_order_release);
  futex(turn->counters().reached, FUTEX_WAKE, std::numeric_limits<std::int32_t>::max());
}

void CL_CALLBACK await_turn(void* argument) {
  const std::unique_ptr<Turn> turn(*static_cast<Turn**>(argument));
  await(turn->counters().reached, turn->number);
}

void enqueue(const OpenClDevice& device, const OpenClQueue& queue, void(CL_CALLBACK* function)(void*), const Turn& turn) {
  auto given = std::make_unique<Turn>(turn);
  Turn* argument = given.get();
  check_opencl(
      device.api().enqueue_native_kernel(queue.handle(), function, &argument, sizeof argument, 0, nullptr, nullptr, 0, nullptr, nullptr),
      "clEnqueueNativeKernel", "an event of several processes");
  (void)given.release();  // the native kernel's
  check_opencl(device.api().flush(queue.handle()), "clFlush");
}

class OpenClSharedEvent : public OpenClEventBase {
 public:
  OpenClSharedEvent(std::shared_ptr<OpenClDevice> device, std::shared_ptr<SharedMemory> shared, bool own)
      : device_(std::move(device)), shared_(std::move(shared)), own_(own) {}
  const DeviceBackend& device() const override { return *device_; }
  bool reached() const override { return is_past(counters().reached.load(std::memory_order_acquire), recorded()); }
  void wait() const override { await(counters().reached, recorded()); }
  double seconds_since(const EventBackend&) const override { throw DeviceError("an event of several processes measures no time"); }
  void record(QueueBackend& queue) const override {
    if (!own_) return EventBackend::record(queue);
    const std::uint32_t number = counters().recorded.fetch_add(1, std::memory_order_acq_rel) + 1;
    enqueue(*device_, static_cast<OpenClQueue&>(queue), reach, {shared_, number});
  }
  void enqueue_wait(OpenClQueue& queue) const override { enqueue(*device_, queue, await_turn, {shared_, recorded()}); }
  ProcessHandle process_handle() const override { return own_ ? shared_->handle() : EventBackend::process_handle(); }

 private:
  [[nodiscard]] Counters& counters() const { return *static_cast<Counters*>(shared_->begin()); }
  [[nodiscard]] std::uint32_t recorded() const { return counters().recorded.load(std::memory_order_acquire); }
  std::shared_ptr<OpenClDevice> device_;
  std::shared_ptr<SharedMemory> shared_;
  bool own_;
};

}  // namespace

std::string OpenClDevice::why_not_shared() const {
  if (!facts_.is_cpu) return DeviceBackend::why_not_shared();
  if (!host_memory_ || !native_kernels_)
    return fmt::format("the driver of device {} cannot run functions of the host, or has memory of its own", facts_.selector);
  return {};
}

std::shared_ptr<BufferBackend> OpenClDevice::allocate_shared(std::size_t bytes, std::string_view label) {
  if (!why_not_shared().empty()) return DeviceBackend::allocate_shared(bytes, label);
  auto memory = std::make_shared<SharedMemory>(whole_pages(bytes), fmt::format("buffer '{}'", label));
  return std::make_shared<OpenClSharedBuffer>(self(), std::move(memory), bytes, label, true);
}

std::shared_ptr<BufferBackend> OpenClDevice::open_shared(const ProcessHandle& handle, std::size_t bytes, std::string_view label) {
  if (!why_not_shared().empty()) return DeviceBackend::open_shared(handle, bytes, label);
  auto memory = std::make_shared<SharedMemory>(handle, whole_pages(bytes), fmt::format("buffer '{}'", label));
  return std::make_shared<OpenClSharedBuffer>(self(), std::move(memory), bytes, label, false);
}

std::shared_ptr<EventBackend> OpenClDevice::make_shared_event() {
  if (!why_not_shared().empty()) return DeviceBackend::make_shared_event();
  return std::make_shared<OpenClSharedEvent>(self(), std::make_shared<SharedMemory>(page_bytes, "event"), true);
}

std::shared_ptr<EventBackend> OpenClDevice::open_shared_event(const ProcessHandle& handle) {
  if (!why_not_shared().empty()) return DeviceBackend::open_shared_event(handle);
  return std::make_shared<OpenClSharedEvent>(self(), std::make_shared<SharedMemory>(handle, page_bytes, "event"), false);
}

}  // namespace dgsolve::codegen::backends
