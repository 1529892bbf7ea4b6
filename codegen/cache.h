// The content-addressed disk cache of compiled kernels: safe for many processes, no locks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dgsolve::codegen {

/// What the cache did so far in this process.
struct CacheCounters {
  std::int64_t hits = 0, misses = 0, corrupt = 0, compiles = 0, write_failures = 0;
  double compile_milliseconds = 0;
};

/// Parts of a key, in order; each is length-prefixed before hashing so that no two lists collide.
using KeyParts = std::vector<std::pair<std::string, std::string>>;

/// Entries are files named by the SHA-256 of their key; memory only where the folder cannot be used.
class Cache {
 public:
  /// Memory only.
  Cache();
  /// Creates the folder. One warning (returned by `warning()`) and memory only if it cannot be used or others can write to it.
  /// Entries that were not used for longest are removed when the folder holds more than `most_bytes`.
  explicit Cache(std::filesystem::path folder, std::uintmax_t most_bytes = std::uintmax_t{1} << 30);
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  [[nodiscard]] static std::string key(const KeyParts& parts);  ///< 64 hexadecimal digits
  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  void store(const std::string& key, std::string_view payload);
  /// Takes back a hit whose payload turned out to be useless (the driver refuses it): counted as corrupt and as a miss; the entry is
  /// removed.
  void reject(const std::string& key);
  void count_compile(double milliseconds);
  [[nodiscard]] CacheCounters counters() const;
  [[nodiscard]] const std::string& warning() const;
  [[nodiscard]] const std::filesystem::path& folder() const;  ///< empty: memory only

  /// DGSOLVE_CACHE_DIR, else XDG_CACHE_HOME/dgsolve, else HOME/.cache/dgsolve, else empty.
  [[nodiscard]] static std::filesystem::path default_folder();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dgsolve::codegen
