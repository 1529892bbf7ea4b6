// A comma-separated table that grows line by line.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dgsolve::io {

/// Every line goes to the system in one piece, so readers and a kill see whole lines, and so do they when the disk is full. Numbers have
/// all digits that their bits need.
class TableFile {
 public:
  /// Replaces an older file and writes the header. Throws OutputError.
  TableFile(std::filesystem::path file, const std::vector<std::string>& columns);
  /// Which of an older file's lines stay.
  using Keep = std::function<bool(std::string_view line)>;
  /// Goes on with the file, after the lines that stay; without such a file as above. Throws OutputError; ConfigError if its columns are
  /// others.
  TableFile(std::filesystem::path file, const std::vector<std::string>& columns, const Keep& keep);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  /// One cell per column; nothing: an empty cell. Throws OutputError.
  void append(const std::vector<std::optional<double>>& cells);
  /// Whether lines of an older file were taken over.
  [[nodiscard]] bool continues() const { return continues_; }
  /// Returns when all lines are on the disk. Throws OutputError.
  void flush() const;

 private:
  void open(int flags);
  void write_line(std::string line) const;
  void drop_end(std::size_t bytes) const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  bool continues_ = false;
};

}  // namespace dgsolve::io
