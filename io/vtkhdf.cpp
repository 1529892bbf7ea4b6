// VTKHDF format, version 2.0, UnstructuredGrid with Steps: a fixed mesh, values that change.
#include "io/vtkhdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <system_error>

#include "io/config.h"
#include "io/hdf5.h"
#include "io/output_error.h"

namespace dgsolve::io {
namespace {

std::string part_name(std::size_t index) { return fmt::format("{:06}.h5", index); }

/// Files that an earlier run of the same name may have left: the main file first, so that it never shows values of two runs.
void remove_old_series(const std::filesystem::path& main_file, const std::filesystem::path& parts) {
  std::error_code status;
  std::filesystem::remove(main_file, status);
  if (status) throw OutputError(fmt::format("{}: the old file cannot be removed: {}", main_file.string(), status.message()));
  if (!std::filesystem::is_directory(parts)) return;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h5" || extension == ".tmp") old.push_back(entry.path());
  }
  for (const auto& file : old) {
    std::filesystem::remove(file, status);
    if (status) throw OutputError(fmt::format("{}: the old file cannot be removed: {}", file.string(), status.message()));
  }
}

void write_origin(Hdf5Writer& file, const OutputOrigin& origin) {
  for (const auto& [name, text] : origin) file.text_attribute("/", name, text);
}

void constant_series(Hdf5Writer& file, const std::string& path, std::size_t steps, std::int64_t value, std::size_t columns = 0) {
  file.dataset(path, std::vector<std::int64_t>(steps, value), columns);
}

}  // namespace

VtkhdfSeries::VtkhdfSeries(const std::filesystem::path& directory, const std::string& name, OutputGrid grid,
                           std::vector<OutputField> fields, ValueStorage storage, OutputOrigin origin, const ResultsPosition& from)
    : name_(name),
      main_file_(directory / (name + ".vtkhdf")),
      parts_(directory / (name + ".d")),
      grid_(std::move(grid)),
      fields_(std::move(fields)),
      storage_(storage),
      origin_(std::move(origin)) {
  for (const OutputField& field : fields_) {
    for (const int source : field.sources) components_ = std::max(components_, static_cast<std::size_t>(source + 1));
  }
  make_folder(directory);
  if (has_parts(from)) {
    times_ = from.output_times;
    steps_ = from.output_steps;
    write_main();
    remove_later_parts();
    return;
  }
  remove_old_series(main_file_, parts_);
  make_folder(parts_);
  write_mesh();
}

bool VtkhdfSeries::has_parts(const ResultsPosition& from) const {
  if (from.output_times.empty() || !std::filesystem::exists(parts_ / "mesh.h5")) return false;
  for (std::size_t i = 0; i < from.output_times.size(); ++i) {
    const std::filesystem::path part = parts_ / part_name(i);
    if (!std::filesystem::exists(part)) return false;
    const Hdf5Reader reader(part);
    if (reader.number_attribute("time") != from.output_times[i]) return false;
    if (reader.number_attribute("step") != static_cast<double>(from.output_steps[i])) return false;
  }
  check_part(parts_ / part_name(0));
  return true;
}

void VtkhdfSeries::check_part(const std::filesystem::path& part) const {
  const Hdf5Reader reader(part);
  for (const OutputField& field : fields_) {
    if (reader.shape("/" + field.name) == std::array<std::uint64_t, 2>{grid_.point_count(), field.columns}) continue;
    throw ConfigError(fmt::format(
        "{}: the outputs there have other cells or fields ('{}' would be new): keep those, or begin a new series in another folder "
        "(--output)",
        main_file_.string(), field.name));
  }
}

void VtkhdfSeries::remove_later_parts() const {
  std::error_code status;
  for (std::size_t i = times_.size(); std::filesystem::remove(parts_ / part_name(i), status); ++i) {
  }
}

void VtkhdfSeries::write_mesh() const {
  Hdf5Writer file(parts_ / "mesh.h5");
  std::vector<std::int64_t> numbers(grid_.point_count());
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  file.dataset("/Connectivity", numbers);
  numbers.resize(grid_.cell_count + 1);
  for (std::size_t cell = 0; cell <= grid_.cell_count; ++cell) numbers[cell] = static_cast<std::int64_t>(cell * grid_.cell_points);
  file.dataset("/Offsets", numbers);
  file.dataset("/Types", std::vector<std::uint8_t>(grid_.cell_count, grid_.cell_type));
  file.dataset("/Points", grid_.points, 3);
  file.close();
}

void VtkhdfSeries::write(double time, std::int64_t step, const std::vector<double>& values) {
  write_values(part_name(times_.size()), time, step, values);
  times_.push_back(time);
  steps_.push_back(step);
  try {
    write_main();
  } catch (...) {
    times_.pop_back();
    steps_.pop_back();
    throw;
  }
}

void VtkhdfSeries::write_values(const std::string& file_name, double time, std::int64_t step, const std::vector<double>& values) const {
  Hdf5Writer file(parts_ / file_name);
  write_origin(file, origin_);
  file.number_attribute("/", "time", time);
  file.integer_attribute("/", "step", std::array{step});
  for (const OutputField& field : fields_) {
    const std::size_t columns = field.columns == 1 ? 0 : field.columns;
    const std::vector<double> points = field_at_points(grid_, field, components_, values);
    if (storage_ == ValueStorage::float64) {
      file.dataset("/" + field.name, points, columns);
    } else {
      std::vector<float> rounded(points.size());
      std::transform(points.begin(), points.end(), rounded.begin(), [](double value) { return static_cast<float>(value); });
      file.dataset("/" + field.name, rounded, columns);
    }
  }
  file.close();
}

void VtkhdfSeries::write_main() const {
  const std::size_t count = times_.size();
  const std::string folder = name_ + ".d/";
  Hdf5Writer file(main_file_);
  write_origin(file, origin_);
  file.group("/VTKHDF");
  file.integer_attribute("/VTKHDF", "Version", std::array<std::int64_t, 2>{2, 0});
  file.ascii_attribute("/VTKHDF", "Type", "UnstructuredGrid");

  const auto mesh_part = [&](const std::string& name, Hdf5Type type, std::size_t columns, std::size_t rows) {
    file.virtual_dataset("/VTKHDF/" + name, type, columns, {{folder + "mesh.h5", "/" + name, rows}});
  };
  file.dataset("/VTKHDF/NumberOfPoints", std::array{static_cast<std::int64_t>(grid_.point_count())});
  file.dataset("/VTKHDF/NumberOfCells", std::array{static_cast<std::int64_t>(grid_.cell_count)});
  file.dataset("/VTKHDF/NumberOfConnectivityIds", std::array{static_cast<std::int64_t>(grid_.point_count())});
  mesh_part("Points", Hdf5Type::float64, 3, grid_.point_count());
  mesh_part("Connectivity", Hdf5Type::int64, 0, grid_.point_count());
  mesh_part("Offsets", Hdf5Type::int64, 0, grid_.cell_count + 1);
  mesh_part("Types", Hdf5Type::uint8, 0, grid_.cell_count);

  file.group("/VTKHDF/Steps");
  file.integer_attribute("/VTKHDF/Steps", "NSteps", std::array{static_cast<std::int64_t>(count)});
  file.dataset("/VTKHDF/Steps/Values", times_);
  file.dataset("/VTKHDF/Steps/StepNumbers", steps_);
  constant_series(file, "/VTKHDF/Steps/NumberOfParts", count, 1);
  constant_series(file, "/VTKHDF/Steps/PartOffsets", count, 0);
  constant_series(file, "/VTKHDF/Steps/PointOffsets", count, 0);
  constant_series(file, "/VTKHDF/Steps/CellOffsets", count, 0, 1);
  constant_series(file, "/VTKHDF/Steps/ConnectivityIdOffsets", count, 0, 1);

  file.group("/VTKHDF/PointData");
  file.group("/VTKHDF/Steps/PointDataOffsets");
  std::vector<std::int64_t> offsets(count);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = static_cast<std::int64_t>(i * grid_.point_count());
  const Hdf5Type type = storage_ == ValueStorage::float64 ? Hdf5Type::float64 : Hdf5Type::float32;
  for (const OutputField& field : fields_) {
    std::vector<VirtualPart> parts;
    for (std::size_t i = 0; i < count; ++i) parts.push_back({folder + part_name(i), "/" + field.name, grid_.point_count()});
    file.virtual_dataset("/VTKHDF/PointData/" + field.name, type, field.columns == 1 ? 0 : field.columns, parts);
    file.dataset("/VTKHDF/Steps/PointDataOffsets/" + field.name, offsets);
  }
  file.close();
}

void pack_series(const std::filesystem::path& main_file, const std::filesystem::path& target) {
  std::error_code status;
  if (std::filesystem::equivalent(main_file, target, status))
    throw OutputError(fmt::format("{}: cannot be packed into itself", main_file.string()));
  copy_hdf5(main_file, target);
}

}  // namespace dgsolve::io
