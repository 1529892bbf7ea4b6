// Environment variables: DGSOLVE_CACHE_DIR, DGSOLVE_CACHE_SHARED, DGSOLVE_CAPTURE, DGSOLVE_NVRTC, XDG_CACHE_HOME, HOME are read;
// POCL_CACHE_DIR is set.
#include "codegen/environment.h"

#include <cstdlib>

namespace dgsolve::codegen {

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void set_environment_default(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 0); }

}  // namespace dgsolve::codegen
