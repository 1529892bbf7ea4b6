// All output times of a run as one VTKHDF data set that ParaView and VTK open.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/output_grid.h"
#include "io/results_position.h"

namespace dgsolve::io {

class SharedHdf5File;

/// What the files say of their origin, as text attributes of the root group.
using OutputOrigin = std::vector<std::pair<std::string, std::string>>;

enum class ValueStorage { float32, float64 };

/// DIRECTORY/NAME.vtkhdf, the main file, shows DIRECTORY/NAME.d/mesh.h5 and one file per time, NAME.d/000000.h5 and so on, through virtual
/// data sets with relative names: the folder can be moved as a whole. Every file appears complete under its name, a time's own before the
/// main file names it. See docs/output.md.
///
/// On every rank; each writes the rows that its grid has. The files have the same content for any number of ranks.
class VtkhdfSeries {
 public:
  /// Removes an older series of the same name, then writes the mesh; or goes on after the times of `from`, if the files of all of them are
  /// there, and removes later ones. By all ranks together. Throws OutputError; ConfigError if those files have other fields or cells; on
  /// all of them.
  VtkhdfSeries(const std::filesystem::path& directory, const std::string& name, OutputGrid grid, std::vector<OutputField> fields,
               ValueStorage storage, OutputOrigin origin, const mesh::Communicator& ranks = {}, const ResultsPosition& from = {});

  /// values: [owned cells in mesh order][components of all fields][Np]. By all ranks together. Throws OutputError, on all of them; what was
  /// written before stays whole.
  void write(double time, std::int64_t step, const std::vector<double>& values);

  [[nodiscard]] const std::filesystem::path& main_file() const { return main_file_; }
  [[nodiscard]] std::size_t time_count() const { return times_.size(); }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }

 private:
  void write_mesh();
  [[nodiscard]] bool has_parts(const ResultsPosition& from) const;
  void check_part(const std::filesystem::path& part) const;
  void remove_later_parts() const;
  template <class Value>
  void write_fields(SharedHdf5File& file, const std::vector<double>& values);
  void write_values(const std::string& file_name, double time, std::int64_t step, const std::vector<double>& values);
  void write_main() const;
  /// Of the whole mesh.
  [[nodiscard]] std::uint64_t cell_count() const { return static_cast<std::uint64_t>(grid_.rows.total()); }
  [[nodiscard]] std::uint64_t point_count() const { return cell_count() * grid_.cell_points; }

  mesh::Communicator ranks_;
  std::string name_;
  std::filesystem::path main_file_;
  std::filesystem::path parts_;  ///< folder of the files that the main file shows
  OutputGrid grid_;
  std::vector<OutputField> fields_;
  std::size_t components_ = 0;
  ValueStorage storage_;
  OutputOrigin origin_;
  std::vector<double> times_;
  std::vector<std::int64_t> steps_;
};

/// `dgsolve pack`: one file with everything inside. Throws OutputError.
void pack_series(const std::filesystem::path& main_file, const std::filesystem::path& target);

}  // namespace dgsolve::io
