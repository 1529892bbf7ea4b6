// Lines by single writes.
#include "io/table_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/output_error.h"

namespace dgsolve::io {
namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

TableFile::TableFile(std::filesystem::path file, const std::vector<std::string>& columns) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw OutputError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  std::string header;
  for (const std::string& column : columns) header += (header.empty() ? "" : ",") + csv_text(column);
  write_line(std::move(header));
}

TableFile::~TableFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TableFile::append(const std::vector<std::optional<double>>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (cells[i]) line += fmt::format("{}", *cells[i]);
  }
  write_line(std::move(line));
}

/// Takes back the part of a line that was written, so that the table ends with a whole one.
void TableFile::drop_end(std::size_t bytes) const {
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  if (bytes > 0 && size >= static_cast<off_t>(bytes)) (void)!::ftruncate(descriptor_, size - static_cast<off_t>(bytes));
}

void TableFile::write_line(std::string line) const {
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = ::write(descriptor_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const std::string reason = std::strerror(errno);
      drop_end(done);
      throw OutputError(fmt::format("{}: cannot be written: {}", file_.string(), reason));
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace dgsolve::io
