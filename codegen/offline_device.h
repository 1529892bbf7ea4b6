// A device that is not there: kernels are built for it and go to the cache, nothing runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/device.h"

namespace dgsolve::codegen {

/// The architectures that are known: "sm_70", ...
[[nodiscard]] std::vector<std::string> offline_cuda_architectures();

/// Version and size of NVRTC, which every key of a CUDA kernel contains; or why there is none.
[[nodiscard]] std::string nvrtc_identity();

/// Stands for any CUDA device of an architecture ("sm_90"). A program that runs its usual way on it fills the cache with exactly the
/// entries that it looks for on such a GPU, if NVRTC is the same there. `name` is the GPU's, as its driver says: records of tuning go by
/// it. Launches do nothing, what is read from its memory is zero, and no memory is taken. Throws DeviceError if the architecture is not
/// known or there is no NVRTC.
[[nodiscard]] Device make_offline_cuda_device(std::string_view architecture, std::string_view name = {});

}  // namespace dgsolve::codegen
