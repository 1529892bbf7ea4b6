// Writing and checked reading of archives.
#include "codegen/cache_archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "dgsolve kernel archive 1";
constexpr std::size_t key_digits = 64;

/// Calls `use` for every entry of an archive whose lines, sizes, digests and end are right. Throws DeviceError at the first fault.
void for_each_entry(const fs::path& path, const std::function<void(const std::string& key, const std::string& entry)>& use) {
  std::ifstream file(path, std::ios::binary);
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (!file || failure) throw DeviceError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  const auto broken = [&path](std::string_view what) {
    return DeviceError(fmt::format("{} is damaged: {}; nothing was imported", path.string(), what));
  };
  const auto number = [&broken](std::string_view digits) {
    std::uintmax_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size()) throw broken("a number is wrong");
    return value;
  };
  std::string line;
  if (!std::getline(file, line) || line != magic)
    throw DeviceError(fmt::format("{} is no archive of kernels of this version (dgsolve cache export writes them)", path.string()));
  std::uintmax_t count = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("end ")) {
      if (number(std::string_view(line).substr(4)) != count || file.peek() != std::ifstream::traits_type::eof() || file.bad())
        throw broken("its end is wrong");
      return;
    }
    constexpr std::size_t key_at = 6, size_at = key_at + key_digits + 1;
    if (!line.starts_with("entry ") || line.size() <= size_at || line[size_at - 1] != ' ') throw broken("a line is wrong");
    const std::string key = line.substr(key_at, key_digits);
    const std::uintmax_t bytes = number(std::string_view(line).substr(size_at));
    if (!is_cache_key(key)) throw broken("a key is wrong");
    if (bytes > size) throw broken("it ends too early");
    std::string entry(bytes, '\0');
    if (!file.read(entry.data(), static_cast<std::streamsize>(bytes))) throw broken("it ends too early");
    const auto header = verify_entry(entry);
    if (!header || header->key != key) throw broken(fmt::format("entry {} is not as it was", key));
    use(key, entry);
    ++count;
  }
  throw broken("it ends too early");
}

}  // namespace

ArchiveReport export_cache(const CacheFolder& folder, const fs::path& path) {
  const fs::path temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  const auto failed = [&] {
    const std::string reason = std::strerror(errno);
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return DeviceError(fmt::format("cannot write {}: {}", path.string(), reason));
  };
  std::ofstream file(temporary, std::ios::binary);
  file << magic << '\n';
  ArchiveReport report;
  for (const ListedEntry& listed : folder.list(Scrutiny::headers)) {
    const auto entry = listed.state == EntryState::whole && listed.facts.backend != "pocl" ? folder.read_entry(listed.key) : std::nullopt;
    if (!entry) {
      ++report.left_out;
      continue;
    }
    file << fmt::format("entry {} {}\n", listed.key, entry->size()) << *entry;
    ++report.entries;
    report.bytes += entry->size();
  }
  file << fmt::format("end {}\n", report.entries);
  file.close();
  if (!file || ::rename(temporary.c_str(), path.c_str()) != 0) throw failed();
  return report;
}

ArchiveReport import_cache(const CacheFolder& folder, const fs::path& path) {
  for_each_entry(path, [](const std::string&, const std::string&) {});  // all of it, before anything is published
  ArchiveReport report;
  for_each_entry(path, [&](const std::string& key, const std::string& entry) {
    if (folder.read_entry(key)) {
      ++report.left_out;
      return;
    }
    if (const std::string reason = folder.publish(key, entry); !reason.empty())
      throw DeviceError(fmt::format("kernel cache folder {}: {}", folder.path().string(), reason));
    ++report.entries;
    report.bytes += entry.size();
  });
  return report;
}

}  // namespace dgsolve::codegen
