// One run at a time writes into a folder.
#pragma once

#include <filesystem>

namespace dgsolve::io {

/// Holds FOLDER/.dgsolve.lock by a lock of the system, which ends with the process however it ends, so a stale file blocks nobody. The file
/// says who has it. Where the file system knows no locks, nothing is locked.
class FolderLock {
 public:
  /// Makes the folder. Waits some seconds for a run that is about to end. Throws OutputError naming the other run.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  [[nodiscard]] bool try_lock();

  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace dgsolve::io
