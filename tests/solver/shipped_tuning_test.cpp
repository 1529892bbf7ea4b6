// The tuning records that come with the program are whole and name choices that exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codegen/tuning/records.h"
#include "solver/kernels/stage.h"

namespace dgsolve::solver {
namespace {

TEST(ShippedTuning, every_line_is_a_record_of_known_choices) {
  const std::vector<std::string> known = stage_variant_names();
  int records = 0;
  for (const codegen::EmbeddedFile& file : shipped_tuning_records()) {
    std::string_view text = file.content;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const auto record = codegen::TuningRecords::from_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ASSERT_TRUE(record.has_value()) << file.name << ", record " << records;
      EXPECT_LE(record->tuned_seconds, record->default_seconds * 1.02) << record->problem;
      for (const auto& [name, value] : record->point) EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
      ++records;
    }
  }
  EXPECT_GT(records, 0);
}

}  // namespace
}  // namespace dgsolve::solver
