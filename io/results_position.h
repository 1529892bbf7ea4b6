// How far the results of a run were written when a checkpoint was made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dgsolve::io {

struct ResultsPosition {
  std::vector<double> output_times;  ///< all times of the output series
  std::vector<std::int64_t> output_steps;
  std::map<std::string, double> monitor_times;  ///< by name: the last time recorded
  std::int64_t step = 0;                        ///< rows of monitors beyond it were written later
};

}  // namespace dgsolve::io
