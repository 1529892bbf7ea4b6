// Temporary name, fsync, rename, fsync of the folder.
#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "io/output_error.h"

namespace dgsolve::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what, int code) {
  throw OutputError(fmt::format("{}: {}: {}", file.string(), what, std::strerror(code)));
}

/// An open file descriptor.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ >= 0; }

 private:
  int value_;
};

/// ".NAME.PROCESS.tmp"
bool is_temporary(const std::string& name) {
  constexpr std::string_view end = ".tmp";
  if (!name.starts_with(".") || !name.ends_with(end)) return false;
  const std::string rest = name.substr(0, name.size() - end.size());
  const std::string process = rest.substr(rest.rfind('.') + 1);
  return process.size() + 1 < rest.size() && !process.empty() && process.find_first_not_of("0123456789") == std::string::npos;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Some file systems refuse it; what was renamed or made is there all the same.
void flush_folder(const std::filesystem::path& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) (void)::fsync(folder.value());
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  temporary_ = folder_of(target_) / fmt::format(".{}.{}.tmp", target_.filename().string(), ::getpid());
}

AtomicFile::~AtomicFile() {
  if (published_) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::publish() {
  {
    const Descriptor file(temporary_, O_RDONLY);
    if (!file.is_open()) fail(target_, "cannot be written", errno);
    if (::fsync(file.value()) != 0) fail(target_, "cannot be flushed to the disk", errno);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be put in place", errno);
  published_ = true;
  flush_folder(folder_of(target_));
}

void write_file_atomically(const std::filesystem::path& file, std::string_view content) {
  AtomicFile target(file);
  {
    const Descriptor out(target.temporary(), O_WRONLY | O_CREAT | O_TRUNC);
    if (!out.is_open()) fail(file, "cannot be written", errno);
    while (!content.empty()) {
      const ssize_t count = ::write(out.value(), content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(file, "cannot be written", errno);
      content.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  target.publish();
}

void remove_temporaries(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (is_temporary(entry.path().filename().string())) old.push_back(entry.path());
  }
  for (const auto& file : old) std::filesystem::remove(file, ignored);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code status;
  if (std::filesystem::create_directories(folder, status)) flush_folder(folder_of(folder));
  if (status) throw OutputError(fmt::format("{}: the folder cannot be made: {}", folder.string(), status.message()));
  if (!std::filesystem::is_directory(folder)) throw OutputError(fmt::format("{}: not a folder", folder.string()));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(folder, "the folder cannot be written to", errno);
}

}  // namespace dgsolve::io
