// From a stored state, element by element in the order of their numbers, to that of an operator: the same bits on the same elements, a
// projection between elements of one cell, interpolation between meshes.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mesh/mesh.h"
#include "solver/dg_operator.h"

namespace dgsolve::solver {

/// The elements that a stored state lives on.
struct StoredElements {
  ReferenceElement element;
  const mesh::Mesh* mesh = nullptr;  ///< null: the operator's cells
};

/// On every rank: takes the stored elements in turn and keeps what this rank's cells need of them.
class StateTransfer {
 public:
  /// Both must outlive this. On another mesh every node of this rank is looked for; throws mesh::MeshError if one lies outside of it.
  StateTransfer(DgOperator& op, StoredElements from);

  /// Values [n][variables][nodes of the stored element] of the elements with numbers first, first + 1, and so on.
  void take(std::int64_t first, std::span<const double> values);
  /// Sets the operator's state; all elements must have been taken. Called by all ranks.
  void finish();

 private:
  /// A node of this rank's, or (node -1) all nodes of a cell, that takes its values from a stored element.
  struct Target {
    std::int64_t source = 0;  ///< number of the stored element
    std::size_t cell = 0;     ///< of this rank
    int node = -1;
    std::array<double, 3> reference{0, 0, 0};
  };
  void locate_nodes();
  void fill(std::span<const Target> targets, std::span<const double> values);

  DgOperator& op_;
  StoredElements from_;
  bool same_element_ = false;
  Eigen::MatrixXd projection_;   ///< [nodes][stored nodes], between elements of one cell
  std::vector<Target> targets_;  ///< by source
  std::vector<double> state_;    ///< [owned cells][variable][node]
};

}  // namespace dgsolve::solver
