// OpenCL programs: from the cache or from the compiler.
#pragma once

#include "codegen/backends/opencl/opencl_device.h"

namespace dgsolve::codegen::backends {

/// The built program of a rendered kernel. Counts hits, misses, corrupt entries and compilations. Throws CompileError.
OpenClHandle<cl_program> build_program(OpenClDevice& device, const RenderedKernel& rendered, Cache* cache);

}  // namespace dgsolve::codegen::backends
