// Anonymous mappings that begin at a large page (Linux: transparent huge pages).
#include "codegen/backends/opencl/large_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace dgsolve::codegen::backends {

bool large_pages_offered(const std::filesystem::path& setting) {
  std::ifstream file(setting);
  std::string text;
  std::getline(file, text);
  return text.find("[always]") != std::string::npos || text.find("[madvise]") != std::string::npos;
}

std::unique_ptr<LargePages> LargePages::take(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t kept = (bytes + page - 1) / page * page, mapped = kept + large_page_bytes;
  if (mapped < bytes) return nullptr;
  void* const mapping = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* const low = static_cast<std::byte*>(mapping);
  const std::size_t before = (large_page_bytes - reinterpret_cast<std::uintptr_t>(low) % large_page_bytes) % large_page_bytes;
  if (before > 0) ::munmap(low, before);
  if (before + kept < mapped) ::munmap(low + before + kept, mapped - before - kept);
  ::madvise(low + before, kept, MADV_HUGEPAGE);  // if refused, the pages are small ones
  return std::unique_ptr<LargePages>(new LargePages(low + before, kept));
}

LargePages::~LargePages() { ::munmap(begin_, bytes_); }

}  // namespace dgsolve::codegen::backends
