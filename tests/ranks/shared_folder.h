// A folder for the files of all ranks.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "tests/ranks/world.h"

namespace dgsolve {

/// Made and removed by rank 0. By all ranks together.
class SharedFolder {
 public:
  SharedFolder() {
    std::string name = (std::filesystem::path(testing::TempDir()) / ("ranks_" + std::to_string(std::random_device()()))).string();
    world().broadcast(name, 0);
    path_ = name;
    if (world().is_root()) std::filesystem::create_directories(path_);
    world().barrier();
  }
  ~SharedFolder() {
    world().barrier();
    std::error_code ignored;
    if (world().is_root()) std::filesystem::remove_all(path_, ignored);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dgsolve
