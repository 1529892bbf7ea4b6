// Wrong formulas: each ends in one FormulaError that names the column, what is allowed and what is near.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "codegen/errors.h"
#include "tests/expression/world.h"

namespace dgsolve::codegen::expression {
namespace {

using testing::HasSubstr;

struct Fault {
  std::string formula;
  int column;
  std::string message;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.formula; }

class EveryFault : public testing::TestWithParam<Fault> {};

TEST_P(EveryFault, is_reported_at_its_column) {
  World world(2);
  world.scope.bind("pressure", world.graph.symbol("pressure"));
  try {
    static_cast<void>(world.expand_text(GetParam().formula));
    FAIL() << "no fault found";
  } catch (const FormulaError& fault) {
    EXPECT_THAT(fault.what(), HasSubstr(GetParam().message));
    EXPECT_EQ(fault.column(), GetParam().column) << fault.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Names, EveryFault,
                         testing::Values(Fault{"2*presure + 1", 3, "unknown name 'presure'; did you mean 'pressure'?"},
                                         Fault{"a + q", 5, "unknown name 'q'"},
                                         Fault{"a + sqtr(b)", 5, "unknown function 'sqtr'; did you mean 'sqrt'?"},
                                         Fault{"a(b)", 1, "'a' is not a function"}, Fault{"sin + 1", 1, "'sin' is a function"},
                                         Fault{"sqrt(a, b)", 1, "sqrt() takes 1 argument, 2 given"},
                                         Fault{"if(a > b, a)", 1, "if() takes 3 arguments, 2 given"},
                                         Fault{"max(a)", 1, "max() takes 2 to 16 arguments, 1 given"},
                                         Fault{"sin()", 5, "sin() has no argument"}, Fault{"inner(a)", 1, "numerical fluxes only"}));

INSTANTIATE_TEST_SUITE_P(
    Indices, EveryFault,
    testing::Values(Fault{"u[i]*v[i]*n[i]", 13, "index i is used more than twice"},
                    Fault{"u[i]*(v[i]*v[i])", 9, "index i is used more than twice"},
                    Fault{"(u[i]*u[i])*(v[i]*v[i])", 16, "more than twice"}, Fault{"s[i,i]*u[i]", 10, "more than twice"},
                    Fault{"u[i]", 3, "index i stands alone"}, Fault{"u[i]*v[k]*n[k]", 3, "index i stands alone"},
                    Fault{"u[i]*v[i] + a*u[k]", 13, "this summand has the free index k, the first one has no free index"},
                    Fault{"a[i]", 1, "'a' is a scalar: it has no index"}, Fault{"2*u", 3, "'u' has one index: write u[i]"},
                    Fault{"s[i]", 1, "'s' has two indices, not 1"}, Fault{"u[1,2]", 1, "'u' has one index, not 2"},
                    Fault{"u[3]", 3, "index 3: 'u' has the components 1 to 2"}, Fault{"u[0]", 3, "counted from 1"},
                    Fault{"u[1.5]", 3, "whole number"}, Fault{"epsilon[i,j]", 1, "epsilon[i,j,k]"},
                    Fault{"u[i]/v[i]", 8, "above and below a fraction line"}, Fault{"u[i]^2", 1, "for the sum of squares write v[i]*v[i]"},
                    Fault{"max(u[i], v[k])", 11, "this argument of max()"}, Fault{"if(u[i] > 0, 1, 2)", 4, "a condition has no free index"},
                    Fault{"u[i][j]", 5, "write v[i,j]"}, Fault{"(a + b)[i]", 8, "not after a parenthesis"},
                    Fault{"sqrt(a)[i]", 8, "not after a function"}));

INSTANTIATE_TEST_SUITE_P(Grammar, EveryFault,
                         testing::Values(Fault{"", 1, "the formula is empty"}, Fault{"   ", 4, "the formula is empty"},
                                         Fault{"(a + b", 1, "'(' is never closed"}, Fault{"a + b)", 6, "')' without an opening one"},
                                         Fault{"u[i", 2, "'[' is never closed"}, Fault{"u[", 3, "inside an index list"},
                                         Fault{"a b", 3, "'b' after the end of the formula"}, Fault{"2 a", 3, "after the end"},
                                         Fault{"2a", 2, "write the product with *"}, Fault{"a, b", 2, "a comma outside"},
                                         Fault{"(a)(b)", 4, "write a product with *"}, Fault{"a +", 4, "the text ends where"},
                                         Fault{"* a", 1, "'*' where a number, a name or a parenthesis belongs"},
                                         Fault{"a ** 2", 3, "write ^, not **"}, Fault{"if(a = b, 1, 2)", 6, "to compare write =="},
                                         Fault{"if(a & b, 1, 2)", 6, "write &&"}, Fault{"a < b", 3, "is a comparison, not a number"},
                                         Fault{"if(a < b < 1, 1, 2)", 10, "comparisons do not chain"},
                                         Fault{"if(a, 1, 2)", 4, "is a condition"}, Fault{"1 + (a < b)", 8, "a comparison is not a number"},
                                         Fault{"if(a && b > 1, 1, 2)", 4, "a number where a condition belongs"},
                                         Fault{"1e999", 1, "does not fit into double precision"}, Fault{"1.2.3", 4, "one decimal point"},
                                         Fault{"a ; b", 3, "character ';' has no meaning"}, Fault{"a\x01", 2, "control character 0x01"},
                                         Fault{"a*system(1)", 3, "unknown function 'system'"}, Fault{"a \"b\"", 3, "has no meaning"}));

INSTANTIATE_TEST_SUITE_P(NotAscii, EveryFault,
                         testing::Values(Fault{"2\xC2\xB7"
                                               "a",
                                               2, "character '\xC2\xB7' is not ASCII: for a product write *"},
                                         Fault{"\xCF\x81*a", 1, "write rho"}, Fault{"a \xE2\x88\x92 b", 3, "for a minus write -"},
                                         Fault{"a\xFF", 2, "is not ASCII"}));

INSTANTIATE_TEST_SUITE_P(Values, EveryFault,
                         testing::Values(Fault{"a/0", 3, "division by zero"}, Fault{"a/(2 - 2)", 4, "division by zero"},
                                         Fault{"a/zero", 3, "division by zero"}, Fault{"mod(a, 0)", 8, "division by zero"},
                                         Fault{"b*0^-1", 4, "division by zero"}, Fault{"log(0)*a", 1, "a constant with the value -inf"},
                                         Fault{"a + sqrt(-1)", 5, "a constant with the value"},
                                         Fault{"1e200*1e200", 1, "a constant with the value inf"}));

TEST(FormulaFault, message_has_the_formula_and_a_caret_under_the_column) {
  World world(1);
  try {
    static_cast<void>(world.expand_text("2*a + bb"));
    FAIL();
  } catch (const FormulaError& fault) {
    EXPECT_THAT(fault.what(), testing::EndsWith("\n    2*a + bb\n          ^"));
  }
}

TEST(FormulaFault, caret_counts_characters_and_not_bytes) {
  try {
    static_cast<void>(parse_formula("a + \xCF\x81"));
    FAIL();
  } catch (const FormulaError& fault) {
    EXPECT_THAT(fault.what(), testing::EndsWith("\n        ^"));
  }
}

TEST(FormulaFault, text_cut_by_yaml_advises_quotes) {
  for (const char* text : {"sqrt(a", "u[i", "max(a", "m[", "a*(b + "}) {
    try {
      static_cast<void>(parse_formula(text));
      FAIL() << text;
    } catch (const FormulaError& fault) {
      EXPECT_THAT(fault.what(), HasSubstr("quotes")) << text;
    }
  }
}

TEST(FormulaFault, no_text_exhausts_the_stack_or_the_memory) {
  for (const std::string& piece :
       {std::string("("), std::string("-"), std::string("!"), std::string("sin("), std::string("2^"), std::string("u[")}) {
    std::string text;
    while (text.size() < 18000) text += piece;
    EXPECT_THROW(static_cast<void>(parse_formula(text)), FormulaError) << piece;
  }
  EXPECT_THROW(static_cast<void>(parse_formula(std::string(1 << 20, 'a'))), FormulaError);
  std::string chain = "a";
  while (chain.size() < 19000) chain += "+a*b";
  World world(1);
  EXPECT_NO_THROW(static_cast<void>(world.expand_text(chain))) << "a long sum is not a deep one";
}

TEST(FormulaFault, any_text_gives_a_formula_or_one_fault) {
  const std::vector<std::string> pieces{"a",          "b",       "u",  "v[i]", "u[1]", "s[i,k]", "n[k]", "B",    "[",
                                        "]",          "(",       ")",  ",",    "+",    "-",      "*",    "/",    "^",
                                        "<",          "==",      "&&", "||",   "!",    "if",     "max",  "sqrt", "mean",
                                        "delta[i,j]", "epsilon", "0",  "2",    "1e3",  ".5",     " ",    "$",    "\xC3\xA4"};
  std::mt19937 random(3);
  std::uniform_int_distribution<std::size_t> pick(0, pieces.size() - 1);
  int faults = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text;
    for (std::size_t length = pick(random) % 12; length-- > 0;) text += pieces[pick(random)];
    World world(2);
    try {
      static_cast<void>(world.expand_text(text));
    } catch (const FormulaError& fault) {
      ++faults;
      ASSERT_GE(fault.column(), 1) << text;
      ASSERT_LE(fault.column(), static_cast<int>(text.size()) + 1) << text;
    }
  }
  EXPECT_GT(faults, 15000);
  EXPECT_LT(faults, 20000);
}

TEST(FormulaFault, definitions_that_depend_on_themselves_are_broken) {
  World world(1);
  const auto define = [&world](const std::string& target, const std::string& text) {
    world.scope.define(parse_target(target), std::make_shared<const Syntax>(parse_formula(text)));
  };
  define("p", "2*q");
  define("q", "r + 1");
  define("r", "p*p");
  try {
    static_cast<void>(world.expand_text("p + a"));
    FAIL();
  } catch (const BrokenDefinition& broken) {
    EXPECT_EQ(broken.name(), "p");
    EXPECT_THAT(broken.what(), HasSubstr("the definition of 'p' depends on itself: p -> q -> r -> p"));
  }
}

TEST(FormulaFault, wrong_definition_is_blamed_and_not_its_user) {
  World world(1);
  world.scope.define(parse_target("p"), std::make_shared<const Syntax>(parse_formula("2*unknown")));
  try {
    static_cast<void>(world.expand_text("a + p"));
    FAIL();
  } catch (const BrokenDefinition& broken) {
    EXPECT_EQ(broken.name(), "p");
    EXPECT_EQ(broken.column(), 3);
  }
}

TEST(FormulaFault, free_indices_of_target_and_formula_must_agree) {
  World world(2);
  const auto message = [&world](const std::string& text, const std::vector<FreeIndex>& free) -> std::string {
    try {
      static_cast<void>(world.expand_text(text, free));
    } catch (const FormulaError& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_THAT(message("a*b", {{"i", 2}}), HasSubstr("the left side has the free index i, the formula has no free index"));
  EXPECT_THAT(message("u[k]", {{"i", 2}}), HasSubstr("index k stands alone"));
  EXPECT_THAT(message("u[i] + a", {{"i", 2}}), HasSubstr("this summand has no free index"));
  EXPECT_THAT(message("u[i]", {{"i", 3}}), HasSubstr("index i reaches 3, but 'u' has 2 components here; declare it as u[i:3]"));
  EXPECT_EQ(message("u[i]*v[k] + delta[i,k]", {{"i", 2}, {"k", 2}}), "");
}

struct TwoStateFault {
  std::string formula;
  std::string message;
};

TEST(FormulaFault, names_of_one_state_need_an_operator_in_a_two_state_formula) {
  Graph graph;
  Scope both(graph, 1), inner(graph, 1, &both), outer(graph, 1, &both);
  inner.bind("q", graph.symbol("qm"));
  outer.bind("q", graph.symbol("qp"));
  both.set_sides(inner, outer);
  for (const TwoStateFault& row : {TwoStateFault{"q + inner(q)", "'q' belongs to one side of the face: write inner(q)"},
                                   TwoStateFault{"inner(outer(q))", "not inside another such operator"},
                                   TwoStateFault{"mean(qq)", "unknown name 'qq'; did you mean 'q'?"}}) {
    try {
      static_cast<void>(expand(parse_formula(row.formula), {}, both));
      FAIL() << row.formula;
    } catch (const FormulaError& fault) {
      EXPECT_THAT(fault.what(), HasSubstr(row.message));
    }
  }
}

TEST(Declarations, are_names_with_indices) {
  const std::vector<Declaration> list = parse_declarations("rho, m[i], B[a:3], s[i,k] symmetric");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[1].indices[0].letter, "i");
  EXPECT_EQ(list[1].indices[0].extent, 0);
  EXPECT_EQ(list[2].indices[0].extent, 3);
  EXPECT_TRUE(list[3].symmetric);
}

TEST(Declarations, faults_have_their_column) {
  for (const auto& [text, column] :
       {std::pair{"rho, 2", 6}, {"rho,", 5}, {"rho m", 5}, {"m[i", 2}, {"m[2]", 3}, {"B[a:0]", 5}, {"m[i] symmetric", 6}, {"", 1}}) {
    try {
      static_cast<void>(parse_declarations(text));
      FAIL() << text;
    } catch (const FormulaError& fault) {
      EXPECT_EQ(fault.column(), column) << fault.what();
    }
  }
}

}  // namespace
}  // namespace dgsolve::codegen::expression
