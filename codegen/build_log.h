// A compiler's log made into one complete message.
#pragma once

#include <string>
#include <vector>

#include "codegen/device.h"
#include "codegen/errors.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// One diagnostic of a compiler, e.g. {"stage.kernel.h", 12, "error: use of undeclared identifier 'foo'"}.
struct Diagnostic {
  std::string file;
  int line = 0;
  std::string text;
};

/// Errors of a log in the forms `file:line:column: error: text` (Clang, PoCL, NVIDIA's OpenCL) and `file(line): error: text` (NVRTC).
[[nodiscard]] std::vector<Diagnostic> parse_diagnostics(std::string_view log);

/// Keeps the source (in the cache's folder, else in the temporary folder) and returns the error with kernel, diagnostics, log and path.
[[nodiscard]] CompileError compile_error(const RenderedKernel& rendered, const std::string& target, const std::string& failure,
                                         const std::string& log, const Cache* cache);

}  // namespace dgsolve::codegen
