// The only place of the library that reads or writes environment variables.
#pragma once

#include <filesystem>
#include <string>

namespace dgsolve::codegen {

/// The value of an environment variable; empty if it is not set.
[[nodiscard]] std::string environment_value(const char* name);

/// Sets a variable for this process unless the user has set it. Not safe beside threads that read the environment.
void set_environment_default(const char* name, const std::string& value);

}  // namespace dgsolve::codegen
