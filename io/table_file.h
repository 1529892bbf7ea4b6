// A comma-separated table that grows line by line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dgsolve::io {

/// Every line goes to the system in one piece, so readers and a kill see whole lines, and so do they when the disk is full. Numbers have
/// all digits that their bits need.
class TableFile {
 public:
  /// Replaces an older file and writes the header. Throws OutputError.
  TableFile(std::filesystem::path file, const std::vector<std::string>& columns);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  /// One cell per column; nothing: an empty cell. Throws OutputError.
  void append(const std::vector<std::optional<double>>& cells);

 private:
  void write_line(std::string line) const;
  void drop_end(std::size_t bytes) const;

  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace dgsolve::io
