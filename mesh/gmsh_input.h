// The bytes of a Gmsh file and a cursor in them: numbers in text or binary, sections, and faults that say where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace dgsolve::mesh {

/// All bytes of a file. Throws MeshError if it can not be read.
[[nodiscard]] std::string load_file(const std::filesystem::path& file);

class GmshInput {
 public:
  /// `name` stands in messages for the file with these bytes.
  GmshInput(std::string name, std::string bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}

  /// Reads "$MeshFormat" to "$EndMeshFormat": from then on numbers are read in the file's encoding. Returns the version, 22 or 41.
  int read_format();

  /// Moves behind the next "$Name" line and returns Name; "" at the end of the file.
  std::string next_section();
  /// Expects "$EndName" of the section that next_section() opened.
  void end_section();
  /// Moves behind "$EndName" of the section that next_section() opened.
  void skip_section();

  [[nodiscard]] bool binary() const { return binary_; }
  /// From here to the end of the section numbers are text also in binary files.
  void read_as_text() { text_section_ = true; }

  /// One number in the section's encoding. Throws MeshError at the end of the file or if the text is no such number.
  std::int64_t integer();  ///< 4 bytes
  std::int64_t size();     ///< data-size bytes; not negative
  double real();           ///< 8 bytes; finite
  void skip_reals(int count);
  /// A text number in either encoding, with the rest of its line blank (counts of version 2.2).
  std::int64_t text_count();
  /// The rest of the current line.
  std::string_view rest_of_line();
  /// The next non-blank character, '\0' at the end.
  char peek();

  /// Throws MeshError unless the rest of the file can hold `count` records of at least this many bytes.
  void require(std::int64_t count, std::size_t binary_bytes, std::size_t text_bytes, std::string_view what);

  /// Throws MeshError with file, section and line (text) or byte (binary).
  [[noreturn]] void fault(std::string_view message) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[nodiscard]] bool text() const { return !binary_ || text_section_; }
  std::string_view word();
  void skip_blanks();
  template <typename T>
  T raw();

  std::string name_;
  std::string bytes_;
  std::size_t position_ = 0;
  std::string section_;
  bool binary_ = false;
  bool swapped_ = false;
  bool text_section_ = false;
  int size_bytes_ = 8;
};

}  // namespace dgsolve::mesh
