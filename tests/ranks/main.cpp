// Runs the tests on all ranks in step; rank 0 reports, the others speak when something fails on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "io/hdf5.h"
#include "tests/ranks/world.h"

namespace dgsolve {

const mesh::Communicator& world() {
  static const mesh::Communicator ranks = [] {
    io::prepare_hdf5();
    return mesh::Communicator::world();
  }();
  return ranks;
}

namespace {

class Failures : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    fmt::print(stderr, "rank {}: {}:{}: {}\n", world().rank(), result.file_name() == nullptr ? "?" : result.file_name(),
               result.line_number(), result.summary());
  }
};

}  // namespace
}  // namespace dgsolve

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  const auto& ranks = dgsolve::world();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!ranks.is_root()) delete listeners.Release(listeners.default_result_printer());
  if (!ranks.is_root()) listeners.Append(new dgsolve::Failures);
  const int failed = RUN_ALL_TESTS();
  return ranks.max(failed) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
