// The files that PoCL keeps of a program: found, digested, checked, removed.
// PoCL caches programs by itself, and asking it for a program's binary makes it compile twice. So our cache entry of a PoCL
// program is a manifest: one line `digest path` for each of PoCL's files, relative to PoCL's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dgsolve::codegen::backends {

/// PoCL's cache folder. Its layout: two letters / program hash / (program.bc, last_accessed, kernel / variant / kernel.so).
class PoclFiles {
 public:
  explicit PoclFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Every program's folder and when PoCL last used it.
  using Listing = std::map<std::filesystem::path, std::filesystem::file_time_type>;
  [[nodiscard]] Listing list() const;

  /// The manifest of the program that PoCL used since `before` and that defines `kernel`; empty if there is none.
  [[nodiscard]] std::string manifest_since(const Listing& before, const std::string& kernel) const;

  /// If every file of the manifest is unchanged: the manifest with machine code added that PoCL has made since (PoCL makes it at the
  /// first launch). Half-written machine code is removed. Nothing if a file is missing or changed.
  [[nodiscard]] std::optional<std::string> verified(const std::string& manifest) const;

  /// Removes the folders of the manifest's programs; PoCL builds them anew.
  void remove(const std::string& manifest) const;

  /// What the programs take on the disk.
  [[nodiscard]] std::uintmax_t bytes() const;
  /// If that is more than `most_bytes`: removes the programs that PoCL did not use for longest, at least for a day, until three quarters
  /// of it are left. PoCL itself never removes any.
  void collect(std::uintmax_t most_bytes) const;

 private:
  [[nodiscard]] std::string digest_program(const std::filesystem::path& program) const;
  std::filesystem::path folder_;
};

/// True if the file is an ELF object with its section table inside: a file that was cut off is not.
[[nodiscard]] bool is_whole_elf(const std::string& bytes);

}  // namespace dgsolve::codegen::backends
