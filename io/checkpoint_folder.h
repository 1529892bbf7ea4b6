// The checkpoints of a run in its output directory: DIRECTORY/NAME.checkpoints/000000.h5 and so on, numbered in the order of their making.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dgsolve::io {

class CheckpointFolder {
 public:
  CheckpointFolder(const std::filesystem::path& directory, const std::string& name) : folder_(directory / (name + ".checkpoints")) {}

  /// The newest first.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// The name of the next one. Makes the folder if there is none. Throws OutputError.
  [[nodiscard]] std::filesystem::path next() const;
  /// Removes all but the `keep` newest.
  void remove_older(int keep) const;
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace dgsolve::io
