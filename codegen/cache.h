// The content-addressed cache of compiled kernels: safe for many processes, no locks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/cache_entry.h"

namespace dgsolve::codegen {

/// What the cache did so far in this process.
struct CacheCounters {
  std::int64_t hits = 0;  ///< the sum of the next three
  std::int64_t memory_hits = 0, user_hits = 0, shared_hits = 0;
  std::int64_t misses = 0;
  std::int64_t corrupt = 0;  ///< entries that were there but not whole, or that the driver refused
  std::int64_t compiles = 0;
  std::int64_t write_failures = 0;
  std::int64_t evictions = 0;  ///< entries removed because there was too much
  double compile_milliseconds = 0;
};

/// Parts of a key, in order; each is length-prefixed before hashing so that no two lists collide.
using KeyParts = std::vector<std::pair<std::string, std::string>>;

/// Where a cache looks.
struct CacheOptions {
  std::filesystem::path folder;                         ///< the user's; empty: memory only
  std::filesystem::path shared;                         ///< read below it and never written; empty: none
  std::uintmax_t most_bytes = std::uintmax_t{1} << 30;  ///< of the user's folder
};

/// Which layers are asked for an entry.
enum class CacheLayers { all, without_shared };

/// Layers: memory, the user's folder, a shared folder that is only read. Entries are files named by the SHA-256 of their key. A shared
/// hit is not copied into the user's folder: its bytes exist once, and whoever keeps the shared folder can renew it.
/// No folder is touched before the first entry is looked for, stored or asked about.
class Cache {
 public:
  /// Memory only.
  Cache();
  /// The user's folder is made if absent. One warning (see `warning`) and memory only if it cannot be used or others can write to it.
  /// The entries that were not used for longest are removed when it holds more than `most_bytes`.
  explicit Cache(CacheOptions options);
  explicit Cache(std::filesystem::path folder, std::uintmax_t most_bytes = std::uintmax_t{1} << 30);
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  /// 64 hexadecimal digits. The version of the key's make-up goes in by itself.
  [[nodiscard]] static std::string key(const KeyParts& parts);
  [[nodiscard]] std::optional<std::string> find(const std::string& key, CacheLayers layers = CacheLayers::all);
  void store(const std::string& key, std::string_view payload, const EntryFacts& facts = {});
  /// Takes back a hit whose payload turned out to be useless (the driver refuses it): counted as corrupt and as a miss; the entry is
  /// removed, a shared one is hidden by the next that is stored.
  void reject(const std::string& key);
  void count_compile(double milliseconds);
  [[nodiscard]] CacheCounters counters() const;
  /// What a user should know: a folder that cannot be used or written. Empty: all is well.
  [[nodiscard]] std::string warning() const;
  [[nodiscard]] const std::filesystem::path& folder() const;  ///< empty: memory only
  [[nodiscard]] const std::filesystem::path& shared() const;  ///< empty: none
  [[nodiscard]] std::uintmax_t most_bytes() const;

  /// DGSOLVE_CACHE_DIR, else XDG_CACHE_HOME/dgsolve, else HOME/.cache/dgsolve, else empty.
  [[nodiscard]] static std::filesystem::path default_folder();
  /// The default folder, and DGSOLVE_CACHE_SHARED below it.
  [[nodiscard]] static CacheOptions default_options();

 private:
  struct State;
  [[nodiscard]] State& opened() const;
  std::unique_ptr<State> state_;
};

}  // namespace dgsolve::codegen
