// SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace dgsolve::codegen {

/// The SHA-256 digest of `bytes` as 64 lower-case hexadecimal digits (FIPS 180-4).
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace dgsolve::codegen
