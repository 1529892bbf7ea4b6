// Writes small text files atomically.
#include "cli/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace dgsolve::cli {
namespace {

[[noreturn]] void throw_last_error(const std::filesystem::path& file) {
  const int code = errno != 0 ? errno : EIO;
  throw std::system_error(code, std::generic_category(), fmt::format("cannot write {}", file.string()));
}

}  // namespace

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path temporary = file;
  temporary += ".part";
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  if (!stream) throw_last_error(file);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) {
    std::error_code ignored;
    const int code = errno;
    std::filesystem::remove(temporary, ignored);
    errno = code;
    throw_last_error(file);
  }
  std::filesystem::rename(temporary, file);
}

}  // namespace dgsolve::cli
