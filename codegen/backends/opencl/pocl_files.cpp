// PoCL's program folders and their manifests.
#include "codegen/backends/opencl/pocl_files.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "codegen/digest.h"

namespace dgsolve::codegen::backends {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digest_digits = 64;
constexpr const char* time_stamp = "last_accessed";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Line {
  std::string digest;
  fs::path path;
};

std::vector<Line> parse(const std::string& manifest) {
  std::vector<Line> lines;
  std::istringstream stream(manifest);
  for (std::string text; std::getline(stream, text);) {
    if (text.size() > digest_digits + 1) lines.push_back({text.substr(0, digest_digits), text.substr(digest_digits + 1)});
  }
  return lines;
}

/// The first two parts of a path: the program's folder.
fs::path program_of(const fs::path& path) {
  auto part = path.begin();
  fs::path program = *part++;
  return part == path.end() ? program : program / *part;
}

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t total = 0;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, failure)) {
    if (!entry.is_regular_file(failure)) continue;
    const std::uintmax_t bytes = entry.file_size(failure);
    if (!failure) total += bytes;
  }
  return total;
}

}  // namespace

bool is_whole_elf(const std::string& bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof header || bytes.compare(0, SELFMAG, ELFMAG) != 0) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t table = std::size_t{header.e_shnum} * header.e_shentsize;
  return header.e_shoff > 0 && header.e_shoff <= bytes.size() && table <= bytes.size() - header.e_shoff;
}

PoclFiles::Listing PoclFiles::list() const {
  Listing listing;
  std::error_code failure;
  for (const fs::directory_entry& letters : fs::directory_iterator(folder_, failure)) {
    if (!letters.is_directory(failure)) continue;
    for (const fs::directory_entry& program : fs::directory_iterator(letters.path(), failure)) {
      const auto time = fs::last_write_time(program.path() / time_stamp, failure);
      if (!failure) listing.emplace(program.path().lexically_relative(folder_), time);
    }
  }
  return listing;
}

std::string PoclFiles::digest_program(const fs::path& program) const {
  std::map<fs::path, std::string> digests;  // in the order of paths
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / program, failure)) {
    const fs::path name = entry.path().filename();
    const bool is_code = name == "program.bc" || name.extension() == ".so";
    if (!is_code || !entry.is_regular_file(failure)) continue;
    const std::string bytes = read_file(entry.path());
    if (name.extension() == ".so" && !is_whole_elf(bytes)) {
      fs::remove(entry.path(), failure);
      continue;
    }
    digests.emplace(entry.path().lexically_relative(folder_), sha256(bytes));
  }
  std::string manifest;
  for (const auto& [path, digest] : digests) manifest += fmt::format("{} {}\n", digest, path.string());
  return manifest;
}

std::string PoclFiles::manifest_since(const Listing& before, const std::string& kernel) const {
  std::string manifest;
  for (const auto& [program, time] : list()) {
    const auto known = before.find(program);
    if (known != before.end() && known->second == time) continue;
    // Other processes use the folder too; the bitcode's symbol table holds the names of the kernels.
    if (read_file(folder_ / program / "program.bc").find(kernel) != std::string::npos) manifest += digest_program(program);
  }
  return manifest;
}

std::optional<std::string> PoclFiles::verified(const std::string& manifest) const {
  const std::vector<Line> lines = parse(manifest);
  if (lines.empty()) return std::nullopt;
  std::set<fs::path> programs;
  for (const Line& line : lines) {
    if (sha256(read_file(folder_ / line.path)) != line.digest) return std::nullopt;
    programs.insert(program_of(line.path));
  }
  std::string renewed;
  for (const fs::path& program : programs) renewed += digest_program(program);
  return renewed;
}

void PoclFiles::remove(const std::string& manifest) const {
  std::error_code failure;
  for (const Line& line : parse(manifest)) {
    const fs::path program = program_of(line.path);
    const bool inside = !program.is_absolute() && program.string().find("..") == std::string::npos && program.has_parent_path();
    if (inside) fs::remove_all(folder_ / program, failure);
  }
}

std::uintmax_t PoclFiles::bytes() const { return bytes_below(folder_); }

void PoclFiles::collect(std::uintmax_t most_bytes) const {
  constexpr std::chrono::hours least_age{24};  // PoCL may still use what is younger
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  for (const auto& [program, time] : list()) programs.emplace_back(time, program);
  std::sort(programs.begin(), programs.end());
  std::uintmax_t total = bytes();
  if (total <= most_bytes) return;
  std::error_code failure;
  for (const auto& [time, program] : programs) {
    if (total <= most_bytes / 4 * 3 || fs::file_time_type::clock::now() - time < least_age) return;
    total -= std::min(total, bytes_below(folder_ / program));
    fs::remove_all(folder_ / program, failure);
  }
}

}  // namespace dgsolve::codegen::backends
