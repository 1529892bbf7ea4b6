// Templates expand strictly, to the same bytes, and compilers' messages point at their lines.
#include "codegen/template.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/device_fixture.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;
using Texts = std::map<std::string, std::string>;
using List = TemplateValue::List;

/// The expansion without its marks.
std::string plain(std::string_view text, const TemplateValues& values = {}, const Texts& includes = {}) {
  const std::string expanded = expand_template("t", text, values, includes);
  std::string result;
  for (std::size_t begin = 0; begin < expanded.size();) {
    const std::size_t end = std::min(expanded.find('\n', begin), expanded.size() - 1) + 1;
    if (!expanded.substr(begin).starts_with("#line ")) result += expanded.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

std::string failure_of(std::string_view text, const TemplateValues& values = {}, const Texts& includes = {}) {
  try {
    return "expanded to " + expand_template("t", text, values, includes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Template, expressions_have_the_usual_precedence_and_types) {
  EXPECT_EQ(plain("{{ 1 + 2 * 3 - 8 / 3 % 2 }} {{ (1 + 2) * 3 }} {{ 2 - 3 }} {{ 1 / 2.0 }} {{ 3.0 }} {{ 1e-3 }}"),
            "7 9 (-1) 0.5 3.0 0.001");
  EXPECT_EQ(plain("{{ 1 < 2 and not 2 <= 1 }} {{ 1 == 1.0 or false }} {{ \"a\" + \"b\" != \"ab\" }} {{ not 0 }}"), "1 1 0 1");
  EXPECT_EQ(plain("{{ v[1][0] }} {{ [1, 2, 3][n - 1] }} {{ name }}({{ x }})",
                  {{"v", List{1, List{"deep", 2}}}, {"n", 3}, {"name", "f"}, {"x", -0.25}}),
            "deep 3 f((-0.25))");
  EXPECT_EQ(plain("{{ false and 1 / 0 == 1 }} {{ true or [1][7] }}"), "0 1") << "the right operand does not count";
}

TEST(Template, loops_conditions_and_names) {
  EXPECT_EQ(
      plain("{% for i in range(0, n) %}\nx{{ i }} = {% if i == 0 %}a{% elif i == n - 1 %}c{% else %}b{% endif %};\n{% endfor %}\nend\n",
            {{"n", 3}}),
      "x0 = a;\nx1 = b;\nx2 = c;\nend\n");
  EXPECT_EQ(
      plain("{% for row in rows %}{% for x in row %}{{ x }},{% endfor %};{% endfor %}", {{"rows", List{List{1, 2}, List{}, List{3}}}}),
      "1,2,;;3,;");
  EXPECT_EQ(plain("  {% for i in range(1, 3) %}\n  {% let square = i * i %}\n{{ square }}\n  {% endfor %}"), "1\n4\n");
  EXPECT_EQ(plain("{% for i in range(3, 1) %}{{ 1 / 0 }}{% endfor %}${left}"), "${left}");
}

TEST(Template, includes_see_the_names_around_them) {
  const Texts includes{{"row", "a{{ i }}{% include \"end\" %}"}, {"end", ";"}};
  EXPECT_EQ(plain("{% for i in [4, 7] %}\n{% include \"row\" %}\n{% endfor %}\n", {}, includes), "a4;\na7;\n");
  EXPECT_EQ(failure_of("{% include \"rwo\" %}", {}, {{"row", ""}}), "t:1:12: unknown include 'rwo'; did you mean 'row'?");
  EXPECT_EQ(failure_of("", {}, {{"row", ""}}), "t:1:1: include 'row' is not used");
  EXPECT_EQ(failure_of("\n{% include \"a\" %}", {}, {{"a", "\n {{ b }}"}}), "a:2:5: undefined name 'b'");
  EXPECT_THAT(failure_of("{% include \"a\" %}", {}, {{"a", "{% include \"a\" %}"}}), HasSubstr("a:1:12: includes nest too deeply at 'a'"));
  EXPECT_EQ(failure_of("{% if 1 %}{% include \"a\" %}{% endif %}", {}, {{"a", "{% endif %}"}}), "a:1:4: 'endif' ends nothing");
}

TEST(Template, names_that_are_undefined_unused_or_twice_are_errors) {
  EXPECT_EQ(failure_of("a\n  {{ nodess }}", {{"nodes", 1}}), "t:2:6: undefined name 'nodess'; did you mean 'nodes'?");
  EXPECT_EQ(failure_of("{% if false %}{{ x }}{% endif %}"), "t:1:18: undefined name 'x'") << "in a branch that is not taken too";
  EXPECT_EQ(failure_of("{% for i in [] %}{{ x }}{% endfor %}"), "t:1:21: undefined name 'x'");
  EXPECT_EQ(failure_of("{% let i = 1 %}"), "t:1:8: 'i' is not used");
  EXPECT_EQ(failure_of("a", {{"nodes", 1}}), "t:1:1: value 'nodes' is not used");
  EXPECT_EQ(failure_of("{% for n in [1] %}{% endfor %}", {{"n", 1}}), "t:1:8: 'n' is defined already");
  EXPECT_EQ(failure_of("{% for i in [1] %}{% endfor %}{{ i }}"), "t:1:34: undefined name 'i'") << "its block has ended";
  EXPECT_EQ(failure_of("{% let and = 1 %}"), "t:1:8: a name is expected here");
}

TEST(Template, faults_of_the_language_tell_file_line_and_column) {
  EXPECT_EQ(failure_of("{% fro i in [1] %}"), "t:1:4: 'fro' begins no statement; did you mean 'for'?");
  EXPECT_EQ(failure_of("\n{% for i in [1] %}"), "t:2:1: 'for' without 'endfor'");
  EXPECT_EQ(failure_of("{% if 1 %}{% else %}{% elif 1 %}{% endif %}"), "t:1:1: 'if' without 'endif'");
  EXPECT_EQ(failure_of("{% if 1 %}{% endfor %}"), "t:1:1: 'if' without 'endif'");
  EXPECT_EQ(failure_of("x {% endif %}"), "t:1:6: 'endif' ends nothing");
  EXPECT_EQ(failure_of("{% if 1 "), "t:1:1: {% without %}");
  EXPECT_EQ(failure_of("{{ 1 + }}"), "t:1:8: an expression is expected here");
  EXPECT_EQ(failure_of("{{ (1 }}"), "t:1:7: ')' is expected here");
  EXPECT_EQ(failure_of("{{ 1 2 }}"), "t:1:6: '}}' is expected here");
  EXPECT_EQ(failure_of("{{ \"a }}\n"), "t:1:4: the text has no end");
  EXPECT_EQ(failure_of("{{ 99999999999999999999 }}"), "t:1:4: the number is too large");
}

TEST(Template, what_nests_too_deeply_is_refused) {
  const auto repeated = [](std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  EXPECT_EQ(plain("{{ " + repeated("(", 100) + "1" + repeated(")", 100) + " }}"), "1");
  for (const std::string_view opening : {"{{ (", "{{ [", "{{ -", "{{ not ", "{{ [1][", "{% if 1 %}"}) {
    const std::string text = opening[1] == '{' ? "{{ " + repeated(opening.substr(3), 100'000) : repeated(opening, 100'000);
    EXPECT_THAT(failure_of(text), HasSubstr("blocks or expressions nest too deeply")) << opening;
  }
}

TEST(Template, any_damage_to_a_template_is_a_clear_error_or_harmless) {
  const std::string text =
      "a{% for i in range(0, n) %}\n{% if i % 2 == 0 and not done %}x[{{ v[i] + 1.5 }}]{% elif i > 1 %}\"{{ name }}\"\n{% endif %}\n"
      "{% let k = -(i * 3) %}{{ k }}{% include \"inner\" %}\n{% endfor %}\nb\n";
  const TemplateValues values{{"n", 3}, {"v", List{1, 2, 3}}, {"done", false}, {"name", "f"}};
  std::uint32_t random = 1;
  const auto next = [&](std::size_t below) { return (random = random * 1664525 + 1013904223) / 65536 % below; };
  int errors = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (std::size_t hits = 1 + next(3); hits > 0; --hits) {
      const std::size_t at = next(damaged.size()), length = 1 + next(6);
      if (next(2) == 0)
        damaged.erase(at, length);
      else
        damaged.insert(at, text.substr(next(text.size()), length));
    }
    const std::string outcome = failure_of(damaged, values, {{"inner", "{{ i }}{{ n }}"}});
    if (outcome.starts_with("expanded to ")) continue;
    ++errors;
    EXPECT_TRUE(outcome.starts_with("t:") || outcome.starts_with("inner:")) << outcome;
  }
  EXPECT_GT(errors, 500);
}

TEST(Template, wrong_values_are_errors_at_their_place) {
  EXPECT_EQ(failure_of("{{ 1 + \"a\" }}"), "t:1:6: '+' of an integer and a text");
  EXPECT_EQ(failure_of("{{ 1.5 % 2 }}"), "t:1:8: '%' of a real and an integer");
  EXPECT_EQ(failure_of("{{ 1 / 0 }}"), "t:1:6: division by zero");
  EXPECT_EQ(failure_of("{{ 1.0 / 0 }}"), "t:1:1: the value is inf");
  EXPECT_EQ(failure_of("{{ 9223372036854775807 + 1 }}"), "t:1:24: 9223372036854775807 + 1 is beyond 64 bits");
  EXPECT_EQ(failure_of("{{ [1, 2][2] }}"), "t:1:11: item 2 of a list of 2");
  EXPECT_EQ(failure_of("{{ [1] }}"), "t:1:1: a list cannot be printed, only its items");
  EXPECT_EQ(failure_of("{% for i in 3 %}{% endfor %}"), "t:1:13: a loop needs a list, this is an integer");
  EXPECT_THAT(failure_of("{% if \"a\" %}{% endif %}"), HasSubstr("a condition is a truth or an integer, this is a text"));
  EXPECT_EQ(failure_of("{{ range(0, 4611686018427387904)[0] }}"), "t:1:4: the range is too long");
}

TEST(Template, marks_follow_every_jump_and_leave_continued_lines_whole) {
  EXPECT_EQ(expand_template("t", "a\n{% for i in [1, 2] %}\nb{{ i }}\nc\n{% endfor %}\nd\n", {}),
            "#line 1 \"t\"\na\n#line 3 \"t\"\nb1\nc\n#line 3 \"t\"\nb2\nc\n#line 6 \"t\"\nd\n");
  EXPECT_EQ(expand_template("t", "{{ code }}\nend", {{"code", "x\ny"}}), "#line 1 \"t\"\nx\n#line 1 \"t\"\ny\nend");
  EXPECT_EQ(expand_template("t", "a\n{% include \"i\" %}\nb\n", {}, {{"i", "c"}}),
            "#line 1 \"t\"\na\n#line 1 \"i\"\nc\n#line 3 \"t\"\nb\n");
  EXPECT_EQ(expand_template("t", "#define SUM 0 \\\n{% for i in [1, 2] %}\n + {{ i }} \\\n{% endfor %}\n + 3\nend\n", {}),
            "#line 1 \"t\"\n#define SUM 0 \\\n + 1 \\\n + 2 \\\n + 3\n#line 6 \"t\"\nend\n");
}

/// Sums of `count` neighbours, one line of code for each; with `fault` in the template's line 7.
KernelSpec sums_spec(int count, const std::string& fault = "") {
  KernelSpec spec;
  spec.name = "sums";
  spec.source_name = "sums.kernel.h";
  spec.source = expand_template("sums.kernel.h",
                                "// sums of neighbours\n"
                                "${signature} {\n"
                                "  const int i = GROUP_ID(0);\n"
                                "  int sum = ${first};\n"
                                "{% for k in range(0, count) %}\n"
                                "  // neighbour {{ k }}\n"
                                "  sum = sum + x[i + {{ k }}]{{ fault }};\n"
                                "{% endfor %}\n"
                                "  y[i] = sum;\n"
                                "}\n",
                                {{"count", count}, {"fault", fault}});
  spec.constants = {{"first", std::int64_t{100}}};
  spec.arguments = {{"x", ArgumentType::int32_buffer, Intent::in, "[item]"}, {"y", ArgumentType::int32_buffer, Intent::out, "[item]"}};
  return spec;
}

TEST(Template, renders_to_the_same_text_every_time_and_errors_of_rendering_know_its_lines) {
  EXPECT_EQ(render(sums_spec(3), "opencl").text, render(sums_spec(3), "opencl").text);
  EXPECT_NE(render(sums_spec(3), "opencl").text, render(sums_spec(4), "opencl").text);
  try {
    (void)render(sums_spec(2, "${frist}"), "cuda");
    FAIL() << "rendered";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "kernel 'sums': sums.kernel.h:7: undefined constant '${frist}'; did you mean 'first'?");
  }
}

class TemplateOnDevice : public EveryDevice {};

TEST_P(TemplateOnDevice, an_expanded_kernel_runs) {
  const KernelSpec spec = sums_spec(3);
  const Buffer x = buffer_with(std::vector<int>{1, 2, 4, 8, 16, 32}), y = device_.allocate(4 * sizeof(int), "y");
  build_kernels(device_, std::span(&spec, 1), nullptr).front().launch(queue_, 4, {&x, &y});
  EXPECT_EQ(values_of<int>(y), (std::vector<int>{107, 114, 128, 156}));
}

TEST_P(TemplateOnDevice, a_compile_error_in_a_loop_points_at_the_line_of_the_template) {
  const KernelSpec spec = sums_spec(3, " + undeclared_name");
  try {
    (void)build_kernels(device_, std::span(&spec, 1), nullptr);
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("  sums.kernel.h:7: error: "));
    EXPECT_THAT(error.what(), HasSubstr("undeclared_name"));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TemplateOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
