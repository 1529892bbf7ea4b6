// Rendering of kernel sources is strict and deterministic.
#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

#include "codegen/kernel.h"
#include "tests/codegen/dialect_specs.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

KernelSpec small_spec(const std::string& body) {
  KernelSpec spec;
  spec.name = "small";
  spec.source_name = "small.kernel.h";
  spec.source = "${signature} {" + body + "}\n";
  spec.arguments = {{"q", ArgumentType::real_buffer, Intent::in, "[n]"},
                    {"out", ArgumentType::real_buffer, Intent::out, "[n]"},
                    {"n", ArgumentType::int32, Intent::in, ""}};
  return spec;
}

std::string failure_of(const KernelSpec& spec, std::string_view backend = "opencl") {
  try {
    (void)render(spec, backend);
    return "rendered";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Render, prints_the_signature_of_each_backend) {
  KernelSpec spec = small_spec("");
  spec.group_size = {32, 2, 1};
  spec.min_groups_per_unit = 3;
  EXPECT_THAT(
      render(spec, "opencl").text,
      HasSubstr("KERNEL __attribute__((reqd_work_group_size(32, 2, 1))) void small(GLOBAL const real* RESTRICT q, GLOBAL real* RESTRICT "
                "out, int n) {"));
  EXPECT_THAT(render(spec, "cuda").text,
              HasSubstr("KERNEL void __launch_bounds__(64, 3) small(GLOBAL const real* RESTRICT q, GLOBAL real* RESTRICT out, int n) {"));
}

TEST(Render, prints_constants_exactly_and_with_the_suffix_of_the_precision) {
  KernelSpec spec = small_spec("${a} ${b} ${c} ${d} ${e} ${code}");
  spec.constants = {
      {"a", 0.1}, {"b", -2.0}, {"c", std::int64_t{-7}}, {"d", std::int64_t{5'000'000'000}}, {"e", 1e300}, {"code", std::string("q[0]")}};
  EXPECT_THAT(render(spec, "cuda").text, HasSubstr("{0.10000000000000001 (-2.0) (-7) 5000000000 1.0000000000000001e+300 q[0]}"));
  spec.precision = Precision::single_precision;
  spec.constants["e"] = 3.0;
  EXPECT_THAT(render(spec, "cuda").text, HasSubstr("{0.10000000000000001f (-2.0f) (-7) 5000000000 3.0f q[0]}"));
}

TEST(Render, refuses_what_is_undefined_unused_or_missing_by_name) {
  KernelSpec spec = small_spec("\n${nodess}");
  spec.constants["nodes"] = std::int64_t{4};
  EXPECT_EQ(failure_of(spec), "kernel 'small': small.kernel.h:2: undefined constant '${nodess}'; did you mean 'nodes'?");
  spec = small_spec("");
  spec.constants["nodes"] = std::int64_t{4};
  EXPECT_EQ(failure_of(spec), "kernel 'small': constant 'nodes' is not used in small.kernel.h");
  spec = small_spec("");
  spec.source = "void f() {}\n";
  EXPECT_EQ(failure_of(spec), "kernel 'small': small.kernel.h has no ${signature}");
  spec.source = "${signature} {}\n${signature} {}\n";
  EXPECT_EQ(failure_of(spec), "kernel 'small': small.kernel.h:2: a second ${signature}");
  spec = small_spec("${open\n");
  EXPECT_EQ(failure_of(spec), "kernel 'small': small.kernel.h:1: ${ without }");
  spec = small_spec("${a}");
  spec.constants["a"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(failure_of(spec), HasSubstr("constant 'a' is nan"));
}

TEST(Render, refuses_malformed_specs) {
  KernelSpec spec = small_spec("");
  spec.name = "two words";
  EXPECT_THAT(failure_of(spec), HasSubstr("not an identifier"));
  spec = small_spec("");
  spec.arguments.push_back(spec.arguments.front());
  EXPECT_EQ(failure_of(spec), "kernel 'small': two arguments 'q'");
  spec = small_spec("");
  spec.vector_width = 3;
  EXPECT_THAT(failure_of(spec), HasSubstr("vector width 3"));
  spec = small_spec("");
  spec.group_size = {0, 1, 1};
  EXPECT_THAT(failure_of(spec), HasSubstr("group size 0x1x1"));
  spec = small_spec("");
  spec.arguments.back().intent = Intent::out;
  EXPECT_THAT(failure_of(spec), HasSubstr("scalar argument 'n' can only be in"));
  EXPECT_THAT(failure_of(small_spec(""), "metal"), HasSubstr("a backend is 'cuda' or 'opencl'"));
}

TEST(Render, inlines_includes_from_the_closed_set_and_keeps_the_lines) {
  KernelSpec spec = small_spec("");
  spec.source = "// first\n#include \"a.h\"\n${signature} {}\n";
  spec.includes = {{"a.h", "int a;\n  #  include \"b.h\"\nint c = ${c};\n"}, {"b.h", "int b;"}};
  spec.constants["c"] = std::int64_t{3};
  EXPECT_THAT(render(spec, "cuda").text,
              HasSubstr("#line 1 \"small.kernel.h\"\n// first\n#line 1 \"a.h\"\nint a;\n#line 1 \"b.h\"\nint b;\n"
                        "#line 3 \"a.h\"\nint c = 3;\n#line 3 \"small.kernel.h\"\nKERNEL"));
  spec.includes["a.h"] = "#include \"bb.h\"\n${c}";
  EXPECT_EQ(failure_of(spec), "kernel 'small': a.h:1: unknown include 'bb.h'; did you mean 'b.h'?");
  spec.includes["a.h"] = "#include <math.h>\n${c}";
  EXPECT_THAT(failure_of(spec), HasSubstr("a.h:1: only #include \"name\" is possible"));
  spec.includes = {{"a.h", "${c}\n#include \"a.h\"\n"}};
  EXPECT_THAT(failure_of(spec), HasSubstr("includes nest too deeply at 'a.h'"));
  spec.includes = {{"a.h", "${c}"}, {"unused.h", ""}};
  EXPECT_EQ(failure_of(spec), "kernel 'small': include 'unused.h' is not used in small.kernel.h");
}

TEST(Render, generated_code_of_several_lines_keeps_the_lines_after_it) {
  KernelSpec spec = small_spec("");
  spec.source = "${physics}\n${signature} {\n}\n";
  spec.constants["physics"] = std::string("int a;\nint b;");
  EXPECT_THAT(render(spec, "cuda").text, HasSubstr("#line 1 \"physics\"\nint a;\nint b;\n#line 2 \"small.kernel.h\"\nKERNEL"));
}

TEST(Render, the_same_spec_gives_the_same_bytes_and_any_change_gives_others) {
  const KernelSpec spec = words_spec(Precision::double_precision, 4);
  const std::string text = render(spec, "opencl").text;
  EXPECT_EQ(text, render(KernelSpec(spec), "opencl").text);
  std::vector<KernelSpec> others(6, spec);
  others[0].vector_width = 8;
  others[1].precision = Precision::single_precision;
  others[2].constants["limit"] = 0.26;
  others[3].shared_bytes += 8;
  others[4].includes["helpers.kernel.h"] += "\n";
  others[5].group_size = {4, 2, 1};
  for (const KernelSpec& other : others) EXPECT_NE(render(other, "opencl").text, text);
}

TEST(Render, nothing_of_a_name_or_shape_escapes_the_comment) {
  KernelSpec spec = small_spec("");
  spec.arguments[0].shape = "[n]\\\n#error escaped";
  EXPECT_THAT(render(spec, "cuda").text, Not(HasSubstr("\n#error")));
}

}  // namespace
}  // namespace dgsolve::codegen
