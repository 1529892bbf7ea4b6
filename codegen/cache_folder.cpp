// Reading, publishing, listing and removal of entry files.
#include "codegen/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_extension = ".kernel";
constexpr std::string_view temporary_extension = ".tmp";
constexpr std::chrono::hours oldest_temporary{24};
constexpr std::chrono::hours usage_grain{1};

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  /// Neither follows a link nor waits for a pipe.
  static File to_read(const fs::path& path) { return File(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)); }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// The size of a plain file.
  [[nodiscard]] std::optional<std::uintmax_t> bytes() const {
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    return static_cast<std::uintmax_t>(facts.st_size);
  }
  /// Appends until `text` has `bytes` bytes or the file ends; false at an error.
  [[nodiscard]] bool read_up_to(std::string& text, std::uintmax_t bytes) const {
    std::array<char, 65536> piece{};
    while (text.size() < bytes) {
      const ssize_t count = ::read(descriptor_, piece.data(), std::min<std::uintmax_t>(piece.size(), bytes - text.size()));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count == 0;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return true;
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

/// The mode of a folder, or why it cannot be used.
std::pair<struct stat, std::string> folder_facts(const fs::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {facts, fmt::format("cannot be read: {}", std::strerror(errno))};
  if (!S_ISDIR(facts.st_mode)) return {facts, "is not a folder"};
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {facts, "can be written by other users, who could plant code in it (chmod go-w)"};
  return {facts, {}};
}

/// Reads one entry file as far as it makes sense; `entry` holds what was read.
EntryState read_file(const fs::path& path, Scrutiny scrutiny, std::string& entry, EntryHeader& header) {
  const File file = File::to_read(path);
  if (!file.is_open()) return errno == ENOENT || errno == ENOTDIR ? EntryState::absent : EntryState::damaged;
  const auto bytes = file.bytes();
  if (!bytes || !file.read_up_to(entry, std::min<std::uintmax_t>(*bytes, most_header_bytes))) return EntryState::damaged;
  const auto start = parse_entry_header(entry);
  if (!start) return is_entry_of_other_version(entry) ? EntryState::other_version : EntryState::damaged;
  if (start->payload_bytes != *bytes - start->header_bytes) return EntryState::damaged;
  header = *start;
  if (scrutiny == Scrutiny::headers) return EntryState::whole;
  if (!file.read_up_to(entry, *bytes) || !verify_entry(entry)) return EntryState::damaged;
  return EntryState::whole;
}

}  // namespace

CacheFolder CacheFolder::own(fs::path path) {
  if (path.empty()) return {};
  std::error_code failure;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failure);
  if (failure) return {{}, fmt::format("cannot be made: {}", failure.message())};
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return {{}, fmt::format("cannot be made: {}", std::strerror(errno))};
  auto [facts, reason] = folder_facts(path);
  if (reason.empty() && facts.st_uid != ::geteuid() && facts.st_uid != 0) reason = "belongs to another user, who could plant code in it";
  if (!reason.empty()) return {{}, reason};
  return {std::move(path), {}};
}

CacheFolder CacheFolder::shared(fs::path path) {
  if (path.empty()) return {};
  if (std::string reason = folder_facts(path).second; !reason.empty()) return {{}, std::move(reason)};
  return {std::move(path), {}};
}

fs::path CacheFolder::path_of(std::string_view key) const { return path_ / fmt::format("{}{}", key, entry_extension); }

CacheFolder::Found CacheFolder::read(const std::string& key) const {
  if (path_.empty()) return {};
  std::string entry;
  EntryHeader header;
  const EntryState state = read_file(path_of(key), Scrutiny::every_byte, entry, header);
  if (state != EntryState::whole) return {state, {}};
  if (header.key != key) return {EntryState::damaged, {}};
  entry.erase(0, header.header_bytes);
  return {state, std::move(entry)};
}

std::optional<std::string> CacheFolder::read_entry(const std::string& key) const {
  std::string entry;
  EntryHeader header;
  const EntryState state = read_file(path_of(key), Scrutiny::every_byte, entry, header);
  if (state != EntryState::whole || header.key != key) return std::nullopt;
  return entry;
}

std::string CacheFolder::publish(const std::string& key, std::string_view entry) const {
  std::array<char, 128> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string temporary = (path_ / fmt::format(".{}.{}.{}.XXXXXX{}", key, host.data(), ::getpid(), temporary_extension)).string();
  const auto failed = [&temporary](std::string_view what) {
    const std::string reason = fmt::format("{}: {}", what, std::strerror(errno));
    ::unlink(temporary.c_str());
    return reason;
  };
  errno = 0;
  File file(::mkostemps(temporary.data(), static_cast<int>(temporary_extension.size()), O_CLOEXEC));
  if (!file.is_open()) return failed("cannot make a file");
  if (!file.write_all(entry)) return failed("cannot write");
  if (!file.finish()) return failed("cannot write");
  if (::rename(temporary.c_str(), path_of(key).c_str()) == 0) return {};
  if (errno != EISDIR) return failed("cannot rename");
  remove(key);  // somebody put a folder there
  return ::rename(temporary.c_str(), path_of(key).c_str()) == 0 ? std::string() : failed("cannot rename");
}

void CacheFolder::mark_used(const std::string& key) const {
  std::error_code failure;
  const fs::path path = path_of(key);
  const auto used = fs::last_write_time(path, failure);
  if (failure || fs::file_time_type::clock::now() - used < usage_grain) return;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // a read-only folder keeps its times
}

void CacheFolder::remove(const std::string& key) const {
  std::error_code failure;
  fs::remove_all(path_of(key), failure);
}

std::vector<ListedEntry> CacheFolder::list(Scrutiny scrutiny) const {
  std::vector<ListedEntry> entries;
  std::error_code failure;
  for (const fs::directory_entry& item : fs::directory_iterator(path_, failure)) {
    if (item.path().extension() != entry_extension) continue;
    ListedEntry entry;
    entry.key = item.path().stem().string();
    std::string bytes;
    EntryHeader header;
    entry.state = read_file(item.path(), scrutiny, bytes, header);
    entry.used = item.last_write_time(failure);
    if (entry.state == EntryState::absent || failure) continue;  // removed in the meantime
    entry.bytes = item.is_regular_file(failure) ? item.file_size(failure) : 0;
    if (entry.state == EntryState::whole && header.key != entry.key) entry.state = EntryState::damaged;
    if (entry.state == EntryState::whole) entry.facts = std::move(header.facts);
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const ListedEntry& a, const ListedEntry& b) { return a.key < b.key; });
  return entries;
}

Removal CacheFolder::collect(std::uintmax_t most_bytes) const {
  struct Item {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<Item> items;
  std::uintmax_t total = 0;
  std::error_code failure;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& item : fs::directory_iterator(path_, failure)) {
    const auto used = item.last_write_time(failure);
    if (failure) continue;
    if (item.path().extension() == temporary_extension && now - used > oldest_temporary) fs::remove(item.path(), failure);
    if (item.path().extension() != entry_extension) continue;
    const std::uintmax_t bytes = item.file_size(failure);
    if (failure) continue;
    items.push_back({used, item.path(), bytes});
    total += bytes;
  }
  Removal removal;
  if (total <= most_bytes) return removal;
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.used < b.used; });
  for (const Item& item : items) {
    if (total <= most_bytes / 4 * 3) break;
    if (!fs::remove(item.path, failure)) continue;
    total -= item.bytes;
    ++removal.entries;
    removal.bytes += item.bytes;
  }
  return removal;
}

}  // namespace dgsolve::codegen
