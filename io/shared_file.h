// Files that all ranks write together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "io/hdf5.h"
#include "mesh/communicator.h"

namespace dgsolve::io {

/// Rank 0 does `act`; an OutputError of it is thrown on every rank. By all ranks together.
void on_root(const mesh::Communicator& ranks, const std::function<void()>& act);

/// An HDF5 file of which every rank writes rows of its own. Rank 0 alone calls HDF5: it lays the file out, and the ranks then write their
/// rows to where the data sets lie. It appears complete under its name or not at all. What fails on one rank is thrown as OutputError on
/// every one.
class SharedHdf5File {
 public:
  /// What `describe` gets: the file for groups and attributes, and data sets to come.
  class Layout {
   public:
    Layout(Hdf5Writer& writer, std::map<std::string, std::uint64_t>& places) : writer_(writer), places_(places) {}
    [[nodiscard]] Hdf5Writer& writer() { return writer_; }
    /// [rows][columns]; columns 0: one-dimensional. At least one row.
    void dataset(const std::string& path, Hdf5Type type, std::uint64_t rows, std::size_t columns = 0);

   private:
    Hdf5Writer& writer_;
    std::map<std::string, std::uint64_t>& places_;
  };

  /// `describe` is called on rank 0. By all ranks together.
  SharedHdf5File(std::filesystem::path file, const mesh::Communicator& ranks, const std::function<void(Layout&)>& describe);
  ~SharedHdf5File();
  SharedHdf5File(const SharedHdf5File&) = delete;
  SharedHdf5File& operator=(const SharedHdf5File&) = delete;

  /// Values from the `first`-th of the data set on; by one rank. A fault is kept for close().
  template <class Value>
  void write(const std::string& path, std::uint64_t first, std::span<const Value> values) {
    write_bytes(path, first * sizeof(Value), std::as_bytes(values));
  }
  /// Flushes everything to the disk and puts the file in place of an older one. Without it nothing remains. `complete` is called on rank 0
  /// when all rows are written: for attributes that follow from them. By all ranks together.
  void close(const std::function<void(Hdf5Writer&)>& complete = {});

 private:
  void write_bytes(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes);
  void keep_fault(int error);

  std::filesystem::path file_;
  const mesh::Communicator& ranks_;
  std::optional<Hdf5Writer> writer_;             ///< on rank 0
  std::map<std::string, std::uint64_t> places_;  ///< byte of the file where a data set begins
  int descriptor_ = -1;
  std::string fault_;
};

}  // namespace dgsolve::io
