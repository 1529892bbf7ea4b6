// Memory on large pages for the buffers of OpenCL devices that are the host's processors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

namespace dgsolve::codegen::backends {

inline constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

/// Smaller buffers are left to the driver: a large page more or less would be much of them, and their page tables stay in the caches.
inline constexpr std::size_t least_bytes_on_large_pages = std::size_t{4} << 20;

/// Whether Linux gives large pages to who asks for them: its setting, "always [madvise] never", chooses one of the first two.
[[nodiscard]] bool large_pages_offered(const std::filesystem::path& setting = "/sys/kernel/mm/transparent_hugepage/enabled");

/// Memory that begins at a large page and asks for large pages. Owner. Nothing is touched: a page comes into being where its first user
/// runs.
class LargePages {
 public:
  /// Null if the system has no room for them.
  [[nodiscard]] static std::unique_ptr<LargePages> take(std::size_t bytes);
  ~LargePages();
  LargePages(const LargePages&) = delete;
  LargePages& operator=(const LargePages&) = delete;
  [[nodiscard]] void* begin() const { return begin_; }

 private:
  LargePages(void* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
  void* begin_;
  std::size_t bytes_;
};

}  // namespace dgsolve::codegen::backends
