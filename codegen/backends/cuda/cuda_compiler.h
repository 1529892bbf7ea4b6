// NVRTC: a rendered kernel to a binary for one architecture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/backends/cuda/cuda_api.h"
#include "codegen/cache.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen::backends::cuda {

/// The options for a spec and an architecture, "sm_90" (gives a cubin) or "compute_90" (gives PTX); part of every cache key.
std::vector<std::string> compile_options(const KernelSpec& spec, std::string_view architecture);

/// Whether MATRIX_STEP is there and worth using: m8n8k4 in double precision since 8.0, m16n8k8 since 9.0 (PTX ISA 8, "mma"), but only the
/// chips of data centres have units for it; on others it is as slow as their double precision.
constexpr bool has_matrix_double(int compute_capability) {
  return compute_capability == 80 || compute_capability == 90 || compute_capability == 100;
}

/// The architecture to compile for so that the result runs on "sm_XY": itself if NVRTC knows it, else the newest older one as PTX.
/// Throws DeviceError if there is none.
std::string compile_target(const NvrtcApi& api, int compute_capability);

/// The key of a kernel's cache entry, the same with and without a GPU.
std::string cache_key(const NvrtcApi& api, const RenderedKernel& rendered, std::string_view architecture);

/// What a listing of the cache says of the entry.
EntryFacts entry_facts(const RenderedKernel& rendered, std::string_view architecture);

/// Cubin for "sm_XY", PTX with its closing zero for "compute_XY". Counted in the cache (may be null). Throws CompileError.
std::string compile(const NvrtcApi& api, const RenderedKernel& rendered, std::string_view architecture, Cache* cache);

}  // namespace dgsolve::codegen::backends::cuda
