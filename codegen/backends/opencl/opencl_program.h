// OpenCL programs: from the cache or from the compiler.
#pragma once

#include "codegen/backends/opencl/opencl_device.h"

namespace dgsolve::codegen::backends {

/// A program and its image: the driver's binary; empty if the driver gives none, and on PoCL, whose folder holds it.
struct BuiltProgram {
  OpenClHandle<cl_program> program;
  std::string image;
};

/// The key of a kernel's cache entry.
std::string program_key(const OpenClDevice& device, const RenderedKernel& rendered);

/// The built program of a rendered kernel. Counts hits, misses, corrupt entries and compilations. Throws CompileError.
BuiltProgram build_program(OpenClDevice& device, const RenderedKernel& rendered, Cache* cache);

/// The program of an image; of an empty one: from PoCL's folder or the compiler. Throws DeviceError if the driver refuses it.
OpenClHandle<cl_program> load_program(OpenClDevice& device, const RenderedKernel& rendered, const std::string& image);

}  // namespace dgsolve::codegen::backends
