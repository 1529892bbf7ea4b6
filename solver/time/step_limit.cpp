// Directions of the step limit.
#include "solver/time/step_limit.h"

namespace dgsolve::solver {

std::vector<std::array<double, 3>> rate_directions(const ReferenceElement& element) {
  std::vector<std::array<double, 3>> directions;
  if (element.tensor) {
    for (int d = 0; d < element.dimension; ++d) {
      directions.push_back({0, 0, 0});
      directions.back()[static_cast<std::size_t>(d)] = 0.5;
    }
    return directions;
  }
  for (std::array<double, 3> normal : element.face_normals) {
    for (double& component : normal) component /= 4;
    directions.push_back(normal);
  }
  return directions;
}

}  // namespace dgsolve::solver
