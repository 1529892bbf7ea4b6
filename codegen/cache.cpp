// The compile cache: content-addressed files, each checked as a whole when it is read.
#include "codegen/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "codegen/digest.h"
#include "codegen/environment.h"

namespace dgsolve::codegen {
namespace {

constexpr std::string_view magic = "dgsolve kernel cache 1\n";
constexpr std::string_view entry_extension = ".kernel";
constexpr std::chrono::hours oldest_temporary{1};
constexpr std::size_t key_digits = 64;
constexpr std::size_t header_bytes = magic.size() + key_digits + sizeof(std::uint64_t) + key_digits;

void append_length(std::string& text, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>((value >> (8 * byte)) & 0xff);
}

std::uint64_t read_length(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) value |= std::uint64_t{static_cast<unsigned char>(text[byte])} << (8 * byte);
  return value;
}

std::string pack(const std::string& key, std::string_view payload) {
  std::string entry(magic);
  entry += key;
  append_length(entry, payload.size());
  entry += sha256(payload);
  entry += payload;
  return entry;
}

/// The payload of an entry file's bytes, or nothing if anything about them is wrong.
std::optional<std::string> unpack(const std::string& key, std::string_view entry) {
  if (entry.size() < header_bytes || !entry.starts_with(magic)) return std::nullopt;
  if (entry.substr(magic.size(), key_digits) != key) return std::nullopt;
  const std::string_view rest = entry.substr(magic.size() + key_digits);
  const std::string_view payload = entry.substr(header_bytes);
  if (read_length(rest) != payload.size()) return std::nullopt;
  if (rest.substr(sizeof(std::uint64_t), key_digits) != sha256(payload)) return std::nullopt;
  return std::string(payload);
}

/// A file descriptor that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// False at the first error.
  [[nodiscard]] bool read_all(std::string& text) const {
    std::array<char, 65536> piece{};
    while (true) {
      const ssize_t count = ::read(descriptor_, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count == 0;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
  }
  [[nodiscard]] bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// fsync and close, both checked.
  [[nodiscard]] bool finish() {
    const bool synced = ::fsync(descriptor_) == 0;
    return ::close(std::exchange(descriptor_, -1)) == 0 && synced;
  }

 private:
  int descriptor_;
};

/// Why the folder cannot be the cache; empty if it can. Creates it for this user alone.
std::string reason_against(const std::filesystem::path& folder) {
  std::error_code failure;
  const bool existed = std::filesystem::exists(folder, failure);
  if (!existed) {
    std::filesystem::create_directories(folder, failure);
    if (failure) return fmt::format("cannot be made: {}", failure.message());
    ::chmod(folder.c_str(), 0700);
  }
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return fmt::format("cannot be read: {}", std::strerror(errno));
  if (!S_ISDIR(facts.st_mode)) return "is not a folder";
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) return "belongs to another user, who could plant code in it";
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by other users, who could plant code in it (chmod go-w)";
  return {};
}

/// Removes what dead processes left and, if there is too much, the entries that were not used for longest. Losing a race is no fault.
void prune(const std::filesystem::path& folder, std::uintmax_t most_bytes) {
  struct Entry {
    std::filesystem::file_time_type used;
    std::filesystem::path path;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code failure;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const std::filesystem::directory_entry& item : std::filesystem::directory_iterator(folder, failure)) {
    const auto used = item.last_write_time(failure);
    if (failure) continue;
    if (item.path().extension() == ".tmp" && now - used > oldest_temporary) std::filesystem::remove(item.path(), failure);
    if (item.path().extension() != entry_extension) continue;
    const std::uintmax_t bytes = item.file_size(failure);
    if (failure) continue;
    entries.push_back({used, item.path(), bytes});
    total += bytes;
  }
  if (total <= most_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= most_bytes / 4 * 3) break;
    if (std::filesystem::remove(entry.path, failure)) total -= entry.bytes;
  }
}

}  // namespace

struct Cache::State {
  std::filesystem::path folder;
  std::string warning;
  bool read_only = false;
  std::map<std::string, std::string> memory;
  CacheCounters counters;
  mutable std::mutex mutex;
  std::atomic<unsigned> temporary_number{0};

  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const { return folder / fmt::format("{}{}", key, entry_extension); }
  /// The reason of a failure; empty if the entry is published or somebody else has.
  [[nodiscard]] std::string publish(const std::string& key, std::string_view payload);
};

std::string Cache::State::publish(const std::string& key, std::string_view payload) {
  std::array<char, 128> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::filesystem::path temporary = folder / fmt::format(".{}.{}.{}.{}.tmp", key, host.data(), ::getpid(), temporary_number++);
  const auto failed = [&temporary](std::string_view what) {
    const std::string reason = fmt::format("{}: {}", what, std::strerror(errno));
    ::unlink(temporary.c_str());
    return reason;
  };
  errno = 0;
  File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return failed("cannot make a file");
  if (!file.write_all(pack(key, payload))) return failed("cannot write");
  if (!file.finish()) return failed("cannot write");
  if (::rename(temporary.c_str(), path_of(key).c_str()) != 0) return failed("cannot rename");
  return {};
}

Cache::Cache() : state_(std::make_unique<State>()) {}

Cache::Cache(std::filesystem::path folder, std::uintmax_t most_bytes) : state_(std::make_unique<State>()) {
  if (folder.empty()) return;
  if (const std::string reason = reason_against(folder); !reason.empty()) {
    state_->warning = fmt::format("kernel cache folder {} {}; kernels are kept in memory only", folder.string(), reason);
    return;
  }
  prune(folder, most_bytes);
  state_->folder = std::move(folder);
}

Cache::~Cache() = default;

std::string Cache::key(const KeyParts& parts) {
  std::string text;
  for (const auto& [name, value] : parts) {
    for (const std::string* part : {&name, &value}) {
      append_length(text, part->size());
      text += *part;
    }
  }
  return sha256(text);
}

std::optional<std::string> Cache::find(const std::string& key) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto found = state_->memory.find(key); found != state_->memory.end()) {
    ++state_->counters.hits;
    return found->second;
  }
  if (!state_->folder.empty()) {
    const File file(state_->path_of(key), O_RDONLY);
    if (file.is_open()) {
      std::string entry;
      std::optional<std::string> payload;
      if (file.read_all(entry)) payload = unpack(key, entry);
      if (payload) {
        ++state_->counters.hits;
        ::utimensat(AT_FDCWD, state_->path_of(key).c_str(), nullptr, 0);  // used now; a read-only folder keeps its times
        state_->memory.emplace(key, *payload);
        return payload;
      }
      ++state_->counters.corrupt;
    }
  }
  ++state_->counters.misses;
  return std::nullopt;
}

void Cache::store(const std::string& key, std::string_view payload) {
  const std::scoped_lock lock(state_->mutex);
  state_->memory.insert_or_assign(key, std::string(payload));
  if (state_->folder.empty() || state_->read_only) return;
  const std::string reason = state_->publish(key, payload);
  if (reason.empty()) return;
  ++state_->counters.write_failures;
  state_->read_only = true;
  state_->warning = fmt::format("kernel cache folder {}: {}; new kernels are kept in memory only", state_->folder.string(), reason);
}

void Cache::reject(const std::string& key) {
  const std::scoped_lock lock(state_->mutex);
  --state_->counters.hits;
  ++state_->counters.corrupt;
  ++state_->counters.misses;
  state_->memory.erase(key);
  if (!state_->folder.empty()) ::unlink(state_->path_of(key).c_str());
}

void Cache::count_compile(double milliseconds) {
  const std::scoped_lock lock(state_->mutex);
  ++state_->counters.compiles;
  state_->counters.compile_milliseconds += milliseconds;
}

CacheCounters Cache::counters() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counters;
}

const std::string& Cache::warning() const { return state_->warning; }
const std::filesystem::path& Cache::folder() const { return state_->folder; }

std::filesystem::path Cache::default_folder() {
  if (const std::string folder = environment_value("DGSOLVE_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = environment_value("XDG_CACHE_HOME"); !folder.empty()) return std::filesystem::path(folder) / "dgsolve";
  if (const std::string folder = environment_value("HOME"); !folder.empty()) return std::filesystem::path(folder) / ".cache" / "dgsolve";
  return {};
}

}  // namespace dgsolve::codegen
