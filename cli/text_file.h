// Writes small text files so that nobody ever sees half of one.
#pragma once

#include <filesystem>
#include <string_view>

namespace dgsolve::cli {

/// Writes beside the target under a temporary name, flushes, and renames. Throws std::system_error naming the file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace dgsolve::cli
