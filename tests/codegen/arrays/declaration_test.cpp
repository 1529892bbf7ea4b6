// Argument lists of custom kernels: what is read, and what a wrong list is told.
#include "codegen/arrays/declaration.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(parse_declaration(text));
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "accepted";
}

TEST(Declaration, reads_values_and_pointers_with_their_intent) {
  const auto list = parse_declaration("double a, const float *x,\n  int64* y");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_FALSE(list[0].is_array());
  EXPECT_EQ(list[0].element.name, "double");
  EXPECT_TRUE(list[1].is_array());
  EXPECT_EQ(list[1].spec.intent, Intent::in);
  EXPECT_EQ(list[1].spec.name, "x");
  EXPECT_EQ(list[2].spec.intent, Intent::in_out);
  EXPECT_EQ(list[2].element.bytes, 8U);
  EXPECT_TRUE(parse_declaration("  ").empty());
}

TEST(Declaration, structures_are_types_too) {
  const ElementType particle{"particle", 32, ElementKind::structure, "typedef struct { double x[4]; } particle;"};
  const auto list = parse_declaration("const particle* p", std::span(&particle, 1));
  EXPECT_EQ(list.at(0).element, particle);
}

TEST(Declaration, faults_name_the_column_and_the_nearest_type) {
  EXPECT_THAT(refusal("duoble a"), testing::AllOf(HasSubstr("unknown type 'duoble'"), HasSubstr("did you mean 'double'")));
  EXPECT_THAT(refusal("double"), HasSubstr("column 7: a name is missing"));
  EXPECT_THAT(refusal("double a float b"), HasSubstr("column 10: ',' is missing"));
  EXPECT_THAT(refusal("double a,"), HasSubstr("an argument is missing after ','"));
  EXPECT_THAT(refusal("double a, int* a"), HasSubstr("a second argument 'a'"));
  EXPECT_THAT(refusal("double 7"), HasSubstr("a name is missing"));
}

}  // namespace
}  // namespace dgsolve::codegen
