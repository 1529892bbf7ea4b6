// Reads YAML texts into trees of nodes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/node.h"

namespace dgsolve::io {

/// Parses one YAML document. `file_name` is what messages and locations call it. Throws ConfigError with the place: syntax, duplicate keys,
/// keys that are not scalars, several documents, texts over 16 MiB, more than 200000 values (aliases counted as often as they are used),
/// nesting beyond 500 levels. An empty text gives an empty node.
[[nodiscard]] Node parse_yaml(std::string_view text, const std::string& file_name);

/// The whole content of a text file. Throws ConfigError naming the file and the system's reason.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace dgsolve::io
