// The layers of the compile cache and its counters.
#include "codegen/cache.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "codegen/cache_folder.h"
#include "codegen/digest.h"
#include "codegen/environment.h"

namespace dgsolve::codegen {
namespace {

constexpr std::string_view key_version = "2";
constexpr std::uintmax_t stores_between_collections = 16;  // as a fraction of the bound

enum class Layer { memory, user, shared };

void append_part(std::string& text, std::string_view part) {
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>((std::uint64_t{part.size()} >> (8 * byte)) & 0xff);
  text += part;
}

std::int64_t& hits_of(CacheCounters& counters, Layer layer) {
  return layer == Layer::memory ? counters.memory_hits : layer == Layer::user ? counters.user_hits : counters.shared_hits;
}

}  // namespace

struct Cache::State {
  CacheOptions options;
  std::once_flag once;
  CacheFolder user, shared;
  struct InMemory {
    std::string payload;
    Layer last_hit = Layer::memory;
  };
  mutable std::mutex mutex;  // of all below
  std::string warning;
  bool write_failed = false;
  std::map<std::string, InMemory> memory;
  CacheCounters counters;
  std::uintmax_t stored_since_collection = 0;
  bool collected = false;

  void open();
  void warn(std::string_view text);
  void count_hit(InMemory& entry, Layer layer);
  /// Looks into one folder; on a hit the payload joins the memory.
  std::optional<std::string> find_in(const CacheFolder& folder, Layer layer, const std::string& key);
  void collect_if_due(std::uintmax_t bytes);
};

void Cache::State::warn(std::string_view text) { warning += fmt::format("{}{}", warning.empty() ? "" : "\n", text); }

void Cache::State::open() {
  user = CacheFolder::own(options.folder);
  if (!user.refusal().empty())
    warn(fmt::format("kernel cache folder {} {}; kernels are kept in memory only", options.folder.string(), user.refusal()));
  shared = CacheFolder::shared(options.shared);
  if (!shared.refusal().empty())
    warn(fmt::format("shared kernel cache folder {} {}; it is left out", options.shared.string(), shared.refusal()));
}

void Cache::State::count_hit(InMemory& entry, Layer layer) {
  ++counters.hits;
  ++hits_of(counters, layer);
  entry.last_hit = layer;
}

std::optional<std::string> Cache::State::find_in(const CacheFolder& folder, Layer layer, const std::string& key) {
  CacheFolder::Found found = folder.read(key);
  if (found.state == EntryState::whole && layer == Layer::user) folder.mark_used(key);
  const std::scoped_lock lock(mutex);
  if (found.state == EntryState::whole) {
    count_hit(memory.insert_or_assign(key, InMemory{found.payload}).first->second, layer);
    return std::move(found.payload);
  }
  if (found.state == EntryState::damaged) ++counters.corrupt;
  return std::nullopt;
}

void Cache::State::collect_if_due(std::uintmax_t bytes) {
  {
    const std::scoped_lock lock(mutex);
    stored_since_collection += bytes;
    if (collected && stored_since_collection < options.most_bytes / stores_between_collections) return;
    collected = true;
    stored_since_collection = 0;
  }
  const Removal removal = user.collect(options.most_bytes);
  const std::scoped_lock lock(mutex);
  counters.evictions += removal.entries;
}

Cache::Cache() : state_(std::make_unique<State>()) {}
Cache::Cache(CacheOptions options) : state_(std::make_unique<State>()) { state_->options = std::move(options); }
Cache::Cache(std::filesystem::path folder, std::uintmax_t most_bytes) : Cache(CacheOptions{std::move(folder), {}, most_bytes}) {}
Cache::~Cache() = default;

Cache::State& Cache::opened() const {
  std::call_once(state_->once, [this] { state_->open(); });
  return *state_;
}

std::string Cache::key(const KeyParts& parts) {
  std::string text;
  append_part(text, key_version);
  for (const auto& [name, value] : parts) {
    append_part(text, name);
    append_part(text, value);
  }
  return sha256(text);
}

std::optional<std::string> Cache::find(const std::string& key, CacheLayers layers) {
  State& state = opened();
  {
    const std::scoped_lock lock(state.mutex);
    if (const auto found = state.memory.find(key); found != state.memory.end()) {
      state.count_hit(found->second, Layer::memory);
      return found->second.payload;
    }
  }
  if (auto payload = state.find_in(state.user, Layer::user, key)) return payload;
  if (layers == CacheLayers::all) {
    if (auto payload = state.find_in(state.shared, Layer::shared, key)) return payload;
  }
  const std::scoped_lock lock(state.mutex);
  ++state.counters.misses;
  return std::nullopt;
}

void Cache::store(const std::string& key, std::string_view payload, const EntryFacts& facts) {
  State& state = opened();
  {
    const std::scoped_lock lock(state.mutex);
    state.memory.insert_or_assign(key, State::InMemory{std::string(payload)});
    if (state.user.path().empty() || state.write_failed) return;
  }
  const std::string entry = pack_entry(key, facts, payload);
  const std::string reason = state.user.publish(key, entry);
  if (reason.empty()) {
    state.collect_if_due(entry.size());
    return;
  }
  const std::scoped_lock lock(state.mutex);
  ++state.counters.write_failures;
  if (state.write_failed) return;
  state.write_failed = true;
  state.warn(fmt::format("kernel cache folder {}: {}; new kernels are kept in memory only", state.user.path().string(), reason));
}

void Cache::reject(const std::string& key) {
  State& state = opened();
  const std::scoped_lock lock(state.mutex);
  ++state.counters.corrupt;
  ++state.counters.misses;
  const auto found = state.memory.find(key);
  if (found == state.memory.end()) return;
  --state.counters.hits;
  --hits_of(state.counters, found->second.last_hit);
  state.memory.erase(found);
  if (!state.user.path().empty()) state.user.remove(key);
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

std::string Cache::warning() const {
  const State& state = opened();
  const std::scoped_lock lock(state.mutex);
  return state.warning;
}

const std::filesystem::path& Cache::folder() const { return opened().user.path(); }
std::uintmax_t Cache::most_bytes() const { return state_->options.most_bytes; }
const std::filesystem::path& Cache::shared() const { return opened().shared.path(); }

std::filesystem::path Cache::default_folder() {
  if (const std::string folder = environment_value("DGSOLVE_CACHE_DIR"); !folder.empty()) return folder;
  const std::filesystem::path user_caches = environment_value("XDG_CACHE_HOME");
  if (user_caches.is_absolute()) return user_caches / "dgsolve";  // its specification says to ignore others
  if (const std::string folder = environment_value("HOME"); !folder.empty()) return std::filesystem::path(folder) / ".cache" / "dgsolve";
  return {};
}

CacheOptions Cache::default_options() { return {default_folder(), environment_value("DGSOLVE_CACHE_SHARED")}; }

}  // namespace dgsolve::codegen
