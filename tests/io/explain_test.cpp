// The documentation that is generated from the schema is the documentation in the tree.
#include "io/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "codegen/environment.h"
#include "io/config.h"
#include "io/schema.h"
#include "io/yaml.h"
#include "solver/time/integrator.h"

namespace dgsolve::io {
namespace {

using testing::HasSubstr;

/// Compares with a file of docs/; DGSOLVE_UPDATE_DOCS=1 writes it instead.
void expect_document(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(DGSOLVE_SOURCE_DIR) / "docs" / name;
  if (!codegen::environment_value("DGSOLVE_UPDATE_DOCS").empty()) std::ofstream(file) << text;
  std::ifstream stream(file);
  std::stringstream content;
  content << stream.rdbuf();
  EXPECT_TRUE(content.str() == text) << file << " is out of date: run this test with DGSOLVE_UPDATE_DOCS=1";
}

TEST(Explain, the_configuration_page_is_what_the_schema_generates) { expect_document("configuration.md", configuration_page()); }

TEST(Explain, the_json_schema_is_what_the_schema_generates) { expect_document("dgsolve.schema.json", json_schema()); }

TEST(Explain, every_key_has_documentation_and_an_example_that_is_yaml) {
  for (const SchemaRow& row : schema()) {
    EXPECT_FALSE(row.documentation.empty()) << row.path;
    EXPECT_FALSE(row.example.empty()) << row.path;
    EXPECT_NO_THROW((void)parse_yaml("key: " + std::string(row.example), std::string(row.path))) << row.path;
    EXPECT_THAT(explain_key(row.path), HasSubstr(std::string(row.example)));
  }
}

TEST(Explain, every_example_and_default_passes_its_own_validation) {
  for (const SchemaRow& row : schema()) {
    const std::string_view parent = row.path.substr(0, row.path.rfind('.') == std::string_view::npos ? 0 : row.path.rfind('.'));
    const std::string key = row_key(row) == "*" ? "name" : std::string(row_key(row));
    for (const std::string_view text : {row.example, row.fallback}) {
      if (text.empty()) continue;
      Faults faults;
      validate(parse_yaml(key + ": " + std::string(text), "example"), parent, "", faults);
      // Other keys that the parent needs are missing here; this key has no fault.
      EXPECT_EQ(faults.text().find("example:1:" + std::to_string(key.size() + 3)), std::string::npos) << row.path << '\n' << faults.text();
    }
  }
}

TEST(Explain, parents_stand_before_their_children_and_no_path_twice) {
  std::set<std::string_view> seen{"", "equations"};
  for (const SchemaRow& row : schema()) {
    const std::size_t dot = row.path.rfind('.');
    EXPECT_TRUE(seen.contains(dot == std::string_view::npos ? "" : row.path.substr(0, dot))) << row.path;
    EXPECT_TRUE(seen.insert(row.path).second || row.path == "equations") << row.path;
  }
}

TEST(Explain, keys_are_found_by_path_pattern_and_name_of_the_users) {
  EXPECT_THAT(explain_key("time.cfl"), testing::AllOf(HasSubstr("Default:  0.9"), HasSubstr("a number above 0")));
  EXPECT_THAT(explain_key("boundaries.inlet.dirichlet"), HasSubstr("boundaries.NAME.dirichlet"));
  EXPECT_THAT(explain_key("equations.flux.rho"), HasSubstr("equations.flux.NAME"));
  EXPECT_THAT(explain_key("mesh.box"), HasSubstr("Keys:     lower, upper, cells"));
}

TEST(Explain, an_unknown_key_gets_the_nearest_one) {
  const auto message_of = [](const std::string& key) {
    try {
      return explain_key(key);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(message_of("time.cfk"), HasSubstr("did you mean 'time.cfl'?"));
  EXPECT_THAT(message_of("cfl"), HasSubstr("did you mean 'time.cfl'?"));
}

TEST(Explain, the_list_names_every_key_once) {
  const std::string list = explain_all();
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')), schema().size());
}

TEST(Explain, the_integrators_that_the_schema_allows_are_those_of_the_solver) {
  std::set<std::string> allowed;
  for (const auto name : find_row("time.integrator")->allowed) allowed.emplace(name);
  std::set<std::string> existing;
  for (const auto& method : solver::integrators()) existing.insert(method.name);
  EXPECT_EQ(allowed, existing);
}

}  // namespace
}  // namespace dgsolve::io
