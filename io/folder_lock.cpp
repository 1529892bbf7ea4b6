// A lock of the open file description (fcntl(2), F_OFD_SETLK), which also works on network file systems that have locks.
#include "io/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "io/atomic_file.h"
#include "io/output_error.h"

namespace dgsolve::io {
namespace {

/// The processes of a run that was killed need a moment to vanish.
constexpr std::chrono::seconds patience{3};
constexpr std::chrono::milliseconds between_tries{100};

std::string holder_of(const std::filesystem::path& file) {
  std::array<char, 256> text{};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = descriptor < 0 ? 0 : ::read(descriptor, text.data(), text.size());
  if (descriptor >= 0) ::close(descriptor);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : std::string("an unknown process");
}

std::string own_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

/// Whether the open file still is the one of that name: its last holder may have removed it in between.
bool is_in_place(int descriptor, const std::filesystem::path& file) {
  struct stat open_file {
  }, named_file{};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(file.c_str(), &named_file) == 0 && open_file.st_ino == named_file.st_ino &&
         open_file.st_dev == named_file.st_dev;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / ".dgsolve.lock") {
  make_folder(folder);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!try_lock()) {
    if (std::chrono::steady_clock::now() > end) {
      throw OutputError(fmt::format("{}: another run writes here ({}): wait for its end, or give this one another folder (--output)",
                                    folder.string(), holder_of(file_)));
    }
    std::this_thread::sleep_for(between_tries);
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

bool FolderLock::try_lock() {
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw OutputError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) != 0) {
    const int reason = errno;
    ::close(descriptor);
    return reason != EAGAIN && reason != EACCES;  // others: there are no locks here
  }
  if (!is_in_place(descriptor, file_)) {
    ::close(descriptor);
    return false;
  }
  const std::string name = own_name();
  if (::ftruncate(descriptor, 0) == 0) (void)!::write(descriptor, name.data(), name.size());
  descriptor_ = descriptor;
  return true;
}

}  // namespace dgsolve::io
