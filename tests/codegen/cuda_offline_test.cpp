// The dialect through NVRTC, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/backends/cuda/cuda_compiler.h"
#include "codegen/errors.h"
#include "tests/codegen/dialect_specs.h"

namespace dgsolve::codegen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CudaOffline : public testing::Test {
 protected:
  void SetUp() override {
    std::tie(api_, reason_) = backends::cuda::open_nvrtc();
    if (!api_) GTEST_SKIP() << reason_;
  }
  std::string ptx(const KernelSpec& spec) { return backends::cuda::compile(*api_, render(spec, "cuda"), "compute_90", nullptr); }

  std::shared_ptr<const backends::cuda::NvrtcApi> api_;
  std::string reason_;
};

TEST_F(CudaOffline, every_word_compiles_to_a_cubin_in_every_precision_and_width) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    for (const int width : {1, 4}) {
      SCOPED_TRACE(width);
      for (const KernelSpec& spec :
           {words_spec(precision, width), functions_spec(precision, width, true), functions_spec(precision, width, false)}) {
        const std::string cubin = compile_cuda_offline(render(spec, "cuda"), "sm_90");
        EXPECT_EQ(cubin.substr(0, 4),
                  "\x7f"
                  "ELF")
            << spec.name;
        EXPECT_THAT(cubin, HasSubstr(spec.name));
      }
    }
  }
}

TEST_F(CudaOffline, words_for_pairs_move_them_by_one_instruction_and_a_matrix_step_is_a_matrix_instruction) {
  EXPECT_THAT(ptx(pairs_spec(Precision::double_precision, 8)), HasSubstr("st.shared.v2"));
  EXPECT_THAT(ptx(pairs_spec(Precision::single_precision, 8)), HasSubstr("prefetch.global.L2"));
  EXPECT_THAT(ptx(matrix_step_spec()), HasSubstr("mma.sync.aligned.m16n8k8"));
  const std::string older = backends::cuda::compile(*api_, render(matrix_step_spec(), "cuda"), "compute_80", nullptr);
  EXPECT_THAT(older, HasSubstr("mma.sync.aligned.m8n8k4"));
  EXPECT_TRUE(backends::cuda::has_matrix_double(90));
  for (const int other : {75, 86, 89, 120}) EXPECT_FALSE(backends::cuda::has_matrix_double(other));
  EXPECT_THROW((void)backends::cuda::compile(*api_, render(matrix_step_spec(), "cuda"), "compute_75", nullptr), CompileError);
}

TEST_F(CudaOffline, single_precision_uses_no_double) {
  for (const int width : {1, 4}) {
    EXPECT_THAT(ptx(words_spec(Precision::single_precision, width)), Not(HasSubstr(".f64")));
    EXPECT_THAT(ptx(words_spec(Precision::double_precision, width)), HasSubstr(".f64"));
  }
}

TEST_F(CudaOffline, products_and_sums_are_not_contracted_but_fma_is_one_instruction) {
  KernelSpec spec;
  spec.name = "contract";
  spec.source_name = "contract.kernel.h";
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in_out, ""}};
  spec.source = "${signature} { x[0] = x[1] * x[2] + x[3]; }\n";
  EXPECT_THAT(ptx(spec), Not(HasSubstr("fma.")));
  spec.source = "${signature} { x[0] = FMA(x[1], x[2], x[3]); }\n";
  EXPECT_THAT(ptx(spec), HasSubstr("fma.rn.f64"));
}

TEST_F(CudaOffline, division_and_square_root_are_exact_unless_a_kernel_says_otherwise) {
  KernelSpec spec;
  spec.name = "divide";
  spec.source_name = "divide.kernel.h";
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::in_out, ""}};
  spec.source = "${signature} { x[0] = sqrt(x[1] / x[2]); }\n";
  const auto key = [&] { return backends::cuda::cache_key(*api_, render(spec, "cuda"), "sm_90"); };
  for (const bool rough : {false, true}) {
    SCOPED_TRACE(rough);
    spec.rough_division = rough;
    spec.precision = Precision::double_precision;
    EXPECT_THAT(ptx(spec), AllOf(HasSubstr("div.rn.f64"), HasSubstr("sqrt.rn.f64")));
    spec.precision = Precision::single_precision;
    const std::string text = ptx(spec);
    EXPECT_THAT(text, rough ? HasSubstr("div.full.f32") : HasSubstr("div.rn.f32"));
    EXPECT_THAT(text, rough ? HasSubstr("sqrt.approx.f32") : HasSubstr("sqrt.rn.f32"));
  }
  const std::string rough_key = key();
  spec.rough_division = false;
  EXPECT_NE(key(), rough_key);
}

TEST_F(CudaOffline, an_unknown_newer_architecture_falls_back_to_ptx_and_an_older_one_is_refused) {
  EXPECT_EQ(backends::cuda::compile_target(*api_, 90), "sm_90");
  const std::string target = backends::cuda::compile_target(*api_, 9990);
  EXPECT_EQ(target, "compute_" + std::to_string(*std::max_element(api_->architectures.begin(), api_->architectures.end())));
  EXPECT_THROW((void)backends::cuda::compile_target(*api_, 20), DeviceError);
}

TEST_F(CudaOffline, too_large_a_shared_array_is_a_compile_error) {
  KernelSpec spec = words_spec(Precision::double_precision, 1);
  spec.shared_bytes -= 1;
  try {
    (void)compile_cuda_offline(render(spec, "cuda"), "sm_90");
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("words.kernel.h:5: error: static assertion failed"));
    EXPECT_THAT(error.what(), HasSubstr("shared_bytes"));
  }
}

TEST_F(CudaOffline, a_compile_error_points_at_the_line_that_a_person_edits_and_keeps_the_source) {
  KernelSpec spec = words_spec(Precision::double_precision, 1);
  spec.includes["helpers.kernel.h"] += "INLINE real broken(real a) {\n  return a + undeclared;\n}\n";
  try {
    (void)compile_cuda_offline(render(spec, "cuda"), "sm_90");
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel 'words' does not compile for sm_90"));
    EXPECT_THAT(error.what(), HasSubstr("  helpers.kernel.h:4: error: identifier \"undeclared\" is undefined"));
    EXPECT_THAT(error.what(), HasSubstr("words-"));
  }
}

}  // namespace
}  // namespace dgsolve::codegen
