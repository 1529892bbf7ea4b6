// NVRTC in process: options, targets, compilation and its log.
#include "codegen/backends/cuda/cuda_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "codegen/build_log.h"

namespace dgsolve::codegen::backends::cuda {
namespace {

/// Owner of an NVRTC program.
class ProgramHandle {
 public:
  ProgramHandle(const NvrtcApi& api, const RenderedKernel& rendered) : api_(api) {
    check(api_, api_.create_program(&program_, rendered.text.c_str(), rendered.spec.source_name.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram", rendered.spec.name);
  }
  ~ProgramHandle() { api_.destroy_program(&program_); }
  ProgramHandle(const ProgramHandle&) = delete;
  ProgramHandle& operator=(const ProgramHandle&) = delete;
  [[nodiscard]] Program get() const { return program_; }

 private:
  const NvrtcApi& api_;
  Program program_ = nullptr;
};

std::string compiler_log(const NvrtcApi& api, Program program) {
  std::size_t bytes = 0;
  if (api.get_program_log_size(program, &bytes) != success || bytes == 0) return {};
  std::string log(bytes, '\0');
  if (api.get_program_log(program, log.data()) != success) return {};
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

}  // namespace

std::vector<std::string> compile_options(const KernelSpec& spec, std::string_view architecture) {
  return {fmt::format("--gpu-architecture={}", architecture),
          "--std=c++17",
          "--fmad=false",
          "--ftz=false",
          fmt::format("--prec-div={}", !spec.rough_division),
          fmt::format("--prec-sqrt={}", !spec.rough_division),
          "--generate-line-info",
          "--device-as-default-execution-space",
          "--diag-suppress=177"};  // an unused function of the physics is no fault
}

std::string compile_target(const NvrtcApi& api, int compute_capability) {
  const std::vector<int>& known = api.architectures;
  if (std::find(known.begin(), known.end(), compute_capability) != known.end()) return fmt::format("sm_{}", compute_capability);
  int best = 0;
  for (const int architecture : known) {
    if (architecture < compute_capability) best = std::max(best, architecture);
  }
  if (best == 0)
    throw DeviceError(fmt::format("NVRTC {} cannot compile for sm_{}: the device is too old for it", api.identity, compute_capability));
  return fmt::format("compute_{}", best);
}

std::string cache_key(const NvrtcApi& api, const RenderedKernel& rendered, std::string_view architecture) {
  KeyParts parts{{"backend", "cuda"},
                 {"source", rendered.text},
                 {"entry", rendered.spec.name},
                 {"architecture", std::string(architecture)},
                 {"nvrtc", api.identity}};
  for (const std::string& option : compile_options(rendered.spec, architecture)) parts.emplace_back("option", option);
  return Cache::key(parts);
}

EntryFacts entry_facts(const RenderedKernel& rendered, std::string_view architecture) {
  return {rendered.spec.name, "cuda", std::string(architecture)};
}

std::string compile(const NvrtcApi& api, const RenderedKernel& rendered, std::string_view architecture, Cache* cache) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramHandle program(api, rendered);
  const std::vector<std::string> options = compile_options(rendered.spec, architecture);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const Result status = api.compile_program(program.get(), static_cast<int>(pointers.size()), pointers.data());
  if (status != success) {
    throw compile_error(rendered, std::string(architecture), fmt::format("nvrtcCompileProgram: {}", api.get_error_string(status)),
                        compiler_log(api, program.get()), cache);
  }
  const bool is_cubin = architecture.starts_with("sm_");
  std::size_t bytes = 0;
  check(api, is_cubin ? api.get_cubin_size(program.get(), &bytes) : api.get_ptx_size(program.get(), &bytes), "size of nvrtc's result",
        rendered.spec.name);
  std::string binary(bytes, '\0');
  check(api, is_cubin ? api.get_cubin(program.get(), binary.data()) : api.get_ptx(program.get(), binary.data()), "copy of nvrtc's result",
        rendered.spec.name);
  if (cache != nullptr) cache->count_compile(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return binary;
}

}  // namespace dgsolve::codegen::backends::cuda

namespace dgsolve::codegen {

std::string compile_cuda_offline(const RenderedKernel& kernel, std::string_view architecture) {
  const auto [api, reason] = backends::cuda::open_nvrtc();
  if (!api) throw DeviceError(reason);
  return backends::cuda::compile(*api, kernel, architecture, nullptr);
}

}  // namespace dgsolve::codegen
