// Writing and reading HDF5 files through one checked wrapper.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"

namespace dgsolve::io {

/// Starts the library; what is below does so itself. In a program that uses MPI it must come before MPI: a parallel build of HDF5 that
/// finds MPI at its start is ended by MPI_Finalize, where it tries again to write the files that it could not write, and crashes.
void prepare_hdf5();

enum class Hdf5Type { float32, float64, int64, uint8 };

/// Rows of a data set in another file that a virtual data set shows.
struct VirtualPart {
  std::string file;  ///< relative to the folder of the file that holds the virtual data set
  std::string dataset;
  std::uint64_t rows = 0;
};

/// A new HDF5 file (readable by HDF5 1.10 and later). Every function throws OutputError naming the file, what failed and the system's
/// reason.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& file);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Parents must exist.
  void group(const std::string& path);
  /// `object`: path of a group, "/" for the root. `ascii`: in the character set that some readers insist on; else UTF-8.
  void text_attribute(const std::string& object, const std::string& name, std::string_view text);
  void ascii_attribute(const std::string& object, const std::string& name, std::string_view text);
  void integer_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  void number_attribute(const std::string& object, const std::string& name, double value);
  /// [values.size() / columns][columns]; columns 0: one-dimensional.
  void dataset(const std::string& path, std::span<const double> values, std::size_t columns = 0);
  void dataset(const std::string& path, std::span<const float> values, std::size_t columns = 0);
  void dataset(const std::string& path, std::span<const std::int64_t> values, std::size_t columns = 0);
  void dataset(const std::string& path, std::span<const std::uint8_t> values, std::size_t columns = 0);
  /// The parts one after another.
  void virtual_dataset(const std::string& path, Hdf5Type type, std::size_t columns, const std::vector<VirtualPart>& parts);
  /// Makes a data set of which the values come later, from whoever writes them into the file: little-endian, row after row without gaps.
  /// Returns the byte of the file where the first one goes. At least one row.
  [[nodiscard]] std::uint64_t reserve(const std::string& path, Hdf5Type type, std::uint64_t rows, std::size_t columns = 0);
  /// Writes out what is still in memory and puts the file in place of an older one. Without it nothing remains.
  void close();
  /// Writes out what is there so far, under the temporary name. What was reserved has its place in the file then.
  void flush();
  [[nodiscard]] const std::filesystem::path& temporary() const { return place_.temporary(); }

 private:
  friend void copy_hdf5(const std::filesystem::path& source, const std::filesystem::path& target);
  void write(const std::string& path, std::int64_t type, const void* values, std::size_t count, std::size_t columns);
  void attribute(const std::string& object, const std::string& name, std::int64_t type, std::int64_t space, const void* value);

  std::filesystem::path file_;
  AtomicFile place_;
  std::int64_t id_ = -1;
};

/// A file to read. Every function throws OutputError naming the file and what failed.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& file);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// Those of the root group whose value is a text.
  [[nodiscard]] std::map<std::string, std::string> text_attributes() const;
  /// Of the root group; nothing if there is no such attribute.
  [[nodiscard]] std::optional<double> number_attribute(const std::string& name) const;
  /// Rows and columns (1 of a one-dimensional one); nothing if there is no such data set.
  [[nodiscard]] std::optional<std::array<std::uint64_t, 2>> shape(const std::string& path) const;
  /// [count][columns] numbers from row `first` on.
  [[nodiscard]] std::vector<double> rows(const std::string& path, std::uint64_t first, std::uint64_t count) const;

 private:
  std::filesystem::path file_;
  std::int64_t id_ = -1;
};

/// Copies a file into one without virtual data sets, which replaces `target` when it is complete. Throws OutputError: also if a file that
/// the source refers to is missing.
void copy_hdf5(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace dgsolve::io
