// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace dgsolve::io {

/// Writes happen under a temporary name beside the target; publish() flushes them to the disk and renames. Without it nothing remains.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
  /// The temporary file must be complete and closed. Throws OutputError.
  void publish();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool published_ = false;
};

/// Replaces a file's content in one step. Throws OutputError naming the file and the system's reason.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Removes what killed processes left of files under way in a folder that no other run writes to. Faults are ignored.
void remove_temporaries(const std::filesystem::path& folder);

/// Creates a folder and its parents. Throws OutputError.
void make_folder(const std::filesystem::path& folder);

}  // namespace dgsolve::io
