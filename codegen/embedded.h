// Text files compiled into the program: kernel sources, dialect headers, equation files.
#pragma once

#include <span>
#include <string_view>

namespace dgsolve::codegen {

/// A file of the source tree embedded by `dgsolve_embed` (CMake).
struct EmbeddedFile {
  std::string_view name;     ///< base name, e.g. "euler.yaml"
  std::string_view content;  ///< the whole text
};

}  // namespace dgsolve::codegen
