// Lines by single writes.
#include "io/table_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/atomic_file.h"
#include "io/config.h"
#include "io/output_error.h"
#include "io/yaml.h"

namespace dgsolve::io {
namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

std::string header_text(const std::vector<std::string>& columns) {
  std::string header;
  for (const std::string& column : columns) header += (header.empty() ? "" : ",") + csv_text(column);
  return header;
}

}  // namespace

TableFile::TableFile(std::filesystem::path file, const std::vector<std::string>& columns) : file_(std::move(file)) {
  open(O_TRUNC);
  write_line(header_text(columns));
}

TableFile::TableFile(std::filesystem::path file, const std::vector<std::string>& columns, const Keep& keep) : file_(std::move(file)) {
  const std::string header = header_text(columns);
  if (!std::filesystem::exists(file_)) {
    open(O_TRUNC);
    write_line(header);
    return;
  }
  const std::string old = read_text_file(file_);
  std::string kept;
  for (std::size_t at = 0, end = 0; (end = old.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string_view line = std::string_view(old).substr(at, end - at);
    if (at == 0 && line != header) {
      throw ConfigError(
          fmt::format("{}: the table there has other columns ({}): keep those monitors, or begin anew in another folder (--output)",
                      file_.string(), line));
    }
    if (at == 0 || keep(line)) kept.append(line) += '\n';
  }
  continues_ = !kept.empty();
  if (!continues_) kept = header + '\n';
  write_file_atomically(file_, kept);
  open(0);
}

void TableFile::open(int flags) {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) throw OutputError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
}

void TableFile::flush() const {
  if (::fsync(descriptor_) != 0 && errno != EINVAL)  // pipes and the like have nothing to flush
    throw OutputError(fmt::format("{}: cannot be flushed to the disk: {}", file_.string(), std::strerror(errno)));
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
