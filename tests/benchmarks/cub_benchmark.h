// Times of NVIDIA's CUB for the sizes of algorithms_benchmark.
#pragma once

#include <string>
#include <vector>

struct CubTime {
  std::string what;
  double seconds;
};

/// Medians by events, on the first CUDA device. Throws std::runtime_error.
std::vector<CubTime> cub_times();
