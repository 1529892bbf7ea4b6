// The kernel sources of this folder.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/arrays/declaration.h"
#include "codegen/embedded.h"

namespace dgsolve::codegen {

/// Embedded by the build.
std::span<const EmbeddedFile> array_kernel_files();

/// The text of a file such as "complex.kernel.h". Throws std::invalid_argument.
[[nodiscard]] inline std::string array_kernel_text(std::string_view name) {
  for (const EmbeddedFile& file : array_kernel_files()) {
    if (file.name == name) return std::string(file.content);
  }
  throw std::invalid_argument("no kernel source '" + std::string(name) + "'");
}

}  // namespace dgsolve::codegen
