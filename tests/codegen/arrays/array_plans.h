// Evaluates array expressions the way of CPUs and the way of GPUs, whatever the device.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/array_plan.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {

/// Several values of one type for arrays of their own.
template <class R>
struct OutputsOf {
  std::vector<ArrayProgram> programs;
  std::vector<Array<R>> targets;

  void add(const Context& context, const Expression<R>& values) {
    programs.push_back(values.program());
    targets.emplace_back(context, shape_of(values.program()));
  }
  [[nodiscard]] std::vector<ArrayOutput> outputs() const {
    std::vector<ArrayOutput> list;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      list.push_back({targets[k].view(), element_code<R>(), element_type<R>, &programs[k], nullptr});
    }
    return list;
  }
};

/// The architecture that CUDA kernels are compiled for where there is a compiler but maybe no GPU.
inline constexpr const char* offline_architecture = "sm_90";

/// False without NVRTC; fails the test if the kernel does not compile as CUDA.
inline bool compiles_as_cuda(const KernelSpec& spec) {
  try {
    return !compile_cuda_offline(render(spec, "cuda"), offline_architecture).empty();
  } catch (const CompileError& fault) {
    ADD_FAILURE() << fault.what();
  } catch (const DeviceError&) {
    // there is no compiler
  }
  return false;
}

}  // namespace dgsolve::codegen
