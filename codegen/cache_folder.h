// A folder of cache entries: one file per entry, read whole and checked, published by rename, without any lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cache_entry.h"

namespace dgsolve::codegen {

/// What became of an entry that was looked for.
enum class EntryState { absent, whole, damaged, other_version };

/// An entry file as `CacheFolder::list` finds it.
struct ListedEntry {
  std::string key;
  EntryFacts facts;  ///< empty unless `whole`
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used;  ///< last use, to the hour
  EntryState state = EntryState::whole;
};

/// How closely the entries of a list are looked at: only the headers, or every byte.
enum class Scrutiny { headers, every_byte };

/// What a removal of entries did.
struct Removal {
  std::int64_t entries = 0;
  std::uintmax_t bytes = 0;
};

class CacheFolder {
 public:
  CacheFolder() = default;
  /// For reading and writing: made if absent, for this user alone. Refused if it belongs to another user (but root), who could plant code
  /// in it, or if others can write to it.
  [[nodiscard]] static CacheFolder own(std::filesystem::path path);
  /// For reading, whoever owns it: the user named it. Refused if its group or all can write to it.
  [[nodiscard]] static CacheFolder shared(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  ///< empty: there is none that can be used
  [[nodiscard]] const std::string& refusal() const { return refusal_; }      ///< empty: none

  /// The payload if the entry is whole and of this key. Anything that is not a plain file counts as damaged.
  struct Found {
    EntryState state = EntryState::absent;
    std::string payload;
  };
  [[nodiscard]] Found read(const std::string& key) const;
  /// The whole file of an entry, checked; nothing if it is not whole.
  [[nodiscard]] std::optional<std::string> read_entry(const std::string& key) const;
  /// Why `entry` (from pack_entry) could not be published; empty if it is there, or somebody else's is.
  [[nodiscard]] std::string publish(const std::string& key, std::string_view entry) const;
  /// Notes that an entry was used, unless that was noted less than an hour ago.
  void mark_used(const std::string& key) const;
  void remove(const std::string& key) const;

  /// In the order of keys.
  [[nodiscard]] std::vector<ListedEntry> list(Scrutiny scrutiny) const;
  /// Removes what dead processes left a day ago and, if the entries (of all versions) have more than `most_bytes`, those that were not
  /// used for longest, until three quarters of that are left. Losing a race is no fault.
  Removal collect(std::uintmax_t most_bytes) const;

 private:
  CacheFolder(std::filesystem::path path, std::string refusal) : path_(std::move(path)), refusal_(std::move(refusal)) {}
  [[nodiscard]] std::filesystem::path path_of(std::string_view key) const;
  std::filesystem::path path_;
  std::string refusal_;
};

}  // namespace dgsolve::codegen
