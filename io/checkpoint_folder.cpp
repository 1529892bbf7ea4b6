// Numbers of checkpoints. A new run in an old folder goes on counting, so an older run's checkpoints stay until this one has its own.
#include "io/checkpoint_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/atomic_file.h"

namespace dgsolve::io {
namespace {

/// The number in a file's name; nothing if it is no checkpoint.
std::optional<long long> number_of(const std::filesystem::path& file) {
  if (file.extension() != ".h5") return std::nullopt;
  const std::string stem = file.stem().string();
  long long number = 0;
  const auto result = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (result.ec != std::errc{} || result.ptr != stem.data() + stem.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::filesystem::path> CheckpointFolder::files() const {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    if (number_of(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return *number_of(a) > *number_of(b); });
  return found;
}

std::filesystem::path CheckpointFolder::next() const {
  make_folder(folder_);
  const auto present = files();
  return folder_ / fmt::format("{:06}.h5", present.empty() ? 0 : *number_of(present.front()) + 1);
}

void CheckpointFolder::remove_older(int keep) const {
  const auto present = files();
  for (std::size_t i = static_cast<std::size_t>(keep); i < present.size(); ++i) {
    std::error_code ignored;  // what cannot be removed takes room, no more
    std::filesystem::remove(present[i], ignored);
  }
}

}  // namespace dgsolve::io
