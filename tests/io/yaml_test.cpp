// YAML texts become trees with exact places; every fault names its place.
#include "io/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/config.h"

namespace dgsolve::io {
namespace {

using testing::HasSubstr;

std::string message_of(const std::string& text) {
  try {
    (void)parse_yaml(text, "a.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

void expect_place(const Node* node, int line, int column) {
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->where.file, "a.yaml");
  EXPECT_EQ(node->where.line, line);
  EXPECT_EQ(node->where.column, column);
}

TEST(Yaml, keeps_kinds_texts_and_order) {
  const Node root = parse_yaml("b: 1\na: [x, 2.5]\nc: {d: 'q'}\ne:\n", "a.yaml");
  ASSERT_TRUE(root.is_map());
  ASSERT_EQ(root.entries.size(), 4U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_FALSE(root.find("b")->quoted);
  EXPECT_EQ(root.find("a")->items.at(1).text, "2.5");
  EXPECT_TRUE(root.find("a")->items.at(1).in_flow);
  EXPECT_FALSE(root.find("b")->in_flow);
  EXPECT_TRUE(root.find_path("c.d")->quoted);
  EXPECT_TRUE(root.find("e")->is_empty());
  EXPECT_EQ(root.find("nothing"), nullptr);
}

TEST(Yaml, places_point_at_the_first_character_of_every_kind_of_text) {
  const Node root = parse_yaml(
      "plain:   m[i]/rho\n"
      "quoted: \"m[i]\"\n"
      "single: 'm[i]'\n"
      "literal: |\n"
      "\n"
      "    a + b\n"
      "    + c\n"
      "folded: >-\n"
      "  d\n"
      "list: [1, \"x\"]\n"
      "next:\n"
      "  - e\n"
      "anchored: &name \"f\"\n",
      "a.yaml");
  expect_place(root.find("plain"), 1, 10);
  expect_place(root.find("quoted"), 2, 10);
  expect_place(root.find("single"), 3, 10);
  expect_place(root.find("literal"), 6, 5);
  expect_place(root.find("folded"), 9, 3);
  expect_place(&root.find("list")->items.at(0), 10, 8);
  expect_place(&root.find("list")->items.at(1), 10, 12);
  expect_place(&root.find("next")->items.at(0), 12, 5);
  expect_place(root.find("anchored"), 13, 18);
  EXPECT_EQ(root.find("literal")->text, "\na + b\n+ c\n");
}

TEST(Yaml, a_number_in_quotes_is_marked_as_text) { EXPECT_TRUE(parse_yaml("order: \"4\"", "a.yaml").find("order")->quoted); }

TEST(Yaml, aliases_repeat_what_their_anchor_holds) {
  const Node root = parse_yaml("a: &x {b: 1}\nc: *x\n", "a.yaml");
  EXPECT_EQ(root.find_path("c.b")->text, "1");
}

TEST(Yaml, an_alias_inside_its_own_anchor_is_a_fault) { EXPECT_THAT(message_of("a: &x [*x]\n"), HasSubstr("a.yaml:1:8")); }

TEST(Yaml, an_alias_bomb_is_a_fault_and_takes_no_time) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 12; ++level) {
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int copy = 0; copy < 10; ++copy) text += (copy == 0 ? "*a" : ", *a") + std::to_string(level - 1);
    text += "]\n";
  }
  EXPECT_THAT(message_of(text), HasSubstr("more than 200000 values"));
}

TEST(Yaml, deep_nesting_is_a_fault_and_no_crash) { EXPECT_THAT(message_of(std::string(100000, '[')), HasSubstr("a.yaml:1:")); }

TEST(Yaml, a_key_that_stands_twice_is_a_fault_with_both_lines) {
  const std::string message = message_of("order: 1\nnodes: gauss\norder: 2\n");
  EXPECT_THAT(message, HasSubstr("a.yaml:3:1: order:"));
  EXPECT_THAT(message, HasSubstr("first at line 1"));
}

TEST(Yaml, broken_syntax_names_the_place) { EXPECT_THAT(message_of("a: 1\nb: [1, 2\n"), HasSubstr("a.yaml:")); }

TEST(Yaml, a_second_document_is_a_fault) { EXPECT_THAT(message_of("a: 1\n---\nb: 1\n"), HasSubstr("a.yaml:3:1: a second YAML document")); }

TEST(Yaml, formulas_torn_by_braces_get_the_hint_to_quote_them) {
  EXPECT_THAT(message_of("flux: {m[i]: m[i]*v[j]}\n"), HasSubstr("quotes"));
  EXPECT_THAT(message_of("initial: {v: v[0]}\n"), HasSubstr("quotes"));
  EXPECT_THAT(message_of("a: [m[i], 0]\n"), HasSubstr("quotes"));
  EXPECT_THAT(message_of("a: [1, 2\nb: 3\n"), testing::Not(HasSubstr("quotes")));
}

TEST(Yaml, a_key_that_is_no_text_is_a_fault) { EXPECT_THAT(message_of("? [a, b]\n: 1\n"), HasSubstr("a key must be a text")); }

TEST(Yaml, an_empty_text_is_an_empty_node) { EXPECT_TRUE(parse_yaml("# nothing\n", "a.yaml").is_empty()); }

TEST(Yaml, a_missing_file_or_a_folder_names_itself) {
  EXPECT_THROW((void)read_text_file("/nonexistent/a.yaml"), ConfigError);
  EXPECT_THROW((void)read_text_file("/"), ConfigError);
}

TEST(Yaml, paths_set_values_in_maps_and_lists) {
  Node root = parse_yaml("mesh: {box: {cells: [1, 2]}}\n", "a.yaml");
  set_path(root, "mesh.box.cells.1", parse_yaml("7", "--set"));
  set_path(root, "time.end", parse_yaml("0.5", "--set"));
  EXPECT_EQ(root.find_path("mesh.box.cells")->items.at(1).text, "7");
  EXPECT_EQ(root.find_path("time.end")->text, "0.5");
  EXPECT_EQ(root.find_path("time.end")->where.file, "--set");
  EXPECT_THROW(set_path(root, "mesh.box.cells.2", Node{}), std::invalid_argument);
  EXPECT_THROW(set_path(root, "time.end.x", Node{}), std::invalid_argument);
}

}  // namespace
}  // namespace dgsolve::io
