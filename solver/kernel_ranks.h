// The ranks of a mesh as the toolkit wants them.
#pragma once

#include <string>
#include <vector>

#include "codegen/communicator.h"
#include "mesh/communicator.h"

namespace dgsolve::solver {

class KernelRanks : public codegen::Communicator {
 public:
  explicit KernelRanks(const mesh::Communicator& ranks) : ranks_(ranks) {}
  [[nodiscard]] int rank() const override { return ranks_.rank(); }
  [[nodiscard]] int size() const override { return ranks_.size(); }
  [[nodiscard]] std::vector<int> nodes() const override { return ranks_.nodes(); }
  void broadcast(std::string& bytes, int root) override { ranks_.broadcast(bytes, root); }
  void barrier() override { ranks_.barrier(); }
  [[nodiscard]] std::vector<std::string> all_gather(const std::string& bytes) override { return ranks_.all_gather(bytes); }

 private:
  const mesh::Communicator& ranks_;
};

}  // namespace dgsolve::solver
